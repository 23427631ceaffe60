"""Reflection at night: pages follow, and the owner is told of proposals alone."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

from bot.jobs.base import JobRunner
from memory import OWNER, FrozenClock, Origin
from tests.support.conversation import ToolHarness
from tests.support.jobs import Owner, job_context, job_runner

NIGHTS = count()


def nightly(at: ToolHarness, owner: Owner, options: dict[str, object]) -> JobRunner:
    clock = FrozenClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
    given = {"memory": {"reflect": options}}
    return job_runner(job_context({"personal": at.agent}, clock, options=given, owner=owner))


async def remember(at: ToolHarness, text: str, number: int) -> None:
    await at.agent.memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=f"w{number}", actor="telegram:1")


async def night(jobs: JobRunner) -> None:
    assert (await jobs.run("reflect", "personal", id=f"n{next(NIGHTS)}")).outcome == "done"


async def test_it_comes_every_night_at_its_hour_of_the_owner(at: ToolHarness) -> None:
    [job] = [one for one in nightly(at, Owner(), {"at": 5}).standing("personal") if one.name == "reflect"]
    assert (job.due, job.repeats, job.zone) == (datetime(2026, 11, 22, 4, tzinfo=UTC), "0 5 * * *", "Europe/Berlin")
    assert "reflect" not in [one.name for one in nightly(at, Owner(), {"enabled": False}).standing("personal")]


async def test_pages_follow_and_the_owner_is_told_of_proposals_alone(at: ToolHarness) -> None:
    owner = Owner()
    jobs = nightly(at, owner, {})
    await remember(at, "@Peter lives in Lisbon.", 1)
    await remember(at, "@Peter has a boat.", 2)
    dry = await jobs.run("reflect", "personal", id="dry", is_dry=True)
    assert "bank/entities/Peter.md" in dry.lines
    assert not (at.folder / "bank").exists()
    await night(jobs)
    assert "- Peter has a boat." in at.read("bank/entities/Peter.md")
    assert owner.heard == []

    await remember(at, "Always answer me in metric units.", 3)
    await night(jobs)
    [(text, _)] = owner.heard
    assert "proposes 1 change to USER.md or MEMORY.md. `/review` shows them." in text
    await night(jobs)
    assert len(owner.heard) == 1
