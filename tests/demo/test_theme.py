"""The look: what the fonts that come with Gradio can show."""

from __future__ import annotations

import re

from demo.theme import style_sheet, theme


def test_nothing_is_set_in_the_semibold_face_which_lacks_letters() -> None:
    made = theme()
    assert set(re.findall(r"font-weight: (\d+)", style_sheet())) == {"400", "700"}
    assert {made.block_title_text_weight, made.button_large_text_weight, made.section_header_text_weight} == {"700"}
    faces = "".join(made._font_css)
    assert "SemiBold" not in faces
    assert faces.count("-Bold.woff2") == 2
