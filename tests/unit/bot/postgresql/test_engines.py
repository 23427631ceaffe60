"""What is kept beside messages and transcripts, done the same way on both engines: the answers have to be the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.postgresql.coordinator import PostgresCoordinator
from bot.storage.coordinator import Coordinator
from bot.storage.keys import Principal
from bot.storage.port import (
    Effects,
    EntryKind,
    Envelope,
    Firing,
    Grant,
    Job,
    PartState,
    TokenTotals,
    TranscriptEntry,
    UsageEntry,
)
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore, Count, Pairing, Person, Role, Span
from memory import FrozenClock
from tests.servers.postgresql import PostgresServer
from tests.support.factories import HOME, NOON, chat, entry, envelope, inbound, outbound, session

LATER = NOON + timedelta(days=1)
ANA = Principal("volatile:ana", "Ana", is_owner=False)


async def talk(state: Coordinator, grant: Grant) -> None:
    """Three turns in two conversations, with a reset, a part that was given up and one that was delivered."""
    group = chat("room")
    for number, to in enumerate((HOME, group, HOME)):
        envelope_ = Envelope("personal", ANA, inbound(f"hello {number}", update=f"u{number}", at=to, sender="ana"))
        await state.publish(envelope_)
        (message,) = await state.pending(grant, after=0)
        body = f'{{"text": "hello {number}", "is_foreign": true, "sender": "volatile:ana", "name": "Ana"}}'
        said = TranscriptEntry(EntryKind.MESSAGE, f"t{number}", NOON, body)
        entries = (said, entry("answer", turn=f"t{number}"), entry("", kind=EntryKind.RESET, turn=f"t{number}"))
        parts = (outbound(f"p{number}", to=to),)
        await state.commit(grant, Effects(session(at=to), (message.seq,), parts, entries, f"t{number}"))
    first, second, third = await state.outgoing(grant, {HOME.account, group.account}, after=0)
    await state.move(grant, first.seq, PartState.DELIVERED, note="m1")
    await state.move(grant, second.seq, PartState.DELIVERED, note="m2")
    await state.move(grant, third.seq, PartState.DEAD, note="nobody is there")


async def of_conversations(state: Coordinator, grant: Grant) -> list[object]:
    await talk(state, grant)
    sessions = await state.sessions("personal")
    await state.usage.add(
        UsageEntry(NOON.date(), "personal", "m", ANA.id, str(session()), "t0", TokenTotals(1, 2, 3, 4, 0)), NOON
    )
    await state.usage.add(
        UsageEntry(NOON.date(), "personal", "m", ANA.id, str(session()), "t0", TokenTotals(1, 1, 1, 1, 1)), NOON
    )
    rated = replace(inbound("up", update="r", at=chat("room")), message="m2")
    return [
        sessions,
        [await state.transcript("personal", one.key) for one in sessions],
        await state.earlier(session(at=chat("room")), after=0, before=99),
        await state.newest(session(), after=0, limit=3),
        await state.current(session()),
        await state.knows(chat("room")),
        await state.knows(chat("other")),
        await state.unfinished(),
        await state.usage.since(date(2020, 1, 1)),
        await state.usage.of_session("personal", str(session()), NOON - timedelta(days=1)),
        await state.usage.tokens("personal", str(session()), NOON - timedelta(days=1), NOON),
        await state.usage.of_turns("personal", ["t0", "t9"]),
        await state.usage.of_sessions(sessions),
        await state.ratings.keep(rated, "volatile:ana"),
        await state.receipts("personal", ["p0", "p2"], after=0),
        await state.is_own_answer(session(at=chat("room")), "m2"),
    ]


async def of_what_is_given_up(state: Coordinator, grant: Grant) -> list[object]:
    await talk(state, grant)
    await state.touch()
    letters = await state.dead_letters.list()
    tries = [await state.quarantine.failed("a", "u", "odd") for _ in range(3)]
    await state.quarantine.taken("a", "other")
    aside = [
        await state.quarantine.set_aside("a", "u", "odd", kept="", is_counted_only=counted) for counted in (False, True)
    ]
    return [
        letters,
        await state.dead_letters.retry("all"),
        await state.dead_letters.list(),
        tries,
        aside,
        await state.quarantine.failed("a", "u", "odd"),
    ]


async def of_people(state: Coordinator, _: Grant) -> list[object]:
    register = state.register
    await register.grant(Person("volatile:ana", Role.GUEST, "Ana", NOON))
    await register.grant(Person("volatile:ana", Role.OWNER, "Ana B", NOON))
    await register.ask(Pairing("a", "volatile:bo", "Bo", "C0DE", "u", NOON))
    await register.choose(HOME, "work")
    await register.set(HOME, "listen", "all")
    await register.set(HOME, "stream", "off")
    await register.set(HOME, "stream", None)
    await register.move(HOME, to="new")
    await register.link("volatile:c", "volatile:ana", at=NOON)
    await register.close(closed=True)
    await state.marks.save("a", "offset", "1")
    await state.marks.save("a", "offset", "2", lasting=True)
    counts = [Count("guests", Span.DAY, "2026-11-21", 1, 2, 3), Count("owner", Span.REPORT, "x", is_told=True)]
    await state.counts.save(counts)
    await state.counts.save([replace(counts[0], turns=9)])
    reader: Any = state._reader
    return [
        vars(await AccessStore().load(reader)),
        await state.marks.load("a"),
        sorted(await state.counts.load("2026-11-01"), key=str),
        await state.counts.load("2027-01-01"),
        await register.revoke("volatile:ana"),
        vars(await AccessStore().load(reader)),
    ]


async def of_erasure(state: Coordinator, grant: Grant) -> list[object]:
    await talk(state, grant)
    await state.publish(envelope("kept", update="k"))
    await state.register.grant(Person("volatile:ana", Role.GUEST, "Ana", NOON))
    person = await state.erasure.find("volatile:ana")
    preview = await state.erasure.preview(person)
    await state.erasure.erase(person)
    await state.erasure.erase_register(person)
    return [
        person,
        preview,
        await state.erasure.preview(person),
        [await state.transcript("personal", one.key) for one in await state.sessions("personal")],
    ]


async def of_upkeep(state: Coordinator, grant: Grant) -> list[object]:
    await talk(state, grant)
    changed = await state.redact("personal", lambda text: text.replace("hello", "…"), compact=True)
    job = Job("j", NOON, envelope("due"), repeats="0 9 * * *")
    await state.schedule(grant, job)
    fired = await state.fire_due(grant, LATER, lambda one: Firing(one.due, LATER))
    await state.record_survival(grant)
    removed = await state.expire("personal", delivered=LATER, seen=LATER)
    sessions = await state.sessions("personal")
    await state.remove_sessions("personal", sessions[:1])
    return [changed, fired, await state.jobs("personal"), removed, sessions, await state.sessions("personal")]


@pytest.mark.parametrize(
    "scenario", [of_conversations, of_what_is_given_up, of_people, of_erasure, of_upkeep], ids=lambda one: one.__name__
)
async def test_both_engines_answer_the_same(
    tmp_path: Path, postgresql: PostgresServer, scenario: Callable[[Coordinator, Grant], Awaitable[list[object]]]
) -> None:
    answers = []
    for opening in (
        SqliteCoordinator.open(tmp_path / "state.sqlite", clock=FrozenClock(NOON)),
        PostgresCoordinator.open(postgresql.database(), clock=FrozenClock(NOON)),
    ):
        async with opening as state:
            (grant,) = await state.claim("worker", ["personal"])
            answers.append(await scenario(state, grant))

    local, shared = answers
    for one, other in zip(local, shared, strict=True):
        assert one == other
