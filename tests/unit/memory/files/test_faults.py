from __future__ import annotations

import errno
import os

import pytest

from memory.errors import Error, NotFound, PathRefused, Unreadable, WriteFailed
from memory.files.faults import misplaced, not_read, not_written, too_large


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission"),
        (errno.EPERM, "permission"),
        (errno.EFBIG, "limit"),
        (errno.EMFILE, "ulimit"),
        (errno.EIO, "device"),
        (errno.EBUSY, "Check"),
    ],
)
def test_each_refusal_says_what_to_do(number: int, hint: str) -> None:
    error = OSError(number, os.strerror(number))
    for told, kind in ((not_written(error, "memory/a.md"), WriteFailed), (not_read(error, "memory/a.md"), Unreadable)):
        assert isinstance(told, kind)
        assert "memory/a.md" in told.message
        assert os.strerror(number) in told.message
        assert hint in told.hint


@pytest.mark.parametrize("number", [errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EISDIR, errno.ENAMETOOLONG])
def test_what_is_no_place_for_a_file_is_refused_as_a_path(number: int) -> None:
    for told in (not_read(OSError(number, "x"), "a"), not_written(OSError(number, "x"), "a"), misplaced("a", "x")):
        assert isinstance(told, PathRefused)
        assert told.hint


def test_what_is_not_there_is_not_found() -> None:
    assert isinstance(not_read(FileNotFoundError(errno.ENOENT, "x"), "a"), NotFound)
    assert isinstance(not_written(OSError("without a number"), "a"), WriteFailed)


def test_a_limit_is_told_in_mebibytes() -> None:
    told: Error = too_large("a.md", 20 << 20)
    assert "20 MiB" in told.message
