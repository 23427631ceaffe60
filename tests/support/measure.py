"""Measures of work that are the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable


def count_calls(work: Callable[[], object]) -> int:
    """Count the calls of functions, in Python and in C, that a piece of work makes."""
    count = 0

    def counted(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
