"""`/jobs`: what is done again and again: when it comes, how it went, and doing it now."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.jobs.base import JobLogEntry
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import with_weekday
from bot.turn import Reply

MAX_SHOWN = 5
"""Runs that `/jobs log` shows."""

USAGE = mark("`/jobs run NAME` does one now, `/jobs dry NAME` says what it would do, `/jobs log NAME` how it went.")

OUTCOMES = {"done": mark("done"), "failed": mark("failed")}
"""How a run of a job ended."""


async def run(call: Call) -> Reply:
    """List the agent's jobs, or do what the argument says with one."""
    turn, jobs = call.turn, call.context.jobs
    what, _, name = call.argument.partition(" ")
    name = name.strip()
    if not what:
        lines = []
        for one in await jobs.states(turn.agent.name):
            comes = (
                tr("next {at}", at=with_weekday(one.due, turn.agent.zone))
                if one.due
                else tr("comes when it is asked for")
            )
            if one.last:
                comes += tr(
                    ", last {at} ({outcome})",
                    at=with_weekday(one.last.begun, turn.agent.zone),
                    outcome=tr(OUTCOMES.get(one.last.outcome, one.last.outcome)),
                )
            lines.append(f"- `{one.job.name}` {tr(one.job.summary)}; {comes}")
        return Reply("\n".join([*lines, "", tr(USAGE)]), private=True)
    if what not in {"run", "dry", "log"} or not name:
        return Reply(f"{tr(USAGE)} {tr('`/jobs` lists them.')}", private=True)
    if not turn.is_owners:
        return Reply(tr("Others read along here: ask me in a private chat what my jobs did."), private=True)
    if what == "log":
        runs = await jobs.log(name, turn.agent.name)
        shown = "\n".join(_described(call, one) for one in reversed(runs[-MAX_SHOWN:]))
        return Reply(shown or tr("`{name}` has not run yet.", name=name), private=True)
    ended = await jobs.run(name, turn.agent.name, id=turn.op_id(0), is_dry=what == "dry")
    return Reply(_described(call, ended, is_dry=what == "dry"), private=True)


def _described(call: Call, entry: JobLogEntry, *, is_dry: bool = False) -> str:
    ended = f"{with_weekday(entry.begun, call.turn.agent.zone)}: {tr(OUTCOMES.get(entry.outcome, entry.outcome))}"
    head = tr("This would be done:") if is_dry and entry.outcome == "done" else ended
    return "\n".join([head, *(f"  {line}" if line.startswith("- ") else f"- {line}" for line in entry.lines)])


COMMAND = Command(
    summary=mark("what I do again and again"),
    usage=mark("/jobs [run|dry|log NAME]"),
    example="/jobs run reflect",
    run=run,
    owner_only=True,
    detail=mark(
        "Without anything it lists them: when each comes next, and how it went last. `dry` says what a job would "
        "do and writes nothing."
    ),
    parameter=Parameter("what", mark("run, dry or log, and the name of a job")),
)
