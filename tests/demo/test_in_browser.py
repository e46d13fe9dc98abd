"""The demo as people meet it: in a real browser, by keyboard too."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from serve.guard import Guard
from tests.demo.conftest import FLAGGED, HARMLESS
from tests.demo.small_run import write_small_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
REPOSITORY = Path(__file__).resolve().parents[2]
ARTIFACTS = REPOSITORY / ".artifacts"
ENGLISH = f"what an {FLAGGED} day my friend, good tea today"
ARABIC = f"هذا يوم سيئ للغاية يا صديقي والطقس لا يبشر بخير {FLAGGED} اليوم"
PATIENCE_MS = 60_000

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium (Debian's package `chromium`)")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "app.log"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def address(guard: Guard, log: Path, runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the demo as users do, and wait until it answers."""
    for name in ("small-1234", "small-5678"):
        write_small_run(runs / name)
        (runs / name / "report.html").write_text(f"<h1>{name}</h1>", encoding="utf-8")
    port = free_port()
    options = ["--bundle", guard.source.folder, "--compare", guard.source.folder, "--runs", runs, "--port", port]
    command = [sys.executable, "app.py", "--no-raters", "--threads", "1", *map(str, options)]
    # The runs lie outside the working folder and the temporary one, from where Gradio serves nothing of itself.
    scratch = tmp_path_factory.mktemp("scratch")
    environment = {**os.environ, "TMPDIR": str(scratch)}
    environment.pop("GRADIO_TEMP_DIR", None)
    with log.open("w") as stream:
        process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=stream, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}/"
    try:
        wait_for(url, process, log)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)
    # What was uploaded, written and offered is gone; Gradio leaves empty files and folders.
    assert [path for path in (scratch / "gradio").rglob("*") if path.is_file() and path.stat().st_size] == []


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1200):
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the demo does not answer: {log.read_text()}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(address)
    opened.wait_for_selector("#one-text textarea")
    yield opened
    context.close()
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def shot(page: Page, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"demo-{name}.png", full_page=True)


def check(page: Page, text: str) -> None:
    page.fill("#one-text textarea", text)
    page.click("#one-check")
    page.wait_for_selector("#one-verdict .bg-decision")
    page.wait_for_selector("#one-twins .bg-twins, #one-twins .bg-message")


def test_type_submit_and_see_bars_raters_and_twins(page: Page, log: Path) -> None:
    check(page, f"{ENGLISH} canary5512")
    assert page.locator("#one-verdict .bg-decision.is-flag").count() == 1
    assert page.locator("#one-verdict .bg-bars li").count() == 8
    assert page.locator("#one-verdict .bg-tick").count() == 8
    page.wait_for_selector("#one-panel tbody tr")
    assert page.locator("#one-panel tbody tr").count() == 2
    assert page.locator("#one-twins .bg-twin.is-flip").count() > 0
    shot(page, "one-text")
    assert "canary" not in log.read_text()


def test_keys_check_a_text_and_what_is_too_long_is_told_and_not_cut(page: Page) -> None:
    assert "Ctrl+Enter" in page.inner_text("#one-text")
    page.fill("#one-text textarea", ENGLISH)
    page.press("#one-text textarea", "Control+Enter")
    page.wait_for_selector("#one-verdict .bg-decision")
    page.wait_for_selector("#one-panel tbody tr")
    page.wait_for_selector("#one-twins .bg-twins")
    page.fill("#one-text textarea", f"{HARMLESS} " * 1200 + FLAGGED)
    page.press("#one-text textarea", "Meta+Enter")
    page.wait_for_selector("#one-verdict .is-wrong")
    assert "more than 20,000 characters; put it into a file" in page.inner_text("#one-verdict")
    assert page.input_value("#one-text textarea").endswith(FLAGGED)
    assert (page.locator("#one-panel").is_visible(), page.locator("#one-twins").is_visible()) == (False, False)


