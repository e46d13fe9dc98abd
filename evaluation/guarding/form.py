"""What is peculiar to one generative guard, as data: how it is asked, what it answers, what its answer means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from babelguard.recipe import RecipeModel

Target = Literal["prompt", "response"]


class Step(RecipeModel):
    """One line of a guard's answer: words that are always the same, and then a choice or free writing."""

    say: str = Field("", description="What the model always writes first; it is put in its mouth")
    choose: dict[str, float] | None = Field(
        None, description="The answers that follow, each with its harm between 0 (safe) and 1 (unsafe)"
    )
    verdict: bool = Field(False, description="Whether this choice decides about the rated text")
    codes: bool = Field(False, description="Whether the violated categories are written here, up to the line's end")

    @model_validator(mode="after")
    def _consistent(self) -> Step:
        if self.choose is None:
            if self.verdict:
                raise ValueError("a verdict must list its answers under 'choose'")
            return self
        if self.codes:
            raise ValueError("a step has either answers to 'choose' from or 'codes', not both")
        if len(self.choose) < 2 or not all(self.choose):
            raise ValueError("'choose' needs two answers or more, none of them empty")
        if self.verdict and not all(0.0 <= harm <= 1.0 for harm in self.choose.values()):
            raise ValueError("the harm of an answer is between 0 (safe) and 1 (unsafe)")
        if self.verdict and (0.0 not in self.choose.values() or not any(self.choose.values())):
            raise ValueError("a verdict needs an answer of harm 0 and one above")
        return self


class Policy(RecipeModel):
    """One question, for guards that are asked about one policy at a time."""

    name: str = Field(description="Name in raw answers")
    covers: tuple[str, ...] = Field(description="Categories of ours that the policy speaks for")
    variables: dict[str, Any] = Field(default_factory=dict, description="Variables of the template")
    prompt_variables: dict[str, Any] = Field(default_factory=dict, description="More of them, when a prompt is rated")
    response_variables: dict[str, Any] = Field(default_factory=dict, description="More, when a response is rated")

    def variables_for(self, target: Target) -> dict[str, Any]:
        """Return the template's variables when a prompt, or a response, is rated."""
        return {**self.variables, **(self.prompt_variables if target == "prompt" else self.response_variables)}


class Turn(RecipeModel):
    """One message of a frame around the rated texts."""

    role: Literal["system", "user", "assistant"]
    content: str = Field(description="Jinja text with {{ request }} and {{ response }}")


def check_answers(answers: Mapping[Target, tuple[Step, ...]], policies: tuple[Policy, ...]) -> None:
    """Check that every answer has one verdict, and its categories after it.

    Raises:
        ValueError: It has not.
    """
    if not answers:
        raise ValueError("'answers' must describe the answer about a prompt, about a response, or both")
    for target, steps in answers.items():
        verdicts = [number for number, step in enumerate(steps) if step.verdict]
        if len(verdicts) != 1:
            raise ValueError(f"the answer about a {target} must have exactly one step with 'verdict: true'")
        codes = [number for number, step in enumerate(steps) if step.codes]
        if len([number for number in codes if number > verdicts[0]]) > 1:
            raise ValueError(f"the answer about a {target} may list categories in one step after its verdict")
        if policies and codes:
            raise ValueError("a guard is asked policy by policy, or lists categories itself, not both")
