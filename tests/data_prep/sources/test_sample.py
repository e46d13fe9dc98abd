"""The reader of the bundled sample."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX, UserError
from babelguard.rejects import RejectLog
from data_prep.sources.sample import SampleOptions, read
from tests.data_prep.sources.rtp_lx_files import write

MEANING = {
    "meaning": "m1",
    "kind": "benign",
    "nuance": "plain",
    "split": "test",
    "labels": dict.fromkeys(RTP_LX.names, 1),
}


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "meanings.jsonl", MEANING)
    write(tmp_path / "texts" / "en.jsonl", {"meaning": "m1", "register": "neutral", "text": "Hello."})
    write(
        tmp_path / "texts" / "zh-Hans.jsonl",
        {"meaning": "m1", "register": "neutral", "text": "你好。"},
        {"meaning": "m1", "register": "formal", "text": "您好。"},
    )
    return tmp_path


def items_of(folder, log=None, **options):
    return list(read(SampleOptions(path=folder, **options), RTP_LX, log or RejectLog(strict=True)))


def test_a_meaning_is_one_source_id_in_every_language_and_register(folder):
    items = items_of(folder)
    assert {item.source_id for item in items} == {"sample/m1"}
    assert [(item.language, item.register) for item in items] == [
        ("en", "neutral"),
        ("zh-Hans", "neutral"),
        ("zh-Hans", "formal"),
    ]
    assert items[0].labels["Toxicity"] == (1,)


def test_languages_and_registers_are_chosen(folder):
    assert [item.language for item in items_of(folder, languages=("zho_Hans",), registers=("formal",))] == ["zh-Hans"]
    with pytest.raises(UserError, match="has no 'fr'; it has en, zh-Hans"):
        items_of(folder, languages=("fr",))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"meaning": "m1"', "not-json"),
        ({"meaning": "m1", "text": "x"}, "missing-field"),
        ({"meaning": "m9", "register": "neutral", "text": "x"}, "unknown-meaning"),
    ],
)
def test_bad_lines_are_set_aside(folder, line, kind):
    write(folder / "texts" / "de.jsonl", line)
    log = RejectLog()
    assert len(items_of(folder, log)) == 3
    assert log.counts() == {kind: 1}


def test_a_folder_without_texts_is_named(tmp_path):
    write(tmp_path / "meanings.jsonl", MEANING)
    with pytest.raises(UserError, match="holds no sample"):
        items_of(tmp_path)
