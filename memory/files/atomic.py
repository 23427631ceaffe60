"""Files appended to, replaced and removed: as a whole or not at all."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOSYS, ENOTSUP
from secrets import token_hex

from memory.errors import Conflict, WriteFailed
from memory.files.workspace import Workspace, digest, open_file, opened, read_all, write_all

_UNSUPPORTED = frozenset({EINVAL, ENOSYS, ENOTSUP})
_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}
_REFUSE_EXISTING = {"linux": 1, "darwin": 4}
_EXCHANGE = 2  # on both

TEMPORARY = ".scrubjay-"
"""Begins the names of temporary files, which stand in the folder of the file that they are for."""
_TRIES = 5
_WHOLE = 1 << 62


def exchange(parent: int, name: str, other: str) -> bool:
    """Let two names in a folder change places in one step; False, with nothing done, where the system cannot."""
    return _rename(parent, name, other, _EXCHANGE)


def rename_new(parent: int, name: str, new: str) -> None:
    """Rename within a folder; raises `FileExistsError` if the new name is taken."""
    if not _rename(parent, name, new, _REFUSE_EXISTING.get(sys.platform, 0)):
        with suppress(FileNotFoundError):
            os.stat(new, dir_fd=parent, follow_symlinks=False)
            raise FileExistsError(new)
        os.rename(name, new, src_dir_fd=parent, dst_dir_fd=parent)


def _rename(parent: int, name: str, new: str, flag: int) -> bool:
    call = getattr(ctypes.CDLL(None, use_errno=True), _CALLS.get(sys.platform, ""), None)
    if call is None:
        return False
    if call(parent, os.fsencode(name), parent, os.fsencode(new), ctypes.c_uint(flag)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), name)


def append(workspace: Workspace, names: Sequence[str], data: bytes, *, mark: bytes = b"") -> os.stat_result | None:
    """Append in one write. A last line without an end is ended first.

    An editor that saves its own version meanwhile may sweep the data away; then they are appended to that version. One
    that took them along may have written something between them: `mark` is the part that must be there, once. Returns
    the state of the file that ends with the data; None if they are in it, but no longer at its end.

    Raises:
        PathRefused: the file or a folder above it is no ordinary one.
        WriteFailed: the disk refused, or other writers would not let go; nothing of the data was left behind.
    """
    with workspace.writing(names) as parent:
        for _ in range(_TRIES):
            is_written, status = _append_once(parent, names[-1], data, mark or data, workspace.fsync)
            if is_written:
                return status
    raise WriteFailed(f"{'/'.join(names)} is being rewritten all the time.", hint="Close it elsewhere, then try again.")


def replace(workspace: Workspace, names: Sequence[str], data: bytes, *, expected: str | None) -> None:
    """Give a file new content if it still has the expected one (a `digest`; None: there is no such file yet).

    Raises:
        Conflict: it has another content; it was left alone.
        PathRefused: the file or a folder above it is no ordinary one.
        WriteFailed: the disk refused; the file is as it was.
    """
    with workspace.writing(names) as parent, _temporary(parent) as temporary:
        before = _check(parent, names, expected)
        with opened(parent, temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as handle:
            if before:  # the permissions and, where we may, the owner of what it replaces
                with suppress(PermissionError):
                    os.fchown(handle, before.st_uid, before.st_gid)
                os.fchmod(handle, stat.S_IMODE(before.st_mode))
            write_all(handle, data)
            workspace.fsync(handle)
        _check(parent, names, expected)
        _put(parent, names, temporary, expected)
        try:
            workspace.fsync(parent)
        except OSError:
            _put_back(parent, names[-1], temporary, data)
            raise


def remove(workspace: Workspace, names: Sequence[str], *, expected: str) -> None:
    """Remove a file that still has the expected content; raises as `replace` does."""
    name = names[-1]
    with workspace.writing(names) as parent, _temporary(parent) as temporary:
        _check(parent, names, expected)
        rename_new(parent, name, temporary)
        if _read(parent, temporary)[0] != expected:
            rename_new(parent, temporary, name)
            raise _conflict(names)
        try:
            workspace.fsync(parent)
        except OSError:
            rename_new(parent, temporary, name)
            raise


def remove_leftovers(workspace: Workspace, names: Sequence[str]) -> None:
    """Remove temporary files that a killed process left beside this file; the workspace's lock must be held."""
    with workspace.writing(names) as parent:
        with os.scandir(parent) as entries:
            leftovers = [entry.name for entry in entries if entry.name.startswith(TEMPORARY)]
        for name in leftovers:
            os.unlink(name, dir_fd=parent)


