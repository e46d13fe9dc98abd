"""Sheets out, filled in as people do, and back: merged, missing, wrong."""

import csv
import json
import random
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

from babelguard import RTP_LX, UserError
from babelguard.item import Role
from babelguard.jsonl import parse_line, read_lines, write_jsonl
from data_prep.annotating.batch import code_of, read_batch
from data_prep.annotating.bring_back import bring_back
from data_prep.annotating.export import export
from data_prep.annotating.recipe import load_sheets_plan
from data_prep.annotating.rubric import FIDELITY, heading
from tests.data_prep.building.made_items import item, sentence

NASTY = [
    "=HYPERLINK(1)",
    "-2+3",
    "@x",
    "שלום, \u202bעולם",
    'quotes "in" quotes',
    "two\nlines",
    "می\u200cخواهم",
    "\x07bell",
]


@pytest.fixture
def make(tmp_path):
    """Export a batch of the task over some items in English, Hebrew and Arabic, and return its folder."""

    def made(task: str, count: int = 20, **recipe: object) -> Path:
        items = []
        for tag in ("en", "he", "ar"):
            for n in range(count):
                text = f"{NASTY[n % len(NASTY)]} {tag} {sentence(n)}"
                same = {"source_id": f"made/{n}", "language": tag}
                items.append(item(n, id=f"{tag}/{n}", text=text, **same))
                items.append(item(n, id=f"{tag}/{n}/c", text=f"answer {text}", role=Role.COMPLETION, **same))
        write_jsonl(tmp_path / "items.jsonl", (one.to_dict() for one in items))
        values = {
            "name": "batch",
            "task": task,
            "corpus": {"source": "items", "path": str(tmp_path / "items.jsonl")},
            "languages": ["he", "ar"],
            "people": ["ana", "ben"],
            "output": str(tmp_path / "sheets"),
            **recipe,
        }
        (tmp_path / "recipe.yaml").write_text(json.dumps(values))
        folder = export(load_sheets_plan(tmp_path / "recipe.yaml")).folder
        (folder / "returned").mkdir()
        return folder

    return made


