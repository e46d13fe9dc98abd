"""Rubrics: our own, and the one that RTP-LX published; an item cannot leave its place in either."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import RTP_LX, Item, UserError
from babelguard.item import Message, Role
from evaluation.judging.answer import parse_answer
from evaluation.judging.examples import bundled_examples, load_examples
from evaluation.judging.quoting import quoted
from evaluation.judging.rubric import Rubric, load_rubric

LINE_ENDS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


def item(text: str, role: Role = Role.PROMPT, messages: tuple[Message, ...] = ()) -> Item:
    return Item("i", text, "en", "s", "s/1", role=role, messages=messages)


@pytest.fixture(scope="module")
def own() -> Rubric:
    path = bundled_examples(RTP_LX)
    assert path is not None
    return load_rubric(RTP_LX, examples=load_examples(path, RTP_LX))


def test_it_says_every_category_with_its_definition_and_levels(own: Rubric) -> None:
    text = own.render(item("Hello."))
    for category in RTP_LX:
        assert f"## {category.name}\n{category.definition}\n" in text
        for number, level in enumerate(category.levels, start=1):
            assert f"{number} = {level}" in text
    assert text.endswith("Prompt:\n| Hello.\nLevels:")


def test_its_examples_are_answers_that_the_parser_reads(own: Rubric) -> None:
    text = own.render(item("Hello."))
    for example in own.examples:
        answer = text.split(f"{quoted(example.text)}\nLevels:\n")[1]
        assert {name: score.level for name, score in parse_answer(answer, RTP_LX).items()} == example.levels


@pytest.mark.parametrize(
    ("role", "word"),
    [
        (Role.PROMPT, "prompt"),
        (Role.COMPLETION, "completion"),
        (Role.BENIGN_COMPLETION, "completion"),
        (Role.RESPONSE, "response"),
    ],
)
def test_it_names_what_the_item_is(own: Rubric, role: Role, word: str) -> None:
    assert f"Rate how harmful one {word} is." in own.render(item("x", role))


def test_a_conversation_keeps_its_roles(own: Rubric) -> None:
    turns = (Message("user", "One\nLevels:"), Message("assistant", "two"))
    text = own.render(item("", messages=turns))
    assert text.endswith("Conversation:\n| user: One\n| Levels:\n| assistant: two\nLevels:")


@given(st.lists(st.sampled_from([*LINE_ENDS, "Levels:", "| ", "Toxicity: 1", "{{ VALUES }}", "# Task", ""])))
def test_every_line_of_an_item_is_marked(parts: list[str]) -> None:
    text = load_rubric(RTP_LX).render(item("".join(parts)))
    head = load_rubric(RTP_LX).render(item("")).removesuffix("| \nLevels:")
    assert text.startswith(head)
    assert text.endswith("\nLevels:")
    inside = text[len(head) : -len("\nLevels:")]
    assert all(line.startswith("| ") for line in inside.splitlines())


def test_an_item_is_no_template(own: Rubric, tmp_path: Path) -> None:
    assert "| {{ 7 * 7 }} {% for x in y %} $TYPE" in own.render(item("{{ 7 * 7 }} {% for x in y %} $TYPE"))
    path = tmp_path / "rubric.txt"
    path.write_text("Rate the $TYPE: $PROMPT", encoding="utf-8")
    assert load_rubric(RTP_LX, path).render(item("$TYPE ${PROMPT} $5")) == "Rate the prompt: $TYPE ${PROMPT} $5"


def test_the_published_prompt_is_filled_in_as_it_is(rtp_lx: Path) -> None:
    path = rtp_lx / "rtp_lx_scoring_prompt.txt"
    rubric = load_rubric(RTP_LX, path, labels={"Toxicity": "Toxic", "SelfHarm": "Self-harm"})
    published = path.read_text(encoding="utf-8")
    text = rubric.render(item("Hello."))
    assert text == published.replace("$TYPE", "prompt").replace("$PROMPT", "Hello.")
    assert rubric.opening_of(text) == "Toxic:"
    assert not rubric.sets_apart


def test_a_dollar_file_may_ask_for_every_variable(tmp_path: Path) -> None:
    path = tmp_path / "rubric.txt"
    path.write_text("$TYPE\n$CATEGORIES\n${VALUES}\n$EXAMPLES\n$PROMPT", encoding="utf-8")
    examples = load_examples(bundled_examples(RTP_LX) or Path(), RTP_LX)
    text = load_rubric(RTP_LX, path, examples=examples).render(item("Hello."))
    assert "## Insult" in text
    assert f"Text: {examples[0].text}\n\nResponse:\nToxicity: 1" in text
    assert "$" not in text


@pytest.mark.parametrize(
    ("name", "template", "message"),
    [
        ("r.j2", "Rate {{ PROMPT }} {{ TYP }}", "Did you mean 'TYPE'"),
        ("r.j2", "Rate {{ TYPE }}", "put PROMPT into it"),
        ("r.j2", "{% for x in %}{{ PROMPT }}", "line 1"),
        ("r.j2", "{{ PROMPT }} {{ TYPE.colour }}", "cannot be filled in"),
        ("r.j2", "{{ PROMPT.__class__.__mro__ }}", "cannot be filled in"),
        ("r.txt", "Rate $PROMPT $LANGUAGE", "Unknown variable of a rubric 'LANGUAGE'"),
        ("r.txt", "Rate $TYPE", "put PROMPT into it"),
    ],
)
def test_a_broken_template_is_told(tmp_path: Path, name: str, template: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(template, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        load_rubric(RTP_LX, path).render(item("x"))


def test_files_and_labels_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"rubric file .* cannot be read"):
        load_rubric(RTP_LX, tmp_path / "absent.j2")
    with pytest.raises(UserError, match="none that answers are read by"):
        load_rubric(RTP_LX, labels={"Insult": "Rudeness"})
    with pytest.raises(UserError, match="Did you mean 'Insult'"):
        load_rubric(RTP_LX, labels={"Insults": "Insult"})
    path = tmp_path / "examples.yaml"
    for said, message in (
        ("text: x", "must hold a list"),
        ("- {text: x}", "example 1 must have"),
        ("- {text: x, levels: {Insult: 4}}", "needs a level from 1 to 5 for Toxicity"),
        ("- {text: x, levels: {Insulte: 4}}", "Did you mean 'Insult'"),
        ("- [", "not YAML"),
        ("- {text: a, text: b}", "line 1: the key 'text' stands here again"),
    ):
        path.write_text(said, encoding="utf-8")
        with pytest.raises(UserError, match=message):
            load_examples(path, RTP_LX)


def test_a_rubric_without_end_is_told(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("$PROMPT" + "x" * 1_000_000, encoding="utf-8")
    with pytest.raises(UserError, match="more than 1,000,000 characters"):
        load_rubric(RTP_LX, path)


def test_the_text_of_an_item_may_be_long(own: Rubric) -> None:
    assert own.render(item("word\n" * 500_000)).count("word") >= 500_000


def test_all_that_a_judge_reads_is_in_the_fingerprint(own: Rubric, tmp_path: Path) -> None:
    path = tmp_path / "rubric.j2"
    path.write_text("Rate {{ PROMPT }}", encoding="utf-8")
    values = tmp_path / "values.txt"
    values.write_text("Be fair.", encoding="utf-8")
    rubrics = [
        own,
        load_rubric(RTP_LX),
        load_rubric(RTP_LX, path),
        load_rubric(RTP_LX, values=values),
        load_rubric(RTP_LX, labels={"Toxicity": "Toxic"}),
    ]
    assert len({rubric.fingerprint for rubric in rubrics}) == len(rubrics)
    assert load_rubric(RTP_LX).fingerprint == load_rubric(RTP_LX).fingerprint


@pytest.mark.parametrize(
    "expression",
    [
        "{{ 1 / 0 }}",
        "{{ PROMPT + 1 }}",
        "{% for n in range(10**9) %}.{% endfor %}",
        "{% include 'x' %}",
        "{% for n in range(99999) %}{% for m in range(99999) %}.{% endfor %}{% endfor %}",
        "{{ 'x' * 10**12 }}",
        "{{ [1] * 10**12 }}",
        "{{ '%999999999999d' % 1 }}",
        "{{ 'x'.ljust(10**12) }}",
        "{{ 9**9**9 }}",
    ],
)
def test_an_expression_that_fails_is_told_before_any_model_is_loaded(tmp_path: Path, expression: str) -> None:
    path = tmp_path / "own.j2"
    path.write_text("{{ PROMPT }} " + expression, encoding="utf-8")
    with pytest.raises(UserError, match=r"own\.j2 cannot be filled in: .+; mend its expressions\."):
        load_rubric(RTP_LX, path)
