"""What models take and cost, for whom, and the caps above which they are not asked."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date, tzinfo
from time import perf_counter
from typing import Self

import structlog

from bot.config.options.usage import UsageSection
from bot.llm.errors import CapReached
from bot.llm.tokens import TokenCounter
from bot.llm.types import Event, Finished, Model, Payer, Request, Usage
from bot.storage.port import TokenTotals, UsageEntry
from bot.storage.tables.usage import SqlUsage
from bot.texts.catalogue import mark, tr
from memory import Clock

OWNER = "owner"
EVERYBODY = ""
MILLION = 1_000_000

CAPS = ("cost_day", "cost_month", "tokens_day", "tokens_month")
GUEST_CAPS = ("guest_cost_day", "guest_cost_month", "guest_tokens_month")
"""Options of `usage` that are caps, of all together and of each guest."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(slots=True)
class Spending:
    """What was taken in a span of time, as far as it was counted, and its cost as far as prices are known."""

    tokens: int = 0
    cost: float = 0


@dataclass
class UsageLedger:
    """Counts what models take, by turn and by person; a day is one on the owner's clock.

    `charge` is told who has taken how many tokens.
    """

    options: UsageSection
    store: SqlUsage
    _: KW_ONLY
    clock: Clock
    zone: tzinfo
    charge: Callable[[Payer, int], Awaitable[None]] | None = None
    _spent: defaultdict[tuple[str, str], Spending] = field(default_factory=lambda: defaultdict(Spending), init=False)

    async def load(self) -> Self:
        """Go on from what was counted this month."""
        for entry in await self.store.since(self.today.replace(day=1)):
            self._spend(entry)
        return self

    @property
    def today(self) -> date:
        """The day on the owner's clock."""
        return self.clock.now().astimezone(self.zone).date()

    async def of_today(self, agent: str) -> TokenTotals:
        """Return what an agent has taken today."""
        return total(entry for entry in await self.store.since(self.today) if entry.agent == agent)

    def check(self, payer: Payer | None) -> None:
        """Raise `CapReached` if somebody must not have a model asked; without a payer it is for everybody."""
        person = person_of(payer)
        is_guest = person not in {OWNER, EVERYBODY}
        whose = [(cap, EVERYBODY) for cap in CAPS] + [(cap, person) for cap in GUEST_CAPS if is_guest]
        for cap, who in whose:
            most, spent = getattr(self.options, cap), self.spent(cap, who)
            if most and spent >= most:
                raise self._refusal(cap, is_guest=is_guest)

    def spent(self, cap: str, person: str = EVERYBODY) -> float:
        """Return how much of a cap is used."""
        today = self.today.isoformat()
        spending = self._spent.get((today if cap.endswith("_day") else today[:7], person), Spending())
        return spending.cost if "cost" in cap else spending.tokens

    async def add(self, agent: str, model: str, payer: Payer | None, usage: Usage | None, *, estimate: int) -> None:
        """Count one more answer.

        `usage` is None if the provider does not tell what it took, or if nobody waited for it; then `estimate`, the
        tokens that its prompt seems to have, counts towards caps.
        """
        now, reported = self.clock.now(), usage or Usage(0, 0)
        totals = TokenTotals(1, reported.prompt, reported.cached, reported.completion, unreported=int(usage is None))
        session, turn = (str(payer.session), payer.turn) if payer else ("", self.today.isoformat())
        entry = UsageEntry(self.today, agent, model, person_of(payer), session, turn, totals)
        counted = totals if usage else replace(totals, prompt=estimate)
        self._spend(replace(entry, totals=counted))
        await self.store.add(entry, now)
        if payer and self.charge:
            await self.charge(payer, counted.tokens)

    def cost(self, entries: Iterable[UsageEntry]) -> tuple[float, int]:
        """Return what entries cost, and how many of their tokens have no known price."""
        cost, unknown = 0.0, 0
        for entry in entries:
            price, totals = self.options.price(entry.model, entry.day), entry.totals
            if price is None:
                unknown += totals.tokens
                continue
            cached = price.input if price.cached is None else price.cached
            cost += ((totals.prompt - totals.cached) * price.input + totals.cached * cached) / MILLION
            cost += totals.completion * price.output / MILLION
        return cost, unknown

    def _spend(self, entry: UsageEntry) -> None:
        now, day, cost = self.today.isoformat(), entry.day.isoformat(), self.cost([entry])[0]
        for old in [key for key in self._spent if key[0] not in {now, now[:7]}]:
            del self._spent[old]
        for span in {day, day[:7]} & {now, now[:7]}:
            for person in {EVERYBODY, entry.person}:
                self._spent[span, person].tokens += entry.totals.tokens
                self._spent[span, person].cost += cost

    def _refusal(self, cap: str, *, is_guest: bool) -> CapReached:
        is_day = cap.endswith("_day")
        until = tr("tomorrow") if is_day else tr("the first of next month")
        if is_guest:
            today = mark("For this day the model has answered as much as it may. It goes on {until}.")
            month = mark("For this month the model has answered as much as it may. It goes on {until}.")
            return CapReached(tr(today if is_day else month, until=until))
        most, spent = self.amount(cap, getattr(self.options, cap)), self.amount(cap, self.spent(cap))
        today = mark("The cap of {most} a day is reached ({spent}); no model is asked.")
        month = mark("The cap of {most} a month is reached ({spent}); no model is asked.")
        hint = tr("It goes on {until}, or with a higher {option} in config.yaml.", until=until, option=f"`usage.{cap}`")
        return CapReached(tr(today if is_day else month, most=most, spent=spent), hint=hint)

    def amount(self, cap: str, value: float) -> str:
        """Return an amount of what a cap is about, in words."""
        return self.money(value) if "cost" in cap else tr("{tokens:,.0f} tokens", tokens=value)

    def money(self, cost: float) -> str:
        """Return an amount of money; what is less than a cent has two more places."""
        return f"{cost:,.{2 if cost >= 0.1 or not cost else 4}f} {self.options.currency}"


