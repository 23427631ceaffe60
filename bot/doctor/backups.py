"""Check: there is a backup, it is not old, and the folder for it can be written to."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime, timedelta

from bot.backup.catalog import backup_folder, backups, last_backup
from bot.doctor.base import Check, CheckContext, Finding, Severity, existing
from bot.texts.catalogue import mark, tr, trn

NEW = timedelta(days=14)
"""A younger home need not have one yet."""
OLD = timedelta(days=3)
"""A backup that comes every night is older only if something is wrong."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The newest backup in the folder that the options name, wherever it was made."""
    options = context.config().jobs.backup
    folder = backup_folder(context.home, options)
    now = context.clock.now()
    if options.enabled and options.command:
        yield Finding("backups.own", Severity.NOTE, options.command[0], tr("a program of yours makes them"))
        return
    copies = backups(folder)
    there = existing(folder)  # what is missing can be made there
    if options.enabled and not (there.is_dir() and os.access(there, os.W_OK)):
        hint = tr("Mount it, or name another one as jobs.backup.folder.")
        yield Finding("backups.folder", Severity.ERROR, str(folder), tr("backups cannot be written there"), hint)
        return
    if not copies:
        if options.enabled or _home_age(context, now) > NEW:
            hint = tr("Make one: scrubjay backup create   Or every night: jobs.backup.enabled: true")
            yield Finding("backups.none", Severity.WARNING, str(folder), tr("there is no backup yet"), hint)
        return
    newest = copies[0]
    days = (now - newest.at).days
    if options.enabled and now - newest.at > OLD:
        hint = tr("See why: scrubjay jobs log backup")
        message = trn("the newest is {count} day old", "the newest is {count} days old", days)
        yield Finding("backups.old", Severity.WARNING, str(newest.path), message, hint)
        return
    last = last_backup(context.home)
    is_verified = last is not None and last.path == str(newest.path) and bool(last.verified)
    age = trn("{count} day old", "{count} days old", days) if days else tr("made today")
    message = tr("{age}, verified", age=age) if is_verified else age
    yield Finding("backups.there", Severity.NOTE, str(newest.path), message)


def _home_age(context: CheckContext, now: datetime) -> timedelta:
    """How old the home is, by the first records of its journals; nothing if there are none that can be read."""
    first = now
    for agent in context.agents:
        months = sorted(context.workspace(agent).glob(".memory/journal/*.jsonl"))[:1]
        with suppress(OSError, ValueError, KeyError, TypeError):  # the check of the workspaces tells
            for month in months:
                with month.open(encoding="utf-8") as lines:
                    first = min(first, datetime.fromisoformat(json.loads(lines.readline())["at"]))
    return now - first


CHECK = Check(
    mark("backups"),
    detect,
    explains={
        "own": "`jobs.backup.command` names a program of yours that makes the backups; they are not looked at.",
        "folder": "The folder for backups is not there or takes no files: a disk that is not mounted, or full rights "
        "of another user. Mount it, or name another folder as `jobs.backup.folder`.",
        "none": "Nothing was ever backed up to that folder. `scrubjay backup create` makes one; "
        "`jobs.backup.enabled: true` has one made every night.",
        "old": "Backups are switched on, and the newest is more than three days old: `scrubjay jobs log backup` tells "
        "what went wrong.",
        "there": "How old the newest backup is, and whether `scrubjay backup verify` has restored it once.",
    },
)
