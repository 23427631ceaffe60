"""Opening what lies beneath a folder by handle, one name at a time, so that no link and no race leads outside.

Each name is opened relative to the handle of the folder before it and never followed if it is a link. What is opened
last must be a regular file that has no second name. `O_NONBLOCK` keeps a pipe from holding us up.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import ENXIO

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_TRIES = 8


@contextmanager
def folder(root: int, names: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """A handle on the folder that these names lead to; with `create`, folders that are missing are made.

    Raises:
        OSError: a name is missing, a link, or no folder.
    """
    handle = os.dup(root)
    try:
        for name in names:
            inner = _inner(handle, name, create=create)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def open_folder(parent: int, name: str) -> int:
    """A handle on one folder in another; the caller closes it."""
    return os.open(name, _FOLDER, dir_fd=parent)


def open_file(parent: int, name: str, flags: int) -> int:
    """A handle on a regular file with one name; the caller closes it. A file that it makes is its owner's alone.

    Raises:
        OSError: the system refuses, or it is something else (ENXIO).
    """
    for _ in range(_TRIES):
        handle = os.open(name, flags | _FILE, FILE_MODE, dir_fd=parent)
        found = os.fstat(handle)
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
            return handle
        os.close(handle)
        if found.st_nlink > 0:  # with no name left it was replaced while we opened it: look again
            break
    raise OSError(ENXIO, "a link, a pipe, a device or a folder")


def read_all(handle: int, limit: int) -> bytes:
    """The bytes from where the handle stands, at most `limit`."""
    parts = []
    while limit > 0 and (part := os.read(handle, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def write_all(handle: int, data: bytes) -> None:
    """Write all of it; in one call, unless the system takes less."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _inner(parent: int, name: str, *, create: bool) -> int:
    try:
        return open_folder(parent, name)
    except FileNotFoundError:
        if not create:
            raise
    try:
        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
    except FileExistsError:
        pass  # made by another process just now
    else:
        os.fsync(parent)
    return open_folder(parent, name)
