"""The laws of every coordinator. A further engine joins by one more branch in `engine`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from adapters.port import Address, Receipt
from bot.errors import Fenced
from bot.postgresql.coordinator import PostgresCoordinator
from bot.storage.coordinator import Coordinator
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.port import (
    Effects,
    EntryKind,
    Firing,
    Grant,
    Job,
    Notice,
    OutboxPart,
    PartState,
    Plan,
    QueuedMessage,
    ToolEffect,
)
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.factories import HOME, NOON, chat, effects, entry, envelope, inbound, outbound, session

HERE = {HOME.account}

Start = Callable[[], AbstractAsyncContextManager[Coordinator]]
"""Starts the coordinator; a second start finds what the first one left."""


@pytest.fixture(params=["sqlite", "postgresql", "volatile"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Start:
    kept = InMemoryCoordinator()
    url = request.getfixturevalue("postgresql").database() if request.param == "postgresql" else ""

    @asynccontextmanager
    async def sqlite() -> AsyncIterator[Coordinator]:
        async with SqliteCoordinator.open(tmp_path / "state.sqlite", clock=FrozenClock(NOON)) as coordinator:
            yield coordinator

    @asynccontextmanager
    async def postgresql() -> AsyncIterator[Coordinator]:
        async with PostgresCoordinator.open(url, clock=FrozenClock(NOON)) as coordinator:
            yield coordinator

    @asynccontextmanager
    async def volatile() -> AsyncIterator[Coordinator]:
        yield kept

    engines: dict[str, Start] = {"sqlite": sqlite, "postgresql": postgresql, "volatile": volatile}
    return engines[request.param]


async def claim(coordinator: Coordinator, agent: str = "personal") -> Grant:
    (grant,) = await coordinator.claim("worker", [agent])
    return grant


async def waiting(coordinator: Coordinator, grant: Grant) -> list[str]:
    return [message.envelope.inbound.text for message in await pending(coordinator, grant)]


async def pending(coordinator: Coordinator, grant: Grant) -> tuple[QueuedMessage, ...]:
    """What waits, without waiting for it."""
    found = asyncio.ensure_future(coordinator.pending(grant, after=0))
    settled = asyncio.ensure_future(coordinator.wait_settled(grant, HERE))
    await asyncio.wait([found, settled], return_when=asyncio.FIRST_COMPLETED)
    for look in (found, settled):
        look.cancel()
    return found.result() if found.done() and not found.cancelled() else ()


async def owed(coordinator: Coordinator, grant: Grant) -> tuple[OutboxPart, ...]:
    return await coordinator.outgoing(grant, HERE, after=0)


async def answered(coordinator: Coordinator, grant: Grant, *parts: str) -> tuple[OutboxPart, ...]:
    """One message published and answered in these parts."""
    await coordinator.publish(envelope("question"))
    (message,) = await coordinator.pending(grant, after=0)
    await coordinator.commit(grant, effects(message, parts=tuple(outbound(part) for part in parts)))
    return await owed(coordinator, grant)


async def test_a_published_message_waits_with_everything_that_came_with_it(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        sent = envelope('all of it: "quotes", \x00, 雪, 👨‍👩‍👧\n')

        assert await coordinator.publish(sent)

        (message,) = await coordinator.pending(grant, after=0)
        assert (message.envelope, message.turn, message.attempts) == (sent, None, 0)


async def test_an_update_is_accepted_once_even_if_it_is_routed_elsewhere_the_second_time(start: Start) -> None:
    async with start() as coordinator:
        personal, work = await claim(coordinator), await claim(coordinator, "work")
        await coordinator.publish(envelope("hello", update="7"))

        assert not await coordinator.publish(envelope("hello", update="7", agent="work"))

        assert await waiting(coordinator, personal) == ["hello"]
        assert await waiting(coordinator, work) == []


async def test_the_same_update_id_of_two_bot_accounts_is_two_updates(start: Start) -> None:
    async with start() as coordinator:
        assert await coordinator.publish(envelope("one", update="7", at=chat("c", platform="here")))
        assert await coordinator.publish(envelope("two", update="7", at=chat("c", platform="there")))


async def test_messages_come_in_the_order_of_publishing_even_when_published_at_the_same_time(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)

        await asyncio.gather(*(coordinator.publish(envelope(str(n), update=str(n))) for n in range(50)))

        messages = await coordinator.pending(grant, after=0)
        assert [message.envelope.inbound.text for message in messages] == [str(n) for n in range(50)]
        assert sorted({message.seq for message in messages}) == [message.seq for message in messages]


async def test_pending_goes_on_after_the_last_message_that_was_seen(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.publish(envelope("one", update="1"))
        (one,) = await coordinator.pending(grant, after=0)
        await coordinator.publish(envelope("two", update="2"))

        (two,) = await coordinator.pending(grant, after=one.seq)

        assert two.envelope.inbound.text == "two"


async def test_pending_waits_for_a_message_of_its_own_agent(start: Start) -> None:
    async with start() as coordinator, asyncio.TaskGroup() as group:
        personal, work = await claim(coordinator), await claim(coordinator, "work")
        found = group.create_task(coordinator.pending(personal, after=0))

        await coordinator.publish(envelope("not for you", update="1", agent="work"))
        await coordinator.pending(work, after=0)
        assert not found.done()

        await coordinator.publish(envelope("for you", update="2"))
        assert [message.envelope.inbound.text for message in await found] == ["for you"]


async def test_what_was_published_is_there_after_a_restart(start: Start) -> None:
    async with start() as coordinator:
        await coordinator.publish(envelope("before the end"))

    async with start() as coordinator:
        grant = await claim(coordinator)
        assert await waiting(coordinator, grant) == ["before the end"]
        assert not await coordinator.publish(envelope("before the end"))


async def test_a_begun_turn_is_known_after_a_restart_with_its_messages_and_attempts(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        for n in range(3):
            await coordinator.publish(envelope(str(n), update=str(n)))
        first, second, third = await coordinator.pending(grant, after=0)
        await coordinator.begin(grant, [first.seq, second.seq], attempt=2)

    async with start() as coordinator:
        messages = await coordinator.pending(await claim(coordinator), after=0)
        assert [message.turn for message in messages] == [first.seq, first.seq, None]
        assert [message.attempts for message in messages] == [2, 2, 0]
        assert messages[2].seq == third.seq


async def test_a_message_that_is_added_to_a_begun_turn_belongs_to_it_after_a_restart(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        for n in range(3):
            await coordinator.publish(envelope(str(n), update=str(n)))
        first, second, third = await coordinator.pending(grant, after=0)
        await coordinator.begin(grant, [first.seq], attempt=1)
        await coordinator.begin(grant, [first.seq, third.seq], attempt=1)

    async with start() as coordinator:
        grant = await claim(coordinator)
        messages = await coordinator.pending(grant, after=0)
        assert [message.turn for message in messages] == [first.seq, None, first.seq]
        assert [message.deaths for message in messages] == [1, 0, 1], "they count as one turn that was alone"
        await coordinator.commit(grant, effects(messages[0], messages[2]))
        assert await waiting(coordinator, grant) == [second.envelope.inbound.text]


async def begun(coordinator: Coordinator, grant: Grant, count: int) -> None:
    """So many turns of one message each are under way."""
    for message in (await coordinator.pending(grant, after=0))[:count]:
        await coordinator.begin(grant, [message.seq], attempt=message.attempts + 1)


@pytest.mark.parametrize(("under_way", "deaths"), [(0, [0, 0]), (1, [1, 0]), (2, [0, 0])])
async def test_a_crash_is_charged_to_a_turn_that_was_alone(start: Start, under_way: int, deaths: list[int]) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        for n in range(2):
            await coordinator.publish(envelope(str(n), update=str(n), at=chat(str(n))))
        await begun(coordinator, grant, under_way)

    async with start() as coordinator:
        grant = await claim(coordinator)
        assert [message.deaths for message in await coordinator.pending(grant, after=0)] == deaths
        assert grant.crashes == 1

    async with start() as coordinator:
        grant = await claim(coordinator)  # which had begun nothing
        assert [message.deaths for message in await coordinator.pending(grant, after=0)] == deaths
        assert grant.crashes == 2


async def test_turns_of_two_agents_are_not_alone(start: Start) -> None:
    async with start() as coordinator:
        for name, grant in zip(["personal", "work"], await coordinator.claim("one", ["personal", "work"]), strict=True):
            await coordinator.publish(replace(envelope("hello", update=name), agent=name))
            await begun(coordinator, grant, 1)
        for grant in await coordinator.claim("another", ["personal", "work"]):
            (message,) = await coordinator.pending(grant, after=0)
            assert (message.attempts, message.deaths) == (1, 0)


@pytest.mark.parametrize("ending", ["release", "survive"])
async def test_a_clean_end_or_a_long_life_ends_a_series_of_crashes(start: Start, ending: str) -> None:
    async with start() as coordinator:
        grants = [await claim(coordinator) for _ in range(3)]
        assert [grant.crashes for grant in grants] == [0, 1, 2]
        grant = grants[-1]
        await (coordinator.release(grant) if ending == "release" else coordinator.record_survival(grant))
        assert (await claim(coordinator)).crashes == (0 if ending == "release" else 1)


async def test_an_agent_that_was_left_out_for_a_while_has_not_crashed_when_it_is_back(start: Start) -> None:
    async with start() as coordinator:
        await coordinator.publish(envelope("hello"))
        grant, _ = await coordinator.claim("one", ["personal", "work"])
        await begun(coordinator, grant, 1)

    async with start() as coordinator:
        (work,) = await coordinator.claim("another", ["work"])
        await coordinator.release(work)

    async with start() as coordinator:
        grant, work = await coordinator.claim("third", ["personal", "work"])
        (message,) = await coordinator.pending(grant, after=0)
        assert (grant.crashes, work.crashes, message.deaths) == (0, 0, 0)


async def test_a_clean_end_charges_no_turn(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.publish(envelope("hello"))
        await begun(coordinator, grant, 1)
        await coordinator.release(grant)

        (message,) = await coordinator.pending(await claim(coordinator), after=0)
        assert (message.attempts, message.deaths) == (1, 0)


async def test_a_grant_tells_what_was_left_over_from_what_comes_now(start: Start) -> None:
    async with start() as coordinator:
        await coordinator.publish(envelope("left over", update="1"))
        grant = await claim(coordinator)
        await coordinator.publish(envelope("new", update="2"))

        old, new = await coordinator.pending(grant, after=0)

        assert old.seq < grant.first <= new.seq


async def test_a_turn_ends_with_messages_parts_and_transcript_together(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)

        parts = await answered(coordinator, grant, "a", "b")

        assert [(part.out.id, part.state) for part in parts] == [("a", PartState.QUEUED), ("b", PartState.QUEUED)]
        assert [part.seq for part in await coordinator.outgoing(grant, HERE, after=parts[0].seq)] == [parts[1].seq]
        assert await coordinator.last(session(), EntryKind.REPLY) is not None
        for part in parts:
            await coordinator.move(grant, part.seq, PartState.DELIVERED, note="x")
        assert await waiting(coordinator, grant) == []


async def said(coordinator: Coordinator, grant: Grant, receipt: str, **fields: Any) -> OutboxPart:
    """A message published, answered as `Effects` has it, and the answer delivered as this message."""
    number = f"u{receipt}{fields.pop('again', '')}"
    await coordinator.publish(envelope("question", update=number))
    (message,) = await coordinator.pending(grant, after=0)
    end = replace(effects(message, parts=(outbound(number),)), **fields)
    await coordinator.commit(grant, end)
    (part,) = await owed(coordinator, grant)
    await coordinator.move(grant, part.seq, PartState.DELIVERED, note=receipt)
    return part


async def test_an_answer_is_ones_own_if_it_was_delivered_there_and_nobody_elses_words_went_into_it(
    start: Start,
) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await said(coordinator, grant, "clean", is_foreign=False)
        await said(coordinator, grant, "foreign", is_foreign=True)
        await said(coordinator, grant, "elsewhere", is_foreign=False, session=session(at=chat("other")))
        await coordinator.tell("personal", outbound("notice"), update="n")
        (notice,) = await owed(coordinator, grant)
        await coordinator.move(grant, notice.seq, PartState.DELIVERED, note="notice")

    async with start() as coordinator:
        asked = ("clean", "foreign", "elsewhere", "notice", "unknown", "")
        assert [name for name in asked if await coordinator.is_own_answer(session(), name)] == ["clean"]
        assert not await coordinator.is_own_answer(session("work"), "clean")


async def test_a_message_that_has_held_a_foreign_answer_stays_foreign(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await said(coordinator, grant, "7", is_foreign=True)
        await said(coordinator, grant, "7", is_foreign=False, again="-edited")

        assert not await coordinator.is_own_answer(session(), "7")


async def test_answers_of_before_the_last_reset_are_not_ones_own_and_the_one_that_ends_a_session_is_of_the_next(
    start: Start,
) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await said(coordinator, grant, "before", is_foreign=False)
        await said(coordinator, grant, "new", is_foreign=False, entries=(entry("x", kind=EntryKind.RESET),))
        await said(coordinator, grant, "after", is_foreign=False)

        asked = ("before", "new", "after")
        assert [name for name in asked if await coordinator.is_own_answer(session(), name)] == ["new", "after"]


async def test_a_turn_that_cannot_end_changes_nothing(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.publish(envelope("question"))
        (message,) = await coordinator.pending(grant, after=0)
        unknown = QueuedMessage(message.seq + 1000, message.envelope)

        with pytest.raises(Fenced):
            await coordinator.commit(grant, effects(message, unknown, parts=(outbound("a"),)))

        assert await waiting(coordinator, grant) == ["question"]
        assert await coordinator.last(session(), EntryKind.REPLY) is None


async def test_a_turn_ends_once(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.publish(envelope("question"))
        (message,) = await coordinator.pending(grant, after=0)
        end = effects(message, parts=(outbound("a"),))
        await coordinator.commit(grant, end)

        with pytest.raises(Fenced):
            await coordinator.commit(grant, end)

        assert len(await owed(coordinator, grant)) == 1


async def test_messages_that_are_set_aside_wait_no_longer(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.publish(envelope("poison", update="1"))
        (message,) = await coordinator.pending(grant, after=0)
        await coordinator.commit(grant, effects(message, set_aside="it failed three times"))
        await coordinator.publish(envelope("next", update="2"))

    async with start() as coordinator:
        assert await waiting(coordinator, await claim(coordinator)) == ["next"]


async def test_what_is_told_elsewhere_at_the_end_of_a_turn_is_owed_with_it_and_once(start: Start) -> None:
    notice = Notice("work", outbound("n", "I gave something up."), "notice:1")
    async with start() as coordinator:
        grant, work = await coordinator.claim("one", ["personal", "work"])
        for n in range(2):
            await coordinator.publish(envelope("poison", update=str(n)))
        for message in await coordinator.pending(grant, after=0):
            end = replace(effects(message, set_aside="it failed"), notices=(notice,))
            await coordinator.commit(grant, end)
        assert [part.out for part in await owed(coordinator, work)] == [notice.out]


@pytest.mark.parametrize(("set_aside", "known"), [("it failed three times", ["note bread"]), ("", [])])
async def test_what_tools_have_done_in_a_turn_that_was_set_aside_stays_known(
    start: Start, set_aside: str, known: list[str]
) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.publish(envelope("note bread"))
        (message,) = await coordinator.pending(grant, after=0)
        await coordinator.effect(grant, ToolEffect(message.envelope.turn, 0, "note bread", "{}"))
        await coordinator.commit(grant, effects(message, set_aside=set_aside))

        assert [one.call for one in await coordinator.effects(grant, message.envelope.turn)] == known


async def test_whoever_claims_later_fences_the_earlier_one_off(start: Start) -> None:
    async with start() as coordinator:
        first = await claim(coordinator)
        (part,) = await answered(coordinator, first, "a")
        await coordinator.publish(envelope("again", update="2"))
        (message,) = await coordinator.pending(first, after=0)

        second = await claim(coordinator)

        assert second.epoch > first.epoch
        with pytest.raises(Fenced):
            await coordinator.begin(first, [message.seq], attempt=1)
        with pytest.raises(Fenced):
            await coordinator.commit(first, effects(message))
        with pytest.raises(Fenced):
            await coordinator.move(first, part.seq, PartState.SENDING)
        with pytest.raises(Fenced):
            await coordinator.move(first, part.seq, PartState.QUEUED)
        with pytest.raises(Fenced):
            await coordinator.move(first, part.seq, PartState.DELIVERED, note="1")
        with pytest.raises(Fenced):
            await coordinator.move(first, part.seq, PartState.DEAD, note="no")
        with pytest.raises(Fenced):
            await coordinator.record_survival(first)
        await coordinator.release(first)
        await coordinator.commit(second, effects(message))
        assert [part.state for part in await owed(coordinator, second)] == [PartState.QUEUED]


async def test_agents_are_fenced_one_by_one(start: Start) -> None:
    async with start() as coordinator:
        personal = await claim(coordinator)
        await claim(coordinator, "work")

        assert len(await answered(coordinator, personal, "a")) == 1


async def test_a_part_whose_sending_began_is_known_as_such_after_a_restart(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        one, two, three = await answered(coordinator, grant, "a", "b", "c")
        await coordinator.move(grant, one.seq, PartState.SENDING)
        await coordinator.move(grant, two.seq, PartState.SENDING)
        await coordinator.move(grant, two.seq, PartState.QUEUED)

    async with start() as coordinator:
        parts = await owed(coordinator, await claim(coordinator))
        assert [part.state for part in parts] == [PartState.SENDING, PartState.QUEUED, PartState.QUEUED]
        assert [part.out for part in parts] == [one.out, two.out, three.out]


async def test_delivered_and_dead_parts_are_owed_no_longer(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        one, two, three = await answered(coordinator, grant, "a", "b", "c")
        await coordinator.move(grant, one.seq, PartState.SENDING)
        await coordinator.move(grant, one.seq, PartState.DELIVERED, note="17")
        await coordinator.move(grant, two.seq, PartState.DEAD, note="the chat is gone")

    async with start() as coordinator:
        assert [part.seq for part in await owed(coordinator, await claim(coordinator))] == [three.seq]


async def test_receipts_are_found_by_the_ids_of_their_parts(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        first, second = await answered(coordinator, grant, "one", "two")
        await coordinator.move(grant, first.seq, PartState.DELIVERED, note="m1")
        ids = [first.out.id, second.out.id]

        assert await coordinator.receipts("personal", ids[:1], after=0) == (Receipt("m1"),)
        assert set(await coordinator.receipts("personal", ids, after=0)) == {Receipt("m1"), None}
        assert await coordinator.receipts("personal", ids, after=second.seq) == ()
        assert await coordinator.receipts("work", ids, after=0) == ()


async def test_a_chat_can_be_waited_for_until_its_last_part_has_arrived(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        there, elsewhere = chat("there"), chat("elsewhere")
        await coordinator.publish(envelope("question"))
        (message,) = await coordinator.pending(grant, after=0)
        parts = tuple(outbound(name, to=there) for name in ("a", "b"))
        await coordinator.wait_delivered(grant, there)
        await coordinator.commit(grant, effects(message, parts=parts))

        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            delivered = group.create_task(coordinator.wait_delivered(grant, there))
            await coordinator.wait_delivered(grant, replace(there, thread="7"))
            await coordinator.wait_delivered(grant, elsewhere)
            for part in await coordinator.outgoing(grant, {there.account}, after=0):
                await coordinator.wait_delivered(grant, elsewhere)
                assert not delivered.done()
                await coordinator.move(grant, part.seq, PartState.DELIVERED, note="1")


@pytest.mark.parametrize("name", ["7", "-7", 'Größe "7"\\n', "7/8"])
async def test_a_delivery_is_waited_for_whatever_the_chat_is_called(start: Start, name: str) -> None:
    async with start() as coordinator:
        grant, there = await claim(coordinator), chat(name)
        await coordinator.publish(envelope("question"))
        (message,) = await coordinator.pending(grant, after=0)
        await coordinator.commit(grant, effects(message, parts=(outbound("a", to=there),)))

        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            delivered = group.create_task(coordinator.wait_delivered(grant, there))
            (part,) = await coordinator.outgoing(grant, {there.account}, after=0)
            await coordinator.wait_delivered(grant, chat(f"{name}x"))
            assert not delivered.done()
            await coordinator.move(grant, part.seq, PartState.DELIVERED, note="1")


async def test_parts_of_a_platform_that_does_not_run_stay_owed_and_hold_nothing_up(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.publish(envelope("question"))
        (message,) = await coordinator.pending(grant, after=0)
        absent = outbound("a", to=chat("c", platform="absent"))
        await coordinator.commit(grant, effects(message, parts=(absent, outbound("b"))))

        (part,) = await owed(coordinator, grant)
        await coordinator.move(grant, part.seq, PartState.DELIVERED, note="1")
        await coordinator.wait_settled(grant, HERE)

        assert part.out.id == "b"
        assert [part.out.id for part in await coordinator.outgoing(grant, {"absent.bot"}, after=0)] == ["a"]


async def test_settled_waits_for_the_answer_and_its_delivery(start: Start) -> None:
    async with start() as coordinator, asyncio.TaskGroup() as group:
        grant = await claim(coordinator)
        await coordinator.wait_settled(grant, HERE)
        await coordinator.publish(envelope("question"))
        settled = group.create_task(coordinator.wait_settled(grant, HERE))

        (message,) = await coordinator.pending(grant, after=0)
        assert not settled.done()
        await coordinator.commit(grant, effects(message, parts=(outbound("a"),)))
        (part,) = await owed(coordinator, grant)
        assert not settled.done()
        await coordinator.move(grant, part.seq, PartState.DELIVERED, note="1")
        await settled


async def test_the_last_entry_is_the_newest_of_its_kind_and_session(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        elsewhere = chat("elsewhere")
        for n, (text, at) in enumerate([("first", session().address), ("second", session().address), ("x", elsewhere)]):
            await coordinator.publish(envelope(text, update=str(n), at=at))
        for message in await coordinator.pending(grant, after=0):
            said = message.envelope.inbound.text
            await coordinator.commit(grant, effects(message, parts=(outbound(said, said),)))

    async with start() as coordinator:
        last = await coordinator.last(session(), EntryKind.REPLY)
        assert last is not None
        assert (last.body, last.turn, last.at) == ('{"text":"second"}', "t", NOON)
        assert await coordinator.last(session(), EntryKind.RECALL) is None
        assert await coordinator.last(session("work"), EntryKind.REPLY) is None


async def test_a_cancelled_publish_is_either_there_or_may_be_repeated(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        async with asyncio.TaskGroup() as group:
            publishing = group.create_task(coordinator.publish(envelope("in the middle")))
            group.create_task(coordinator.publish(envelope("beside it", update="2")))
            await asyncio.wait([publishing], timeout=0)
            publishing.cancel()

        await coordinator.publish(envelope("in the middle"))

        assert sorted(await waiting(coordinator, grant)) == ["beside it", "in the middle"]


async def test_a_cancelled_publish_that_succeeded_wakes_whoever_waits_for_it(start: Start) -> None:
    async with start() as coordinator, asyncio.TaskGroup() as group:
        grant = await claim(coordinator)
        waiting = group.create_task(coordinator.pending(grant, after=0))
        publishing = group.create_task(coordinator.publish(envelope("cut short")))
        beside_it = group.create_task(coordinator.publish(envelope("elsewhere", update="2", agent="work")))
        await asyncio.wait([publishing], timeout=0)
        publishing.cancel()
        await beside_it

        assert [message.envelope.inbound.text for message in await waiting] == ["cut short"]


async def test_every_field_of_an_event_survives(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        sent = envelope("x", at=chat("-100", platform="volatile"))
        assert sent.inbound == inbound("x", update="1", at=chat("-100"))
        await coordinator.publish(sent)

        (message,) = await coordinator.pending(grant, after=0)

        assert message.envelope.inbound == sent.inbound


def shout(text: str) -> str:
    return text.replace("secret", "[forgotten]")


async def spoken(coordinator: Coordinator, grant: Grant, text: str, *, update: str, at: Address = HOME) -> None:
    """One message, answered with what it says."""
    await coordinator.publish(envelope(text, update=update, at=at))
    *_, message = await coordinator.pending(grant, after=0)
    await coordinator.begin(grant, [message.seq], attempt=1)
    await coordinator.commit(grant, effects(message, parts=(outbound(f"p{update}", text, to=at),)))


async def test_what_was_said_is_rewritten_in_transcripts_and_replies_and_keeps_its_place(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        for update, text in enumerate(["a secret", "nothing", "the secret again"]):
            await spoken(coordinator, grant, text, update=str(update))
        before = await coordinator.transcript("personal", str(session()))

        assert await coordinator.redact("personal", shout) == 2

    async with start() as coordinator:
        after = await coordinator.transcript("personal", str(session()))
        parts = await owed(coordinator, await claim(coordinator))
        assert [one.seq for one in after] == [one.seq for one in before]
        assert [json.loads(one.entry.body)["text"] for one in after] == [
            "a [forgotten]", "nothing", "the [forgotten] again"
        ]  # fmt: skip
        assert [part.out.text for part in parts] == ["a [forgotten]", "nothing", "the [forgotten] again"]
        assert await coordinator.redact("personal", shout) == 0


async def test_a_message_that_a_turn_has_begun_with_is_rewritten_and_one_that_only_waits_is_not(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        for update in ("1", "2"):
            await coordinator.publish(envelope("the secret", update=update))
        begun, _ = await coordinator.pending(grant, after=0)
        await coordinator.begin(grant, [begun.seq], attempt=1)
        await coordinator.effect(
            grant, ToolEffect(begun.envelope.turn, 0, 'note {"text": "secret"}', '{"text": "secret"}')
        )

        await coordinator.redact("personal", shout)

        assert await waiting(coordinator, grant) == ["the [forgotten]", "the secret"]
        (effect,) = await coordinator.effects(grant, begun.envelope.turn)
        assert (effect.call, effect.result) == ('note {"text": "secret"}', '{"text": "[forgotten]"}')


async def test_only_the_conversations_that_are_meant_are_rewritten_and_other_agents_never(start: Start) -> None:
    elsewhere = chat("elsewhere")
    async with start() as coordinator:
        grant, work = await claim(coordinator), await claim(coordinator, "work")
        await spoken(coordinator, grant, "secret", update="1")
        await spoken(coordinator, grant, "secret", update="2", at=elsewhere)
        await coordinator.publish(envelope("secret", update="3", agent="work"))
        (message,) = await coordinator.pending(work, after=0)
        await coordinator.commit(work, effects(message, parts=(outbound("w", "secret"),)))

        assert await coordinator.redact("personal", shout, among=lambda key: "elsewhere" in key) == 1

        said = [await coordinator.transcript("personal", str(session(at=at))) for at in (HOME, elsewhere)]
        assert [json.loads(one.entry.body)["text"] for (one,) in said] == ["secret", "[forgotten]"]
        (one,) = await coordinator.transcript("work", str(session("work")))
        assert json.loads(one.entry.body)["text"] == "secret"


async def test_ids_addresses_and_instants_are_never_rewritten(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await spoken(coordinator, grant, "owner says 1 at noon", update="1")

        await coordinator.redact("personal", lambda text: "x" if text else text)

        (part,) = await owed(coordinator, grant)
        assert replace(part.out, text="") == outbound("p1", "", to=HOME)
        (one,) = await coordinator.transcript("personal", str(session()))
        assert (one.entry.turn, one.entry.at) == ("t", NOON)


async def test_what_is_rewritten_and_rewritten_again_wholly_stays_readable(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await spoken(coordinator, grant, "a secret", update="1")

        assert await coordinator.redact("personal", shout, compact=True) == 1

        assert await coordinator.publish(envelope("and on", update="2"))
        assert await waiting(coordinator, grant) == ["and on"]


async def test_what_is_not_finished_is_told_for_all_agents(start: Start) -> None:
    async with start() as coordinator:
        first, second = envelope("a"), envelope("b", update="2", agent="work")
        for one in (first, second):
            await coordinator.publish(one)
        await coordinator.tell("work", replace(outbound("o"), files=("/f/one.ogg",)), update="u")
        turns, files = await coordinator.unfinished()

    assert turns == {first.turn, second.turn}
    assert files == {"/f/one.ogg"}


DAY = timedelta(days=1)


async def test_a_session_is_removed_as_far_as_its_summary_goes_and_of_its_agent_alone(start: Start) -> None:
    async with start() as coordinator:
        for agent in ("personal", "work"):
            grant = await claim(coordinator, agent)
            for text in ("one", "two"):
                entries = (entry(text, turn=text),)
                await coordinator.commit(grant, Effects(session(agent), (), entries=entries, turn=text))
        (known,) = await coordinator.sessions("personal")
        grant = await claim(coordinator)
        await coordinator.commit(grant, Effects(session(), (), entries=(entry("three", turn="three"),), turn="three"))

        await coordinator.remove_sessions("personal", [known])

        left = await coordinator.transcript("personal", str(session()))
        assert [one.entry.turn for one in left] == ["three"]
        assert len(await coordinator.transcript("work", str(session("work")))) == 2


def job(name: str = "tidy", *, due: datetime = NOON, repeats: str = "") -> Job:
    return Job(name, due, envelope(f"/{name}"), repeats)


def once(due: Job) -> Firing:
    return Firing(due.due, again=None)


def daily(due: Job) -> Firing:
    return Firing(due.due, again=due.due + DAY)


async def fired(coordinator: Coordinator, grant: Grant, now: datetime, plan: Plan = once) -> list[str]:
    return [found.name for found in await coordinator.fire_due(grant, now, plan)]


async def test_a_job_becomes_a_message_when_it_is_due_and_no_sooner(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.schedule(grant, job())

        assert await fired(coordinator, grant, NOON - timedelta(microseconds=1)) == []
        assert await waiting(coordinator, grant) == []
        assert await fired(coordinator, grant, NOON) == ["tidy"]

        (message,) = await coordinator.pending(grant, after=0)
        assert (message.envelope.inbound.text, message.envelope.inbound.sent_at) == ("/tidy", NOON)
        assert await coordinator.jobs("personal") == ()


async def test_jobs_fire_in_the_order_of_their_instants_and_each_agent_has_its_own(start: Start) -> None:
    async with start() as coordinator:
        grant, work = await claim(coordinator), await claim(coordinator, "work")
        await coordinator.schedule(grant, job("late", due=NOON))
        await coordinator.schedule(grant, job("early", due=(NOON - DAY).astimezone(timezone(timedelta(hours=9)))))
        await coordinator.schedule(grant, job("never yet", due=NOON + DAY))

        assert await fired(coordinator, work, NOON) == []
        assert await fired(coordinator, grant, NOON) == ["early", "late"]
        assert [one.name for one in await coordinator.jobs("personal")] == ["never yet"]


async def test_an_instant_of_a_job_is_fired_once_though_it_is_scheduled_again(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.schedule(grant, job())
        assert await fired(coordinator, grant, NOON) == ["tidy"]

        await coordinator.schedule(grant, job())

        assert await fired(coordinator, grant, NOON) == []
        assert await waiting(coordinator, grant) == ["/tidy"]


async def test_two_agents_have_jobs_of_one_name_at_one_instant(start: Start) -> None:
    async with start() as coordinator:
        for agent in ("personal", "work"):
            grant = await claim(coordinator, agent)
            due = job()
            await coordinator.schedule(grant, replace(due, envelope=replace(due.envelope, agent=agent)))

            assert await fired(coordinator, grant, NOON) == ["tidy"]
            assert await waiting(coordinator, grant) == ["/tidy"]


async def test_a_job_that_repeats_moves_on_with_its_message(start: Start) -> None:
    async with start() as coordinator:
        await coordinator.schedule(await claim(coordinator), job(repeats="0 12 * * *"))
    for _ in range(2):  # a process that dies before the answer fires nothing again
        async with start() as coordinator:
            grant = await claim(coordinator)
            await fired(coordinator, grant, NOON, daily)

            assert [one.due for one in await coordinator.jobs("personal")] == [NOON + DAY]
            assert await waiting(coordinator, grant) == ["/tidy"]


async def test_a_plan_may_leave_an_instant_out(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.schedule(grant, job())

        assert await fired(coordinator, grant, NOON, lambda _: Firing(None, again=NOON + DAY)) == []
        assert await waiting(coordinator, grant) == []
        assert [one.due for one in await coordinator.jobs("personal")] == [NOON + DAY]


async def test_a_job_takes_the_place_of_the_one_of_its_name_and_can_be_cancelled(start: Start) -> None:
    async with start() as coordinator:
        grant = await claim(coordinator)
        await coordinator.schedule(grant, job())
        await coordinator.schedule(grant, job(due=NOON + DAY))
        assert [one.due for one in await coordinator.jobs("personal")] == [NOON + DAY]

        assert await coordinator.cancel(grant, "tidy")
        assert not await coordinator.cancel(grant, "tidy")
        assert await coordinator.jobs("personal") == ()


async def test_the_end_of_a_turn_schedules_with_everything_else_or_not_at_all(start: Start) -> None:
    async with start() as coordinator:
        first = await claim(coordinator)
        await coordinator.publish(envelope("question"))
        (message,) = await coordinator.pending(first, after=0)
        await claim(coordinator)
        with pytest.raises(Fenced):
            await coordinator.commit(first, replace(effects(message), jobs=(job(),)))
        assert await coordinator.jobs("personal") == ()

        await coordinator.commit(await claim(coordinator), replace(effects(message), jobs=(job(),)))

        assert await coordinator.jobs("personal") == (job(),)


async def test_who_was_replaced_neither_schedules_nor_cancels_nor_fires(start: Start) -> None:
    async with start() as coordinator:
        first = await claim(coordinator)
        await coordinator.schedule(first, job())
        await claim(coordinator)

        for change in (
            coordinator.schedule(first, job()),
            coordinator.cancel(first, "tidy"),
            coordinator.fire_due(first, NOON, once),
        ):
            with pytest.raises(Fenced):
                await change


async def test_a_job_that_cannot_be_planned_keeps_no_other_from_firing(start: Start) -> None:
    def plan(due: Job) -> Firing:
        if due.name == "odd":
            raise ValueError(due.repeats)
        return once(due)

    async with start() as coordinator:
        grant = await claim(coordinator)
        for name in ("odd", "tidy"):
            await coordinator.schedule(grant, job(name))

        assert await fired(coordinator, grant, NOON, plan) == ["tidy"]
        assert await fired(coordinator, grant, NOON, plan) == []
