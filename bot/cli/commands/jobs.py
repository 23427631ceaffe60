"""`scrubjay jobs`: what is done for an agent again and again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from secrets import token_hex
from typing import Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, AgentOption, Answer, Run, command, group
from bot.cli.invocation import Invocation
from bot.cli.state import Ask, admin_client, hold_home
from bot.errors import BotError
from bot.texts.catalogue import tr
from bot.texts.formatting import with_weekday
from bot.waiting import pause

PAGE = """
What is done for each agent again and again.

Jobs come while `scrubjay run` or `scrubjay chat` runs; when, the section
`jobs` of config.yaml says. Each can be done at any time.

Examples:
  scrubjay jobs list
  scrubjay jobs run reflect --dry-run
  scrubjay jobs log reflect
"""

app = group("jobs", PAGE)

WAIT_S = 0.5
WAITS = 120
"""How often the running service is asked whether a job has ended, `WAIT_S` apart."""

JobName = Annotated[str, Parameter(help="Which one, as `scrubjay jobs list` names it.")]


@command(app, "list", json=JSON)
async def listing(*, agent: AgentOption = None, run: Run) -> Answer:
    """List the jobs of an agent: when they come next, and how they went last.

    Examples:
      scrubjay jobs list
      scrubjay jobs list --agent work --json | jq -r '.jobs[].due'
    """
    async with _client(run) as ask:
        answer = await ask("jobs", agent=run.config.agent(agent))
    rows, zone = [], run.config.owner.zone
    for job in answer["jobs"]:
        last = (
            f"{with_weekday(job['last']['begun'], zone)}, {tr(job['last']['outcome'])}" if job["last"] else tr("never")
        )
        due = with_weekday(job["due"], zone) if job["due"] else tr("when it is asked for")
        rows.append((job["name"], due, last, tr(job["about"])))
    run.terminal.table(rows, heads=(tr("job"), tr("next"), tr("last"), tr("what it does")))
    return answer


@command(app, json=JSON)
async def run(
    name: JobName,
    /,
    *,
    dry_run: Annotated[bool, Parameter(help="Say what it would do, and write nothing.")] = False,
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Carry a job out now.

    While Scrubjay runs, that does it, and this command waits for the end, at
    most a minute. The exit code is 1 if the job failed.

    Examples:
      scrubjay jobs run reindex
      scrubjay jobs run retention --dry-run
    """
    which = {"agent": run.config.agent(agent), "name": name}
    async with _client(run) as ask:
        known = {past["id"] for past in (await ask("job_log", **which))["runs"]}
        answer = await ask("run_job", **which, is_dry=dry_run, id=f"cli:{token_hex(8)}")
        for _ in range(WAITS if answer["run"] is None else 0):
            await pause(WAIT_S)
            if fresh := [past for past in (await ask("job_log", **which))["runs"] if past["id"] not in known]:
                answer = {"run": fresh[-1]}
                break
    ended = answer["run"]
    if ended is None:
        run.terminal.note(tr("It goes on. See: scrubjay jobs log {name}", name=name))
    elif ended["outcome"] == "failed":
        failure = tr("The job {name} failed: {reason}", name=name, reason=" ".join(ended["lines"]))
        run.terminal.err(tr("error: {message}", message=failure))
        run.exit_code = BotError.exit_code
    else:
        for line in ended["lines"]:
            run.terminal.out(line)
    return answer


@command(app, json=JSON)
async def log(name: JobName, /, *, agent: AgentOption = None, run: Run) -> Answer:
    """Show how a job went the last times, newest first.

    Examples:
      scrubjay jobs log reflect
    """
    async with _client(run) as ask:
        answer = await ask("job_log", agent=run.config.agent(agent), name=name)
    if not answer["runs"]:
        run.terminal.note(tr("{name} has not run yet.", name=name))
    for past in reversed(answer["runs"]):
        run.terminal.out(f"{with_weekday(past['begun'], run.config.owner.zone)}  {tr(past['outcome'])}")
        for line in past["lines"]:
            run.terminal.out(f"  {line}")
    return answer


@asynccontextmanager
async def _client(run: Invocation) -> AsyncIterator[Ask]:
    """Yield what asks the running service, or one that is put together for this command alone."""
    from bot.system import instance

    if instance.serves(run.home):
        async with admin_client(run) as ask:
            yield ask
        return
    from bot.access.access import AccessRules
    from bot.app import build
    from bot.jobs.base import JobRunner
    from bot.service.control import AdminApi

    async def tell_nobody(_text: str, _about: str) -> None:
        """Keep what a job would tell the owner, who reads here what it came to."""

    with hold_home(run, command="jobs"):
        async with build(
            run.home,
            run.config,
            clock=run.clock,
            opening=lambda _: nullcontext([]),
            default_agent=run.config.default_agent,
            access=AccessRules(),
            say=run.terminal.err,
        ) as built:
            core, context, runner = built.coordinator, built.context, built.context.jobs
            jobs, letters = JobRunner(runner.known, replace(runner.context, tell=tell_nobody)), core.dead_letters
            yield AdminApi(core.register, context.pairings, letters, dict, built.clear, jobs=jobs, serves=False).ask
