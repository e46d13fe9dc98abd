"""The demo as people meet it: in a real browser, by keyboard too."""

from __future__ import annotations

import logging
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from demo.resources import Resources
from tests.demo.conftest import FLAGGED, HARMLESS
from tests.demo.small_run import write_small_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARTIFACTS = Path(__file__).resolve().parents[2] / ".artifacts"
PATIENCE_MS = 60_000

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium (Debian's package `chromium`)")


@pytest.fixture(scope="module")
def address(resources: Resources, gradio_without_loops: None) -> Iterator[str]:
    from demo.interface import appearance, build_interface

    write_small_run(resources.runs[0] / "small-1234")
    blocks = build_interface(resources)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the server's own libraries deprecate
        _, url, _ = blocks.launch(
            server_name="127.0.0.1", server_port=None, share=False, prevent_thread_lock=True, quiet=True, **appearance()
        )
        yield url
        blocks.close()


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


def test_type_submit_and_see_bars_raters_and_twins(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    canary = "canary5512"
    with caplog.at_level(logging.DEBUG):
        check(page, f"an {FLAGGED} day {canary}")
    assert page.locator("#one-verdict .bg-decision.is-flag").count() == 1
    assert page.locator("#one-verdict .bg-bars li").count() == 8
    assert page.locator("#one-verdict .bg-tick").count() == 8
    page.wait_for_selector("#one-panel tbody tr")
    assert page.locator("#one-panel tbody tr").count() == 2
    assert page.locator("#one-twins .bg-twin.is-flip").count() > 0
    shot(page, "one-text")
    assert canary not in caplog.text


def test_a_phone_shows_right_to_left_text_right(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#one-text textarea")
    check(page, f"يوم جيد يا صديقي {FLAGGED}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
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


def test_a_malformed_file_is_told_in_words(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("text\ncaf\u00e9\n".encode("latin-1"))
    page.get_by_role("tab", name="A file").click()
    page.set_input_files("#batch-file input[type=file]", path)
    page.wait_for_selector("#batch-view .is-wrong")
    assert "is not UTF-8" in page.inner_text("#batch-view")


def test_runs_can_be_browsed(page: Page) -> None:
    page.get_by_role("tab", name="Reports").click()
    page.wait_for_selector("#report-table .bg-heat")
    assert "words" in page.inner_text("#report-table")
    assert page.locator("#report-plot .bg-dot").count() == 4
    page.get_by_text("The whole report").click()
    page.wait_for_selector("#report-frame iframe")
    shot(page, "reports")


def test_disagree_and_download_the_sheets(page: Page, tmp_path: Path) -> None:
    check(page, f"an {FLAGGED} day")
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
    check(page, f"an {FLAGGED} day")
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
