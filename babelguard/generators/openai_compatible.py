"""Any service that speaks the OpenAI API: OpenAI itself, vLLM, llama.cpp, Ollama, TGI, OpenRouter and many others."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from babelguard.checksums import hash_of
from babelguard.endpoint.address import checked_address
from babelguard.endpoint.budget import Budget, BudgetRecipe
from babelguard.endpoint.client import EndpointClient
from babelguard.endpoint.completions import CompletionSettings
from babelguard.endpoint.generator import EndpointGenerator
from babelguard.endpoint.retry import TrafficRecipe
from babelguard.endpoint.secrets import read_secret
from babelguard.generator import GeneratorKind
from babelguard.recipe import RecipeModel

OPENAI = "https://api.openai.com/v1"


class OpenAICompatibleOptions(RecipeModel):
    """Which service, which model, and what it may cost."""

    base_url: str = Field(OPENAI, description="Root of the API, such as http://127.0.0.1:8000/v1")
    model: str = Field(min_length=1, description="The model's name there")
    revision: str = Field("", description="Your name for the model's version; a new one makes stored answers void")
    key_variable: str | None = Field(
        None,
        description="Environment variable that holds the key. Not set: OPENAI_API_KEY for OpenAI, no key elsewhere",
    )
    top_logprobs: int = Field(0, ge=0, le=20, description="Likeliest tokens to ask for in each place of the answer")
    token_limit: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="Field that limits an answer's length; OpenAI's reasoning models want the second"
    )
    omit: tuple[str, ...] = Field((), description="Fields that the model does not take, such as temperature")
    extra: dict[str, Any] = Field(default_factory=dict, description="Further fields of every request")
    traffic: TrafficRecipe = TrafficRecipe()
    budget: BudgetRecipe = BudgetRecipe()


def build(options: OpenAICompatibleOptions) -> EndpointGenerator:
    """Make the generator; nothing is sent yet.

    Raises:
        UserError: The address is no address, or the key is missing.
    """
    official = options.base_url.rstrip("/") == OPENAI
    variable = options.key_variable or ("OPENAI_API_KEY" if official else None)
    address = checked_address(options.base_url, variable is not None, options.traffic.plain_http)
    secret = read_secret(variable, address)
    headers = {} if variable is None else {"Authorization": f"Bearer {secret.reveal()}"}
    settings = CompletionSettings(
        model=options.model,
        token_limit=options.token_limit,
        top_logprobs=options.top_logprobs,
        omit=options.omit,
        extra=options.extra,
    )
    return EndpointGenerator(
        name=options.model,
        fingerprint=hash_of("openai-compatible", 1, address, options.revision, _sent(options)),
        client=EndpointClient(address, headers, secret, options.traffic, Budget(options.budget)),
        settings=settings,
    )


def _sent(options: OpenAICompatibleOptions) -> list[object]:
    """Return what decides the answers beside prompt and decoding."""
    return [options.model, options.top_logprobs, options.token_limit, sorted(options.omit), options.extra]


GENERATOR = GeneratorKind(options=OpenAICompatibleOptions, build=build)
