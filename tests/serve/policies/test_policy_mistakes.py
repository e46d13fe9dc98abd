"""What is wrong in a policy file is told in one sentence with file, line and key, and with what may stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard.errors import UserError
from serve.policies import load_policy

HEAD = "format: 1\nname: test\nversion: 1\n"


def told(folder: Path, text: str) -> str:
    path = folder / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        load_policy(path)
    said = str(error.value)
    assert said.startswith(str(path))
    assert "--set" not in said
    assert "recipe" not in said
    assert "\n" not in said
    return said.removeprefix(str(path))


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("1.5", "1.5"),
        ("-0.5", "-0.5"),
        ("0", "0"),
        (".nan", ".nan"),
        (".inf", ".inf"),
        ("'0.5'", "'0.5' (leave out the quotes)"),
        ("50%", "50% (write 0.5)"),
        ("true", "true"),
        ("sometimes", "sometimes"),
        ("[0.5]", "[0.5]"),
        ("{level: 1}", "{level: 1}"),
        ("{level: 2.5}", "{level: 2.5}"),
        ("{level: 2, above: 1}", "{above: 1, level: 2}"),
        ("{probability: 0.5, level: 2}", "{level: 2, probability: 0.5}, of which one alone can hold"),
        ("{probability: 1.5}", "{probability: 1.5}"),
        ("{probability: 0.5, above: 0}", "{above: 0, probability: 0.5}"),
        ("{probability: 0.5, over: 1}", "{over: 1, probability: 0.5}"),
        ("{above: 2}", "{above: 2}"),
    ],
)
def test_a_condition_that_is_none(tmp_path: Path, written: str, found: str) -> None:
    may_stand = "a probability above 0 and up to 1, {probability: P, above: N}, {level: N} from 2 on, guard, or never"
    assert told(tmp_path, f"{HEAD}every_category:\n  languages:\n    de: {{flag: {written}}}\n") == (
        f", line 6: every_category.languages.de.flag: found {found}; here may stand {may_stand}."
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", " is empty; it must hold a mapping of keys to values."),
        ("format: 1\nname: x\n", ': version is not set; add it to the policy, such as `version: "1"`.'),
        ("name: x\nversion: 1\n", ": format is not set; add it to the policy, such as `format: 1`."),
        (
            "format: 1\nname: x\nversion: 1.10\n",
            ', line 3: version: YAML reads 1.10 as a number and may drop digits; write it in quotes: version: "1.10".',
        ),
        (
            HEAD + "every_category: {languages: {no: {flag: 0.5}}}\n",
            ", line 4: every_category.languages: YAML reads a bare no as false; "
            "write the code of Norwegian in quotes: 'no'.",
        ),
        (
            HEAD + "block_lists:\n  - name: x\n    entries: [tea]\n    languages: [no, da]\n",
            ", line 7: block_lists.0.languages.0: YAML reads a bare no as false; "
            "write the code of Norwegian in quotes: 'no'.",
        ),
        (
            HEAD + "block_lists: [{name: x, entries: [yes]}]\n",
            ", line 4: block_lists.0.entries.0: YAML reads yes as true, not as a text; write it in quotes.",
        ),
        (
            HEAD + "block_lists: [{name: x, entries: [tea, 0123]}]\n",
            ", line 4: block_lists.0.entries.1: YAML reads 0123 as a number, not as a text; write it in quotes.",
        ),
        (
            HEAD + "block_lists:\n- {name: x, entries: [tea], action: ban}\n",
            ", line 5: block_lists.0.action: found ban; here may stand flag or block.",
        ),
        (
            HEAD + "block_lists:\n- {name: x, file: .}\n",
            ", line 5: block_lists.0.file: list x: {folder} cannot be read (Is a directory); name a text file.",
        ),
        (
            HEAD + "block_lists:\n- {name: x, file: nowhere.txt}\n",
            ", line 5: block_lists.0.file: list x: {folder}/nowhere.txt does not exist; "
            "the file of a list is relative to the policy's folder.",
        ),
        (
            HEAD + "allow_lists: [{name: x, entries: [tea]}]\nblock_lists:\n- {name: x, entries: [tea]}\n",
            ", line 6: block_lists.0.name: the list x has the name of allow_lists.0; give each list a name of its own.",
        ),
        (
            HEAD + "every_category: {flag: 0.5}\nname: other\n",
            ", line 5: the key 'name' stands here again, first in line 2; keep one of the two.",
        ),
        (
            "format: 1\nname: é\nversion: 1\n",
            ", line 2: name: found é; it stands in headers, which take printable ASCII alone.",
        ),
        (HEAD + "every_category: 5\n", ", line 4: every_category: must be a mapping of keys to values (found 5)."),
        (HEAD + "block_lists: [{name: x}]\n", ", line 4: block_lists.0: a list needs `entries` or a `file`."),
        (
            HEAD + "categories:\n  Insult: {flog: 0.5}\n",
            ", line 5: unknown key 'categories.Insult.flog'. Did you mean 'flag'? Known keys: block, flag, languages.",
        ),
    ],
)
def test_every_mistake_has_its_place_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    assert told(tmp_path, text) == said.replace("{folder}", str(tmp_path))


def test_an_unknown_language_is_answered_with_those_that_are_known(tmp_path: Path) -> None:
    said = told(tmp_path, f"{HEAD}every_category:\n  languages:\n    xx: {{flag: 0.5}}\n")
    assert said.startswith(", line 6: every_category.languages.xx: Unknown language 'xx'. ")
    assert "de, de-CH" in said
    assert ".py" not in said
    said = told(tmp_path, f"{HEAD}block_lists: [{{name: x, entries: [tea], languages: [en, tlh]}}]\n")
    assert said.startswith(", line 4: block_lists.0.languages: Unknown language 'tlh'. ")


def test_a_list_that_is_not_utf8_is_named_with_its_policy(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_bytes("Straße".encode("latin-1"))
    said = told(tmp_path, HEAD + "block_lists: [{name: x, file: words.txt}]\n")
    assert (
        said == ", line 4: block_lists.0.file: the file words.txt of the list x is not UTF-8; save it in that encoding."
    )


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("name: x\nevery_category: {flag: 2, flog: 1}\n", encoding="utf-8")
    with pytest.raises(UserError) as error:
        load_policy(path)
    assert str(error.value).count("\n") == 3
