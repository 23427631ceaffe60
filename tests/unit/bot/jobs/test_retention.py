"""Retention: what was said long ago goes, everywhere; what goes on, and what is still owed, stays."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.port import Address
from bot.agent.context.context_log import ContextLog
from bot.app import jobs
from bot.jobs.base import JobRunner
from bot.pipeline.scheduler import Scheduler
from bot.sessions.files import INDEX, ChangedSessions, Projection
from bot.storage.coordinator import PAGE
from bot.storage.port import Effects, EntryKind, Grant, PartState, TranscriptEntry
from bot.storage.sqlite import SqliteCoordinator
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.conversation import ToolHarness
from tests.support.factories import HOME, NOON, chat, envelope, outbound, session
from tests.support.jobs import job_context

OTHER = chat("other")


@dataclass
class Stage:
    """A state file, the files beside it, and an agent."""

    at: ToolHarness
    clock: FrozenClock
    coordinator: SqliteCoordinator
    folder: Path
    changed: ChangedSessions

    def __post_init__(self) -> None:
        self.contexts = ContextLog(self.folder)
        self.projection = Projection(self.coordinator, self.changed, folder=lambda agent: self.folder / agent)

    async def say(self, text: str, *, at: Address = HOME, ends: bool = False) -> None:
        kinds = [EntryKind.MESSAGE, EntryKind.REPLY] + [EntryKind.RESET] * ends
        body = json.dumps({"text": text})
        entries = tuple(TranscriptEntry(kind, text, self.clock.now(), body) for kind in kinds)
        grant = await self.grant()
        await self.coordinator.commit(grant, Effects(session(at=at), (), entries=entries, turn=text))
        await self.projection.finish(grant)

    async def grant(self) -> Grant:
        (grant,) = await self.coordinator.claim("test", ["personal"])
        return grant

    def jobs(self, options: dict[str, int], zone: str = "Europe/Berlin") -> JobRunner:
        given = {"owner": {"timezone": zone}, "session": {"retention": options}}
        context = job_context(
            {"personal": self.at.agent},
            self.clock,
            options=given,
            coordinator=self.coordinator,
            derived=[self.projection, self.contexts],
        )
        return JobRunner({"retention": jobs()["retention"]}, context)

    async def night(self, **options: int) -> None:
        assert (await self.jobs(options).run("retention", "personal", id="n")).outcome == "done"

    async def said(self) -> list[str]:
        """The messages that are left in the state file."""
        keys = [str(session(at=at)) for at in (HOME, OTHER)]
        found = [one for key in keys for one in await self.coordinator.transcript("personal", key)]
        return [json.loads(one.entry.body)["text"] for one in found if one.entry.kind is EntryKind.MESSAGE]

    def written(self) -> str:
        return "".join(path.read_text(encoding="utf-8") for path in self.folder.glob("personal/*.jsonl"))


@pytest.fixture
async def stage(at: ToolHarness, tmp_path: Path) -> AsyncIterator[Stage]:
    async with opened(at, tmp_path) as made:
        yield made


@asynccontextmanager
async def opened(at: ToolHarness, folder: Path) -> AsyncIterator[Stage]:
    clock, changed = FrozenClock(NOON), ChangedSessions()
    async with SqliteCoordinator.open(folder / "s.sqlite", clock=clock, ended=changed.add) as coordinator:
        yield Stage(at, clock, coordinator, folder / "sessions", changed)


async def test_sessions_go_by_their_last_message_and_one_that_goes_on_is_kept_whole(stage: Stage) -> None:
    await stage.say("long ago", at=OTHER)
    await stage.say("ended", ends=True)
    await stage.say("begun long ago")
    stage.clock.advance(days=40)
    await stage.say("still going on")

    dry = await stage.jobs({"transcripts_days": 30}).run("retention", "personal", id="d", is_dry=True)
    assert dry.lines[0] == "2 conversations would go."
    await stage.night(transcripts_days=30)

    assert await stage.said() == ["begun long ago", "still going on"]
    assert "ago" in stage.written()
    assert '"ended"' not in stage.written()
    assert '"long ago"' not in stage.written()
    assert len(json.loads((stage.folder / "personal" / INDEX).read_text())) == 1


async def test_a_conversation_that_was_removed_begins_anew(stage: Stage) -> None:
    await stage.say("long ago", at=OTHER)
    stage.clock.advance(days=40)
    await stage.night(transcripts_days=30)
    assert stage.written() == ""

    await stage.say("back again", at=OTHER)

    assert await stage.said() == ["back again"]
    assert '"back again"' in stage.written()
    assert "long ago" not in stage.written()


async def test_nothing_that_was_said_goes_unless_it_is_wanted(stage: Stage) -> None:
    await stage.say("long ago")
    stage.clock.advance(days=4000)

    await stage.night()

    assert await stage.said() == ["long ago"]


async def test_a_night_that_was_broken_off_is_made_up_for(stage: Stage) -> None:
    await stage.say("long ago", at=OTHER)
    stage.clock.advance(days=40)
    gone = await stage.coordinator.sessions("personal")
    await stage.projection.remove("personal", gone, left=())  # and here the process is killed

    await stage.night(transcripts_days=30)

    assert await stage.said() == []
    assert stage.written() == ""


async def test_what_was_delivered_and_seen_long_ago_goes_and_what_is_owed_or_given_up_stays(stage: Stage) -> None:
    coordinator, grant = stage.coordinator, await stage.grant()
    for number in range(PAGE + 3):
        await coordinator.publish(envelope("hello", update=str(number)))
    parts = tuple(outbound(str(number)) for number in range(PAGE + 5))
    await coordinator.commit(grant, Effects(session(), (), parts, turn="t"))
    owed = await coordinator.outgoing(grant, {HOME.account}, after=0)
    for part in owed[:-1]:
        await coordinator.move(grant, part.seq, PartState.DELIVERED, note=f"m{part.out.id}")
    await coordinator.move(grant, owed[-1].seq, PartState.DEAD, note="refused")
    stage.clock.advance(days=100)
    await coordinator.publish(envelope("new", update="new"))

    await stage.night(delivered_days=99, seen_days=99)

    assert await coordinator.receipts("personal", [owed[0].out.id], after=0) == ()
    assert len(await coordinator.outgoing(grant, {HOME.account}, after=0)) == len(parts) - len(owed)
    assert len(await coordinator.pending(grant, after=0)) == PAGE, "what waits is answered"
    assert not await coordinator.publish(envelope("new", update="new"))
    assert owed[-1].state is PartState.QUEUED


async def test_the_job_is_there_once_and_a_night_in_which_nobody_ran_is_made_up_for(stage: Stage) -> None:
    coordinator, clock, grant = stage.coordinator, stage.clock, await stage.grant()

    def scheduler(zone: str) -> Scheduler:
        standing = stage.jobs({}, zone).standing
        return Scheduler(coordinator, clock=clock, pause=InstantPause(), standing=standing)

    await scheduler("Europe/Berlin").install(grant)
    clock.advance(days=3)
    await scheduler("Europe/Berlin").install(grant)
    (first,) = await coordinator.jobs("personal")
    await scheduler("Europe/Berlin").fire(grant)
    (message,) = await coordinator.pending(grant, after=0)
    (second,) = await coordinator.jobs("personal")
    await scheduler("Asia/Tokyo").install(grant)
    (moved,) = await coordinator.jobs("personal")

    assert first.due == datetime(2026, 11, 22, 2, 30, tzinfo=UTC)
    assert message.envelope.inbound.text == "/retention"
    assert second.due == datetime(2026, 11, 25, 2, 30, tzinfo=UTC)
    assert moved.due == datetime(2026, 11, 24, 18, 30, tzinfo=UTC)
