"""Backup: the home is saved every night, or a program of the owner's does it; a failure is told."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, STDOUT

from bot.config.model import Config
from bot.config.options.jobs import BackupJobOptions
from bot.errors import BotError
from bot.jobs.base import JobRun, RecurringJob
from bot.texts.catalogue import mark, tr, trn

MAX_LINES = 20
"""The last lines of what it prints that are kept."""


def planned(config: Config, agent: str) -> str:
    """Return when it comes: for the first agent alone, since it is about all."""
    return "45 4 * * *" if agent == next(iter(config.agents)) else ""


async def run(job: JobRun) -> Sequence[str]:
    """Make a backup and remove those that need not be kept; raises `BotError` if that fails."""
    from bot.backup.archive import Key  # here, since a service needs none of it until the night
    from bot.backup.catalog import LastBackup, backup_folder, backups, note_last, superfluous
    from bot.backup.create import create

    options = job.context.config.jobs.backup
    if options.command:
        return await _run_command(job, options)
    home, now = job.context.home, job.context.clock.now()
    folder = backup_folder(home, options)
    if job.is_dry:
        return [tr("Would make a backup in {folder}", folder=folder)]
    made = await asyncio.to_thread(
        create, home, job.context.config, folder=folder, now=now, key=Key(options.recipient), secrets=False
    )
    note_last(home, LastBackup(str(made.path), made.manifest.made))
    old = superfluous(backups(folder), daily=options.daily, weekly=options.weekly, monthly=options.monthly)
    for one in old:
        one.path.unlink(missing_ok=True)
    lines = [tr("{path}: {size:.1f} MB", path=made.path, size=made.size / 1e6)]
    return [*lines, trn("{count} older one removed.", "{count} older ones removed.", len(old))] if old else lines


async def _run_command(job: JobRun, options: BackupJobOptions) -> Sequence[str]:
    """Run the owner's program to its end; raises `BotError` if there is none, or it fails."""
    home = job.context.home
    places = {"{config}": home.config, "{workspaces}": home.workspaces, "{state}": home.state}
    words = [" ".join(str(places.get(word, word)) for word in one.split(" ")) for one in options.command]
    if job.is_dry:
        return [tr("Would run: {command}", command=" ".join(words))]
    try:
        process = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    except OSError as error:
        message = tr("{command} cannot be run: {reason}.", command=words[0], reason=error)
        raise BotError(message, hint=tr("See jobs.backup.command in config.yaml.")) from error
    try:
        async with asyncio.timeout(60 * options.timeout_minutes):
            printed, _ = await process.communicate()
    except TimeoutError as error:
        minutes = options.timeout_minutes
        raise BotError(tr("{command} was ended after {minutes} minutes.", command=words[0], minutes=minutes)) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    lines = printed.decode(errors="replace").splitlines()[-MAX_LINES:]
    if process.returncode:
        ended = tr("{command} ended with exit code {code}.", command=words[0], code=process.returncode)
        raise BotError(" ".join([ended, *lines[-1:]]))
    return lines or [tr("Done.")]


JOB = RecurringJob("backup", mark("saves the whole home, or runs a program of yours that does"), planned, run)
