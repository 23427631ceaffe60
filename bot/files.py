"""Making files that were not there before, and never touching those that were."""

from __future__ import annotations

import os
from pathlib import Path

from bot.errors import BotError
from bot.paths import reason


def create(path: Path, content: str, *, mode: int = 0o644) -> bool:
    """Write a new file and wait until it is on disk.

    Returns:
        False when a file of that name exists, even if it was made this very moment; it is left as it is.

    Raises:
        BotError: the system refuses; no half file stays behind.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
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


def _refused(path: Path, error: OSError) -> BotError:
    return BotError(f"{path} cannot be written: {reason(error)}.", hint="Run: scrubjay doctor")
