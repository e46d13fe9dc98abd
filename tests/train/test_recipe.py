"""Recipes of trainings: what names a run, and what a mistake is told as."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard.errors import UserError
from train.recipe import load_plan

RECIPES = Path(__file__).resolve().parents[2] / "recipes" / "train"
SMALL = RECIPES / "classifier-small.yaml"


@pytest.mark.parametrize("recipe", sorted(RECIPES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_recipe_of_the_repository_is_valid(recipe: Path) -> None:
    plan = load_plan(recipe)
    assert plan.resolved()["kind"] in ("classifier", "generative")


def test_a_resolved_recipe_names_the_same_run(tmp_path: Path) -> None:
    import yaml

    plan = load_plan(SMALL)
    written = tmp_path / "resolved.yaml"
    written.write_text(yaml.safe_dump(plan.resolved()))
    assert load_plan(written).identity() == plan.identity()


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ("optimisation.max_hours=2", True),
        ("optimisation.report_to=[]", True),
        ("calibration={method: isotonic}", True),
        ("output=elsewhere", True),
        ("seed=1", False),
        ("lora.rank=8", False),
        ("corpus.split=train", False),
        ("optimisation.learning_rate=0.1", False),
    ],
)
def test_what_does_not_change_the_weights_does_not_change_the_run(change: str, same: bool) -> None:
    assert (load_plan(SMALL, [change]).identity() == load_plan(SMALL).identity()) is same


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("modle.base=x", "unknown key 'modle'. Did you mean 'model'"),
        ("corpus.sorce=x", "unknown key 'corpus.0.sorce'. Did you mean 'source'"),
        ("kind=clasifier", "Did you mean 'classifier'"),
        ("export.int8.embedding_bits=3", "export.int8.embedding_bits: input should be 4 or 8"),
        ("export.presicions=[int8]", "unknown key 'export.presicions'. Did you mean 'precisions'"),
        ("corpus.source=sampel", "Did you mean 'sample'"),
        ("model.overlap=100", "'overlap' is at most half of 'window'"),
        ("corpus.twins=[shoutin]", "there is no register 'shoutin'"),
    ],
)
def test_mistakes_are_told_with_the_nearest_name(change: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        load_plan(SMALL, [change])
    assert sentence in str(caught.value)


def test_accelerate_reads_its_configurations() -> None:
    from accelerate.commands.config.config_args import ClusterConfig

    found = {path.stem: ClusterConfig.from_yaml_file(path) for path in sorted((RECIPES / "accelerate").glob("*.yaml"))}
    assert {name: config.distributed_type.value for name, config in found.items()} == {
        "deepspeed-zero2": "DEEPSPEED",
        "deepspeed-zero3": "DEEPSPEED",
        "fsdp": "FSDP",
        "gpus": "MULTI_GPU",
    }
