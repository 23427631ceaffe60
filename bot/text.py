"""Text that every store and platform can take."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

T = TypeVar("T")


def sized(count: int) -> str:
    """Bytes for a person to read.

    >>> sized(5), sized(120 * 1024), sized(3 * 2**19)
    ('5 B', '120 KB', '1.5 MB')
    """
    if count < 2**20:
        return f"{count} B" if count < 1024 else f"{count / 1024:.0f} KB"
    return f"{count / 2**20:.1f}".removesuffix(".0") + " MB"


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined, lone halves and NUL replaced by U+FFFD: no UTF-8, or the end of a text.

    >>> well_formed("a\\ud83d\\ude00b\\ud83d\\0") == "a😀b\\ufffd\\ufffd"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def all_well_formed(value: T) -> T:
    """A dataclass, or what may stand in one, with all of its strings well formed, however deep they are.

    >>> all_well_formed(("a\\ud83d", 1, None)) == ("a\\ufffd", 1, None)
    True
    """
    mended: Any = value
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        mended = well_formed(value)
    elif isinstance(value, tuple):
        mended = tuple(map(all_well_formed, value))
    elif is_dataclass(value) and not isinstance(value, type):
        found = {one.name: getattr(value, one.name) for one in fields(value)}
        changed = {name: new for name, old in found.items() if (new := all_well_formed(old)) != old}
        mended = replace(value, **changed) if changed else value
    return cast("T", mended)
