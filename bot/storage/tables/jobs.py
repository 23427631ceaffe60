"""Jobs in the state file: what is to be done later, the firing of what is due, and when what repeats is due next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from pydantic import TypeAdapter

from bot.storage.database import open_reader
from bot.storage.port import Job, Plan
from bot.storage.statements import ENVELOPES, Database, State, insert_message

RUNS = "jobs"
"""The account of the marks that keep how jobs ended."""

_JOBS = TypeAdapter(Job)

T = TypeVar("T")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def job_row(job: Job) -> tuple[str, str, str]:
    """Return what `put_jobs` writes of a job."""
    return job.name, sortable(job.due), _JOBS.dump_json(job).decode()


def put_jobs(db: Database, agent: str, rows: Iterable[tuple[str, str, str]]) -> None:
    """Put jobs in the place of the agent's jobs of the same names."""
    sql = """INSERT INTO job (agent, name, due, body) VALUES (?, ?, ?, ?)
             ON CONFLICT (agent, name) DO UPDATE SET due = excluded.due, body = excluded.body, is_readable = TRUE"""
    db.executemany(sql, [(agent, *row) for row in rows])


def decode_jobs(rows: Iterable[tuple[T, str]]) -> tuple[list[Job], list[T]]:
    """Return the jobs in rows of (name, body), whatever names them, and the names of those that cannot be read."""
    jobs, unreadable = list[Job](), list[T]()
    for name, body in rows:
        try:
            jobs.append(_JOBS.validate_json(body))
        except ValueError:
            unreadable.append(name)
    return jobs, unreadable


def fire_due_jobs(db: Database, agent: str, now: datetime, plan: Plan) -> list[Job]:
    """Publish what is due, and note when it is due again, in one transaction of the writer; return these jobs.

    A job that cannot be read, or planned, is kept and not looked at again, so that those after it are served.
    """
    sql = "SELECT name, body FROM job WHERE agent = ? AND due <= ? AND is_readable ORDER BY due, name"
    due, unreadable = decode_jobs(db.execute(sql, (agent, sortable(now))).fetchall())
    fired = []
    for job in due:
        try:
            firing = plan(job)
        except ValueError:
            unreadable.append(job.name)
            continue
        if firing.instant:
            envelope = job.fired(firing.instant)
            if insert_message(db, envelope, body=ENVELOPES.dump_json(envelope).decode(), at=now.isoformat()):
                fired.append(job)
        if firing.again is None:
            db.execute("DELETE FROM job WHERE agent = ? AND name = ?", (agent, job.name))
        else:
            put_jobs(db, agent, [job_row(replace(job, due=firing.again))])
    if unreadable:
        log.error("state.unreadable", agent=agent, table="job", names=unreadable)
        sql = "UPDATE job SET is_readable = FALSE WHERE agent = ? AND name = ?"
        db.executemany(sql, [(agent, name) for name in unreadable])
    return fired


async def read_jobs(state: State) -> tuple[list[Job], list[tuple[str, str]]]:
    """Read the schedule of a state as `open_reader` does: its jobs, and agent and name of unreadable ones."""
    async with open_reader(state) as reader:
        if not await reader.has("job"):
            return [], []
        rows = await reader.rows("SELECT agent, name, body FROM job ORDER BY due")
    return decode_jobs(((agent, name), body) for agent, name, body in rows)


def sortable(instant: datetime) -> str:
    """Return an instant as text that sorts by time."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds")


def next_instant(repeats: str, zone: str, *, after: datetime) -> datetime:
    """Return the first instant of a cron expression after another one, in UTC.

    An hour of the clock that a change to summer time leaves out counts as its end, and one that comes twice counts
    once, unless the expression is true every hour or every few minutes, as in Debian's cron.

    Raises:
        ValueError: it is no cron expression of five fields, or never true; or there is no such zone.
    """
    from cronsim import CronSim, CronSimError

    try:
        instants = CronSim(repeats, after.astimezone(ZoneInfo(zone)))
        while (instant := next(instants).astimezone(UTC)) <= after:  # the hour that comes twice
            pass
    except (CronSimError, StopIteration, ZoneInfoNotFoundError) as error:
        raise ValueError(f"{repeats!r} names no instants: {error}") from error
    return instant