def _append_once(
    parent: int, name: str, data: bytes, mark: bytes, fsync: Callable[[int], None]
) -> tuple[bool, os.stat_result | None]:
    """Append; whether the file of that name has the data then, and its state if it ends with them."""
    flags, created = os.O_RDWR | os.O_APPEND, True
    try:
        handle = open_file(parent, name, flags | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        handle, created = open_file(parent, name, flags), False
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and not data.startswith(b"\n") and os.pread(handle, 1, size - 1) != b"\n"
        written = (b"\n" if torn else b"") + data
        try:
            write_all(handle, written)
            fsync(handle)
            if created:
                fsync(parent)
        except OSError:
            _cut(parent, name, size, written, created=created)
            raise
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(name, dir_fd=parent, follow_symlinks=False), os.fstat(handle)):
                return _find_data(handle, data, mark)
    finally:
        os.close(handle)
    try:
        with opened(parent, name, os.O_RDONLY) as saved:  # an editor has replaced this file by another
            return _find_data(saved, data, mark)
    except FileNotFoundError:
        return False, None


def _find_data(handle: int, data: bytes, mark: bytes) -> tuple[bool, os.stat_result | None]:
    """Return whether a file ends with the data, or else has the mark in it; its state if it ends with them."""
    status = os.fstat(handle)
    if os.pread(handle, len(data), max(0, status.st_size - len(data))) == data:
        return True, status
    os.lseek(handle, 0, os.SEEK_SET)
    return mark in read_all(handle, _WHOLE), None


def _cut(parent: int, name: str, size: int, written: bytes, *, created: bool) -> None:
    """Take away what a failed append left, unless somebody wrote after it. That failure itself is raised."""
    with suppress(OSError):
        with opened(parent, name, os.O_RDWR) as handle:  # one that failed to sync is not trusted again
            left = os.pread(handle, len(written) + 1, size)
            if written.startswith(left):
                os.ftruncate(handle, size)
        if created and not os.stat(name, dir_fd=parent).st_size:
            os.unlink(name, dir_fd=parent)


@contextmanager
def _temporary(parent: int) -> Iterator[str]:
    name = TEMPORARY + token_hex(8)
    try:
        yield name
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=parent)


def _put(parent: int, names: Sequence[str], temporary: str, expected: str | None) -> None:
    """Let the temporary file take the name; what it replaced is looked at once more before it is given up."""
    name = names[-1]
    try:
        if expected is None:
            rename_new(parent, temporary, name)
        elif not exchange(parent, temporary, name):
            os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        elif _read(parent, temporary)[0] != expected:
            exchange(parent, temporary, name)
            raise _conflict(names)
    except (FileExistsError, FileNotFoundError) as error:
        raise _conflict(names) from error


def _put_back(parent: int, name: str, temporary: str, data: bytes) -> None:
    """Undo `_put`, unless the file has been saved since. It is the failure before that is raised."""
    with suppress(OSError):
        if _read(parent, name)[0] != digest(data):
            return
        try:
            exchange(parent, temporary, name)
        except FileNotFoundError:  # there was no file before
            os.unlink(name, dir_fd=parent)


def _check(parent: int, names: Sequence[str], expected: str | None) -> os.stat_result | None:
    try:
        present, state = _read(parent, names[-1])
    except FileNotFoundError:
        present, state = None, None
    if present != expected:
        raise _conflict(names)
    return state


def _read(parent: int, name: str) -> tuple[str, os.stat_result]:
    with opened(parent, name, os.O_RDONLY) as handle:
        return digest(read_all(handle, _WHOLE)), os.fstat(handle)


def _conflict(names: Sequence[str]) -> Conflict:
    return Conflict(
        f"{'/'.join(names)} has been changed meanwhile.", hint="Nothing was written; look at it and try again."
    )
