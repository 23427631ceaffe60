"""The memory of this process, as the C library keeps it."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Return to the system what was freed; glibc keeps it otherwise. Where there is another library, nothing happens.

    It takes a few milliseconds, and other threads that want memory wait for it.
    """
    if not sys.platform.startswith("linux"):
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)
