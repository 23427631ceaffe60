"""Measures of work that are the same on every machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable


def count_calls(work: Callable[[], object]) -> int:
    """Count the calls of functions, in Python and in C, that a piece of work makes.

    Nothing is collected meanwhile: what other tests have left behind may call functions when it goes.
    """
    count = 0

    def counted(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before, is_collecting = sys.getprofile(), gc.isenabled()
    gc.disable()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
        if is_collecting:
            gc.enable()
    return count
