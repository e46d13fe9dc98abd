"""What of a conversation is judged: the user's last turn, and the answer after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from serve.api.requests import ChatMessage


def last_turns(messages: Sequence[ChatMessage]) -> dict[str, str]:
    """Return the text of the user's last turn and of the answer after it, by role, as far as they hold any text.

    A turn may be spread over several messages, and whoever writes it chooses how: all of it is judged as one text, its
    messages joined by newlines. The user's turn begins after the last answer before it. Only an answer with text ends a
    turn: messages of the system or of tools do not, nor does a call of a tool, which has no content.
    """
    users = [place for place, message in enumerate(messages) if message.role == "user"]
    end = users[-1] + 1 if users else 0
    begin = next((place for place in reversed(range(end)) if _is_answer(messages[place])), 0)
    texts = {"user": _joined(messages[begin:end], "user"), "assistant": _joined(messages[end:], "assistant")}
    return {role: text for role, text in texts.items() if text}


def _is_answer(message: ChatMessage) -> bool:
    return message.role == "assistant" and bool(_content(message).strip())


def _joined(messages: Iterable[ChatMessage], role: str) -> str:
    # Messages without text add no newline, so that a text that grows keeps its beginning, and its windows.
    return "\n".join(content for message in messages if message.role == role and (content := _content(message)))


def _content(message: ChatMessage) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text for part in message.content)
