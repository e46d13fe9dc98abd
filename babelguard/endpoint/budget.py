"""What a run may spend on a service: requests and money, never exceeded."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from pydantic import Field, model_validator

from babelguard.recipe import RecipeModel

MILLION = 1_000_000
_LOOK_AGAIN_S = 0.05


class BudgetRecipe(RecipeModel):
    """Limits of one rater on one service. Without limits, nothing is limited."""

    max_requests: int | None = Field(None, ge=1, description="Requests, repeated ones included, after the first probe")
    max_cost: float | None = Field(None, gt=0, description="Money, in the currency of the prices")
    per_million_prompt_tokens: float = Field(0.0, ge=0, description="Price of a million tokens sent")
    per_million_new_tokens: float = Field(0.0, ge=0, description="Price of a million tokens received")
    per_thousand_requests: float = Field(0.0, ge=0, description="Price of a thousand requests")

    @model_validator(mode="after")
    def _priced(self) -> BudgetRecipe:
        prices = (self.per_million_prompt_tokens, self.per_million_new_tokens, self.per_thousand_requests)
        if self.max_cost is not None and not any(prices):
            raise ValueError("max_cost needs a price beside it, such as per_million_prompt_tokens")
        return self

    def cost(self, prompt_tokens: int, new_tokens: int) -> float:
        """Return the price of one request."""
        tokens = prompt_tokens * self.per_million_prompt_tokens + new_tokens * self.per_million_new_tokens
        return tokens / MILLION + self.per_thousand_requests / 1000


class BudgetSpentError(Exception):
    """No further request may be made."""


@dataclass(slots=True)
class Budget:
    """Counts what a service was asked and what that cost.

    A request is made only when its highest possible cost still fits beside those of the requests under way, so that
    `max_cost` holds whatever the answers' lengths. What was reserved too much is given back when the answer is there.

    Attributes:
        recipe: The limits and prices.
        requests: Requests made.
        cost: Money spent; an answer that never came counts in full, because the service may charge for it.
        under_way: Money reserved for requests without an answer yet.
        spent: Whether a request was turned away; from then on every one is.
    """

    recipe: BudgetRecipe
    requests: int = 0
    cost: float = 0.0
    under_way: float = 0.0
    spent: bool = False

    async def reserve(self, prompt_tokens: int, new_tokens: int) -> float:
        """Count a request and set its highest cost aside; return that cost.

        Args:
            prompt_tokens: The most tokens that the request can have.
            new_tokens: The most tokens that the answer can have.

        Raises:
            BudgetSpentError: It does not fit.
        """
        most = self.recipe.cost(prompt_tokens, new_tokens)
        limit = self.recipe.max_cost
        while not self.spent:
            if self.recipe.max_requests is not None and self.requests >= self.recipe.max_requests:
                self.spent = True
            elif limit is None or self.cost + self.under_way + most <= limit:
                self.requests += 1
                self.under_way += most
                return most
            elif self.under_way <= 0:
                self.spent = True
            else:
                await asyncio.sleep(_LOOK_AGAIN_S)  # answers under way may give back what they did not need
        raise BudgetSpentError

    def settle(self, reserved: float, cost: float | None) -> None:
        """Replace a reservation by the request's real cost; `None` counts it in full."""
        self.under_way = max(0.0, self.under_way - reserved)
        self.cost += reserved if cost is None else cost
