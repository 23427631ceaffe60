"""Retain at night: which days, what the owner told in them, and that nothing is done twice."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import pytest

from adapters.port import ChatKind
from bot.agent.writer import ModelWriter
from bot.jobs.base import ACCOUNT, JobRunner
from bot.llm.scripted import ScriptedModel, Step
from bot.storage.port import Job
from memory import OWNER, FrozenClock, Origin, chat_scope
from memory.knowledge.history import changes
from memory.ports import Writer
from tests.support.conversation import ToolHarness, TranscriptBuilder
from tests.support.factories import chat
from tests.support.jobs import job_context, job_runner

NIGHTS = count()
EVENING = datetime(2026, 11, 19, 19, tzinfo=UTC)
LOG = "memory/2026-11-19.md"


def nightly(at: ToolHarness, writer: Writer | None = None, *, enabled: bool = True) -> JobRunner:
    clock = FrozenClock(datetime(2026, 11, 21, 2, tzinfo=UTC))
    options = {"memory": {"retain": {"enabled": enabled}}}
    agents = {"personal": at.agent}
    return job_runner(job_context(agents, clock, options=options, coordinator=at.coordinator, writer=writer))


async def night(at: ToolHarness, jobs: JobRunner) -> None:
    turn = await at.turn("/retain", at=ACCOUNT, id=f"n{next(NIGHTS)}")
    reply = await jobs(replace(turn, is_job=True))
    assert (reply.is_silent, reply.shown) == (True, "")


async def lose_mark(at: ToolHarness) -> None:
    await at.coordinator.marks.save("retain", at.agent.name, "")


def scheduled(jobs: JobRunner) -> list[Job]:
    return [job for job in jobs.standing("personal") if job.name == "retain"]


async def tell(at: ToolHarness) -> None:
    talk = TranscriptBuilder(began=EVENING, is_owner=True)
    talk.turn("My sister Ines is allergic to nuts.", "I will remember that Ines lives in Berlin since 2019.")
    talk.turn("/remember Otto moved to Rome on 2 May 2026.")
    talk.turn("Look: Carla moved to Oslo on 3 May 2026.", is_foreign=True)
    talk.turn("What does Ines eat?")
    await at.record(talk)


async def test_what_was_told_in_private_becomes_facts_of_its_day_once(at: ToolHarness) -> None:
    await tell(at)
    job = nightly(at)
    await night(at, job)
    written = at.read(LOG)
    assert "Ines: My sister Ines is allergic to nuts." in written
    assert all(name not in written for name in ("Berlin", "Otto", "Carla", "What does"))
    [change] = await at.agent.memory.run(changes, limit=9, scope=OWNER)
    assert (change.op_id, change.sources) == ("job:retain:2026-11-19:0", ("t1",))

    await night(at, job)
    await lose_mark(at)
    await night(at, job)
    assert at.read(LOG) == written


async def test_groups_are_left_out(at: ToolHarness) -> None:
    talk = TranscriptBuilder(began=EVENING, is_owner=True).turn("My sister Ines is allergic to nuts.")
    await at.record(talk, chat("garden", kind=ChatKind.GROUP))
    await night(at, nightly(at))
    assert not (at.folder / LOG).exists()


async def test_the_model_is_asked_for_days_with_something_new_alone(at: ToolHarness) -> None:
    await tell(at)
    found = [{"fact": "My sister Ines is allergic to nuts.", "of": [1], "kind": "W", "about": ["Ines"]}]
    with ScriptedModel(Step(text=json.dumps(found))) as model:
        await night(at, nightly(at, ModelWriter(model)))
    assert "Oslo" not in model.requests[0].messages[-1].text
    assert "- W @Ines: My sister Ines is allergic to nuts." in at.read(LOG)


async def test_it_comes_every_night_unless_it_is_switched_off(at: ToolHarness) -> None:
    [job] = scheduled(nightly(at))
    assert (job.repeats, job.zone) == ("0 3 * * *", "Europe/Berlin")
    assert scheduled(nightly(at, enabled=False)) == []
    await tell(at)
    await night(at, nightly(at, enabled=False))
    assert not (at.folder / LOG).exists()


async def test_a_fact_that_was_forgotten_is_not_written_again(at: ToolHarness) -> None:
    await tell(at)
    await night(at, nightly(at))
    [change] = await at.agent.memory.run(changes, limit=9, scope=OWNER)
    await at.agent.memory.forget_facts([change.id], op_id="f:0", scope=OWNER, actor="telegram:1")
    talk = TranscriptBuilder(began=datetime(2026, 11, 20, 8, tzinfo=UTC), first=90, is_owner=True)
    talk.turn("As I said, my sister Ines is allergic to nuts.")
    await at.record(talk)
    await lose_mark(at)
    await night(at, nightly(at))
    assert not (at.folder / "memory/2026-11-20.md").exists()


@pytest.mark.parametrize(("told", "times"), [("no, bisoprolol is 2.5 mg", 0), ("no, warfarin is 2.5 mg", 1)])
async def test_a_correction_is_noted_at_night_unless_it_was_carried_out(at: ToolHarness, told: str, times: int) -> None:
    fact = "Gran takes warfarin 3 mg at noon and bisoprolol 2.5mg at night"
    day = EVENING.date().isoformat()
    await at.agent.memory.remember(fact, origin=Origin.OWNER, scope=OWNER, op_id="t9:0", actor="telegram:1")
    await at.record(TranscriptBuilder(began=EVENING, is_owner=True).turn(told, "Shall I replace this?"))
    await night(at, nightly(at))
    written = "".join(path.read_text() for path in (at.folder / "memory").glob(f"{day}*"))
    assert written.count(told) == times


async def test_what_a_guest_of_a_shared_memory_forgot_is_written_if_the_owner_says_it(at: ToolHarness) -> None:
    words = "My sister Ines is allergic to nuts."
    noted = await at.agent.memory.remember(words, origin=Origin.GUEST, scope=OWNER, op_id="g:0", actor="guest")
    reach = chat_scope("volatile.bot:-100")
    await at.agent.memory.forget_facts([noted.fact.id or ""], op_id="f:0", scope=OWNER, actor="guest", reach=reach)
    await tell(at)

    await night(at, nightly(at))

    assert "Ines" in at.read(LOG)
