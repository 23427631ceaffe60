"""Markdown as a parser reads it, event by event, for platforms that show it in ways of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyromark

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
"""The Markdown extensions that answers are read with."""


class Event(NamedTuple):
    """An event of the parser: `kind` is Start, End, Text, ...; `value` its text or tag. Positions are in bytes."""

    kind: str
    value: Any
    start: int
    end: int

    @property
    def tag(self) -> str:
        """The name of the element that starts or ends here."""
        value = next(iter(self.value)) if isinstance(self.value, Mapping) else self.value
        return str(value) if self.kind in {"Start", "End"} else ""

    @property
    def link(self) -> Mapping[str, str] | None:
        """The link or image that starts here."""
        is_link = self.kind == "Start" and self.tag in {"Link", "Image"}
        return self.value[self.tag] if is_link else None

    @property
    def is_code(self) -> bool:
        """Whether it is a span or a block of code."""
        return self.kind == "Code" or (self.kind == "Start" and self.tag == "CodeBlock")


def parse(source: bytes) -> list[Event]:
    """Return the parser's events for a text, in order."""
    events = []
    for event, span in pyromark.events_with_range(source.decode(), options=OPTIONS):
        kind, value = (event, None) if isinstance(event, str) else next(iter(event.items()))
        events.append(Event(kind, value, span["start"], span["end"]))
    return events
