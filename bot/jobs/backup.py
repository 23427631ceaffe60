"""Backup: a program of the owner's is run every night, and its failure told."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, STDOUT

from bot.config.model import Config
from bot.errors import BotError
from bot.jobs.base import JobRun, RecurringJob

MAX_LINES = 20
"""The last lines of what it prints that are kept."""


def planned(config: Config, agent: str) -> str:
    """Return when it comes: for the first agent alone, since it is about all."""
    return JOB.at if agent == next(iter(config.agents)) else ""


async def run(job: JobRun) -> Sequence[str]:
    """Run it to its end; raises `BotError` if there is none, or it fails."""
    options = job.context.config.jobs.backup
    if not options.command:
        raise BotError("jobs.backup.command names no program.", hint="Set it in config.yaml.")
    home = job.context.home
    places = {"{config}": home.config, "{workspaces}": home.workspaces, "{state}": home.state}
    words = [" ".join(str(places.get(word, word)) for word in one.split(" ")) for one in options.command]
    if job.is_dry:
        return [f"Would run: {' '.join(words)}"]
    try:
        process = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    except OSError as error:
        raise BotError(f"{words[0]} cannot be run: {error}.", hint="See jobs.backup.command in config.yaml.") from error
    try:
        async with asyncio.timeout(60 * options.timeout_minutes):
            printed, _ = await process.communicate()
    except TimeoutError as error:
        raise BotError(f"{words[0]} was ended after {options.timeout_minutes} minutes.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    lines = printed.decode(errors="replace").splitlines()[-MAX_LINES:]
    if process.returncode:
        raise BotError(f"{words[0]} ended with exit code {process.returncode}. {' '.join(lines[-1:])}".rstrip())
    return lines or ["Done."]


JOB = RecurringJob("backup", "runs a program of yours, for example one that saves the home", "45 4 * * *", run, planned)
