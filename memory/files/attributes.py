"""The `(name=value, ...)` of the Retain notation: which names there are, and what each accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime

from memory.errors import Unparsable
from memory.model import Origin

Attributes = tuple[tuple[str, str], ...]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(_DAY.pattern + r"(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?")


def parse_attributes(text: str, column: int) -> Attributes:
    """Read what stands between the parentheses; `column` is where it begins.

    Raises:
        Unparsable: a name that is unknown or repeated, or a value out of its range.
    """
    found: list[tuple[str, str]] = []
    for part in text.split(",") if text.strip() else ():
        place = column + len(part) - len(part.lstrip())
        name, equals, value = part.partition("=")
        if not equals:
            raise Unparsable(f"`{part.strip()}` is not `name=value`.", column=place, hint=_NAMES_HINT)
        found.append((name.strip(), value.strip()))
        _check(found, place)
        column += len(part) + 1
    return tuple(found)


def format_attributes(attributes: Iterable[tuple[str, str]]) -> str:
    """The parenthesis for these pairs, empty for none; raises `Unparsable` for a pair that could not be read back."""
    written: list[tuple[str, str]] = []
    for pair in attributes:
        written.append(pair)
        _check(written, 1)
    return f"({', '.join(f'{name}={value}' for name, value in written)})" if written else ""


def _check(pairs: list[tuple[str, str]], column: int) -> None:
    """Check the last of these pairs."""
    name, value = pairs[-1]
    accepts = _ATTRIBUTES.get(name)
    if accepts is None:
        raise Unparsable(f"there is no attribute `{name}`.", column=column, hint=_NAMES_HINT)
    if any(name == earlier for earlier, _ in pairs[:-1]):
        raise Unparsable(f"`{name}` is given twice.", column=column, hint="Keep one of them.")
    test, wanted = accepts
    if not test(value):
        raise Unparsable(f"`{name}={value}` is not {wanted}.", column=column, hint=f"Write {name}={_EXAMPLES[name]}.")


def _within(low: float, high: float) -> Callable[[str], bool]:
    return lambda value: _NUMBER.fullmatch(value) is not None and low <= float(value) <= high


def _is_day(value: str) -> bool:
    return _DAY.fullmatch(value) is not None and _exists(date.fromisoformat, value)


def _is_instant(value: str) -> bool:
    return _INSTANT.fullmatch(value) is not None and _exists(datetime.fromisoformat, value)


def _exists(read: Callable[[str], object], value: str) -> bool:
    try:
        read(value)
    except ValueError:
        return False
    return True


_ATTRIBUTES: dict[str, tuple[Callable[[str], bool], str]] = {
    "c": (_within(0, 1), "a confidence from 0 to 1"),
    "v": (_within(-1, 1), "a valence from -1 to 1"),
    "a": (_within(0, 1), "an arousal from 0 to 1"),
    "i": (_within(0, 1), "an importance from 0 to 1"),
    "due": (_is_instant, "an ISO day or time"),
    "since": (_is_day, "an ISO day"),
    "until": (_is_day, "an ISO day"),
    "from": (frozenset(Origin).__contains__, f"one of {', '.join(Origin)}"),
}
_EXAMPLES = {
    "c": "0.95",
    "v": "-0.5",
    "a": "0.5",
    "i": "0.7",
    "due": "2026-12-01T09:00",
    "since": "2025-11-27",
    "until": "2025-12-01",
    "from": "owner",
}
NAMES = tuple(_ATTRIBUTES)
_NAMES_HINT = f"The attributes are {', '.join(NAMES)}."