def fill_csv(folder: Path, sheet: str, answer, delimiter: str = ",", encoding: str = "utf-8-sig") -> None:
    """Fill in a CSV sheet: `answer(row)` gives heading -> answer."""
    with (folder / "send" / f"{sheet}.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    filled = [{**row, **answer(row)} for row in rows]
    with (folder / "returned" / f"{sheet}.csv").open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, filled[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(filled)


def fill_xlsx(folder: Path, sheet: str, answer) -> None:
    book = load_workbook(folder / "send" / f"{sheet}.xlsx")
    page = book["texts"]
    head = [cell.value for cell in page[1]]
    for line in page.iter_rows(min_row=2):
        row = {name: cell.value for name, cell in zip(head, line, strict=True)}
        for name, value in answer(row).items():
            line[head.index(name)].value = value
    book.save(folder / "returned" / f"{sheet}.xlsx")


def levels(value, taxonomy=RTP_LX):
    return lambda row: {heading(category): value for category in taxonomy}


def test_sheets_are_blinded_and_shuffled_each_in_its_own_way(make):
    folder = make("annotation")
    batch, _ = read_batch(folder)
    orders = {s.name: [row.items["text"] for row in s.rows] for s in batch.sheets if s.language == "he"}
    ana, ben = orders.values()
    assert sorted(ana) == sorted(ben) == sorted(f"he/{n}" for n in range(20))
    assert ana != ben
    assert ana != sorted(ana)
    sent = (folder / "send" / "batch-he-ana.csv").read_text(encoding="utf-8-sig")
    assert "he/" not in sent
    assert "made/" not in sent
    assert "items" not in sent
    codes = [{row.code for row in s.rows} for s in batch.sheets]
    assert len(set.union(*codes)) == sum(map(len, codes))


def test_a_workbook_opens_as_text_with_lists_and_rubric(make):
    folder = make("annotation")
    book = load_workbook(folder / "send" / "batch-he-ana.xlsx")
    page = book["texts"]
    assert book.sheetnames == ["texts", "guidelines", "rubric"]
    cells = [cell for line in page.iter_rows() for cell in line if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s"}
    assert any(str(cell.value).startswith("=") for cell in cells)
    head = [cell.value for cell in page[1]]
    text = page.cell(2, head.index("text") + 1)
    assert text.alignment.readingOrder == 2
    assert text.quotePrefix
    lists = {v.formula1: str(v.sqref) for v in page.data_validations.dataValidation}
    assert set(lists) == {'"1,2,3,4,5"', '"1,2,3"'}
    assert (folder / "send" / "batch-he-ana.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_the_same_recipe_gives_the_same_bytes(make, tmp_path):
    first = {p.name: p.read_bytes() for p in (make("annotation") / "send").iterdir()}
    again = {p.name: p.read_bytes() for p in (make("annotation", output=str(tmp_path / "more")) / "send").iterdir()}
    assert first == again


@pytest.mark.parametrize(("delimiter", "encoding"), [(",", "utf-8-sig"), (";", "utf-8"), ("\t", "utf-16")])
def test_answers_are_merged_in_the_peoples_order(make, delimiter, encoding):
    folder = make("annotation", languages=["he"])
    fill_csv(folder, "batch-he-ben", levels(2), delimiter, encoding)
    fill_xlsx(folder, "batch-he-ana", levels(1))
    found = bring_back(folder, folder / "returned", set_aside=False)
    assert {one.labels["Toxicity"] for one in found.items} == {(1, 2)}
    assert [one.missing for one in found.missing] == [0, 0]
    stored = [parse_line(line) for _, line in read_lines(folder / "merged" / "items.jsonl")]
    assert stored == [one.to_dict() for one in found.items]


def test_missing_stays_missing(make):
    folder = make("annotation", languages=["he"], people=["ana", "ben", "eva"])
    some = {"Insult (1-3)": "٣", "Bias (1-3)": "2.0", "comment": "not sure"}  # an Arabic digit; a number as text
    fill_csv(folder, "batch-he-ana", lambda row: {**some, "Bias (1-3)": "2"})
    fill_xlsx(folder, "batch-he-eva", lambda row: {"Insult (1-3)": 1.0})
    found = bring_back(folder, folder / "returned", set_aside=False)
    one = found.items[0]
    assert one.labels["Insult"] == (3, None, 1)
    assert one.labels["Bias"] == (2, None, None)
    assert one.labels["Violence"] == (None, None, None)
    assert one.metadata["comments"] == {"ana": "not sure"}
    assert [(m.person, m.returned, m.missing) for m in found.missing] == [
        ("ana", True, 20 * 6),
        ("ben", False, 20 * 8),
        ("eva", True, 20 * 7),
    ]
    (pair,) = found.reliability
    assert (pair.category, pair.annotators, pair.items) == ("Insult", 2, 20)


def test_wrong_answers_are_named_by_file_row_and_column(make):
    folder = make("annotation", languages=["he"], people=["ana", "ben"])
    rows = iter(range(100))
    wrong = {0: {"Insult (1-3)": "7"}, 1: {"Insult (1-3)": "bad"}, 2: {"code": "FFFFFFFFFF"}, 3: {"text": "another"}}

    def answer(row):
        return {**levels(1)(row), **wrong.get(next(rows), {})}

    fill_csv(folder, "batch-he-ana", answer)
    path = folder / "returned" / "batch-he-ana.csv"
    path.write_bytes(path.read_bytes() + path.read_bytes().split(b"\r\n")[-2] + b"\r\n")
    with pytest.raises(UserError) as caught:
        bring_back(folder, folder / "returned", set_aside=False)
    told = str(caught.value)
    for clause in (
        "batch-he-ana.csv, row 2, column Insult (1-3): the level 7 is off the scale 1-3",
        "row 3, column Insult (1-3): 'bad' is no level",
        "row 4, column code: the code 'FFFFFFFFFF' is not on this sheet",
        "row 5, column text: the text is not the one that was sent",
        "is not there any more",
    ):
        assert clause in told
    found = bring_back(folder, folder / "returned", set_aside=True)
    kinds = {problem.kind for problem in found.problems}
    assert {"level-off-scale", "not-a-level", "unknown-item", "text-changed", "missing-row"} <= kinds
    assert len(list(read_lines(folder / "merged" / "rejected.jsonl"))) == len(found.problems)


def test_a_doubled_row_is_told_and_the_first_counts(make):
    folder = make("annotation", languages=["he"], people=["ana"])
    fill_xlsx(folder, "batch-he-ana", levels(2))
    path = folder / "returned" / "batch-he-ana.xlsx"
    book = load_workbook(path)
    page = book["texts"]
    page.append([cell.value for cell in page[2]])
    book.save(path)
    with pytest.raises(UserError, match="row 22, column code: the code .* stands in row 2 already"):
        bring_back(folder, folder / "returned", set_aside=False)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("batch-he-ana.xlsx", b"no zip", "cannot be read as a spreadsheet"),
        ("batch-he-ana.csv", "code,text\r\n1,é\r\n".encode("latin-1"), "not UTF-8"),
        ("batch-he-ana.csv", b"code,text\r\n", "the column 'context' is missing"),
        ("batch-he-ana.csv", b"code,code\r\n", "the column 'code' is there twice"),
        ("batch-he-ana.csv", b'code,"text', "this is not CSV"),
    ],
)
def test_files_that_are_no_sheets_are_told(make, name, content, told):
    folder = make("annotation", languages=["he"], people=["ana"])
    (folder / "returned" / name).write_bytes(content)
    with pytest.raises(UserError, match=told):
        bring_back(folder, folder / "returned", set_aside=False)


def test_a_sheet_returned_in_both_formats_is_told(make):
    folder = make("annotation", languages=["he"], people=["ana"])
    fill_csv(folder, "batch-he-ana", levels(1))
    fill_xlsx(folder, "batch-he-ana", levels(2))
    with pytest.raises(UserError, match="keep the one that was filled in"):
        bring_back(folder, folder / "returned", set_aside=False)


def test_a_batch_is_not_overwritten(make):
    make("annotation")
    with pytest.raises((UserError, FileExistsError), match="holds a batch already"):
        make("annotation")


def test_transcreations_come_back_as_aligned_items(make):
    folder = make("transcreation", languages=["he"], people=["ana"], dialects=["north", "south"], source_language="EN")
    n = iter(range(100))

    def answer(row):
        assert row["source prompt"]
        assert row["source completion"]
        assert not row["source benign completion"]
        assert "Toxicity" in row["context"] or row["context"] == ""
        number = next(n)
        return {} if number == 0 else {"prompt": f"טקסט {number}", "dialect": "north", "comment": "fine"}

    fill_csv(folder, "batch-he-ana", answer)
    found = bring_back(folder, folder / "returned", set_aside=False)
    assert len(found.items) == 19
    one = found.items[0]
    assert (one.language, one.role, one.dialect, one.subset) == ("he", Role.PROMPT, "north", "transcreated")
    assert one.provenance["parent"] == f"en/{one.source_id.removeprefix('made/')}"
    assert one.labels == {}
    assert found.missing[0].missing == 21  # a prompt, and every completion


def test_transcreations_that_cannot_stand_are_told(make):
    folder = make("transcreation", languages=["he"], people=["ana"], dialects=["north"], source_language="EN")
    wrong = {"benign completion": "x", "dialect": "east"}
    fill_csv(folder, "batch-he-ana", lambda row: {"prompt": row["source prompt"], **wrong})
    with pytest.raises(UserError) as caught:
        bring_back(folder, folder / "returned", set_aside=False)
    for clause in ("the text is the source itself", "no source benign-completion", "'east' is not one of north"):
        assert clause in str(caught.value)


def test_a_review_has_the_same_contents_in_every_language(make):
    folder = make("review", per_language=15)
    batch, items = read_batch(folder)
    contents = [sorted(items[row.items["text"]].source_id for row in sheet.rows) for sheet in batch.sheets]
    assert len(batch.sheets) == 4
    assert all(len(keys) == 15 for keys in contents)
    assert len({tuple(keys) for keys in contents}) == 1
    for sheet in batch.sheets:
        assert all(items[row.items["source"]].language == "en" for row in sheet.rows)
    fill_csv(folder, "batch-he-ana", levels(5, FIDELITY))
    fill_xlsx(folder, "batch-he-ben", lambda row: {"Meaning (1-5)": random.Random(row["code"]).randint(4, 5)})
    found = bring_back(folder, folder / "returned", set_aside=False)
    assert [(m.language, m.person, m.missing) for m in found.missing] == [
        ("he", "ana", 0),
        ("he", "ben", 30),
        ("ar", "ana", 45),
        ("ar", "ben", 45),
    ]
    assert found.items[0].labels["Harm"] == (5, None)


def test_codes_are_no_numbers():
    codes = [code_of(0, "sheet", str(n)) for n in range(2_000)]
    assert len(set(codes)) == 2_000
    assert all(code.isascii() and code.isalpha() and "E" not in code for code in codes)


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/styles.xml", "xl/worksheets/sheet1.xml"])
def test_damaged_workbooks_are_told(make, part):
    folder = make("annotation", languages=["he"], people=["ana"])
    name = "batch-he-ana.xlsx"
    with ZipFile(folder / "send" / name) as sent, ZipFile(folder / "returned" / name, "w") as damaged:
        for entry in sent.namelist():
            content = sent.read(entry)
            damaged.writestr(entry, content[: len(content) // 2] if entry == part else content)
    with pytest.raises(UserError, match="cannot be read as a spreadsheet"):
        bring_back(folder, folder / "returned", set_aside=False)


def test_formulas_are_read_as_typed_and_a_wrong_size_of_the_page_loses_nothing(make):
    folder = make("annotation", languages=["he"], people=["ana"])
    fill_xlsx(folder, "batch-he-ana", lambda row: {"Insult (1-3)": "=1+1"})
    path = folder / "returned" / "batch-he-ana.xlsx"
    with ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet], count = re.subn(rb'<dimension ref="[A-Z0-9:]+"', b'<dimension ref="A1:A1"', parts[sheet])
    assert count == 1
    with ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    found = bring_back(folder, folder / "returned", set_aside=True)
    assert [problem.kind for problem in found.problems] == ["not-a-level"] * 20


def test_files_under_other_names_and_cells_outside_the_columns_are_told(make):
    folder = make("annotation", languages=["he"], people=["ana", "ben"])
    fill_csv(folder, "batch-he-ana", levels(1))
    path = folder / "returned" / "batch-he-ana.csv"
    (folder / "returned" / "batch-he-ben (1).csv").write_bytes(path.read_bytes())
    lines = path.read_bytes().split(b"\r\n")
    path.write_bytes(b"\r\n".join([lines[0], lines[1] + b",x,y", *lines[2:]]))
    found = bring_back(folder, folder / "returned", set_aside=True)
    assert [(one.file, one.row, one.kind) for one in found.problems] == [
        ("batch-he-ben (1).csv", None, "unknown-file"),
        ("batch-he-ana.csv", 2, "outside-columns"),
    ]
    assert found.missing[0].missing == 0  # the answers of that row count


def test_an_empty_folder_and_a_damaged_key_are_told(make):
    folder = make("annotation", languages=["he"], people=["ana"])
    with pytest.raises(UserError, match="is empty; put the returned sheets there"):
        bring_back(folder, folder / "returned", set_aside=False)
    key = folder / "key" / "items.jsonl"
    whole = key.read_bytes()
    key.write_bytes(whole[:100])
    with pytest.raises(UserError, match="is damaged .*put it back"):
        read_batch(folder)
    key.write_bytes(whole.split(b"\n", 1)[1])
    with pytest.raises(UserError, match="1 items are gone"):
        read_batch(folder)


@pytest.mark.parametrize(
    ("recipe", "told"),
    [
        ({"languages": ["he", "sw"]}, "No item of items fits the recipe batch in sw"),
        ({"dialects": ["a, b"]}, "a dialect with a comma"),
    ],
)
def test_batches_that_nobody_could_fill_in_are_refused(make, recipe, told):
    with pytest.raises(UserError, match=told):
        make("annotation", **recipe)


@pytest.mark.parametrize(("content", "told"), [(b"Gr\xfcn", "not UTF-8"), (b"\n \n", "is empty")])
def test_guidelines_that_cannot_be_read_are_told(make, tmp_path, content, told):
    (tmp_path / "rules.txt").write_bytes(content)
    with pytest.raises(UserError, match=told):
        make("annotation", guidelines=str(tmp_path / "rules.txt"))


def test_a_list_too_long_for_a_cell_is_left_out(make):
    folder = make(
        "transcreation", languages=["he"], people=["ana"], dialects=[f"dialect number {n}" for n in range(30)]
    )
    page = load_workbook(folder / "send" / "batch-he-ana.xlsx")["texts"]
    assert not page.data_validations.dataValidation
