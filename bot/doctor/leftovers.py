"""Check: nothing unfinished lies about: temporary files of what was killed, damaged files that were set aside."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, timedelta
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Fix, Severity
from bot.texts.catalogue import mark, trn

OLD = timedelta(days=1)
"""What is younger may still be written, or looked at."""

MB = 1024 * 1024

TEMPORARY = re.compile(r"\.scrubjay-")
"""How the names of temporary files begin in a workspace, where all other names are the person's."""

OURS = re.compile(r"\.scrubjay-|.*\.(?:tmp|part|broken)$|.*\.broken-")
"""The same in folders that nobody but this program writes to, with what was set aside."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """State, cache and workspaces, from end to end."""
    before = (context.clock.now().astimezone(UTC) - OLD).timestamp()
    paths = await asyncio.to_thread(lambda: [*_leftovers(context, before)])
    if not paths:
        return

    async def remove() -> None:
        for path in paths:
            if path.is_dir():
                await asyncio.to_thread(shutil.rmtree, path)
            else:
                path.unlink(missing_ok=True)

    size = sum(path.stat().st_size for path in paths if path.is_file())
    message = trn(
        "{count} file was left behind by work that was interrupted ({mb} MB)",
        "{count} files were left behind by work that was interrupted ({mb} MB)",
        len(paths),
        mb=f"{size / MB:.1f}",
    )
    what = trn("delete {count} file that is no longer used", "delete {count} files that are no longer used", len(paths))
    hint = ", ".join(map(str, paths[:5])) + (" ..." if len(paths) > 5 else "")
    yield Finding("leftovers.files", Severity.WARNING, str(context.home.state), message, hint, Fix(what, remove))


def _leftovers(context: CheckContext, before: float) -> Iterator[Path]:
    """What only this program makes, by its name, and has not touched for a day."""
    home = context.home
    tops = [home.state, home.cache, *(context.workspace(name) for name in context.agents)]
    for top in dict.fromkeys(tops):
        for folder, folders, files in os.walk(top):
            here = Path(folder)
            names = [name for name in folders if top == home.state and here == top and name.startswith("doctor-")]
            keep_out = {*names, ".git", ".obsidian"}
            folders[:] = [name for name in folders if name not in keep_out and here / name != home.files]
            names += [name for name in files if (OURS if top in {home.state, home.cache} else TEMPORARY).match(name)]
            yield from (path for path in map(here.joinpath, names) if path.lstat().st_mtime < before)


CHECK = Check(
    mark("leftovers"),
    detect,
    {
        "files": "Temporary files of a process that was killed, or damaged indexes that were set aside, older than a "
        "day. They only take room: `scrubjay doctor --fix` deletes them."
    },
)
