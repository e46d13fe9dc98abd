"""BanglaSafe: five conditions of one request are five registers of one content."""

from __future__ import annotations

import json

from babelguard.rejects import RejectLog
from tests.data_prep.sources.reading import check_items, items_of
from tests.data_prep.sources.rtp_lx_files import write

CONDITIONS = ("EN_Direct", "EN_Inst", "BN_Formal", "BN_Collq", "BN_Inst")


def row(condition, instance="hundi_01", **changes):
    return {
        "prompt_id": f"{instance}_{condition}",
        "prompt_text": f"text in {condition}",
        "category": "hundi",
        "condition": condition,
        "register_tier_target": 2,
        "source": "human",
        **changes,
    }


def test_conditions_are_registers(tmp_path):
    write(tmp_path / "prompts.jsonl", *(row(condition) for condition in CONDITIONS), row("EN_Direct", "hundi_02"))
    write(tmp_path / "taxonomy.jsonl", {"category": "hundi"})
    items = items_of("banglasafe", tmp_path)
    check_items(items)
    assert [(item.language, item.register) for item in items] == [
        ("en", "neutral"),
        ("en", "institutional"),
        ("bn", "formal"),
        ("bn", "colloquial"),
        ("bn", "institutional"),
        ("en", "neutral"),
    ]
    assert [item.source_id for item in items] == ["banglasafe/hundi_01"] * 5 + ["banglasafe/hundi_02"]
    assert {item.metadata["condition"] for item in items} == set(CONDITIONS)
    assert all(item.labels == {} for item in items)


def test_a_column_may_name_the_instance(tmp_path):
    write(tmp_path / "prompts.jsonl", *(row(condition, f"p{n}", harm="h7") for n, condition in enumerate(CONDITIONS)))
    assert {item.source_id for item in items_of("banglasafe", tmp_path, instance_column="harm")} == {"banglasafe/h7"}


def test_bad_rows_are_named(tmp_path):
    write(
        tmp_path / "prompts.jsonl",
        row("BN_Slang"),
        row("BN_Inst"),
        row("BN_Inst"),
        json.dumps({"prompt_id": 1, "condition": "BN_Inst"}),
        row("BN_Formal", prompt_text=" "),
    )
    log = RejectLog()
    assert len(items_of("banglasafe", tmp_path, log)) == 1
    assert [(one.line, one.kind) for one in log.rejections] == [
        (1, "unknown-condition"),
        (3, "duplicate-id"),
        (4, "another-schema"),
        (5, "no-text"),
    ]
