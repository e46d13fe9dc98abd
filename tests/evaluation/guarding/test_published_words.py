"""The publisher's words that a user brings: they are printed as they stand, and what is missing is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard.errors import UserError
from evaluation.guarding.form import Policy
from evaluation.guarding.published_words import Form, PublishedWords, Words, read_words

POLICIES = (Policy(name="fire", covers=("Violence",)), Policy(name="water", covers=("Insult",)))


def needs(form: Form, end: str = "") -> PublishedWords:
    return PublishedWords(form=form, where="https://example.org/card", end=end)


def read(tmp_path: Path, text: str, published: PublishedWords | None, name: str = "words.txt") -> Words:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_words(file, published, POLICIES, None, "The preset x")


def rendered(words: Words, **variables: str) -> str:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    assert words.template is not None
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(words.template).render(**words.variables, **variables)


def test_a_whole_prompt_is_printed_as_it_stands(tmp_path: Path) -> None:
    text = "{{ 7 * 7 }} {% raw %}\n{prompt}\n\n {other} {response}{prompt}\n\n"
    words = read(tmp_path, text, needs("template", end="\n"))
    said = rendered(words, request="{prompt}", response="R", bos_token="<s>")
    assert said == "<s>{{ 7 * 7 }} {% raw %}\n{prompt}\n\n {other} R{prompt}\n"


def test_the_first_token_is_not_written_twice(tmp_path: Path) -> None:
    words = read(tmp_path, "<s>{prompt}", needs("template"))
    assert rendered(words, request="a", bos_token="<s>") == "<s>a"
    assert rendered(words, request="a") == "<s>a"


def test_speaker_and_conversation_have_places(tmp_path: Path) -> None:
    words = read(tmp_path, "{role}: {conversation}", needs("template"))
    assert rendered(words, role="Agent", dialogue="User: a") == "Agent: User: a"


def test_a_jinja_file_is_a_template(tmp_path: Path) -> None:
    words = read(tmp_path, "{{ request }}!", needs("template"), "own.j2")
    assert rendered(words, request="a") == "a!"


def test_a_system_prompt_is_a_variable(tmp_path: Path) -> None:
    assert read(tmp_path, "Be {kind}.\n", needs("system")).variables == {"system_prompt": "Be {kind}."}


def test_guidelines_go_to_their_policies(tmp_path: Path) -> None:
    words = read(tmp_path, "fire: no fire\nwater: {prompt: none asked, response: none given}\n", needs("guidelines"))
    fire, water = words.policies
    assert fire.variables_for("prompt") == fire.variables_for("response") == {"guideline": "no fire"}
    assert water.variables_for("prompt") == {"guideline": "none asked"}
    assert water.variables_for("response") == {"guideline": "none given"}


@pytest.mark.parametrize(
    ("form", "how"),
    [("template", "the whole prompt"), ("system", "the system prompt"), ("guidelines", "each of fire, water")],
)
def test_what_is_missing_is_told_with_its_address(form: Form, how: str) -> None:
    with pytest.raises(UserError, match=rf"The preset x answers to .*{how}.* from https://example\.org/card into"):
        read_words(None, needs(form), POLICIES, None, "The preset x")


def test_a_template_of_the_recipe_stands_for_a_whole_prompt_alone() -> None:
    assert read_words(None, needs("template"), (), "{{ request }}", "x").template == "{{ request }}"
    with pytest.raises(UserError, match="answers to its publisher's own words"):
        read_words(None, needs("system"), (), "{{ request }}", "x")
    assert read_words(None, None, POLICIES, None, "x") == Words(None, {}, POLICIES)


@pytest.mark.parametrize(
    ("form", "text", "sentence"),
    [
        ("template", "Is this safe?", "has no place for the rated text"),
        ("guidelines", "fire: x\nwine: y\n", "Unknown policy 'wine'"),
        ("guidelines", "fire: x\n", "has no guideline for water"),
        ("guidelines", "fire: x\nwater: {prompt: y}\n", "has no guideline for water"),
        ("guidelines", "- fire\n", "must hold a mapping"),
    ],
)
def test_files_that_do_not_fit_are_told(tmp_path: Path, form: Form, text: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read(tmp_path, text, needs(form))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nothing\.txt cannot be read"):
        read_words(tmp_path / "nothing.txt", needs("system"), (), None, "x")
