"""The RTP-LX reader: whole files, honest about every row."""

from __future__ import annotations

from collections import Counter

import pytest

from babelguard import RTP_LX, Role, UserError
from babelguard.rejects import RejectLog
from data_prep.sources.rtp_lx import RtpLxOptions, read
from tests.data_prep.sources.rtp_lx_files import azure_row, corpus_row, labels, write

ALL_ROLES = (Role.PROMPT, Role.COMPLETION, Role.BENIGN_COMPLETION)


def items_of(path, log=None, **options):
    return list(read(RtpLxOptions(path=path, **options), RTP_LX, log or RejectLog(strict=True)))


def test_a_row_gives_an_item_a_role(tmp_path):
    write(tmp_path / "RTP_LX_DE.json", corpus_row("961", Dialect="Swiss"))
    prompt, completion, benign = items_of(tmp_path, roles=ALL_ROLES)
    assert (prompt.text, completion.text, benign.text) == ("prompt 961", "completion 961", "benign 961")
    assert {item.source_id for item in (prompt, completion, benign)} == {"rtp-lx/960"}
    assert prompt.labels["Toxicity"] == (1, 2, 2)
    assert completion.labels["Toxicity"] == (3, 3, 3)
    assert benign.labels == {}
    assert (prompt.language, prompt.subset, prompt.dialect, prompt.metadata["index"]) == (
        "de",
        "transcreated",
        "Swiss",
        961,
    )


def test_the_older_names_of_the_labels_are_read(tmp_path):
    row = corpus_row(0)
    row["AnnotationsRaw"] = row.pop("PromptAnnotationsRaw")
    write(tmp_path / "RTP_LX_DE.json", row)
    assert items_of(tmp_path)[0].labels["Bias"] == (1, 1, 2)


def test_the_file_name_names_the_language_and_the_field_is_dialect_information(tmp_path):
    write(tmp_path / "RTP_LX_ZH-Hans.json", corpus_row(0, Locale="ZH"), corpus_row(1, Locale=""))
    write(tmp_path / "RTP_LX_PT.json", corpus_row(0, Locale="Pt-Br"))
    found = {item.id: (item.language, item.dialect) for item in items_of(tmp_path)}
    assert found == {
        "rtp-lx/PT/0/prompt": ("pt", "Pt-Br"),
        "rtp-lx/ZH-Hans/0/prompt": ("zh-Hans", "ZH"),
        "rtp-lx/ZH-Hans/1/prompt": ("zh-Hans", None),
    }


def test_the_corpus_may_lie_in_a_subfolder_and_the_scoring_files_fill_its_gaps(tmp_path):
    write(tmp_path / "corpus" / "RTP_LX_DE.json", corpus_row("0"), corpus_row("1"))
    write(tmp_path / "acs_results_DE.json", azure_row(1), azure_row(2), azure_row(2))
    write(tmp_path / "acs_results_TH.json", azure_row(0))
    log = RejectLog(strict=True)
    found = {item.id: item.provenance["file"] for item in items_of(tmp_path, log)}
    assert found == {
        "rtp-lx/DE/0/prompt": "RTP_LX_DE.json",
        "rtp-lx/DE/1/prompt": "RTP_LX_DE.json",
        "rtp-lx/DE/2/prompt": "acs_results_DE.json",
        "rtp-lx/TH/0/prompt": "acs_results_TH.json",
    }
    assert log.left_out == {"duplicate-index": 1, "repeats-corpus-row": 1}


def test_a_void_prompt_is_marked(tmp_path):
    write(tmp_path / "acs_results_EN.json", azure_row(0, Prompt="NA"))
    assert items_of(tmp_path)[0].metadata["text_is_void"] is True


def test_the_published_filter_leaves_out_the_papers_rows_and_counts_them(tmp_path):
    write(tmp_path / "RTP_LX_HE.json", corpus_row(184), corpus_row(185))
    log = RejectLog(strict=True)
    assert [item.metadata["index"] for item in items_of(tmp_path, log, row_filter="published")] == [184]
    assert log.left_out == {"row-filter-published": 1}
    assert len(items_of(tmp_path)) == 2


def test_languages_are_chosen_by_any_code(tmp_path):
    for locale in ("DE", "FR", "ZH-Hans"):
        write(tmp_path / f"RTP_LX_{locale}.json", corpus_row(0))
    assert [item.language for item in items_of(tmp_path, languages=("zho_Hans", "fra"))] == ["zh-Hans", "fr"]
    with pytest.raises(UserError, match="has no file for the language 'ja'; it has de, fr, zh-Hans"):
        items_of(tmp_path, languages=("ja",))


