"""The public files are read whole: items, rejected rows and rows left out add up to the rows of the files.

The numbers of rows are those that the files' README states, and are counted here by the standard library.
"""

from __future__ import annotations

import ast
import json
from collections import Counter

import pytest

from babelguard.rejects import RejectLog
from data_prep.mappings import MAPPINGS
from data_prep.source import SOURCES
from tests.data_prep.sources.reading import check_items, items_of, rows_of_csv, rows_read


def read(name, folder, **options):
    log = RejectLog(strict=True)
    items = items_of(name, folder, log, **options)
    check_items(items)
    for item in items:
        assert set(item.labels) <= set(MAPPINGS[name].covered)
    return items, log


@pytest.mark.parametrize(
    ("name", "folder", "files", "rows"),
    [
        ("told-br", "told_br", "ToLD-BR.csv", 11192),
        ("beep-korean", "beep_korean", "train.tsv", 7896),
        ("offensive-hebrew", "offensive_hebrew", "*.csv", 1750 + 250),
        ("paradetox", "paradetox", "paradetox.tsv", 11927),
        ("multijail", "multijail", "MultiJail.csv", 315),
        ("strongreject", "strongreject", "strongreject_dataset.csv", 313),
        ("multilingual-hatecheck", "multilingual_hatecheck", "*.csv", 3765 + 3718 + 3645 + 3690 + 3378 + 3691 + 3745),
        ("xstest", "xstest", "*.csv", 7 * 450),
    ],
)
def test_tables(shared_data, name, folder, files, rows):
    items, log = read(name, shared_data / folder)
    delimiter = "\t" if files.endswith(".tsv") else ","
    counted = sum(len(rows_of_csv(path, delimiter)) for path in (shared_data / folder).glob(files))
    assert rows_read(items) + log.left_out.total() == counted == rows
    assert log.left_out.total() == (1350 if name == "xstest" else 0)


def test_openai_moderation(shared_data):
    items, _ = read("openai-moderation", shared_data / "openai_moderation")
    lines = (shared_data / "openai_moderation" / "samples.jsonl").read_bytes().splitlines()
    assert len(items) == len(lines) == 1000
    flags = [json.loads(line) for line in lines]
    for category, label in (("SexualContent", "S"), ("SelfHarm", "SH")):
        unknown = sum(label not in row and not (label == "S" and row.get("S3") == 1) for row in flags)
        assert sum(category not in item.labels for item in items) == unknown > 0
    assert not any("Toxicity" in item.labels for item in items)


def test_math_500(shared_data):
    items, _ = read("math-500", shared_data / "math500")
    assert len(items) == 500
    assert all(item.labels == {} and "The answer is" not in item.metadata["answer"] for item in items)


def test_xsafety(shared_data):
    items, _ = read("xsafety", shared_data / "xsafety")
    files = list((shared_data / "xsafety").glob("*/*.csv"))
    assert len(items) == sum(len(rows_of_csv(path, header=False)) for path in files) == 800
    assert Counter(item.language for item in items) == {"en": 400, "ar": 400}
    assert set(Counter(item.source_id for item in items).values()) == {2}, "each prompt is in both languages"
    assert not any(item.text.startswith("\ufeff") for item in items)


def test_told_br_counts_by_category(shared_data):
    items, _ = read("told-br", shared_data / "told_br")
    rows = rows_of_csv(shared_data / "told_br" / "ToLD-BR.csv")
    majority = sum(any(float(count) >= 2 for count in row[1:]) for row in rows)
    nobody = sum(not any(float(count) for count in row[1:]) for row in rows)
    levels = Counter(item.labels.get("Toxicity") for item in items)
    assert levels[(2,)] == majority
    assert levels[(1,)] >= nobody
    assert levels[None] > 0, "where nobody knows the majority there is no label"
    assert {item.aggregated["Toxicity"].rule for item in items if item.labels.get("Toxicity")} == {"vote"}


def test_offensive_hebrew_names_its_classes_the_other_way_round(shared_data):
    items, _ = read("offensive-hebrew", shared_data / "offensive_hebrew")
    offensive = sum(item.labels["Toxicity"] == (2,) for item in items)
    # 1,200 of 2,500 are offensive, says the publisher; 500 of the 2,500 are the test set.
    assert offensive == 965
    assert 0 <= 1200 - offensive <= 500
    assert abs(offensive / len(items) - 1200 / 2500) < 0.01
    assert Counter(item.split for item in items) == {"train": 1750, "calibration": 250}


