"""How the demo looks: a quiet theme for Gradio's components, and the style sheet of our own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import gradio as gr

_HERE = Path(__file__).resolve().parent
FALLBACKS = ("Noto Sans", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "system-ui", "sans-serif")
WEIGHTS = (400, 700)
"""Weights of the fonts that are offered, so that a browser takes 700 where Gradio's own styles ask for 600: the
semibold faces that come with Gradio lack most Latin letters, and words would be set in two fonts."""


def style_sheet() -> str:
    """Return the style sheet of the demo's own views."""
    return (_HERE / "demo.css").read_text(encoding="utf-8")


def script() -> str:
    """Return the script that runs when the page loads: keys that check a text, and light or dark."""
    return (_HERE / "demo.js").read_text(encoding="utf-8")


def theme() -> gr.themes.Base:
    """Return the theme of Gradio's components: hairlines instead of boxes, one accent, fonts that come with Gradio."""
    import gradio as gr
    from gradio.themes.utils.fonts import LocalFont

    light = {
        "body_background_fill": "#f7f8fa",
        "body_text_color": "#18202b",
        "body_text_color_subdued": "#505b6b",
        "background_fill_primary": "#ffffff",
        "background_fill_secondary": "#f2f4f7",
        "border_color_primary": "#d5dbe4",
        "border_color_accent": "#0a58a6",
        "color_accent_soft": "#e5eef8",
        "link_text_color": "#0a58a6",
        "block_background_fill": "#ffffff",
        "block_border_color": "#d5dbe4",
        "block_label_text_color": "#39434f",
        "block_title_text_color": "#39434f",
        "block_info_text_color": "#505b6b",
        "input_background_fill": "#ffffff",
        "input_border_color": "#b9c2cf",
        "input_border_color_focus": "#0a58a6",
        "input_placeholder_color": "#6b7686",
        "button_primary_background_fill": "#0a58a6",
        "button_primary_background_fill_hover": "#084a8c",
        "button_primary_text_color": "#ffffff",
        "button_secondary_background_fill": "#ffffff",
        "button_secondary_background_fill_hover": "#eef2f7",
        "button_secondary_border_color": "#b9c2cf",
        "button_secondary_text_color": "#18202b",
        "checkbox_label_background_fill": "#ffffff",
        "checkbox_label_background_fill_hover": "#eef2f7",
        "checkbox_label_background_fill_selected": "#e5eef8",
        "checkbox_label_border_color": "#d5dbe4",
        "checkbox_label_text_color": "#18202b",
        "checkbox_label_text_color_selected": "#063a70",
        "checkbox_background_color_selected": "#0a58a6",
        "table_even_background_fill": "#ffffff",
        "table_odd_background_fill": "#f7f8fa",
        "table_text_color": "#18202b",
    }
    dark = {
        "body_background_fill": "#11161d",
        "body_text_color": "#e8ecf2",
        "body_text_color_subdued": "#a8b2c0",
        "background_fill_primary": "#19202a",
        "background_fill_secondary": "#151b24",
        "border_color_primary": "#36404e",
        "border_color_accent": "#86bdf5",
        "color_accent_soft": "#1d3046",
        "link_text_color": "#86bdf5",
        "block_background_fill": "#19202a",
        "block_border_color": "#36404e",
        "block_label_text_color": "#c9d1dc",
        "block_title_text_color": "#c9d1dc",
        "block_info_text_color": "#a8b2c0",
        "input_background_fill": "#131922",
        "input_border_color": "#465264",
        "input_border_color_focus": "#86bdf5",
        "input_placeholder_color": "#8793a3",
        "button_primary_background_fill": "#86bdf5",
        "button_primary_background_fill_hover": "#a5cff9",
        "button_primary_text_color": "#0b1a28",
        "button_secondary_background_fill": "#222b37",
        "button_secondary_background_fill_hover": "#2b3644",
        "button_secondary_border_color": "#465264",
        "button_secondary_text_color": "#e8ecf2",
        "checkbox_label_background_fill": "#19202a",
        "checkbox_label_background_fill_hover": "#222b37",
        "checkbox_label_background_fill_selected": "#1d3046",
        "checkbox_label_border_color": "#36404e",
        "checkbox_label_text_color": "#e8ecf2",
        "checkbox_label_text_color_selected": "#cfe5fb",
        "checkbox_background_color_selected": "#3d86cf",
        "table_even_background_fill": "#19202a",
        "table_odd_background_fill": "#151b24",
        "table_text_color": "#e8ecf2",
    }
    shape = {
        "block_border_width": "0px",
        "block_shadow": "none",
        "block_label_text_weight": "700",
        "block_title_text_weight": "700",
        "block_label_background_fill": "transparent",
        "block_label_border_width": "0px",
        "block_padding": "0px",
        "block_radius": "8px",
        "input_radius": "8px",
        "input_border_width": "1px",
        "input_shadow": "none",
        "input_shadow_focus": "none",
        "button_large_radius": "8px",
        "button_medium_radius": "8px",
        "button_small_radius": "6px",
        "button_large_text_weight": "700",
        "button_primary_shadow": "none",
        "button_secondary_shadow": "none",
        "button_border_width": "1px",
        "checkbox_label_shadow": "none",
        "section_header_text_weight": "700",
    }
    both = {**light, **{f"{name}_dark": colour for name, colour in dark.items()}}
    return gr.themes.Base(
        primary_hue="blue",
        neutral_hue="slate",
        radius_size="md",
        font=(LocalFont("IBM Plex Sans", weights=WEIGHTS), *FALLBACKS),
        font_mono=(LocalFont("IBM Plex Mono", weights=WEIGHTS), "ui-monospace", "monospace"),
    ).set(**both, **shape)
