"""Carries out a record of the journal, and finishes one after a crash."""

from __future__ import annotations

import json
import os
import re
from codecs import BOM_UTF8
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from memory.errors import Conflict, Error, NotFound
from memory.files.atomic import append, remove, remove_leftovers, replace
from memory.files.evidence import format_evidence
from memory.files.markdown import (
    BlockKind,
    blocks,
    declared_origin,
    fence_mark,
    heading,
    is_evidence,
    is_identified,
    is_retain,
    split_lines,
)
from memory.files.workspace import Workspace, admit, digest, opened, state, write_all
from memory.journal.journal import Journal
from memory.journal.records import Action, Record
from memory.types import Evidence


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
    """Bytes of a file as text; those that are not UTF-8 are kept as surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes that `decode` turned into text."""
    return text.encode("utf-8", "surrogateescape")


def find_lines(content: bytes, text: bytes, near: int = -1) -> tuple[int, int] | None:
    """First and last byte (excluded) of whole lines: those at `near`, or wherever they stand if they stand once.

    The file's line ends may have been changed to carriage return and newline, or back.
    """
    if content.startswith(BOM_UTF8):
        skip = len(BOM_UTF8)
        span = find_lines(content[skip:], text.removeprefix(BOM_UTF8), near if near < 0 else max(0, near - skip))
        return span and (span[0] + skip, span[1] + skip)
    wanted = (text + b"\n").replace(b"\r\n", b"\n")
    plain = content.replace(b"\r\n", b"\n") + b"\n"
    found = []
    at, counted, number = plain.find(wanted), 0, 1
    while at >= 0:
        if at == 0 or plain[at - 1 : at] == b"\n":
            number, counted = number + plain.count(b"\n", counted, at), at
            start = last = end = line_start(content, number)
            for _ in range(wanted.count(b"\n")):
                last, end = end, content.find(b"\n", end) + 1 or len(content) + 1
            found.append((start, last + len(content[last : end - 1].removesuffix(b"\r"))))
        at = plain.find(wanted, at + 1)
    nearest = next((span for span in found if span[0] == near), None)
    return nearest or (found[0] if len(found) == 1 else None)


def line_number(content: bytes, offset: int) -> int:
    """Return the 1-based number of the line that a byte is in."""
    return content.count(b"\n", 0, offset) + 1


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


_FURTHER_LINE = re.compile(rb"\s*\n(?:  |\t)[ \t]*\S")
"""The end of a fact's last line, and another below it that belongs to the fact."""


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
    """These lines with the newline after them."""
    newline = content.find(b"\n", end)
    return content[start : newline + 1] if newline >= 0 else content[start:]


RETAIN_HEADING = "## Retain\n"


_PAGES = "bank/"
"""Where the paths of pages begin; facts stand in them without a heading."""


def is_log(path: str) -> bool:
    """Return whether facts stand in a file under headings, as in a daily log; in a page they need none."""
    return not path.startswith(_PAGES)


def format_log_entry(line: str, page: str | None, day: str) -> str:
    """Format what to append to a daily log so that a fact's line stands under `## Retain`.

    Nothing comes before the line if that section is the last of the page; else a new one is begun. An empty page
    begins with its day. A fence or a comment that was left open is closed: it would hide the fact.
    """
    if not page:
        return f"# {day}\n\n{RETAIN_HEADING}{line}\n"
    before = "" if page.endswith("\n") else "\n"
    is_retained = False
    for last in deque(blocks(page), maxlen=1):
        if not last.closed:
            before += "-->\n" if last.kind is BlockKind.COMMENT else f"{fence_mark(last.text.strip())}\n"
        title = heading(last.text) if last.kind is BlockKind.HEADING else None
        is_retained = last.retain or (title is not None and is_retain(title[1]))
    if not is_retained:
        before += RETAIN_HEADING if f"{page}{before}".endswith("\n\n") else f"\n{RETAIN_HEADING}"
    return f"{before}{line}\n"


@dataclass(frozen=True, slots=True)
class Placement:
    """The file that a fact is appended to, a log or a page, and for a page its confidence and where it was said."""

    path: str
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()

    def format_entry(self, lines: str, page: str | None, *, id: str | None) -> str:
        """Return what to append to a file with this text, None if there is none; a page tells where a fact was said."""
        if is_log(self.path):
            return format_log_entry(lines, page, self.path.rpartition("/")[2].removesuffix(".md"))
        last = (page or "").rstrip("\n").rpartition("\n")[2]
        gap = "" if not page or (page.endswith("\n") and (is_identified(last) or is_evidence(last))) else "\n"
        gap += "\n" if page and not page.endswith("\n") else ""
        said = f"{format_evidence(id or '', self.confidence, self.evidence)}\n" if self.evidence else ""
        return f"{gap}{lines}\n{said}"


APPENDING = frozenset({Action.REMEMBER, Action.APPEND})


