"""Edits of a file's bytes: finding a line again after people have changed what is around it, applying and inverting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory.files.record import Action, Record


@dataclass(frozen=True, slots=True)
class Edit:
    """At byte `offset`, `before` becomes `after`."""

    offset: int
    before: bytes
    after: bytes

    def apply(self, content: bytes) -> bytes:
        """The content with the edit made; what stands at the offset must be `before`."""
        return content[: self.offset] + self.after + content[self.offset + len(self.before) :]


def edit_of(record: Record) -> Edit:
    """The edit that a record describes; a text that was blanked counts as empty."""
    return Edit(record.offset, encoded(record.before or ""), encoded(record.after or ""))


def decoded(data: bytes) -> str:
    """Bytes of a file as text; those that are not UTF-8 are kept as surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes that `decoded` turned into text."""
    return text.encode("utf-8", "surrogateescape")


def find_lines(content: bytes, text: bytes, near: int = -1) -> tuple[int, int] | None:
    """First and last byte (excluded) of whole lines: those at `near`, or wherever they stand if they stand once.

    The file's line ends may have been changed to carriage return and newline, or back.
    """
    wanted = _plain_ends(text + b"\n")
    found = [_span(content, start, wanted.count(b"\n")) for start in _starts(_plain_ends(content) + b"\n", wanted)]
    standing = next((span for span in found if span[0] == near), None)
    return standing or (found[0] if len(found) == 1 else None)


def _plain_ends(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n") if b"\r" in text else text


def _starts(content: bytes, lines: bytes) -> Iterator[int]:
    """The 1-based numbers of the lines at which whole lines stand."""
    at, counted, number = content.find(lines), 0, 1
    while at >= 0:
        if at == 0 or content[at - 1 : at] == b"\n":
            number, counted = number + content.count(b"\n", counted, at), at
            yield number
        at = content.find(lines, at + 1)


def _span(content: bytes, number: int, count: int) -> tuple[int, int]:
    """First and last byte (excluded) of `count` lines from a line on, without the last one's end."""
    start = last = end = line_start(content, number)
    for _ in range(count):
        last, end = end, content.find(b"\n", end) + 1 or len(content) + 1
    return start, last + len(content[last : end - 1].removesuffix(b"\r"))


def line_number(content: bytes, offset: int) -> int:
    """The 1-based number of the line that a byte is in."""
    return content.count(b"\n", 0, offset) + 1


def line_start(content: bytes, number: int) -> int:
    """The byte where a line begins; the length of the content if there are fewer lines."""
    at = 0
    for _ in range(number - 1):
        at = content.find(b"\n", at) + 1
        if at == 0:
            return len(content)
    return at


def fact_lines(text: bytes, target: str) -> bytes:
    """The lines of a fact in an appended text, without the end of the last: from the line that ends in its id on.

    Without such a line it is the last line.
    """
    bare = text.rstrip(b"\n")
    mark = encoded(f" ^{target}")
    ends = (bare.rfind(mark + b"\n"), len(bare) - len(mark) if bare.endswith(mark) else -1)
    return bare[bare.rfind(b"\n", 0, max(*ends, 0) or len(bare)) + 1 :]


def inverse(record: Record, content: bytes) -> Edit | None:
    """The edit that takes a record back from what the file is now; None if its text is not there as it was left."""
    edit = edit_of(record)
    if record.is_blanked:
        return None
    if record.action == Action.REPLACE:
        return Edit(0, content, edit.before) if content == edit.after else None
    if record.action == Action.FORGET:
        span = find_lines(content, edit.after, edit.offset)
        return Edit(span[0], content[span[0] : span[1]], edit.before) if span else None
    if content.endswith(edit.after):
        return Edit(len(content) - len(edit.after), edit.after, b"")
    lines = fact_lines(edit.after, record.target) if record.action == Action.REMEMBER else edit.after.strip(b"\n")
    span = find_lines(content, lines)
    return Edit(span[0], _with_end(content, *span), b"") if span else None


def moved(record: Record, content: bytes) -> Edit | None:
    """The edit of a record that changes whole lines, where they stand in the file now; None if they are gone.

    Of lines that are to go away the fact is what counts; the heading before it may have been edited.
    """
    edit = edit_of(record)
    texts = [edit.before] if edit.after else [edit.before, fact_lines(edit.before, record.target) + b"\n"]
    for text in texts:
        span = find_lines(content, text.removesuffix(b"\n"), edit.offset)
        if span:
            before = _with_end(content, *span) if text.endswith(b"\n") else content[span[0] : span[1]]
            return Edit(span[0], before, edit.after)
    return None


def _with_end(content: bytes, start: int, end: int) -> bytes:
    """These lines with the newline after them."""
    newline = content.find(b"\n", end)
    return content[start : newline + 1] if newline >= 0 else content[start:]
