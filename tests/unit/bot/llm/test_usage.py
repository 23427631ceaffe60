from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from adapters.port import Address
from bot.config.options.usage import UsageSection
from bot.llm.errors import CapReached
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.tokens import TokenCounter
from bot.llm.types import Payer, Usage
from bot.llm.usage import MeteredModel, UsageLedger, total
from bot.storage.keys import Principal, SessionKey
from bot.storage.port import TokenTotals
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.factories import HOME, NOON, OWNER, collect_events, make_request

TODAY = NOON.date()
EAST = timezone(timedelta(hours=11))
"""Where midnight comes an hour after our noon."""
MODEL = "gpt-5-mini at api.openai.com"
BOB = Principal("telegram:7", "Bob", is_owner=False)
PRICE = {"model": "gpt-5-mini", "as_of": "2026-11-01", "input": 1, "output": 10, "cached": 0.1}


def payer(turn: str = "t1", who: Principal = OWNER, at: Address = HOME) -> Payer:
    return Payer(turn, SessionKey("personal", at), who)


@asynccontextmanager
async def ledger(folder: Path, clock: FrozenClock, zone: Any = UTC, **options: Any) -> AsyncIterator[UsageLedger]:
    """What was counted, over restarts."""
    async with SqliteCoordinator.open(folder / "s", clock=clock) as state:
        opened = UsageLedger(UsageSection.model_validate(options), state.usage, clock=clock, zone=zone)
        yield await opened.load()


async def add(to: UsageLedger, usage: Usage | None, who: Payer | None = None, *, model: str = MODEL) -> None:
    await to.add("personal", model, who, usage, estimate=50)


