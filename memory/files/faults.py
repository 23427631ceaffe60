"""What the operating system's refusals mean here, and what a person can do about each."""

from __future__ import annotations

from errno import (
    EACCES,
    EDQUOT,
    EFBIG,
    EIO,
    EISDIR,
    ELOOP,
    EMFILE,
    ENAMETOOLONG,
    ENFILE,
    ENODEV,
    ENOENT,
    ENOSPC,
    ENOTDIR,
    ENXIO,
    EOPNOTSUPP,
    EPERM,
    EROFS,
)

from memory.errors import Error, NotFound, PathRefused, TooLarge, Unreadable, WriteFailed

_NOT_A_PLACE = frozenset({ELOOP, ENOTDIR, EISDIR, ENXIO, ENODEV, EOPNOTSUPP, ENAMETOOLONG})
_HINTS = {
    ENOSPC: "The disk is full: free some space, then try again.",
    EDQUOT: "The disk quota is used up: free some space, then try again.",
    EFBIG: "The file may not grow any further: raise the limit on file sizes, or start a new file.",
    EROFS: "The file system is read-only: mount it for writing, or move the workspace.",
    EACCES: "Give the account that runs Scrubjay permission, for example with chmod or chown.",
    EPERM: "Give the account that runs Scrubjay permission, for example with chmod or chown.",
    EMFILE: "Too many files are open: raise the limit (ulimit -n), or restart.",
    ENFILE: "Too many files are open on this machine.",
    EIO: "The device failed: check the disk, and restore from a backup if need be.",
}


def not_read(error: OSError, path: str) -> Error:
    """The error for a file that could not be read."""
    if error.errno == ENOENT:
        return NotFound(f"There is no {path}.", hint="Check the name.")
    return _misplaced(error, path) or Unreadable(f"{path} cannot be read ({error.strerror}).", hint=_hint(error))


def not_written(error: OSError, path: str) -> Error:
    """The error for a file that could not be written."""
    return _misplaced(error, path) or WriteFailed(f"{path} was not written ({error.strerror}).", hint=_hint(error))


def too_large(path: str, limit: int) -> TooLarge:
    """The error for a file above the limit for reading, in bytes."""
    size = f"{limit / (1 << 20):g} MiB"
    return TooLarge(f"{path} is larger than {size}.", hint="Split it, or move it out of the workspace.")


def misplaced(path: str, why: str) -> PathRefused:
    """The error for a link, a second name of a file, a pipe, a device, or a folder where a file should be."""
    return PathRefused(
        f"{path} is not an ordinary file with one name ({why}).",
        hint="Links, pipes and devices are not followed: put the file itself into the workspace.",
    )


def _misplaced(error: OSError, path: str) -> PathRefused | None:
    return misplaced(path, error.strerror or "refused") if error.errno in _NOT_A_PLACE else None


def _hint(error: OSError) -> str:
    return _HINTS.get(error.errno or 0, "Check the disk and the folder's permissions.")