def person_of(payer: Payer | None) -> str:
    """Return under which name is counted what somebody takes: the owner is one person wherever they write."""
    if payer is None:
        return EVERYBODY
    return OWNER if payer.principal.is_owner else payer.principal.id


def total(entries: Iterable[UsageEntry]) -> TokenTotals:
    """Return what entries come to."""
    return sum((entry.totals for entry in entries), TokenTotals())


class MeteredModel:
    """A model whose answers are counted for one `agent`, and which is not asked above a cap (`bot.llm.types.Model`)."""

    def __init__(self, model: Model, counter: TokenCounter, ledger: UsageLedger, agent: str) -> None:
        self._model = model
        self.name = model.name
        self._counter = counter
        self._ledger = ledger
        self._agent = agent

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises; raises `CapReached` before anything is sent."""
        self._ledger.check(request.payer)
        finished, began = None, perf_counter()
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        finished = event
                        await self._count(request, event.usage)
                    yield event
        except (asyncio.CancelledError, GeneratorExit):
            if finished is None:
                await self._count(request, None)  # whoever stops an answer has had it computed
            raise
        finally:
            used = (finished.usage if finished else None) or Usage(0, 0)
            log.debug(
                "model.answered",
                agent=self._agent,
                model=self.name,
                ms=round((perf_counter() - began) * 1000),
                outcome=finished.reason.value if finished else "none",
                prompt=used.prompt,
                cached=used.cached,
                completion=used.completion,
            )

    async def _count(self, request: Request, usage: Usage | None) -> None:
        estimate = 0 if usage else self._counter.request(request, model=self.name)
        await self._ledger.add(self._agent, self.name, request.payer, usage, estimate=estimate)
