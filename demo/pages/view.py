"""A place for one of our own views on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import gradio as gr


def view(value: str = "", *, elem_id: str | None = None, card: bool = False, visible: bool = True) -> gr.HTML:
    """Return a component that shows a view of `demo.markup`, in our style alone.

    Args:
        value: The view.
        elem_id: Its id on the page.
        card: Whether it stands on a card of its own.
        visible: Whether it is shown.
    """
    import gradio as gr

    return gr.HTML(
        value,
        elem_id=elem_id,
        elem_classes=["bg-view", "bg-card"] if card else ["bg-view"],
        visible=visible,
        apply_default_css=False,
        js_on_load=None,
    )