def carry_out(workspace: Workspace, journal: Journal, record: Record) -> bool:
    """Make a change in the file that it was drafted for.

    Returns:
        Whether the file is now what it was drafted from, with the change made: an append goes to the end of whatever
        an editor saved meanwhile.

    Raises:
        Conflict: the file was saved by an editor meanwhile, and the change is not in it; an append does not mind.
    """
    edit, names = edit_of(record), admit(record.path)
    if _is_foreign_page(record):
        replace(workspace, names, edit.after, expected=None)
        return True
    if record.action in APPENDING:
        found = append(workspace, names, edit.after, mark=_required_part(record, edit))
        return found is not None and found.st_size == edit.offset + len(edit.after)
    content = edit.apply(workspace.content_at(names) or b"")
    if not content and record.undoes and not journal.record(record.undoes).base:
        remove(workspace, names, expected=record.base)  # it goes away with the only change that ever made it
    else:
        replace(workspace, names, content, expected=record.base or None)
    saved = workspace.content_at(names) or b""
    if saved == content:
        return True
    lines = edit.after.strip(b"\n") or fact_lines(edit.before, record.target)
    found_at = find_lines(saved, lines) if record.target else None
    if record.target and (found_at is None) == bool(edit.after):
        raise Conflict(f"{record.path} was saved by an editor in the same moment.", hint="Try again.")
    return True


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
    elif Action.REPLACE in {record.action, journal.record(record.undoes).action if record.undoes else None}:
        if digest(content or b"") != record.after_hash:
            journal.retract(record)
    elif content is not None and (edit := moved_edit(record, content)):
        # Where its lines are gone, the edit has been made, or there is nothing left of them.
        replace(workspace, names, edit.apply(content), expected=digest(content))


def _finish_append(workspace: Workspace, journal: Journal, record: Record, content: bytes) -> None:
    edit = edit_of(record)
    line = _required_part(record, edit)
    if find_lines(content, line, edit.offset):
        return
    head, torn = content[: edit.offset], content[edit.offset :]
    if edit.after.startswith(torn) and digest(head) == (record.base or digest(b"")):
        replace(workspace, admit(record.path), head + edit.after, expected=digest(content))
    elif record.action == Action.REMEMBER:
        entry = Placement(record.path).format_entry(decode(line), decode(content), id=record.target)
        append(workspace, admit(record.path), encode(entry), mark=line)
    elif _is_foreign_page(record):
        if declared_origin(split_lines(decode(content))) is None:  # else it was made, and people have edited it since
            journal.retract(record)
    else:
        append(workspace, admit(record.path), edit.after)


def _is_foreign_page(record: Record) -> bool:
    """Return whether a record makes a file with words of others: its head says so, and must be the file's head."""
    return record.action == Action.APPEND and record.origin.is_foreign and not record.base


def _required_part(record: Record, edit: Edit) -> bytes:
    """Return the part of an appended text that must be in the file: the fact's lines, or all of it."""
    return fact_lines(edit.after, record.target) if record.action == Action.REMEMBER else edit.after.strip(b"\n")


NAMES = (".memory", "applied")
SIZE = 128
"""Bytes of the mark, blanks at its end included."""


@dataclass(frozen=True, slots=True)
class _CheckpointFile:
    """The last record that was carried out, and the file that it stands in.

    `size` is the file's, 0 as long as the text of something forgotten waits there to be blanked.
    """

    seq: int
    name: str
    inode: int
    size: int = 0

    def is_of(self, other: _CheckpointFile) -> bool:
        """Return whether both are in the same file."""
        return (self.name, self.inode) == (other.name, other.inode)


_DAMAGED = _CheckpointFile(-1, "", 0)


class Checkpoint:
    """The mark of one workspace; read and written under the workspace's lock."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._synced: _CheckpointFile | None = None

    def is_at_rest(self) -> bool:
        """Return whether, by the mark, the journal ends as it was left, with nothing to carry out or to blank.

        The journal itself is not read for that.
        """
        mark, files = self._read(), self._journal.months.listing()
        if not files:
            return True
        newest = files[-1]
        return mark is not None and (mark.name, mark.inode, mark.size) == (newest.name, newest.inode, newest.size)

    def pending(self) -> Record | None:
        """Return the last record, if this machine wrote it and may not have carried it out."""
        record = self._journal.last
        mark = self._read()
        if mark and record and self._is_ours(record, mark):
            return record
        if mark != self._current():
            self._write(synced=True)
        return None

    def save(self) -> None:
        """Save that all that is in the journal has been carried out."""
        self._write(synced=self._synced is None or not self._synced.is_of(self._current()))

    def _write(self, *, synced: bool) -> None:
        mark = self._current()
        fields = {"seq": mark.seq, "file": mark.name, "inode": mark.inode, "size": mark.size}
        # A mark that cannot be written is one that is behind: the next writer looks again and finds the effect there.
        with (
            suppress(Error),
            self._workspace.writing(NAMES) as parent,
            opened(parent, NAMES[-1], os.O_WRONLY | os.O_CREAT) as handle,
        ):
            write_all(handle, json.dumps(fields).ljust(SIZE).encode())
            os.ftruncate(handle, SIZE)
            if synced:
                self._workspace.fsync(handle)
                self._workspace.fsync(parent)
                self._synced = mark

    def _is_ours(self, record: Record, mark: _CheckpointFile) -> bool:
        if mark == _DAMAGED:
            return True
        file = self._journal.file_of(record)
        if file.name == mark.name:
            return record.seq > mark.seq and file.inode == mark.inode
        return record.seq == mark.seq + 1

    def _current(self) -> _CheckpointFile:
        record = self._journal.last
        if record is None:
            return _CheckpointFile(0, "", 0)
        file = self._journal.file_of(record)
        is_due = any(not one.blanked for one in self._journal.state.forgotten.values())
        return _CheckpointFile(record.seq, file.name, file.inode, 0 if is_due else file.size)

    def _read(self) -> _CheckpointFile | None:
        try:
            fields = json.loads(self._workspace.read_at(NAMES))
            return _CheckpointFile(fields["seq"], fields["file"], fields["inode"], fields.get("size", 0))
        except NotFound:
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            return _DAMAGED
