"""What may be sent to the API, and how a body becomes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from serve.api.errors import ApiError
from serve.api.settings import LimitSettings

LanguageCode = Annotated[str, Field(max_length=35, pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$")]
"""A language as a BCP-47 tag, an ISO 639 code or an RTP-LX locale."""

ModelName = Annotated[str | None, Field(description="Accepted and not used: the answer names the guard that is served")]
"""OpenAI's clients send a model with everything."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some editors and .NET begin UTF-8 with it; RFC 8259 lets who reads JSON ignore it."""


class RequestBody(BaseModel):
    """Base of our own requests: unknown fields are errors, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())


class TextPart(BaseModel):
    """A piece of text in a content of several parts."""

    model_config = ConfigDict(extra="ignore", strict=True)

    type: Literal["text"]
    text: str


class ModerationRequest(BaseModel):
    """As OpenAI's `POST /v1/moderations`: one text, several, or the text parts of one. Unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, protected_namespaces=())

    input: str | list[str] | list[TextPart]
    model: ModelName = None


class RateRequest(RequestBody):
    """Texts to be rated, with their languages where they are known."""

    input: str | list[str]
    model: ModelName = None
    language: LanguageCode | None = Field(None, description="Language of all texts; identified if not given")
    languages: list[LanguageCode | None] | None = Field(
        None, description="Language of each text, instead of `language`"
    )


class ChatMessage(BaseModel):
    """A message of a conversation; several may be one turn."""

    model_config = ConfigDict(extra="ignore", strict=True)

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None


class ChatGuardRequest(RequestBody):
    """A conversation. The last turn of the user is rated, and the answer after it, as far as there is one.

    A turn that is spread over several messages is rated as one text: all messages of the user since the answer before,
    and all messages of the assistant after them, each joined by newlines. Positions in the answer (`trigger`, `spans`)
    refer to the joined text. Messages of the system and of tools are not rated and end no turn.

    While an answer is being written, send the conversation again with all of the answer so far: only what is new is
    run through the model.
    """

    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    model: ModelName = None
    language: LanguageCode | None = Field(None, description="Language of the conversation; identified if not given")


BodyT = TypeVar("BodyT", bound=BaseModel)

REQUESTS: tuple[type[BaseModel], ...] = (ModerationRequest, RateRequest, ChatGuardRequest)


def parse(body: bytes, model: type[BodyT]) -> BodyT:
    """Return a body as what it must describe.

    Raises:
        ApiError: 400 if it is not JSON in UTF-8, 422 if it is something else; the sentence quotes nothing of it.
    """
    try:
        return model.model_validate_json(body.removeprefix(_BYTE_ORDER_MARK))
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
    first = details[0]
    if first["type"] == "json_invalid":
        reason = str(first["msg"]).removeprefix("Invalid JSON: ")
        raise ApiError(400, f"The body is not JSON in UTF-8: {reason}.", "invalid_json")
    unknown = sum(each["type"] == "extra_forbidden" for each in details)
    problems = [_problem(each) for each in details if each["type"] != "extra_forbidden"]
    if unknown:
        # Their names are the caller's text, so they are counted and not told.
        fields = "is 1 field that is" if unknown == 1 else f"are {unknown:,} fields that are"
        problems.insert(0, f"There {fields} not known here; see /docs.")
    more = f" {len(problems) - 3} more." if len(problems) > 3 else ""
    raise ApiError(422, " ".join(problems[:3]) + more, "invalid_body")


def check_number(texts: list[str], limits: LimitSettings) -> None:
    """Check the number of texts.

    Raises:
        ApiError: 422 with the limit that is exceeded.
    """
    if not texts:
        raise ApiError(422, "`input` is an empty list; send one text at least.", "no_input")
    if len(texts) > limits.texts:
        message = f"`input` holds {len(texts):,} texts and may hold {limits.texts:,}; send several requests."
        raise ApiError(422, message, "too_many_inputs")


def check_lengths(texts: list[str], limits: LimitSettings) -> None:
    """Check the length of texts.

    Raises:
        ApiError: 422 with the limit that is exceeded.
    """
    for number, text in enumerate(texts):
        if len(text) > limits.text_characters:
            message = (
                f"Text {number} has {len(text):,} characters and may have {limits.text_characters:,}; "
                "send it in pieces that overlap."
            )
            raise ApiError(422, message, "text_too_long")


def _problem(details: Any) -> str:  # noqa: ANN401 - pydantic's ErrorDetails
    # Names of fields come from the request where they are unknown, so they are shown only where they are ours.
    place = ".".join(_shown(part) for part in details["loc"]) or "the body"
    message = str(details["msg"])
    return f"{place}: {message[:1].lower()}{message[1:]}."


_MODELS: tuple[type[BaseModel], ...] = (*REQUESTS, ChatMessage, TextPart)
_OURS = {name for model in _MODELS for name in model.model_fields}


def _shown(part: object) -> str:
    if isinstance(part, int):
        return str(part)
    return str(part) if part in _OURS or str(part).startswith(("list[", "str", "function-")) else "..."
