from __future__ import annotations

from evaluation.judging.layout import lay_out


def test_a_chat_gets_one_turn() -> None:
    laid_out = lay_out("chat", "Rate this.\nLevels:\n", "")
    (turn,) = laid_out.prompt.messages
    assert (turn.role, turn.content) == ("user", "Rate this.\nLevels:")
    assert laid_out.scored == laid_out.prompt
    assert laid_out.before == ""


def test_a_chat_is_shown_the_label_that_opens_the_answer() -> None:
    laid_out = lay_out("chat", "Text: a\n\nResponse:\nToxic: ", "Toxic:")
    assert laid_out.prompt.messages[0].content.endswith("Response:\nToxic:")
    assert laid_out.opening == "Toxic:"


def test_a_base_model_goes_on_where_the_answer_begins() -> None:
    laid_out = lay_out("completion", "Rate this.\nLevels:", "")
    assert laid_out.prompt.text == "Rate this.\nLevels:\n"
    assert laid_out.scored == laid_out.prompt
    assert laid_out.before == "\n"


def test_a_base_models_forced_answer_begins_with_the_first_label() -> None:
    laid_out = lay_out("completion", "Text: a\n\nResponse:\nToxic: ", "Toxic:")
    assert laid_out.prompt.text == "Text: a\n\nResponse:\nToxic:"
    assert laid_out.scored.text == "Text: a\n\nResponse:\n"
