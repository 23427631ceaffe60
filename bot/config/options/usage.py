"""What models cost, and how much of them may be used."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from bot.config.options.fields import Section
from bot.config.options.platforms import Limit

Money = Annotated[
    float,
    BeforeValidator(lambda given: 0 if given == "none" else given),
    Field(ge=0, le=1_000_000_000, json_schema_extra={"allowed": "an amount; 0 or none for no cap"}),
]
Price = Annotated[float, Field(ge=0, le=1_000_000)]

COST_CAPS = ("cost_day", "cost_month", "guest_cost_day", "guest_cost_month")


class PriceOptions(Section):
    """What a provider wants for a model from a day on."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)] = Field(
        examples=["gpt-5-mini"]
    )
    """Its name at the provider, or with its place as /model shows it: qwen3:8b at localhost:11434."""
    as_of: date = Field(examples=["2026-11-01"])
    """From which day on. What was used before the first one counts at its prices."""
    input: Price = Field(examples=[0.25])
    """For a million tokens that it reads."""
    output: Price = Field(examples=[2])
    """For a million tokens that it writes."""
    cached: Price | None = Field(default=None, examples=[0.025])
    """For a million tokens that the provider had in its cache; left out, as for others that it reads."""


class UsageSection(Section):
    """What models cost, and caps: above one, no model is asked, and answers come from memory."""

    currency: str = Field(default="USD", max_length=8, examples=["EUR"])
    """Of all prices and caps."""
    prices: tuple[PriceOptions, ...] = Field(
        default=(),
        examples=[[{"model": "gpt-5-mini", "as_of": "2026-11-01", "input": 0.25, "output": 2, "cached": 0.025}]],
    )
    """Prices by the providers' lists: model, as_of (a day), input, output and cached for a million tokens. When one
    changes, add a line with the new day."""
    cost_day: Money = Field(default=0, examples=[2])
    """For everybody together in a day on your clock."""
    cost_month: Money = Field(default=0, examples=[20])
    """The same in a calendar month."""
    tokens_day: Limit = Field(default=0, examples=[2_000_000])
    """Tokens for everybody together in a day."""
    tokens_month: Limit = Field(default=0, examples=[20_000_000])
    """The same in a calendar month."""
    guest_cost_day: Money = Field(default=0, examples=[0.5])
    """For each guest in a day."""
    guest_cost_month: Money = Field(default=0, examples=[5])
    """The same in a calendar month."""
    guest_tokens_month: Limit = Field(default=0, examples=[2_000_000])
    """Tokens for each guest in a calendar month; limits.guest_tokens_day is the one for a day."""

    def price(self, model: str, day: date) -> PriceOptions | None:
        """Return what a model, called `NAME at HOST`, costs on a day; None if no price is known of it."""
        names = {model.casefold(), model.partition(" at ")[0].casefold()}
        known = (price for price in self.prices if price.model.casefold() in names)
        prices = sorted(known, key=lambda price: price.as_of)
        return next((price for price in reversed(prices) if price.as_of <= day), prices[0] if prices else None)
