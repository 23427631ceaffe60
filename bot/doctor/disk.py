"""Check: there is room on the disk."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Severity

MB = 1024 * 1024
TIGHT = 500 * MB
FULL = 100 * MB
"""Bytes. A home of some years with its index is smaller than TIGHT; a rebuild doubles the index for a moment."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Free space where state is kept, and where workspaces are."""
    folders = [_existing(context.home.state), _existing(context.home.workspaces)]
    for folder in {folder.stat().st_dev: folder for folder in reversed(folders)}.values():
        free = shutil.disk_usage(folder).free
        told = f"{free // MB:,} MB free"
        if free < FULL:
            yield Finding(
                "disk.full", Severity.ERROR, str(folder), told, "Make room: below this, writes will soon be refused."
            )
        elif free < TIGHT:
            yield Finding("disk.low", Severity.WARNING, str(folder), told, "Make room before it runs out.")
        else:
            yield Finding("disk.free", Severity.NOTE, str(folder), told)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists: it is on the same disk."""
    while not folder.exists():
        folder = folder.parent
    return folder


CHECK = Check("disk", "disk space", detect)
