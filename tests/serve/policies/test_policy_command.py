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
    check(old, new, [corpus], bundle=bundle, flips=flips)
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
    said = capsys.readouterr().out
    assert "level >= 3" in said
    assert "allows everything" not in said


def test_show_tells_what_is_for_texts_of_no_known_language(
    tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.yaml"
    rules = "every_category: {flag: guard}\ncategories: {Insult: {languages: {und: {flag: 0.9}}}}\n"
    policy.write_text(HEAD.format(version=1) + rules, encoding="utf-8")
    show(policy, bundle)
    said = capsys.readouterr().out
    assert "any" in said
    assert "und" in said


def test_show_says_that_a_policy_allows_everything(
    tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(HEAD.format(version=1), encoding="utf-8")
    show(policy, bundle)
    assert "allows everything" in " ".join(capsys.readouterr().out.split())


GERMAN = "Heute ist das Wetter wirklich schön und wir gehen spazieren."


def test_check_finds_languages_as_the_server_does(
    tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(HEAD.format(version=1), encoding="utf-8")
    lists = "block_lists: [{name: walks, entries: [spazieren, '123'], languages: [de, und]}]\n"
    new.write_text(HEAD.format(version=2) + lists, encoding="utf-8")
    corpus, flips = tmp_path / "corpus.jsonl", tmp_path / "flips.jsonl"
    rows: list[dict[str, object]] = [
        {"id": "identified", "text": GERMAN},
        {"id": "und", "text": GERMAN, "language": "und"},
        {"id": "region", "text": GERMAN, "language": "de_CH"},
        {"id": "french", "text": GERMAN, "language": "fr"},
        {"id": "short", "text": "123"},
        {"id": "klingon", "text": GERMAN, "language": "klingon"},
        {"id": "number", "text": GERMAN, "language": 7},
        {"id": "tlh", "text": GERMAN, "language": "tlh"},
    ]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    check(old, new, [corpus], bundle=bundle, flips=flips)
    said = " ".join(capsys.readouterr().out.split())
    assert "Languages: 2 named, 2 identified, 4 unknown." in said
    assert "1 that name none and could not be identified" in said
    assert "1 that name a language which Babelguard does not know" in said
    assert "2 that name no language code, the first of them klingon" in said
    found = {flip["id"]: flip["language"] for flip in map(json.loads, flips.read_text(encoding="utf-8").splitlines())}
    assert found == {
        "identified": "de",
        "und": "de",
        "region": "de-CH",
        "short": "unknown",
        "klingon": "unknown",
        "number": "unknown",
        "tlh": "tlh",
    }
    check(old, new, [corpus], bundle=bundle, flips=flips, identify=False)
    assert "2 named, 0 identified, 6 unknown" in capsys.readouterr().out
    check(old, new, [corpus], bundle=bundle, flips=flips, language="fr")
    assert "5 named, 0 identified, 3 unknown" in capsys.readouterr().out


@pytest.mark.parametrize("code", ["klingon", "xx", "", "german"])
def test_check_refuses_a_language_that_is_no_code(code: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no language code; pass a BCP-47 tag"):
        check(tmp_path / "old.yaml", tmp_path / "new.yaml", [tmp_path], language=code)


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
