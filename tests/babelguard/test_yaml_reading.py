"""YAML files: what stands twice is refused, and lines and letters of values are known."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from babelguard import UserError
from babelguard.yaml_reading import DuplicateKeyError, parse_yaml, read_mapping

REPOSITORY = Path(__file__).resolve().parents[2]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=12,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recipe.yaml"


@given(values)
def test_what_stands_once_is_read_as_pyyaml_reads_it(value: object) -> None:
    assert parse_yaml(yaml.safe_dump(value, allow_unicode=True)) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: the key 'a' stands here again, first in line 1; keep one of the two."),
        ("x:\n  - {a: 1, a: 1}\n", "line 2: the key 'a' stands here again, first in line 2"),
        ("no: 1\nfalse: 2\n", "line 2: the key 'false' stands here again, first in line 1"),
        ("'a': 1\na: 2\n", "line 2: the key 'a' stands here again"),
        ("", "is empty"),
        ("# nothing but a comment\n", "is empty"),
        ("a: 2026-13-45\n", "looks like a date and is none"),
        ("? [a]\n: 1\n", "line 1: this is not YAML"),
        ("a: b: c\n", "line 1: this is not YAML"),
    ],
)
def test_mistakes_are_told_with_file_and_line(path: Path, text: str, said: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_mapping(path)
    assert str(error.value).startswith(str(path))
    assert said in str(error.value)


def test_a_merged_key_may_be_said_anew() -> None:
    text = "a: &a {x: 1, y: 1}\nb: {<<: *a, x: 2}\n"
    assert parse_yaml(text) == {"a": {"x": 1, "y": 1}, "b": {"x": 2, "y": 1}}
    with pytest.raises(DuplicateKeyError):
        parse_yaml("a: &a {x: 1}\nb: {<<: *a, <<: *a}\n")


def test_lines_and_letters_of_values_are_known(path: Path) -> None:
    path.write_text("version: 1.10\nlists:\n  - name: tea\n    languages: [no]\n", encoding="utf-8")
    read = read_mapping(path)
    assert read.content == {"version": 1.1, "lists": [{"name": "tea", "languages": [False]}]}
    assert read.written["version",] == "1.10"
    assert read.written["lists", 0, "languages", 0] == "no"
    assert (read.line(("lists",)), read.line(("lists", 0, "languages", 0))) == (2, 4)
    assert (read.line(("lists", 0, "action")), read.line(("nowhere", 1))) == (3, None)


def test_no_file_of_the_project_says_a_key_twice() -> None:
    files = [
        each
        for folder in ("recipes", "evaluation", "data_prep", "serve")
        for each in (REPOSITORY / folder).rglob("*.yaml")
    ]
    assert files
    for file in files:
        parse_yaml(file.read_text(encoding="utf-8"))