async def test_a_day_is_counted_over_restarts_and_for_each_agent_by_itself(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    for usage in (Usage(900, 12, cached=100), None, Usage(900, 12)):
        async with ledger(tmp_path, clock) as counts:
            await add(counts, usage)

    async with ledger(tmp_path, clock) as again:
        assert await again.of_today("personal") == TokenTotals(3, 1800, 100, 24, 1)
        assert await again.of_today("work") == TokenTotals()


async def test_a_new_day_begins_at_the_owners_midnight(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with ledger(tmp_path, clock, EAST) as counts:
        await add(counts, Usage(900, 12))

        clock.advance(hours=1)

        assert counts.today == TODAY + timedelta(days=1)
        assert await counts.of_today("personal") == TokenTotals()


async def test_turns_conversations_people_and_models_are_told_apart(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with ledger(tmp_path, clock) as counts:
        await add(counts, Usage(100, 1), payer("t1"))
        ended = clock.now()
        clock.advance(minutes=1)
        await add(counts, Usage(200, 2), payer("t2"))
        await add(counts, Usage(300, 3), payer("t2"))
        await add(counts, Usage(400, 4), payer("t2"), model="other")
        await add(counts, Usage(500, 5), payer("t3", BOB))

        here = await counts.store.of_session("personal", str(payer().session), ended)
        month = await counts.store.since(TODAY)

    assert [(one.turn, one.model, one.totals.prompt) for one in here] == [
        ("t2", MODEL, 500),
        ("t2", "other", 400),
        ("t3", MODEL, 500),
    ]
    assert {(one.person, one.model): one.totals.prompt for one in month} == {
        ("owner", MODEL): 600,
        ("owner", "other"): 400,
        ("telegram:7", MODEL): 500,
    }


async def test_the_tokens_of_a_conversation_are_counted_between_two_instants(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with ledger(tmp_path, clock) as counts:
        for n in range(3):
            await add(counts, Usage(100 * (n + 1), 1), payer(f"t{n}"))
            clock.advance(minutes=1)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        key = str(payer().session)
        later = [
            await state.usage.tokens("personal", key, NOON + timedelta(minutes=n), clock.now()) for n in (-1, 0, 1, 2)
        ]
        early = await state.usage.tokens("personal", key, NOON - timedelta(days=1), NOON)

    assert later == [603, 502, 301, 0]
    assert early == 101


async def test_what_it_costs_follows_from_the_price_of_the_day(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    newer = {"model": MODEL, "as_of": "2026-11-22", "input": 2, "output": 20}
    async with ledger(tmp_path, clock, prices=[newer, PRICE]) as counts:
        await add(counts, Usage(1_000_000, 100_000, cached=500_000))
        first = counts.cost(await counts.store.since(TODAY))
        clock.advance(days=1)
        await add(counts, Usage(1_000_000, 100_000, cached=500_000))
        await add(counts, Usage(7, 3), model="qwen3:8b at localhost:11434")
        second = counts.cost(await counts.store.since(TODAY + timedelta(days=1)))

    assert (round(first[0], 6), first[1]) == (1.55, 0)
    assert (round(second[0], 6), second[1]) == (4, 10)


async def test_what_was_used_before_the_first_price_counts_at_it(tmp_path: Path) -> None:
    later = PRICE | {"as_of": "2026-12-01"}
    async with ledger(tmp_path, FrozenClock(NOON), prices=[later]) as counts:
        await add(counts, Usage(1_000_000, 0))
        assert counts.cost(await counts.store.since(TODAY)) == (1, 0)


@pytest.mark.parametrize(
    ("caps", "owner", "guest"),
    [
        ({}, "", ""),
        ({"tokens_day": 1100}, "The cap of 1,100 tokens a day is reached (1,100 tokens)", "For this day"),
        ({"tokens_day": 1101}, "", ""),
        ({"tokens_month": 2200}, "The cap of 2,200 tokens a month is reached (2,200 tokens)", "For this month"),
        ({"cost_day": 0.002}, "The cap of 0.0020 USD a day is reached (0.0020 USD)", "For this day"),
        ({"cost_month": 0.003, "currency": "EUR"}, "The cap of 0.0030 EUR a month is reached (0.0040 EUR)", "For this"),
        ({"guest_cost_day": 0.002}, "", ""),
        ({"guest_cost_month": 0.002}, "", "For this month"),
        ({"guest_tokens_month": 1050}, "", "For this month"),
    ],
    ids=str,
)
async def test_above_a_cap_nobody_is_asked(tmp_path: Path, caps: dict[str, Any], owner: str, guest: str) -> None:
    clock = FrozenClock(NOON - timedelta(days=1))
    async with ledger(tmp_path, clock) as yesterday:
        await add(yesterday, Usage(1000, 100), payer(who=BOB))
    clock.advance(days=1)
    async with ledger(tmp_path, clock, prices=[PRICE], **caps) as counts:
        await add(counts, Usage(1000, 100), payer("t2"))
        for who, said in ((OWNER, owner), (BOB, guest)):
            if not said:
                counts.check(payer(who=who))
                continue
            with pytest.raises(CapReached) as caught:
                counts.check(payer(who=who))
            assert str(caught.value).startswith(said)
            assert ("config.yaml" in str(caught.value)) is who.is_owner


async def test_a_cap_ends_with_the_day_or_the_month(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with ledger(tmp_path, clock, tokens_day=100, tokens_month=150) as counts:
        await add(counts, Usage(100, 0))
        with pytest.raises(CapReached):
            counts.check(payer())
        clock.advance(days=1)
        counts.check(payer())
        await add(counts, Usage(50, 0))
        with pytest.raises(CapReached, match="month"):
            counts.check(payer())
        clock.advance(days=10)
        counts.check(payer())


async def test_nothing_is_sent_above_a_cap_and_a_stopped_answer_is_counted(tmp_path: Path) -> None:
    charged: list[int] = []

    async def charge(_: Payer, tokens: int) -> None:
        charged.append(tokens)

    clock, request = FrozenClock(NOON), replace(make_request("x" * 100), payer=payer())
    async with ledger(tmp_path, clock) as kept:
        counts = UsageLedger(UsageSection(tokens_day=100), kept.store, clock=clock, zone=UTC, charge=charge)
        with ScriptedModel(Step(text="Well", usage=Usage(60, 4)), Step(text="Well", hangs=True)) as model:
            metered = MeteredModel(model, TokenCounter(len), counts, "personal")
            await collect_events(metered, request)
            async with aclosing(metered.stream(request)) as events:
                await anext(events)
            with pytest.raises(CapReached):
                await collect_events(metered, request)
        totals = total(await counts.store.since(TODAY))

    assert charged[0] == 64
    assert charged[1] >= 100
    assert totals == TokenTotals(2, 60, 0, 4, 1)


async def test_a_cap_on_cost_holds_where_the_provider_does_not_count(tmp_path: Path) -> None:
    async with ledger(tmp_path, FrozenClock(NOON), prices=[PRICE], cost_day=0.009, guest_cost_day=0.005) as counts:
        for _ in range(200):  # 50 tokens each
            await add(counts, None, payer(who=BOB))
        with pytest.raises(CapReached, match=r"The cap of .* USD a day is reached"):
            counts.check(payer())
        with pytest.raises(CapReached):
            counts.check(payer(who=BOB))
