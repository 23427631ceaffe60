"""Writing files: those that were not there before, without touching those that were, and whole ones in their place."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from bot.errors import BotError
from bot.paths import PRIVATE, PRIVATE_FILE, reason


def create(path: Path, content: str) -> bool:
    """Write a new file, its owner's alone, and wait until it is on disk.

    Returns:
        False when a file of that name exists, even if it was made this very moment; it is left as it is.

    Raises:
        BotError: the system refuses; no half file stays behind.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    except FileExistsError:
        return False
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
    except OSError as error:
        path.unlink()
        raise _refused(path, error) from error
    return True


def put(path: Path, content: str) -> None:
    """Give a file new content at once: a reader sees the old one or the new one. It is not forced onto the disk.

    A new file is its owner's alone; one that exists keeps its permissions.

    Raises:
        OSError: the system refuses; the old content stays.
    """
    path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.tmp")
    with open(temporary, "w", encoding="utf-8", opener=_private) as file:
        file.write(content)
    with suppress(FileNotFoundError):
        temporary.chmod(stat.S_IMODE(path.stat().st_mode))
    temporary.replace(path)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, PRIVATE_FILE)


def _refused(path: Path, error: OSError) -> BotError:
    return BotError(f"{path} cannot be written: {reason(error)}.", hint="Run: scrubjay doctor")
