"""Jobs: when they come, that a run is written down, and what becomes of one that fails."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.errors import Missing
from bot.jobs.base import ACCOUNT, JobRun, JobRunner, RecurringJob
from bot.pipeline.scheduler import is_background
from bot.storage.port import CatchUp
from memory import FrozenClock
from tests.support.conversation import ToolHarness
from tests.support.jobs import Owner, job_context, job_runner

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def counted(job: JobRun) -> list[str]:
    return [f"{job.id} {'dry' if job.is_dry else 'done'}"]


async def broken(job: JobRun) -> list[str]:
    raise OSError(28, f"no room for {job.id}")


async def mistaken(job: JobRun) -> list[str]:
    raise KeyError(job.id)


KNOWN = {run.__name__: RecurringJob(run.__name__, "a test", "0 3 * * *", run) for run in (counted, broken, mistaken)}


def runner(at: ToolHarness, owner: Owner | None = None) -> JobRunner:
    return JobRunner(KNOWN, job_context({"personal": at.agent}, FrozenClock(NOON), owner=owner))


async def test_a_run_is_written_down_once_and_a_dry_one_never(at: ToolHarness) -> None:
    jobs = runner(at)
    await jobs.run("counted", "personal", id="1")
    await jobs.run("counted", "personal", id="1")  # after a crash
    assert (await jobs.run("counted", "personal", id="2", is_dry=True)).lines == ("2 dry",)
    assert [(one.id, one.outcome, one.lines) for one in await jobs.log("counted", "personal")] == [
        ("1", "done", ("1 done",))
    ]


async def test_only_the_last_runs_are_kept(at: ToolHarness) -> None:
    jobs = runner(at)
    for number in range(60):
        await jobs.run("counted", "personal", id=f"{number}")
    kept = await jobs.log("counted", "personal")
    assert [one.id for one in kept] == [f"{number}" for number in range(10, 60)]


@pytest.mark.parametrize(("name", "words"), [("broken", "no room for 1"), ("mistaken", "KeyError")])
async def test_a_run_that_fails_is_told_once_a_day_and_written_down(at: ToolHarness, name: str, words: str) -> None:
    owner = Owner()
    jobs = runner(at, owner)
    assert (await jobs.run(name, "personal", id="1")).outcome == "failed"
    [(text, about)] = owner.heard
    assert words in text
    assert f"/jobs log {name}" in text
    assert about == f"job:{name}:personal:2026-11-21"
    assert words in (await jobs.log(name, "personal"))[0].lines[0]


async def test_a_job_that_is_asked_for_is_done_by_the_service_also_if_it_never_comes_by_itself(at: ToolHarness) -> None:
    context = job_context({"personal": at.agent}, FrozenClock(NOON), coordinator=at.coordinator)
    jobs = job_runner(context)
    await jobs.request("digest", "personal")
    (grant,) = await at.coordinator.claim("test", ["personal"])
    [message] = await at.coordinator.pending(grant, after=0)
    assert is_background(message.envelope.inbound)
    turn = await at.turn(message.envelope.inbound.text, at=message.envelope.inbound.address, id="asked")
    assert (await jobs(turn)).is_silent
    assert [one.id for one in await jobs.log("digest", "personal")] == ["asked"]
    await jobs(await at.turn("/digest", at=ACCOUNT, id="scheduled"))  # it has been switched off since
    assert [one.id for one in await jobs.log("digest", "personal")] == ["asked"]


async def test_a_name_that_is_none_is_refused_with_those_there_are(at: ToolHarness) -> None:
    with pytest.raises(Missing, match="no job"):
        await runner(at).run("reflekt", "personal", id="1")


async def test_options_say_whether_when_and_where_a_job_comes(at: ToolHarness) -> None:
    options = {
        "jobs": {
            "reflect": {"enabled": False},
            "retain": {"at": "30 2 * * 1-5", "zone": "Asia/Tokyo", "catch_up": "skip"},
            "digest": {"enabled": True},
        }
    }
    jobs = job_runner(job_context({"personal": at.agent}, FrozenClock(NOON), options=options))
    standing = {job.name: job for job in jobs.standing("personal")}
    assert set(standing) == {"retain", "retention", "consolidate", "reindex", "digest"}
    assert standing["retain"].catch_up is CatchUp.SKIP
    assert standing["retain"].due == datetime(2026, 11, 22, 17, 30, tzinfo=UTC)  # Monday morning there
    assert {job.name: job.due for job in jobs.standing("personal")}["digest"] == datetime(2026, 11, 22, 6, tzinfo=UTC)


async def test_a_backup_program_is_run_with_the_folders_and_its_failure_told(at: ToolHarness) -> None:
    owner = Owner()

    def jobs(script: str) -> JobRunner:
        command = [sys.executable, "-c", script, "{workspaces}"]
        options = {"jobs": {"backup": {"enabled": True, "command": command}}}
        return job_runner(job_context({"personal": at.agent}, FrozenClock(NOON), options=options, owner=owner))

    done = await jobs("import sys; print(sys.argv[1])").run("backup", "personal", id="1")
    assert done.lines[0].endswith("nowhere/workspaces")
    failed = await jobs("raise SystemExit('disk full')").run("backup", "personal", id="2")
    assert failed.outcome == "failed"
    assert "disk full" in owner.heard[0][0]
    assert (await jobs("").run("backup", "personal", id="3", is_dry=True)).lines[0].endswith("nowhere/workspaces")


async def test_the_digest_tells_what_was_noted_the_day_before(at: ToolHarness) -> None:
    owner = Owner()
    at.write("memory/2026-11-20.md", "## Retain\n- W @Ana: Lives in Graz.\n")
    await at.agent.memory.sync()
    jobs = job_runner(job_context({"personal": at.agent}, FrozenClock(NOON), owner=owner))
    await jobs.run("digest", "personal", id="1")
    [(text, about)] = owner.heard
    assert text.split("\n") == ["Yesterday I noted 1 fact:", "- Ana: Lives in Graz."]
    assert about == "digest:personal:2026-11-21"


async def test_of_several_agents_the_digest_says_whose_it_is_and_how_to_review_it(at: ToolHarness) -> None:
    owner = Owner()
    at.write("memory/2026-11-20.md", "## Retain\n- W @Ana: Lives in Graz.\n- Always answer me in metric units.\n")
    await at.agent.memory.sync()
    work = replace(at.agent, name="work")
    jobs = job_runner(job_context({"personal": at.agent, "work": work}, FrozenClock(NOON), owner=owner))

    await jobs.run("reflect", "work", id="1")
    await jobs.run("digest", "work", id="2")

    (proposed, _), (digest, _) = owner.heard
    first, *_, last = digest.split("\n")
    assert first == "**work**"
    assert proposed.endswith("`/review` shows them. `/agent work` first, where another agent answers.")
    assert last.endswith("waits: `/review`. `/agent work` first, where another agent answers.")
