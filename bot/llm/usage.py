"""How many tokens a model has taken today, as its provider reports them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import date, tzinfo
from typing import Protocol, Self

from bot.llm.types import Event, Finished, Model, Request, Usage
from bot.storage.port import TokenTotals
from memory import Clock


class TokenTotalsStore(Protocol):
    """Where tallies are kept, one for each agent and day."""

    async def load(self, agent: str, day: date) -> TokenTotals:
        """Return what has been counted so far."""
        ...

    async def save(self, agent: str, totals: TokenTotals) -> None:
        """Put a tally in the place of the day's earlier one. A power cut may take it back."""
        ...


class UsageMeter:
    """Counts for one `agent`, from midnight to midnight on the owner's clock."""

    def __init__(self, agent: str, *, clock: Clock, zone: tzinfo, tallies: TokenTotalsStore | None = None) -> None:
        self.agent = agent
        self._clock = clock
        self._zone = zone
        self._tallies = tallies
        self._tally = TokenTotals(self._day())

    @classmethod
    async def open(cls, agent: str, tallies: TokenTotalsStore, *, clock: Clock, zone: tzinfo) -> Self:
        """Open a meter that continues from what was counted today."""
        meter = cls(agent, clock=clock, zone=zone, tallies=tallies)
        meter._tally = await tallies.load(agent, meter._day())
        return meter

    @property
    def today(self) -> TokenTotals:
        """The count of this day."""
        if self._tally.day != self._day():
            self._tally = TokenTotals(self._day())
        return self._tally

    async def add(self, usage: Usage | None) -> None:
        """Count one more answer, with what the provider says that it took."""
        told = usage or Usage(0, 0)
        tally = self.today
        self._tally = replace(
            tally,
            answers=tally.answers + 1,
            prompt=tally.prompt + told.prompt,
            cached=tally.cached + told.cached,
            completion=tally.completion + told.completion,
            unreported=tally.unreported + (usage is None),
        )
        if self._tallies:
            await self._tallies.save(self.agent, self._tally)

    def _day(self) -> date:
        return self._clock.now().astimezone(self._zone).date()


class MeteredModel:
    """A model whose answers are counted (`bot.llm.types.Model`)."""

    def __init__(self, model: Model, meter: UsageMeter) -> None:
        self._model = model
        self._meter = meter

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises."""
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                if isinstance(event, Finished):
                    await self._meter.add(event.usage)
                yield event
