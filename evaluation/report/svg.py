"""Matplotlib figures as inline SVG whose colours are the style sheet's and whose bytes depend on the data alone."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SERIES = 8
"""Colours for raters; a ninth rater has the first one's, and another marker."""

# Colours that stand for the style sheet's variables while matplotlib draws; no other part of a drawing uses them.
INK, MUTED, RULE, GROUND = "#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04"
_SENTINELS = {INK: "--ink", MUTED: "--muted", RULE: "--rule", GROUND: "--ground"} | {
    f"#0a0b1{number}": f"--series-{number}" for number in range(SERIES + 1)
}
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "*")
GLYPHS = ("○", "■", "▲", "◆", "▼", "✚", "✖\ufe0e", "⬟", "★")


def _wrapped(mark: int) -> int:
    return 0 if mark == 0 else 1 + (mark - 1) % SERIES


def colour(mark: int) -> str:
    """Return the drawing colour of a rater's mark."""
    return f"#0a0b1{_wrapped(mark)}"


def series(mark: int) -> str:
    """Return the style sheet's name of a rater's colour."""
    return f"series-{_wrapped(mark)}"


def marker(mark: int) -> str:
    """Return matplotlib's marker for a rater's mark; people's is 0."""
    return MARKERS[0] if mark == 0 else MARKERS[1 + (mark - 1 + (mark - 1) // SERIES) % (len(MARKERS) - 1)]


def glyph(mark: int) -> str:
    """Return the character that looks like the marker."""
    return GLYPHS[MARKERS.index(marker(mark))]


def draw(name: str, size: tuple[float, float], paint: Callable[[Axes], None]) -> Markup:
    """Draw one pair of axes and return it as an SVG element.

    Args:
        name: Prefix of every id in the drawing; unique on the page.
        size: Width and height in inches.
        paint: Draws on the axes.
    """
    import matplotlib
    from matplotlib.figure import Figure

    buffer = io.StringIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()  # whatever the user's own matplotlibrc says
        matplotlib.rcParams.update(_settings(name))
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from")  # the browser draws the text
        figure = Figure(figsize=size)
        axes = figure.add_axes(_inside(size))
        axes.spines[["top", "right"]].set_visible(False)
        paint(axes)
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(buffer, format="svg", transparent=True, metadata=metadata)
    return Markup(_for_page(buffer.getvalue(), name))  # noqa: S704 - matplotlib escapes every text it writes


def _inside(size: tuple[float, float]) -> tuple[float, float, float, float]:
    left, bottom, margin = 0.62, 0.5, 0.12
    return left / size[0], bottom / size[1], 1 - (left + margin) / size[0], 1 - (bottom + margin) / size[1]


def _for_page(svg: str, name: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg [^>]*?)width="[^"]*" height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg [^>]*?)width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg [^>]*?)height="[^"]*"', r"\1", svg, count=1)
    svg = svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "inherit", svg)
    return re.sub(r"#0a0b[01]\d", lambda found: f"var({_SENTINELS[found.group()]})", svg)


def _settings(name: str) -> dict[Any, Any]:
    ink = ("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor")
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": name,
        "text.parse_math": False,
        "font.family": "DejaVu Sans",
        "font.size": 9.0,
        "axes.edgecolor": RULE,
        "xtick.color": RULE,
        "ytick.color": RULE,
        "grid.color": RULE,
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        **dict.fromkeys(ink, MUTED),
    }
