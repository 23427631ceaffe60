"""Renaming that says what it replaced: two names exchanged in one step, or a name taken only if it is free.

Python's `os.rename` overwrites whatever is there. Linux and macOS can do better, through their C library; where neither
can, or the file system cannot, the plain rename is used after a last look.
"""

from __future__ import annotations

import ctypes
import os
import sys
from errno import EINVAL, ENOSYS, ENOTSUP

_UNSUPPORTED = frozenset({EINVAL, ENOSYS, ENOTSUP})
_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}
_REFUSE_EXISTING = {"linux": 1, "darwin": 4}
_EXCHANGE = 2  # on both


def exchange(parent: int, one: str, other: str) -> bool:
    """Let two names in a folder change places in one step; False, with nothing done, where the system cannot."""
    return _rename(parent, one, other, _EXCHANGE)


def rename_new(parent: int, name: str, new: str) -> None:
    """Rename within a folder; raises `FileExistsError` if the new name is taken."""
    if not _rename(parent, name, new, _REFUSE_EXISTING.get(sys.platform, 0)):
        if _exists(parent, new):
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


def _exists(parent: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
