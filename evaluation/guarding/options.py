"""The recipe model of a generative guard."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from babelguard.local_models.loading import LoadingOptions
from evaluation.guarding.conversation import Shown, WithoutPrompt
from evaluation.guarding.form import Policy, Step, Target, Turn, check_answers
from evaluation.guarding.grading import FlaggedLevel
from evaluation.guarding.published_words import PublishedWords
from evaluation.preset import preset_options


class GenerativeGuardOptions(LoadingOptions):
    """Which guard, how it is asked, and what its answers mean."""

    preset: str | None = Field(None, description="Published guard, as in docs/raters.md, or a YAML file of one's own")
    backend: str = Field(
        "transformers", description="How the guard is reached: transformers, vllm, openai-compatible or azure-openai"
    )
    backend_options: dict[str, Any] = Field(
        default_factory=dict, description="The backend's own options; those of transformers stand beside this key"
    )
    adapter: str | None = Field(None, description="LoRA adapter to merge: hub name or local folder")
    adapter_revision: str | None = Field(None, description="Commit, tag or branch of the adapter on the hub")

    template: str | None = Field(
        None, description="Jinja file, for models whose tokenizer has no chat template of its own"
    )
    prompt_file: Path | None = Field(
        None, description="The publisher's words, which some models need and Babelguard does not hold"
    )
    published: PublishedWords | None = Field(None, description="What prompt_file must hold, and where that is found")
    variables: dict[str, Any] = Field(default_factory=dict, description="Variables of the template")
    frame: tuple[Turn, ...] = Field((), description="Messages around the texts; the turns themselves if empty")
    content: Literal["text", "parts"] = Field("text", description="What the template expects as a message's content")
    conversation: Shown = Field("all", description="Turns that are shown: all, or the last prompt and response")
    without_prompt: WithoutPrompt = Field("as-prompt", description="What to do with responses to unknown prompts")

    answers: dict[Target, tuple[Step, ...]] = Field(description="The answer about a prompt and about a response")
    leads: tuple[str, ...] = Field(
        ("",), min_length=1, description="What may stand before an answer; the model's liking decides, once"
    )
    policies: tuple[Policy, ...] = Field((), description="Policies that are asked about one by one")
    mapping: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="The guard's category -> ours that it speaks for; empty lists are allowed"
    )
    overall: str = Field("Toxicity", description="Our category for the verdict as a whole")

    threshold: float = Field(0.5, ge=0.0, le=1.0, description="Probability of harm from which on a text is flagged")
    flagged_level: FlaggedLevel = Field("middle", description="Level of a flagged category: middle, top or graded")
    least_mass: float = Field(
        0.05, ge=0.0, le=1.0, description="Probability that the verdict's answers must have together"
    )
    longest_answer: int = Field(48, ge=1, description="Tokens of the line with categories, at most")
    longest_prompt: int = Field(4096, ge=128, description="Tokens of a prompt; longer texts are read in windows")
    most_windows: int = Field(64, ge=1, description="Windows of one text; a longer text is not rated")
    batch_size: int = Field(32, ge=1, description="Prompts at once, at most")
    batch_tokens: int | None = Field(
        None, ge=1, description="Tokens at once beside the shared prefix; 1024 on the CPU and 8192 elsewhere if not set"
    )
    share_prefix: bool = Field(True, description="Whether prompts share the states of their beginning")

    _from_preset = preset_options("generative-guard")

    @model_validator(mode="after")
    def _consistent(self) -> GenerativeGuardOptions:
        check_answers(self.answers, self.policies)
        if self.backend == "transformers" and self.backend_options:
            raise ValueError("'backend_options' are for other backends; options of transformers stand beside 'backend'")
        if self.backend != "transformers" and self.adapter is not None:
            raise ValueError("an adapter is merged in this process only; set 'backend: transformers'")
        writes = any(step.codes for steps in self.answers.values() for step in steps)
        if writes and not self.mapping:
            raise ValueError("the guard lists categories, so 'mapping' must say what they mean")
        if self.mapping and not writes:
            raise ValueError("'mapping' is given, but no step of 'answers' lists categories ('codes: true')")
        return self

    @property
    def answer_length(self) -> int:
        """How many tokens an answer may have, roughly: what is forced is a few words a step."""
        written = max(sum(step.choose is None for step in steps) for steps in self.answers.values())
        return 16 * max(map(len, self.answers.values())) + written * self.longest_answer