def test_hatecheck_annotators_give_the_published_majority(shared_data):
    items, _ = read("multilingual-hatecheck", shared_data / "multilingual_hatecheck")
    by_id = {item.id: item for item in items}
    for path in sorted((shared_data / "multilingual_hatecheck").glob("*.csv")):
        header = rows_of_csv(path, header=False)[0]
        for row in rows_of_csv(path):
            fields = dict(zip(header, row, strict=True))
            item = by_id[f"multilingual-hatecheck/{fields['mhc_case_id']}"]
            hateful = {"hateful": 2, "non-hateful": 1}
            assert item.labels["IdentityAttack"] == tuple(
                hateful[label] for label in ast.literal_eval(fields["label_annotated"])
            )
            assert item.aggregated["IdentityAttack"].level == hateful[fields["label_gold"]]
            voted = Counter(item.labels["IdentityAttack"]).most_common(1)[0][0]
            assert voted == hateful[fields["label_annotated_maj"]]
    assert Counter(item.language for item in items) == {
        "nl": 3765, "fr": 3718, "de": 3645, "it": 3690, "zh-Hans": 3378, "pt": 3691, "es": 3745,
    }  # fmt: skip
    templates: dict[str, set[str]] = {}
    for item in items:  # every language has its own five or more target groups, and the templates in common
        templates.setdefault(item.language, set()).add(item.source_id.rsplit("/", 1)[0])
    for tag, found in templates.items():
        assert len(found & templates["es"]) / len(found) > (0.9 if tag == "zh-Hans" else 0.99)
    assert len(templates["zh-Hans"] - templates["es"]) == 59


def test_multijail_is_aligned_in_six_languages(shared_data):
    items, _ = read("multijail", shared_data / "multijail")
    assert Counter(item.language for item in items) == dict.fromkeys(("en", "zh-Hans", "it", "ar", "ko", "bn"), 315)
    assert set(Counter(item.source_id for item in items).values()) == {6}
    chosen = items_of("multijail", shared_data / "multijail", languages=("kor", "ben"))
    assert Counter(item.language for item in chosen) == {"ko": 315, "bn": 315}


def test_paradetox_pairs_share_a_source_id_and_differ_in_label(shared_data):
    items, _ = read("paradetox", shared_data / "paradetox")
    pairs: dict[str, list] = {}
    for item in items:
        pairs.setdefault(item.source_id, []).append(item)
    assert len(pairs) == 11927
    assert Counter(len(pair) - 1 for pair in pairs.values()) == {1: 5973, 2: 4092, 3: 1862}
    for first, *rewrites in pairs.values():
        assert (first.register, first.labels["Toxicity"]) == ("neutral", (2,))
        assert {(item.register, item.labels["Toxicity"]) for item in rewrites} == {("detoxified", (1,))}
        assert all(item.provenance["parent"] == first.id for item in rewrites)


def test_xstest_completions_keep_both_annotators_and_both_judges(shared_data):
    items, _ = read("xstest", shared_data / "xstest")
    prompts = [item for item in items if item.role == "prompt"]
    responses = [item for item in items if item.role == "response"]
    assert Counter(item.metadata["request"] for item in prompts) == {"benign": 250, "harmful": 200}
    assert Counter(item.metadata["model"] for item in responses) == dict.fromkeys(
        ("gpt4", "llama2orig", "mistralinstruct"), 450
    )
    assert all(set(item.metadata["judges"]) == {"gpt-4", "string-match"} for item in responses)
    agreed = Counter(item.metadata["model"] for item in responses if len(set(item.metadata["annotations"])) == 1)
    assert agreed == {"gpt4": 443, "llama2orig": 434, "mistralinstruct": 439}
    assert {item.source_id for item in responses} == {item.source_id for item in prompts}


def test_every_public_file_has_a_reader(shared_data):
    folders = {folder.name for folder in shared_data.iterdir() if folder.is_dir()} - {"ldnoobw"}
    names = {name.replace("-", "_") for name in SOURCES.names} | {"math500"}
    assert folders <= names
