from __future__ import annotations

import json
from pathlib import Path

import pytest

from babelguard.errors import UserError
from serve.policies.corpus import CorpusText, read_corpus
from serve.policy import check, show
from tests.tiny_bundle import make_tiny_bundle

HEAD = "format: 1\nname: test\nversion: {version}\n"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return make_tiny_bundle(tmp_path / "tiny")


def test_check_explains_the_flips_between_two_policies(
    tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(HEAD.format(version=1) + "every_category: {flag: never}\n", encoding="utf-8")
    new.write_text(HEAD.format(version=2) + "categories: {Insult: {flag: 0.9}}\n", encoding="utf-8")
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"id": "kind", "text": "a kind day", "language": "en"}, {"text": "awful", "language": "de"}, {"text": ""}]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    flips = tmp_path / "flips.jsonl"
    check(old, new, [corpus], bundle=bundle, flips=flips, limit=None, language=None, text_field=None)
    said = capsys.readouterr().out
    assert "1 of 2 texts" in said
    assert "awful" not in said
    (flip,) = map(json.loads, flips.read_text(encoding="utf-8").splitlines())
    assert flip["id"] == "corpus.jsonl:2"
    assert (flip["language"], flip["before"], flip["after"]) == ("de", "allow", "flag")
    assert "Insult" in flip["because"][0]


def test_show_prints_the_rules_as_they_apply(tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(HEAD.format(version=1) + "categories: {Insult: {block: {level: 3}}}\n", encoding="utf-8")
    show(policy, bundle)
    assert "level >= 3" in capsys.readouterr().out


def test_a_corpus_is_read_from_files_and_folders(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"id": ["p1", "p2"], "text": ["one\u2028line", ""], "language": ["en", "de"], "more": [1, 2]})
    pq.write_table(table, tmp_path / "shard.parquet")
    (tmp_path / "rows.jsonl").write_text('{"id": "j1", "text": "zwei", "language": ""}\n', encoding="utf-8")
    assert list(read_corpus([tmp_path])) == [
        CorpusText("j1", "zwei", None),
        CorpusText("p1", "one\u2028line", "en"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("corpus.jsonl", "{", "line 1"),
        ("corpus.jsonl", '{"Prompt": "x"}\n', "--text-field"),
        ("corpus.csv", "text\nx\n", "neither .jsonl nor .parquet"),
        ("corpus.parquet", "not parquet at all", "not a Parquet file"),
    ],
)
def test_a_corpus_that_cannot_be_read_is_told_in_words(name: str, content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        list(read_corpus([path]))
