"""Presets: found by name, of the right kind, and weaker than what a recipe states."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import Field

from babelguard.errors import UserError
from babelguard.recipe import RecipeModel, read_yaml, validate
from evaluation import preset
from evaluation.preset import load_preset, preset_names, preset_options
from evaluation.rater import RATER_KINDS
from evaluation.recipe import RaterRecipe


class BellOptions(RecipeModel):
    preset: str | None = None
    model: str
    labels: Mapping[str, int] = Field(default_factory=dict)
    loudness: float = 1.0

    _from_preset = preset_options("bell")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "church.yaml").write_text(
        "kind: bell\nabout: A large\n  bell.\nmodel: owner/church\nlabels: {a: 1, b: 2}\n", encoding="utf-8"
    )
    (tmp_path / "tram.yaml").write_text("kind: horn\nmodel: owner/tram\n", encoding="utf-8")
    monkeypatch.setattr(preset, "FOLDER", tmp_path)
    return tmp_path


def test_a_preset_fills_what_the_recipe_leaves_out(folder: Path) -> None:
    options = validate({"preset": "church", "loudness": 2.0}, BellOptions, "recipe")
    assert options == BellOptions(preset="church", model="owner/church", labels={"a": 1, "b": 2}, loudness=2.0)


def test_what_the_recipe_states_wins_as_a_whole(folder: Path) -> None:
    options = validate({"preset": "church", "model": "here", "labels": {"c": 3}}, BellOptions, "recipe")
    assert (options.model, options.labels) == ("here", {"c": 3})


def test_resolved_options_mean_the_same_again(folder: Path) -> None:
    options = validate({"preset": "church"}, BellOptions, "recipe")
    assert validate(options.model_dump(mode="json"), BellOptions, "recipe") == options


def test_options_without_a_preset_are_left_alone() -> None:
    assert validate({"model": "mine"}, BellOptions, "recipe").model == "mine"


def test_an_unknown_preset_names_the_nearest_of_its_kind(folder: Path) -> None:
    with pytest.raises(UserError, match=r"Unknown preset .* 'churhc'\. Did you mean 'church'\? Available: church\."):
        validate({"preset": "churhc"}, BellOptions, "recipe")


def test_a_preset_of_another_kind_is_an_error(folder: Path) -> None:
    with pytest.raises(UserError, match="'tram' is of the rater kind horn, not bell"):
        validate({"preset": "tram"}, BellOptions, "recipe")


def test_a_preset_may_be_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("kind: bell\nmodel: mine\n", encoding="utf-8")
    assert validate({"preset": str(path)}, BellOptions, "recipe").model == "mine"


@pytest.mark.parametrize(
    ("recipe", "name"),
    [
        ({"kind": "bell"}, "bell"),
        ({"kind": "bell", "preset": "church"}, "church"),
        ({"kind": "bell", "preset": "own/my-bell.yaml"}, "my-bell"),
        ({"kind": "bell", "preset": "church", "name": "loud"}, "loud"),
    ],
)
def test_a_rater_is_named_after_its_preset(recipe: dict[str, str], name: str) -> None:
    assert RaterRecipe.model_validate(recipe).name == name


@pytest.mark.parametrize("content", ["model: x", "kind: 3", "kind: bell\nabout: [a]", "kind: bell\npreset: other"])
def test_malformed_presets_are_told_with_their_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"odd\.yaml"):
        load_preset(str(path), "bell")


def test_a_name_cannot_lead_out_of_the_folder(folder: Path) -> None:
    with pytest.raises(UserError, match="Unknown preset"):
        load_preset("../church", "bell", folder)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_valid_for_its_kind_and_says_what_it_is(name: str) -> None:
    kind = read_yaml(preset.FOLDER / f"{name}.yaml")["kind"]
    loaded = load_preset(name, kind)
    assert loaded.about, f"{name} has no sentence 'about'"
    model = RATER_KINDS.get(kind).options
    left = {field for field, info in model.model_fields.items() if info.is_required()} - set(loaded.options)
    validate({"preset": name, **dict.fromkeys(left, "somewhere")}, model, name)


def test_a_preset_of_ones_own_names_its_own_folder(tmp_path: Path) -> None:
    path = tmp_path / "bell.yaml"
    path.write_text("kind: bell\nmodel: ${folder}/weights\nlabels: {a: 1}\n", encoding="utf-8")
    options = validate({"preset": str(path)}, BellOptions, "recipe")
    assert (options.model, options.labels) == (f"{tmp_path}/weights", {"a": 1})
