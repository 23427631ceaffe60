"""Edits of files, as the records of the journal describe them: where they are made, found again, and taken back."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass

from memory.files.markdown import BlockKind, block_id, separated, without_conflict_marks
from memory.journal.placement import is_log
from memory.journal.records import Action, Record

_FURTHER_LINE = re.compile(rb"\s*\n(?:  |\t)[ \t]*\S")
"""The end of a fact's last line, and another below it that belongs to the fact."""


@dataclass(frozen=True, slots=True)
class Edit:
    """At byte `offset`, `before` becomes `after`."""

    offset: int
    before: bytes
    after: bytes

    def apply(self, content: bytes) -> bytes:
        """Return the content with the edit made; what stands at the offset must be `before`."""
        return content[: self.offset] + self.after + content[self.offset + len(self.before) :]


def edit_of(record: Record) -> Edit:
    """Return the edit that a record describes; a text that was blanked counts as empty."""
    return Edit(record.offset, encode(record.before or ""), encode(record.after or ""))


def decode(data: bytes) -> str:
    """Return the bytes of a file as text; those that are not UTF-8 are kept as surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes that `decode` turned into text."""
    return text.encode("utf-8", "surrogateescape")


def find_lines(content: bytes, text: bytes, near: int = -1) -> tuple[int, int] | None:
    """Return first and last byte (excluded) of whole lines: those at `near`, or wherever they stand if only once.

    The file's line ends may have been changed to carriage return and newline, or back.
    """
    if content.startswith(BOM_UTF8):
        skip = len(BOM_UTF8)
        span = find_lines(content[skip:], text.removeprefix(BOM_UTF8), near if near < 0 else max(0, near - skip))
        return span and (span[0] + skip, span[1] + skip)
    wanted = (text + b"\n").replace(b"\r\n", b"\n")
    plain = content.replace(b"\r\n", b"\n") + b"\n"
    spans = []
    at, counted_to, number = plain.find(wanted), 0, 1
    while at >= 0:
        if at == 0 or plain[at - 1 : at] == b"\n":
            number, counted_to = number + plain.count(b"\n", counted_to, at), at
            start = last = end = line_start(content, number)
            for _ in range(wanted.count(b"\n")):
                last, end = end, content.find(b"\n", end) + 1 or len(content) + 1
            spans.append((start, last + len(content[last : end - 1].removesuffix(b"\r"))))
        at = plain.find(wanted, at + 1)
    nearest = next((span for span in spans if span[0] == near), None)
    return nearest or (spans[0] if len(spans) == 1 else None)


def line_start(content: bytes, number: int) -> int:
    """Return the byte where a line begins; the length of the content if there are fewer lines."""
    at = 0
    for _ in range(number - 1):
        at = content.find(b"\n", at) + 1
        if at == 0:
            return len(content)
    return at


def fact_lines(text: bytes, target: str) -> bytes:
    """Return the lines of a fact in an appended text, without the end of the last: from the line with its id on.

    Without such a line it is the last line.
    """
    bare = text.rstrip(b"\n")
    mark = encode(f" ^{target}")
    ends = (bare.rfind(mark + b"\n"), len(bare) - len(mark) if bare.endswith(mark) else -1)
    return bare[bare.rfind(b"\n", 0, max(*ends, 0) or len(bare)) + 1 :]


def without_fact(content: bytes, path: str, target: str, mark: str) -> bytes:
    """Return a page with a mark in the place of each line of the fact with this id, however it is worded."""
    text = decode(content)
    lines = text.split("\n")
    for block in separated(without_conflict_marks(text)) if text.count(f" ^{target}") > text.count(mark) else ():
        is_fact = block.kind is BlockKind.BULLET and (block.retain or not is_log(path))
        if is_fact and block_id(lines[block.start - 1]) == target:
            lines[block.start - 1 : block.end] = [mark] * (block.end - block.start + 1)
    return encode("\n".join(lines))


def inverse_edit(record: Record, content: bytes) -> Edit | None:
    """Return the edit that takes a record back from what the file is now; None if its text is not there as it was."""
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
    is_fact = record.action == Action.REMEMBER
    span = find_lines(content, fact_lines(edit.after, record.target) if is_fact else edit.after.strip(b"\n"))
    if span is None or (is_fact and _FURTHER_LINE.match(content, span[1])):  # it would become the fact's above
        return None
    return Edit(span[0], _with_end(content, *span), b"")


def moved_edit(record: Record, content: bytes) -> Edit | None:
    """Return the edit of a record that changes whole lines, where they stand in the file now; None if they are gone.

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
    """Return these lines with the newline after them."""
    newline = content.find(b"\n", end)
    return content[start : newline + 1] if newline >= 0 else content[start:]
