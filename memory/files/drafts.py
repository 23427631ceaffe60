"""Records of changes, drafted from what a file is at the moment: forgetting lines, appending, replacing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from memory.errors import Conflict
from memory.files.digest import state
from memory.files.edits import decoded, encoded, find_lines, line_start
from memory.files.lines import split_lines
from memory.files.notation import forgotten_line
from memory.files.origins import declared, joined, own_lines, with_property
from memory.files.record import Record
from memory.model import Part


class Line(Protocol):
    """A line that is to be forgotten, as it was shown: its text without the end of the line."""

    @property
    def id(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...


def bare_id(line: Line) -> str:
    """The id of a line without `^`."""
    return line.id.removeprefix("^")


def find_shown(line: Line, content: bytes | None) -> tuple[int, int]:
    """First and last byte (excluded) of a line that was shown.

    Raises:
        Conflict: it is not what it was.
    """
    text = encoded(line.text)
    span = find_lines(content, text, line_start(content, line.number)) if content is not None else None
    if span is None:
        raise Conflict(f"{line.path}:{line.number} is not what it was when it was shown.", hint="Ask for it again.")
    return span


def forgetting(begun: Record, line: Line, content: bytes | None) -> Record:
    """A comment for each line of the fact; raises as `find_shown` does."""
    start, end = find_shown(line, content)
    before = decoded((content or b"")[start:end])
    marks = [forgotten_line(bare_id(line))] * (before.count("\n") + 1)
    return replace(
        begun,
        target=bare_id(line),
        path=line.path,
        offset=start,
        before=before,
        after="\n".join(marks),
        base=state(content),
    )


def appending(begun: Record, path: str, text: str, content: bytes | None) -> Record:
    """A text at the end of the file, on lines of its own."""
    is_torn = content and not content.endswith(b"\n") and not text.startswith("\n")
    after = f"\n{text}" if is_torn else text
    return replace(begun, path=path, offset=len(content or b""), after=after, base=state(content))


def appending_parts(begun: Record, path: str, parts: Sequence[Part], content: bytes | None) -> Record:
    """Pieces of several origins at the end of the file; a new file with words of others declares it.

    Raises:
        Conflict: words of others would come into a file that is the owner's.
    """
    body = joined(parts)
    declares = declared(split_lines(decoded(content or b""))) is not None
    if begun.origin.is_foreign and not declares:
        if content:
            raise Conflict(
                f"{path} exists already, and words of others are kept in files of their own.",
                hint="Choose another name.",
            )
        body, declares = with_property(body), True
    return appending(replace(begun, lines=own_lines(parts) if declares else ()), path, body, content)


def replacing(begun: Record, path: str, text: str, expected: str, content: bytes | None) -> Record:
    """Another content for the whole file.

    Raises:
        Conflict: the file is not in the `state` from which the new content was made.
    """
    if state(content) != expected:
        raise Conflict(f"{path} has been changed meanwhile.", hint="Read it again and make the change anew.")
    before = None if content is None else decoded(content)
    return replace(begun, path=path, before=before, after=text, base=state(content))
