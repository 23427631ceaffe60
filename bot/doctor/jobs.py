"""Check: what was to be done has been done: nothing is overdue, unreadable, or failed the last time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import StateError
from bot.storage.database import is_there
from bot.storage.tables.adapter_state import read_adapter_state
from bot.storage.tables.jobs import RUNS, read_jobs
from bot.system import instance
from bot.texts.catalogue import mark, tr, trn

LATE = timedelta(minutes=15)
"""A busy service is late by minutes."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """What is on the schedule of each agent, and how the last run of each job ended."""
    path = context.state
    if not is_there(path):
        return
    try:
        jobs, unreadable = await read_jobs(path)
        runs = await read_adapter_state(path, RUNS)
    except StateError:
        return  # the check of the state file tells
    for agent, name in unreadable:
        message = tr("a job of {agent} cannot be read, so it never comes: {name}", agent=agent, name=name)
        hint = tr("Ask the agent to remove the reminder, and make it anew.")
        yield Finding("jobs.unreadable", Severity.WARNING, str(path), message, hint)
    now, serves = context.clock.now(), instance.holder(context.home) is not None
    late = [job for job in jobs if now - job.due > LATE]
    reminders = [job for job in late if not job.repeats]
    if late and serves:
        message = trn(
            "{count} job is overdue although a service runs",
            "{count} jobs are overdue although a service runs",
            len(late),
        )
        hint = tr("See: scrubjay jobs list, and scrubjay logs. A restart of the service begins them anew.")
        yield Finding("jobs.overdue", Severity.WARNING, str(path), message, hint)
    elif reminders:
        message = trn(
            "{count} reminder is overdue, for nothing runs",
            "{count} reminders are overdue, for nothing runs",
            len(reminders),
        )
        hint = tr("Start `scrubjay run`: they come at once. As a service it also starts with the machine.")
        yield Finding("jobs.missed", Severity.WARNING, str(path), message, hint)
    else:
        message = trn("{count} on the schedule", "{count} on the schedule", len(jobs))
        yield Finding("jobs.scheduled", Severity.NOTE, str(path), message)
    for name, kept in sorted(runs.items()):
        if (last := [*json.loads(kept)][-1:]) and last[0]["outcome"] == "failed":
            agent, _, job = name.partition(" ")
            message = tr("the job {job} of {agent} failed the last time", job=job, agent=agent)
            hint = tr("Why, and how to repeat it: {command}", command=f"scrubjay jobs log {job} --agent {agent}")
            yield Finding("jobs.failed", Severity.WARNING, f"{agent} {job}", message, hint)


CHECK = Check(
    mark("schedule"),
    detect,
    {
        "scheduled": "How many reminders and jobs wait for their time.",
        "overdue": "A service runs, and what is due does not come. Look at the log and start the service again.",
        "missed": "A reminder is overdue because nothing runs that could send it. Start `scrubjay run`, best as a "
        "service.",
        "unreadable": "A job in the state file is damaged or of a newer version. It is kept and never fired; the "
        "others go on.",
        "failed": "A job failed when it ran last. It comes again by itself; `scrubjay jobs log` says why it failed.",
    },
)