def two_annotators():
    return {**labels(), "Violence": [1, 2]}


def no_bias():
    return {name: levels for name, levels in labels().items() if name != "Bias"}


@pytest.mark.parametrize(
    ("row", "kind", "words"),
    [
        ('{"Prompt": "cut', "not-json", "truncated"),
        ("[]", "not-json", "not an object"),
        (corpus_row(None), "bad-index", "'Index' must be a whole number, found None"),
        (corpus_row("x1"), "bad-index", "found 'x1'"),
        (corpus_row(True), "bad-index", "found True"),
        (corpus_row(1, Prompt=None), "no-text", "'Prompt' must be a string"),
        (corpus_row(1, PromptAnnotationsRaw=None), "no-labels", "every row needs its annotators' labels"),
        (
            corpus_row(1, PromptAnnotationsRaw=labels((1, 6, 1))),
            "label-off-scale",
            "label 6 of Toxicity is off its scale",
        ),
        (corpus_row(1, PromptAnnotationsRaw=labels(other=(1, 0, 1))), "label-off-scale", "label 0 of IdentityAttack"),
        (corpus_row(1, PromptAnnotationsRaw=labels(other=(1, "2", 1))), "label-off-scale", "label '2'"),
        (corpus_row(1, PromptAnnotationsRaw=two_annotators()), "annotator-count", "Violence has 2 annotators' labels"),
        (corpus_row(1, PromptAnnotationsRaw=no_bias()), "annotator-count", "Bias has 0 annotators' labels"),
        (corpus_row(1, PromptAnnotationsRaw={**labels(), "Spam": [1, 1, 1]}), "unknown-category", "'Spam' is not a"),
    ],
)
def test_a_bad_row_stops_the_work_or_is_set_aside_and_counted(tmp_path, row, kind, words):
    path = write(tmp_path / "RTP_LX_DE.json", corpus_row(0), row, corpus_row(2))
    with pytest.raises(UserError, match=f"RTP_LX_DE.json, line 2: .*{words}.*Mend the row"):
        items_of(tmp_path, RejectLog(strict=True, remedy="Mend the row."))
    log = RejectLog()
    assert [item.metadata["index"] for item in items_of(tmp_path, log)] == [0, 2]
    assert log.counts() == {kind: 1}
    assert (log.rejections[0].file, log.rejections[0].line) == (str(path), 2)


def test_a_wrong_folder_is_named(tmp_path):
    with pytest.raises(UserError, match="absent does not exist; pass the folder"):
        items_of(tmp_path / "absent")
    with pytest.raises(UserError, match="holds no RTP-LX files"):
        items_of(tmp_path)
    file = write(tmp_path / "RTP_LX_DE.json", corpus_row(0))
    with pytest.raises(UserError, match="is a file, not a folder or a zip"):
        items_of(file)
    write(tmp_path / "RTP_LX_QQ.json", corpus_row(0))
    with pytest.raises(UserError, match="RTP_LX_QQ.json: the file's name gives its language. The language 'QQ' is not"):
        items_of(tmp_path)


def test_the_published_files_are_read_whole(rtp_lx):
    log = RejectLog(strict=True)
    counts: Counter[str] = Counter()
    ids = set()
    for item in read(RtpLxOptions(path=rtp_lx), RTP_LX, log):
        counts[item.language] += 1
        ids.add(item.id)
    assert len(ids) == counts.total() == 19437
    assert counts == {
        "ar": 1051, "de": 1029, "en": 999, "es": 1098, "fr": 1038, "he": 1082, "hi": 1115, "it": 1113, "ja": 1070,
        "ko": 1099, "nl": 1075, "pl": 1099, "pt": 1095, "ru": 1225, "sw": 1075, "th": 1089, "tr": 1049, "zh-Hans": 1036,
    }  # fmt: skip
    assert log.left_out == {"duplicate-index": 424, "repeats-corpus-row": 17118}
    files = [*rtp_lx.glob("acs_results_*.json"), *rtp_lx.glob("corpus/*.json")]
    lines = sum(path.read_bytes().count(b"\n") for path in files if "benign" not in path.name)
    assert counts.total() + log.left_out.total() == lines == 36979


def test_the_published_files_are_aligned(rtp_lx):
    by_language: dict[str, set[str]] = {}
    for item in read(RtpLxOptions(path=rtp_lx), RTP_LX, RejectLog(strict=True)):
        if item.subset == "transcreated":
            by_language.setdefault(item.language, set()).add(item.source_id)
    everywhere = {f"rtp-lx/{content}" for content in range(999)}
    for tag, found in by_language.items():
        assert found <= everywhere
        assert len(found) >= 990, tag
