"""Azure OpenAI: a deployment in a resource of one's own, behind Azure's content filter."""

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


class AzureOpenAIOptions(RecipeModel):
    """Which resource, which deployment, and what it may cost."""

    base_url: str = Field(description="The resource's endpoint, such as https://NAME.openai.azure.com")
    deployment: str = Field(pattern=r"^[A-Za-z0-9._-]+$", description="Name of the deployment")
    revision: str = Field("", description="Model and version behind it; a new one makes stored answers void")
    api_version: str | None = Field(
        None,
        pattern=r"^[0-9A-Za-z.-]+$",
        description="Version of the API by deployment, such as 2024-10-21; not set: the v1 API, which has none",
    )
    key_variable: str = Field("AZURE_OPENAI_API_KEY", description="Environment variable that holds the key")
    top_logprobs: int = Field(0, ge=0, le=20, description="Likeliest tokens to ask for in each place of the answer")
    token_limit: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="Field that limits an answer's length; reasoning models want the second"
    )
    omit: tuple[str, ...] = Field((), description="Fields that the model does not take, such as temperature")
    extra: dict[str, Any] = Field(default_factory=dict, description="Further fields of every request")
    traffic: TrafficRecipe = TrafficRecipe()
    budget: BudgetRecipe = BudgetRecipe()


def build(options: AzureOpenAIOptions) -> EndpointGenerator:
    """Make the generator; nothing is sent yet.

    Raises:
        UserError: The address is no address, or the key is missing.
    """
    address = checked_address(options.base_url, True, options.traffic.plain_http)
    secret = read_secret(options.key_variable, address)
    sent = (options.deployment, options.top_logprobs, options.token_limit, sorted(options.omit), options.extra)
    return EndpointGenerator(
        name=options.deployment,
        fingerprint=hash_of("azure-openai", 1, address, options.api_version, options.revision, sent),
        client=EndpointClient(address, {"api-key": secret.reveal()}, secret, options.traffic, Budget(options.budget)),
        settings=_settings(options),
    )


def _settings(options: AzureOpenAIOptions) -> CompletionSettings:
    if options.api_version is None:
        model, root, query = options.deployment, "openai/v1", ""
    else:
        model, root = None, f"openai/deployments/{options.deployment}"
        query = f"?api-version={options.api_version}"
    return CompletionSettings(
        model=model,
        token_limit=options.token_limit,
        top_logprobs=options.top_logprobs,
        omit=options.omit,
        extra=options.extra,
        chat_path=f"{root}/chat/completions{query}",
        text_path=f"{root}/completions{query}",
    )


GENERATOR = GeneratorKind(options=AzureOpenAIOptions, build=build)
