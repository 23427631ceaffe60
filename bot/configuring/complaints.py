"""The YAML parser's complaint -> the line of the mistake, in words for somebody who never read the YAML standard."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

QUOTES = "Put the text in quotes."
COLON = "Write `name: value`, or `name:` for a section."
MEANINGS = (
    ("another document", "found a second document (after ---)", "Remove the line --- and what is twice.", False),
    ("undefined alias", "found a text that begins with *, which YAML reads as an alias", QUOTES, False),
    ("node content", "found the end where a value was expected", "Close every bracket.", False),
    ("could not find expected ':'", "found a line without a colon", COLON, True),
    ("block end", "found a line that is indented unlike its neighbours", "Align it with them.", False),
)
"""The parser's words, what they mean, what to do, and whether the mistake is where the parser began to wonder."""

NO_SPACE = re.compile(r"^\s*(?:- )?[\w.-]+:(?=[^\s:/\\])")
"""`name:value`, which YAML reads as one word; not a URL and not a Windows path."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands, counted from 1."""

    line: int
    column: int


class Unparsed(Exception):
    """The text is not YAML, or not the part of it that a configuration needs."""

    def __init__(self, message: str, place: Place, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = hint


def explained(text: str, error: YAMLError) -> Unparsed:
    """What the parser meant, and where the mistake is: an open quote is noticed at the end of the file only."""
    from ruamel.yaml.error import MarkedYAMLError

    if not isinstance(error, MarkedYAMLError):
        return _unprintable(text, error)
    began = _place(error, "context_mark")
    noticed = _place(error, "problem_mark") or began or Place(1, 1)
    said = str(error.problem or "")
    if "\\t" in said:
        return Unparsed("found a tab", noticed, hint="YAML is indented with spaces only; replace the tab.")
    if "mapping values are not allowed" in said:
        return _second_colon(text, noticed)
    if "end of stream" in said and began:
        return Unparsed("found a quote that is never closed", began, hint="Add the closing quote.")
    if "expected ',' or" in said and began:
        bracket = "brace { }" if "}" in said else "bracket [ ]"
        return Unparsed(f"found a {bracket} that is never closed", began, hint="Close it, or remove it.")
    return _by_words(said, noticed, began)


def _by_words(said: str, noticed: Place, began: Place | None) -> Unparsed:
    if "cannot start any token" in said:
        sign = said.split("'")[1] if "'" in said else "this sign"
        return Unparsed(f"found a text that begins with {sign}", noticed, hint=QUOTES)
    for words, meaning, hint, from_start in MEANINGS:
        if words in said:
            return Unparsed(meaning, (began if from_start else None) or noticed, hint=hint)
    return Unparsed(f"found something that YAML does not allow here ({said})", noticed, hint=QUOTES)


def _second_colon(text: str, noticed: Place) -> Unparsed:
    lines = text.splitlines()
    for number in range(noticed.line, max(noticed.line - 3, 0), -1):
        glued = NO_SPACE.match(lines[number - 1])
        if glued:
            return Unparsed(
                "found no space after the colon", Place(number, glued.end() + 1), hint="Write `name: value`."
            )
    line = lines[noticed.line - 1]
    before = lines[noticed.line - 2] if noticed.line > 1 else ""
    if ":" in line[: noticed.column - 1]:
        return Unparsed("found a second colon in one line", noticed, hint=QUOTES)
    if ":" not in before:
        place = Place(noticed.line - 1, _indent(before) + 1)
        return Unparsed("found a line without a colon", place, hint=COLON)
    return Unparsed("found a line indented further than its neighbours", noticed, hint="Align it with them.")


def _unprintable(text: str, error: YAMLError) -> Unparsed:
    at = int(getattr(error, "position", 0))
    before = text[:at]
    place = Place(before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)
    code = getattr(error, "character", None)
    sign = f" (U+{code:04X})" if isinstance(code, int) else ""
    return Unparsed(f"found a control character{sign}", place, hint="Remove it; it is invisible in most editors.")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _place(error: MarkedYAMLError, name: str) -> Place | None:
    mark = getattr(error, name, None)
    return Place(mark.line + 1, mark.column + 1) if mark else None
