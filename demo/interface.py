"""The whole interface: four pages on one guard, as Gradio blocks that can be started or mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from demo import markup
from demo.pages.batch_file import BatchFilePage
from demo.pages.disagreements import disagreements_page
from demo.pages.one_text import one_text_page
from demo.pages.reports import ReportsPage
from demo.pages.view import view
from demo.resources import Resources
from demo.theme import script, style_sheet, theme

if TYPE_CHECKING:
    import gradio as gr

TITLE = "Babelguard"
FILES_LIVE_S = 3600
"""Seconds after which uploaded and written files are deleted, and between two looks for such: so they live one to two
hours. They are deleted when the demo is stopped, too."""
WAITING = 64
"""Requests that may wait; further ones are told to come back."""
LARGEST_FILE = "20mb"
FOOTER = (
    "Texts are rated on this machine and are not stored or logged. Uploaded files, and those made to download, are "
    "deleted within two hours, and when the demo is stopped. Only raters beside the guard that are network services, "
    "where the operator has added some, are sent the text. A guard errs: use its decisions to help people, not in "
    "their place."
)


def build_interface(resources: Resources) -> gr.Blocks:
    """Lay out the pages.

    Args:
        resources: What all sessions share.

    Returns:
        The blocks, their queue configured. Start or mount them with `appearance`.
    """
    import gradio as gr

    blocks: gr.Blocks = gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=(FILES_LIVE_S, FILES_LIVE_S))
    with blocks:
        view(markup.header(resources.moderator))
        with gr.Tabs(selected="text", overflow_behavior="wrap") as tabs:
            with gr.Tab("One text", id="text"):
                one_text = one_text_page(resources)
            with gr.Tab("A file", id="file"):
                BatchFilePage(resources)
            with gr.Tab("Reports", id="reports") as reports:
                ReportsPage(resources, reports)
            with gr.Tab("Feedback", id="feedback"):
                disagreements_page(resources, one_text, tabs)
        view(markup.note_view(FOOTER))
    blocks.queue(max_size=WAITING, default_concurrency_limit=8, api_open=False)
    return blocks


def appearance() -> dict[str, Any]:
    """Return how the blocks look and behave, for `Blocks.launch` and `gradio.mount_gradio_app` alike."""
    return {
        "theme": theme(),
        "css": style_sheet(),
        "js": script(),
        "footer_links": [],
        "run_history": False,
        "max_file_size": LARGEST_FILE,
        "ssr_mode": False,
        "mcp_server": False,
        "pwa": False,
        "enable_monitoring": False,
        "show_error": False,
    }
