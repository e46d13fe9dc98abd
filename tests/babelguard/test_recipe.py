"""Recipes: precedence, references, and errors that help."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import Field

from babelguard import UserError
from babelguard.recipe import RecipeModel, load_recipe


class Inner(RecipeModel):
    size: int = Field(1, ge=0)
    path: Path | None = None


class Outer(RecipeModel):
    name: str
    inner: Inner = Inner()
    parts: tuple[Inner, ...] = ()


@pytest.fixture
def write(tmp_path):
    def _write(text: str) -> Path:
        path = tmp_path / "recipe.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return _write


def test_precedence_is_command_line_then_environment_then_recipe_then_default(write):
    path = write("name: a\ninner: {size: 2}\n")
    environment = {"BABELGUARD__INNER__SIZE": "3", "OTHER": "9"}
    assert load_recipe(write("name: a"), Outer).inner.size == 1
    path = write("name: a\ninner: {size: 2}\n")
    assert load_recipe(path, Outer).inner.size == 2
    assert load_recipe(path, Outer, environment=environment).inner.size == 3
    assert load_recipe(path, Outer, ["inner.size=4"], environment).inner.size == 4


def test_overrides_reach_into_lists_and_make_what_is_missing(write):
    path = write("name: a\nparts: [{size: 1}, {size: 2}]\n")
    recipe = load_recipe(path, Outer, ["parts.1.size=7", "inner.path=x/y"])
    assert [part.size for part in recipe.parts] == [1, 7]
    assert recipe.inner.path == Path("x/y")


def test_references_stand_for_other_values(write):
    path = write("name: a\ninner: {path: data}\nparts: [{path: '${inner.path}'}, {path: '${inner.path}/b'}]\n")
    assert [part.path for part in load_recipe(path, Outer).parts] == [Path("data"), Path("data/b")]
    changed = load_recipe(path, Outer, ["inner.path=other"])
    assert changed.parts[0].path == Path("other")


@pytest.mark.parametrize(
    ("text", "overrides", "words"),
    [
        ("name: a\ninnner: {}", [], r"unknown key 'innner'. Did you mean 'inner'\? Known keys: inner, name, parts"),
        ("name: a\ninner: {siez: 1}", [], r"unknown key 'inner.siez'. Did you mean 'size'"),
        ("name: a\nparts: [{siez: 1}]", [], r"unknown key 'parts.0.siez'. Did you mean 'size'"),
        ("inner: {size: 1}", [], r"name is not set; add it to the recipe or pass --set name=VALUE"),
        ("name: a\ninner: {size: many}", [], r"inner.size: .*integer.*found 'many'"),
        ("name: a\ninner: {size: -1}", [], r"inner.size: .*greater than or equal to 0 \(found -1\)"),
        ("name: a", ["inner.size"], "not of the form a.b=value"),
        ("name: a", ["name.x=1"], "name is a plain value and has no key 'x'"),
        ("name: a\nparts: [{size: 1}]", ["parts.4.size=1"], "is a list of 1"),
        ("name: a", ["inner.size=[1"], "not a YAML value"),
        ("name: ${inner.path}", [], r"\$\{inner.path\} is not set; pass --set inner.path=VALUE"),
        ("name: ${name}", [], "refers to itself"),
        ("name: a\ninner: &x [*x]", [], "an alias that contains itself"),
        ("name: a", ["inner={size: 1, size: 2}"], "--set inner: the key 'size' stands here again"),
        ("name: a\nname: b", [], r"recipe.yaml, line 2: the key 'name' stands here again, first in line 1"),
        ("- a", [], "must hold a mapping"),
        ("name: 'a", [], r"line \d+: this is not YAML"),
    ],
)
def test_every_mistake_is_told_in_a_sentence(write, text, overrides, words):
    with pytest.raises(UserError, match=words):
        load_recipe(write(text), Outer, overrides)


def test_all_problems_are_told_at_once(write):
    with pytest.raises(UserError) as caught:
        load_recipe(write("naem: a\ninner: {size: x, siez: 1}"), Outer)
    assert str(caught.value).count("\n") == 3


def test_a_missing_recipe_is_named(tmp_path):
    with pytest.raises(UserError, match=r"no\.yaml does not exist"):
        load_recipe(tmp_path / "no.yaml", Outer)


def test_a_reference_may_lead_through_a_list(write):
    path = write("name: a\nparts: [{path: data}, {path: '${parts.0.path}'}]\n")
    assert load_recipe(path, Outer).parts[1].path == Path("data")
    with pytest.raises(UserError, match=r"\$\{parts\.7\.path\} is not set"):
        load_recipe(write("name: a\nparts: [{path: '${parts.7.path}'}]\n"), Outer)
