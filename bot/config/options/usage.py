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
        description="Its name at the provider, or with its place as /model shows it: qwen3:8b at localhost:11434.",
        examples=["gpt-5-mini"],
    )
    as_of: date = Field(
        description="From which day on. What was used before the first one counts at its prices.",
        examples=["2026-11-01"],
    )
    input: Price = Field(description="For a million tokens that it reads.", examples=[0.25])
    output: Price = Field(description="For a million tokens that it writes.", examples=[2])
    cached: Price | None = Field(
        default=None,
        description="For a million tokens that the provider had in its cache; left out, as for others that it reads.",
        examples=[0.025],
    )


class UsageSection(Section):
    """What models cost, and caps: above one, no model is asked, and answers come from memory."""

    currency: str = Field(default="USD", max_length=8, description="Of all prices and caps.", examples=["EUR"])
    prices: tuple[PriceOptions, ...] = Field(
        default=(),
        description="Prices by the providers' lists: model, as_of (a day), input, output and cached for a million "
        "tokens. When one changes, add a line with the new day.",
        examples=[[{"model": "gpt-5-mini", "as_of": "2026-11-01", "input": 0.25, "output": 2, "cached": 0.025}]],
    )
    cost_day: Money = Field(default=0, description="For everybody together in a day on your clock.", examples=[2])
    cost_month: Money = Field(default=0, description="The same in a calendar month.", examples=[20])
    tokens_day: Limit = Field(default=0, description="Tokens for everybody together in a day.", examples=[2_000_000])
    tokens_month: Limit = Field(default=0, description="The same in a calendar month.", examples=[20_000_000])
    guest_cost_day: Money = Field(default=0, description="For each guest in a day.", examples=[0.5])
    guest_cost_month: Money = Field(default=0, description="The same in a calendar month.", examples=[5])
    guest_tokens_month: Limit = Field(
        default=0,
        description="Tokens for each guest in a calendar month; limits.guest_tokens_day is the one for a day.",
        examples=[2_000_000],
    )

    def price(self, model: str, day: date) -> PriceOptions | None:
        """Return what a model, called `NAME at HOST`, costs on a day; None if no price is known of it."""
        names = {model.casefold(), model.partition(" at ")[0].casefold()}
        prices = sorted(
            (price for price in self.prices if price.model.casefold() in names), key=lambda price: price.as_of
        )
        return next((price for price in reversed(prices) if price.as_of <= day), prices[0] if prices else None)
