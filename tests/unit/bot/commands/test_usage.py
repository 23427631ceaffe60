from __future__ import annotations

from datetime import timedelta

from bot.config.options.usage import UsageSection
from bot.storage.keys import Principal
from bot.storage.port import TokenTotals, UsageEntry
from bot.storage.tables.people import Person, Role
from tests.support.conversation import Conversation
from tests.support.factories import NOON, session

TODAY = NOON.date()
BOB = Principal("telegram:7", "Bob", is_owner=False)


async def take(here: Conversation, tokens: int, *, person: str = "owner", model: str = "small", days: int = 0) -> None:
    day = TODAY - timedelta(days=days)
    totals = TokenTotals(1, tokens, unreported=int(not tokens))
    entry = UsageEntry(day, "personal", model, person, str(session()), f"t{tokens}", totals)
    await here.context.used.add(entry, NOON - timedelta(days=days))


async def test_before_anything_was_asked_it_says_so_and_how_costs_come_about(here: Conversation) -> None:
    told = await here.say("/usage")

    assert "- Today: nothing\n- This month: nothing\n- This conversation: nothing\n- Its last answer: nothing" in told
    assert told.endswith("Costs are told for models that have a price under `usage.prices` in config.yaml.")


async def test_what_has_no_price_and_what_was_not_counted_is_said(here: Conversation) -> None:
    price = {"model": "small", "as_of": "2026-11-01", "input": 1, "output": 1}
    here.context.usage.options = UsageSection.model_validate({"prices": [price]})
    await take(here, 3_000_000)
    await take(here, 500, model="")
    await take(here, 0)
    await take(here, 700, days=20, model="large")

    told = await here.say("/usage")

    everything = "3,000,500 tokens in 3 requests, 1 of them not counted by the provider, 3.00 USD, price of 500 unknown"
    assert f"- Today: {everything}\n" in told
    assert "- This month: 3,001,200 tokens in 4 requests" in told
    assert "- `large`: 700 tokens in 1 request, price unknown" in told
    assert "- `unknown`: 500 tokens in 1 request, price unknown" in told


async def test_people_are_named_and_the_list_is_short(here: Conversation) -> None:
    await here.context.register.grant(Person("telegram:7", Role.GUEST, "Bob", NOON))
    for number in range(1, 13):
        await take(here, number, person=f"telegram:{number}")

    told = await here.say("/usage")
    guest = await here.say("/usage", who=BOB)

    assert "- Bob (`telegram:7`): 7 tokens in 1 request, price unknown" in told
    assert "- `telegram:12`: 12 tokens" in told
    assert "`telegram:2`" not in told
    assert "- and 2 more" in told
    assert guest == (
        "What models have taken for you:\n- Today: 7 tokens in 1 request, price unknown\n"
        "- This month: 7 tokens in 1 request, price unknown"
    )
