from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace

import pytest

from evaluation.report import render_report, write_report
from tests.evaluation.report.document import Document
from tests.evaluation.report.made_findings import make, sample
from tests.evaluation.report.world import ACS, GPT4

SECTIONS = [
    "summary",
    "heat-maps",
    "agreement",
    "intervals",
    "levels",
    "bands",
    "coverage",
    "false-alarms",
    "differences",
    "people",
    "slices",
    "register-shift",
    "reading",
]


@pytest.fixture(scope="module")
def page() -> str:
    return render_report(make())


@pytest.fixture(scope="module")
def document(page) -> Document:
    return Document(page)


def test_every_section_is_there_and_is_linked(document):
    ids = [attrs.get("id") for tag, attrs in document.tags if tag == "section"]
    assert [name for name in ids if name in SECTIONS] == SECTIONS
    assert [href for href in document.attributes("href") if href[1:] in SECTIONS][1:] == [f"#{n}" for n in SECTIONS]


def test_nothing_is_loaded_from_anywhere(page, document):
    for address in document.attributes("src", "href", "xlink:href", "action", "srcset", "poster"):
        assert address.startswith("#"), address
    assert not {"script", "link", "iframe", "object", "embed", "img"} & {tag for tag, _ in document.tags}
    assert not re.search(r"@import|@font-face|url\((?!#)", page)


def test_ids_are_unique_and_references_resolve(page, document):
    ids = Counter(document.attributes("id"))
    assert [name for name, count in ids.items() if count > 1] == []
    targets = [*document.attributes("href", "xlink:href"), *re.findall(r"url\((#[^)]+)\)", page)]
    assert {target[1:] for target in targets} <= set(ids)
    labelled = " ".join(document.attributes("aria-labelledby", "for")).split()
    assert set(labelled) <= set(ids)


def test_tables_have_captions_and_scopes(document):
    assert len(document.tables) > 20
    for table in document.tables:
        assert table.caption.strip()
        assert all(scope in {"row", "col", "rowgroup"} for scope in table.scopes)


def test_drawings_have_words(document):
    drawings = [attrs for _, attrs in document.tags if attrs.get("role") == "img"]
    assert len(drawings) == 3
    assert all(len(attrs["aria-label"] or "") > 40 for attrs in drawings)
    assert all(attrs.get("aria-hidden") == "true" for tag, attrs in document.tags if tag == "svg")


def test_drawings_take_their_colours_from_the_style_sheet(page):
    drawings = re.findall(r"<figure>.*?</figure>", page, flags=re.DOTALL)
    assert len(drawings) == 3
    for drawing in drawings:
        assert "var(--series-1)" in drawing
        assert not re.search(r"#[0-9a-f]{6}\b", drawing)
        assert "<metadata" not in drawing
        assert "<text" in drawing


def test_the_same_findings_give_the_same_bytes(tmp_path):
    write_report(make(), tmp_path / "one" / "report.html")
    write_report(make(), tmp_path / "two" / "report.html")
    first = (tmp_path / "one" / "report.html").read_bytes()
    assert first == (tmp_path / "two" / "report.html").read_bytes()
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["report.html"]


def test_matplotlib_settings_of_the_user_change_nothing(page):
    import matplotlib

    with matplotlib.rc_context({"font.size": 20.0, "svg.fonttype": "path", "axes.facecolor": "red"}):
        assert render_report(make()) == page


def test_a_run_of_the_size_of_rtp_lx_is_fast_and_small(tmp_path):
    findings = make()
    start = time.perf_counter()
    write_report(findings, tmp_path / "report.html")
    assert time.perf_counter() - start < 5
    assert (tmp_path / "report.html").stat().st_size < 1_000_000


EVIL = '<script>alert("1")</script>&amp;$x^2$'


def test_names_of_others_are_text():
    findings = make(name=EVIL, notes=(EVIL,), systems=(replace(GPT4, rater=EVIL), ACS))
    taxonomy = ({**findings.taxonomy[0], "title": EVIL, "definition": EVIL}, *findings.taxonomy[1:])
    statuses = tuple(replace(count, status=EVIL) if count.status == "refused" else count for count in findings.statuses)
    corpus = {**findings.corpus, "licence": EVIL, EVIL: {EVIL: [EVIL]}}
    page = render_report(replace(findings, taxonomy=taxonomy, statuses=statuses, corpus=corpus))
    document = Document(page)
    assert "<script" not in page
    assert "script" not in {tag for tag, _ in document.tags}
    assert EVIL in document.words


def test_languages_in_any_script_and_of_no_table_are_shown():
    findings = sample(tags=("de", "fr"))
    measures = tuple(
        replace(m, slice=replace(m.slice, language="tlh-Piqd")) if m.slice.language == "fr" else m
        for m in findings.measures
    )
    raters = tuple(replace(rater, description="評価者 مُقيِّم") for rater in findings.raters)
    document = Document(render_report(replace(findings, measures=measures, raters=raters)))
    assert "tlh-Piqd" in document.words
    assert "評価者 مُقيِّم" in document.words