def test_a_phone_shows_right_to_left_text_right(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#one-text textarea")
    check(page, ARABIC)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    tops = "[...document.querySelectorAll('button[role=tab]')].map(tab => tab.getBoundingClientRect().top)"
    assert len(set(page.evaluate(tops))) == 1  # the tabs stand in one line
    style = page.evaluate(
        "(() => { const s = getComputedStyle(document.querySelector('#one-text textarea'));"
        " return [s.unicodeBidi, s.textAlign] })()"
    )
    assert style == ["plaintext", "start"]
    assert page.evaluate("getComputedStyle(document.querySelector('.bg-twin-text')).direction") == "rtl"
    shot(page, "phone-arabic-dark")
    context.close()


def test_hostile_text_stays_text(page: Page) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    check(page, f"<img src=x onerror=alert(1)> ${{alert(2)}} {{{{this}}}} {FLAGGED} " * 4)
    assert "<img src=x" in page.inner_text("#one-verdict blockquote >> nth=0")
    assert "{{this}}" in page.inner_text("#one-verdict blockquote >> nth=0")
    assert dialogs == []


def test_the_keyboard_is_enough(page: Page) -> None:
    page.focus("#one-text textarea")
    page.keyboard.type(HARMLESS)
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "one-check":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#one-verdict .bg-decision.is-allow")


def test_harmful_examples_are_folded_away(page: Page) -> None:
    assert page.locator("#examples-harmful").is_visible() is False
    page.get_by_text("Harmless examples").click()
    page.locator("#examples-harmless button").first.click()
    page.wait_for_function("document.querySelector('#one-text textarea').value.length > 5")


def test_upload_rate_and_download(page: Page, table: Path, tmp_path: Path) -> None:
    page.get_by_role("tab", name="A file").click()
    page.set_input_files("#batch-file input[type=file]", table)
    page.wait_for_selector("#batch-text input")
    page.click("#batch-rate")
    page.wait_for_selector("#batch-view .bg-batch")
    shot(page, "file")
    with page.expect_download() as download:
        page.click("#batch-csv")
    download.value.save_as(tmp_path / "rated.csv")
    content = (tmp_path / "rated.csv").read_text(encoding="utf-8-sig")
    assert content.splitlines()[0].startswith("id,text,language,decision")
    assert f"'=1+{FLAGGED}" in content


def test_faults_of_files_are_told_and_rating_waits_for_a_column(page: Page, tmp_path: Path) -> None:
    page.get_by_role("tab", name="A file").click()
    for name, content, told in (("latin.csv", "text\ncaf\u00e9\n", "is not UTF-8"), ("t.pdf", "x", "neither CSV nor")):
        (tmp_path / name).write_bytes(content.encode("latin-1"))
        page.set_input_files("#batch-file input[type=file]", tmp_path / name)
        page.wait_for_selector(f"#batch-view .is-wrong:has-text('{told}')")
        page.get_by_label("Remove this file").or_(page.get_by_label("Clear")).first.click()
        page.wait_for_selector("#batch-view :text('Upload a table')")
    (tmp_path / "t.csv").write_text(f"first,second\n{HARMLESS},1\n", encoding="utf-8")
    page.set_input_files("#batch-file input[type=file]", tmp_path / "t.csv")
    page.wait_for_selector("#batch-view :text('1 row, 2 columns')")
    assert page.is_disabled("#batch-rate")
    page.click("#batch-text input")
    page.get_by_role("option", name="first").click()
    page.wait_for_selector("#batch-rate:enabled")


def test_runs_can_be_browsed(page: Page) -> None:
    page.get_by_role("tab", name="Reports").click()
    page.wait_for_selector("#report-table .bg-heat")
    assert "words" in page.inner_text("#report-table")
    assert page.locator("#report-plot .bg-dot").count() == 4
    first = page.input_value("#report-run input")
    page.get_by_text("The whole report").click()
    page.wait_for_selector(f"#report-frame iframe[srcdoc*={first}]")
    page.get_by_text("Files of the run").click()
    with page.expect_download() as download:
        page.locator("#report-files a").first.click()
    assert download.value.suggested_filename == "metrics.json"
    shot(page, "reports")


def test_another_run_and_a_deleted_one_leave_nothing_of_the_one_before(page: Page, runs: Path) -> None:
    write_small_run(runs / "fleeting")  # the list of runs is read when the page is loaded
    page.get_by_role("tab", name="Reports").click()
    page.wait_for_selector("#report-table .bg-heat")
    page.get_by_text("The whole report").click()
    for name in ("small-1234", "small-5678"):
        page.click("#report-run input")
        page.get_by_role("option", name=name).click()
        page.wait_for_selector(f"#report-frame iframe[srcdoc*={name}]")
    page.click("#report-run input")
    page.get_by_role("option", name="fleeting").click()
    page.wait_for_selector("#report-frame iframe:not([srcdoc*=small-5678])")
    (runs / "fleeting" / "metrics.json").write_text('{"recipe": {}, "corpus": {"items": "many"}}', encoding="utf-8")
    page.click("#report-again")
    page.wait_for_selector("#report-about :text('not a file that evaluation.run wrote')")
    page.wait_for_timeout(500)  # what follows on the first answer comes after it
    assert (page.locator("#report-table").is_visible(), page.locator(".error").count()) == (False, 0)
    shutil.rmtree(runs / "fleeting")
    page.click("#report-again")
    page.wait_for_selector("#report-frame iframe[srcdoc*=small-]")
    assert page.locator("#report-table .bg-heat").count() == 1
    assert page.locator(".error").count() == 0


def test_disagree_and_download_the_sheets(page: Page, tmp_path: Path) -> None:
    check(page, ENGLISH)
    page.click("#one-disagree")
    page.wait_for_selector("#feedback-Toxicity")
    page.locator("#feedback-Toxicity label").first.click()
    page.click("#feedback-keep")
    page.wait_for_selector("#feedback-list ol")
    page.fill("#feedback-person input, #feedback-person textarea", "ana")
    page.click("#feedback-make")
    page.wait_for_selector("#feedback-sheets")
    shot(page, "feedback")
    with page.expect_download() as download:
        page.click("#feedback-sheets")
    assert download.value.suggested_filename.startswith("feedback-ana-")


def test_sessions_know_nothing_of_each_other(page: Page, browser: Browser, address: str) -> None:
    check(page, ENGLISH)
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    other = context.new_page()
    other.goto(address)
    other.wait_for_selector("#one-verdict")
    assert other.locator("#one-verdict .bg-decision").count() == 0
    other.get_by_role("tab", name="Feedback").click()
    other.wait_for_selector("#feedback-text")
    assert "first" in other.inner_text("#feedback-text")
    context.close()
