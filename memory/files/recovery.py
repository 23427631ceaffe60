"""Carries out a record of the journal, and finishes one after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from memory.errors import Conflict, Error, NotFound
from memory.files.atomic import append, remove, remove_leftovers, replace
from memory.files.daily import placed
from memory.files.journal import Action, Journal, Record
from memory.files.markdown import split_lines
from memory.files.origins import declared
from memory.files.paths import admit
from memory.files.workspace import Workspace, digest, open_file, state, write_all


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


APPENDING = frozenset({Action.REMEMBER, Action.APPEND})


def carry_out(workspace: Workspace, journal: Journal, record: Record) -> None:
    """Make a change in the file that it was drafted for.

    Raises:
        Conflict: the file was saved by an editor meanwhile, and the change is not in it; an append does not mind.
    """
    edit = edit_of(record)
    if _is_foreign_page(record):
        replace(workspace, admit(record.path), edit.after, expected=None)
        return
    if record.action in APPENDING:
        append(workspace, admit(record.path), edit.after, mark=_mark(record, edit))
        return
    _rewrite(workspace, journal, record, edit)
    if record.target and not _is_made(record, edit, workspace.content_at(admit(record.path)) or b""):
        raise Conflict(f"{record.path} was saved by an editor in the same moment.", hint="Try again.")


def finish(workspace: Workspace, journal: Journal, record: Record) -> None:
    """Carry out a record whose writer was killed before, during or after it; people may have edited the file since.

    What can no longer be done as it was meant is retracted: nobody had been told that it was done.
    """
    if not record.path or record.is_blanked:
        return
    names = admit(record.path)
    remove_leftovers(workspace, names)
    content = workspace.content_at(names)
    if state(content) == record.base:
        carry_out(workspace, journal, record)
    elif record.action in APPENDING:
        _finish_append(workspace, journal, record, content or b"")
    elif _is_whole(journal, record):
        if digest(content or b"") != record.after_hash:
            journal.retract(record)
    elif content is not None:
        _finish_lines(workspace, record, content)


def _finish_append(workspace: Workspace, journal: Journal, record: Record, content: bytes) -> None:
    edit = edit_of(record)
    line = _mark(record, edit)
    if find_lines(content, line, edit.offset):
        return
    head, torn = content[: edit.offset], content[edit.offset :]
    if edit.after.startswith(torn) and digest(head) == (record.base or digest(b"")):
        replace(workspace, admit(record.path), head + edit.after, expected=digest(content))
    elif record.action == Action.REMEMBER:
        day = admit(record.path)[-1].removesuffix(".md")
        append(workspace, admit(record.path), encoded(placed(decoded(line), decoded(content), day)), mark=line)
    elif _is_foreign_page(record):
        if declared(split_lines(decoded(content))) is None:  # else it was made, and people have edited it since
            journal.retract(record)
    else:
        append(workspace, admit(record.path), edit.after)


def _finish_lines(workspace: Workspace, record: Record, content: bytes) -> None:
    """Make the edit where its lines stand now; if they are gone, it has been made, or there is nothing left of them."""
    edit = moved(record, content)
    if edit:
        replace(workspace, admit(record.path), edit.apply(content), expected=digest(content))


def _is_whole(journal: Journal, record: Record) -> bool:
    """Whether a record changes a file as a whole."""
    undone = journal.record(record.undoes).action if record.undoes else None
    return Action.REPLACE in {record.action, undone}


def _is_foreign_page(record: Record) -> bool:
    """Whether a record makes a file with words of others: its head says so, and so it must be the file's head."""
    return record.action == Action.APPEND and record.origin.is_foreign and not record.base


def _mark(record: Record, edit: Edit) -> bytes:
    """The part of an appended text that must be in the file: the fact's lines, or all of it."""
    return fact_lines(edit.after, record.target) if record.action == Action.REMEMBER else edit.after.strip(b"\n")


def _is_made(record: Record, edit: Edit, content: bytes) -> bool:
    """Whether a fact's lines are there, or gone, as the edit has it."""
    if edit.after:
        return find_lines(content, edit.after.strip(b"\n")) is not None
    return find_lines(content, fact_lines(edit.before, record.target)) is None


def _rewrite(workspace: Workspace, journal: Journal, record: Record, edit: Edit) -> None:
    """Replace the file by itself with the edit made; a file goes away with the only change that ever made it."""
    names = admit(record.path)
    content = edit.apply(workspace.content_at(names) or b"")
    if not content and record.undoes and not journal.record(record.undoes).base:
        remove(workspace, names, expected=record.base)
    else:
        replace(workspace, names, content, expected=record.base or None)


NAMES = (".memory", "applied")
SIZE = 128
"""Bytes of the mark, blanks at its end included."""


@dataclass(frozen=True, slots=True)
class _Mark:
    seq: int
    name: str
    inode: int

    def is_of(self, other: _Mark) -> bool:
        """Whether both are in the same file."""
        return (self.name, self.inode) == (other.name, other.inode)


_DAMAGED = _Mark(-1, "", 0)


class Checkpoint:
    """The mark of one workspace; read and written under the workspace's lock."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._synced: _Mark | None = None

    def pending(self) -> Record | None:
        """The last record, if this machine wrote it and may not have carried it out."""
        record = self._journal.last
        mark = self._read()
        if mark and record and self._is_ours(record, mark):
            return record
        if mark != self._current():
            self._write(synced=True)
        return None

    def mark(self) -> None:
        """Note that all that is in the journal has been carried out."""
        self._write(synced=self._synced is None or not self._synced.is_of(self._current()))

    def _write(self, *, synced: bool) -> None:
        mark = self._current()
        fields = {"seq": mark.seq, "file": mark.name, "inode": mark.inode}
        # A mark that cannot be written is one that is behind: the next writer looks again and finds the effect there.
        with suppress(Error), self._workspace.writing(NAMES) as parent:
            handle = open_file(parent, NAMES[-1], os.O_WRONLY | os.O_CREAT)
            try:
                write_all(handle, json.dumps(fields).ljust(SIZE).encode())
                os.ftruncate(handle, SIZE)
                if synced:
                    self._workspace.fsync(handle)
                    self._workspace.fsync(parent)
                    self._synced = mark
            finally:
                os.close(handle)

    def _is_ours(self, record: Record, mark: _Mark) -> bool:
        if mark == _DAMAGED:
            return True
        file = self._journal.file_of(record)
        if file.name == mark.name:
            return record.seq > mark.seq and file.inode == mark.inode
        return record.seq == mark.seq + 1

    def _current(self) -> _Mark:
        record = self._journal.last
        if record is None:
            return _Mark(0, "", 0)
        file = self._journal.file_of(record)
        return _Mark(record.seq, file.name, file.inode)

    def _read(self) -> _Mark | None:
        try:
            fields = json.loads(self._workspace.read_at(NAMES))
            return _Mark(fields["seq"], fields["file"], fields["inode"])
        except NotFound:
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            return _DAMAGED
