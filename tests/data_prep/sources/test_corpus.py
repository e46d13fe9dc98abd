"""A corpus is read back as it was built."""

from dataclasses import replace

import pytest

from babelguard import RTP_LX, UserError
from babelguard.aggregation import AggregatedLabel
from babelguard.item import Message
from babelguard.rejects import RejectLog
from data_prep.source import SOURCES
from data_prep.sources.corpus import CorpusOptions, part_licences, read
from data_prep.sources.items import ItemsOptions
from tests.data_prep.building.made_items import build_of, item


@pytest.fixture
def corpus(tmp_path):
    full = item(
        1,
        subset="manual",
        dialect="north",
        aggregated={"Insult": AggregatedLabel(2, "gold")},
        metadata={"a": [1, {"b": None}]},
        provenance={"file": "x"},
        labels={"Toxicity": (1, None, 5), "Bias": (None, None)},
    )
    talk = item(2, text="", messages=(Message("user", "what is amber?"), Message("assistant", "a resin")), labels={})
    rtl = item(3, text="שלום עולם", language="he", register="leet")
    build_of(tmp_path, [full, talk], [rtl], licences=("MIT", "CC-BY-4.0"))
    return tmp_path / "corpora" / "made", [full, talk, rtl]


def items(folder, **options):
    return list(read(CorpusOptions(path=folder, **options), RTP_LX, RejectLog()))


def test_items_come_back_whole(corpus):
    folder, sent = corpus
    found = {one.id: one for one in items(folder)}
    assert len(found) == 3
    for one in sent:
        part = "part-1" if one.language == "he" else "part-0"
        back = found[one.id]
        assert back.split in {"train", "calibration", "test"}
        assert back == replace(one, split=back.split, metadata={**one.metadata, "part": part})


def test_a_selection_is_read(corpus):
    folder, _ = corpus
    assert [one.id for one in items(folder, languages=("HE",))] == ["made/3"]
    assert [one.id for one in items(folder, registers=("leet",))] == ["made/3"]
    assert {one.id for one in items(folder, parts=("part-0",))} == {"made/1", "made/2"}
    assert part_licences(CorpusOptions(path=folder, parts=("part-1",))) == {"part-1": "CC-BY-4.0"}


@pytest.mark.parametrize(
    ("options", "told"),
    [({"languages": ("de",)}, "'de'"), ({"registers": ("let",)}, "Did you mean 'leet'"), ({"parts": ("x",)}, "part-0")],
)
def test_what_the_corpus_lacks_is_told(corpus, options, told):
    with pytest.raises(UserError, match=told):
        items(corpus[0], **options)


def test_a_changed_or_missing_shard_is_told(corpus):
    folder, _ = corpus
    shard = next((folder / "data").iterdir())
    content = shard.read_bytes()
    shard.write_bytes(content[:-1] + b"x")
    with pytest.raises(UserError, match="SHA-256"):
        items(folder)
    shard.unlink()
    with pytest.raises(UserError, match="is missing"):
        items(folder)


def test_a_folder_without_a_manifest_is_no_corpus(tmp_path):
    with pytest.raises(UserError, match=r"holds no manifest\.json"):
        items(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "other"}')
    with pytest.raises(UserError, match="not the manifest"):
        items(tmp_path)


def test_a_corpus_given_as_a_file_of_items_is_told(corpus):
    with pytest.raises(UserError, match="is a folder; give a JSON lines file of items"):
        list(SOURCES.get("items").read(ItemsOptions(path=corpus[0]), RTP_LX, RejectLog()))
