"""Changes of files: each is noted in the journal, then carried out; what a crash has left half done is finished."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from memory.errors import Conflict, Error
from memory.files.atomic import append, remove, remove_leftovers, replace
from memory.files.markdown import split_lines
from memory.files.notation import forgotten_line
from memory.files.origins import declared_origin
from memory.files.paths import admit
from memory.files.workspace import Workspace, digest, state
from memory.journal.checkpoint import Checkpoint
from memory.journal.edits import Edit, decode, edit_of, encode, fact_lines, find_lines, moved_edit, without_fact
from memory.journal.journal import Journal
from memory.journal.placement import Placement
from memory.journal.records import Action, Record
from memory.types import Origin

_TRIES = 5
"""How often a change is drafted anew because the file was changed meanwhile."""
_APPENDING = frozenset({Action.REMEMBER, Action.APPEND})


class WriteAhead:
    """Makes changes in the files of one workspace, one at a time and under its lock (`hold`)."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._checkpoint = Checkpoint(workspace, journal)

    @contextmanager
    def hold(self, *, timeout_s: float | None = None) -> Iterator[None]:
        """Hold the lock, with all that was written before read, and finished if its writer was killed.

        Raises:
            Busy: another process does not let go.
        """
        with self._workspace.lock(timeout_s=timeout_s):
            self._journal.mend()
            if unfinished := self._checkpoint.pending(partial(forget_again, self._workspace, self._journal)):
                finish(self._workspace, self._journal, unfinished)
                self._checkpoint.save()
            yield

    def write(self, path: str, draft: Callable[[bytes | None], Record]) -> tuple[Record, bytes | None]:
        """Make one change, drafted from the content that the file has at this moment (None: there is no file).

        It is drafted anew if the file is changed meanwhile.

        Returns:
            The record, and the content of the file with the change; None if others have changed it as well, so that
            it has to be read.

        Raises:
            Conflict: the file will not hold still.
            Error: as the draft or the write raises; then the journal has no record of it either.
        """
        for _ in range(_TRIES):
            content = self._workspace.content_at(admit(path))
            record = self._journal.append(dataclasses.replace(draft(content), machine=self._checkpoint.machine))
            try:
                is_as_drafted = carry_out(self._workspace, self._journal, record)
            except Conflict:
                self._journal.retract(record)
            except Error:
                self._journal.retract(record)
                raise
            else:
                self._checkpoint.save()
                return record, edit_of(record).apply(content or b"") if is_as_drafted else None
        raise Conflict(f"{path} is being changed all the time.", hint="Close it elsewhere, then try again.")

    def note(self, record: Record) -> None:
        """Write down what changes no file."""
        self._journal.append(dataclasses.replace(record, machine=self._checkpoint.machine))
        self._checkpoint.save()

    def save_rewritten(self) -> None:
        """Note that the journal's files themselves were replaced, with nothing left to carry out."""
        self._journal.refresh()
        self._checkpoint.save()


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
    if record.action in _APPENDING:
        status = append(workspace, names, edit.after, mark=_required_part(record, edit))
        return status is not None and status.st_size == edit.offset + len(edit.after)
    content = edit.apply(workspace.content_at(names) or b"")
    if not content and (record.origin is Origin.SYSTEM or (record.undoes and not journal.record(record.undoes).base)):
        remove(workspace, names, expected=record.base)  # nothing is left of what the program, or one change, had made
    else:
        replace(workspace, names, content, expected=record.base or None)
    saved = workspace.content_at(names) or b""
    if saved == content:
        return True
    lines = edit.after.strip(b"\n") or fact_lines(edit.before, record.target)
    span = find_lines(saved, lines) if record.target else None
    if record.target and (span is None) == bool(edit.after):
        raise Conflict(f"{record.path} was saved by an editor in the same moment.", hint="Try again.")
    return True


def finish(workspace: Workspace, journal: Journal, record: Record) -> None:
    """Carry out a record whose writer was killed before, during or after it; people may have edited the file since.

    What can no longer be done as it was meant is retracted: nobody had been told that it was done.
    """
    if not record.path or record.is_blanked or _is_overtaken(journal, record):
        return
    names = admit(record.path)
    remove_leftovers(workspace, names)
    content = workspace.content_at(names)
    if state(content) == record.base:
        carry_out(workspace, journal, record)
    elif record.action in _APPENDING:
        _finish_append(workspace, journal, record, content or b"")
    elif Action.REPLACE in {record.action, journal.record(record.undoes).action if record.undoes else None}:
        if digest(content or b"") != record.after_hash:
            journal.retract(record)
    elif content is not None and (edit := moved_edit(record, content)):
        # Where its lines are gone, the edit has been made, or there is nothing left of them.
        replace(workspace, names, edit.apply(content), expected=digest(content))


def forget_again(workspace: Workspace, journal: Journal) -> None:
    """Put the marks of forgotten facts in the place of their lines, where a merge has put those beside the marks."""
    state = journal.state
    for name in state.forgotten.keys() & state.provenance.keys():  # what people wrote may be there more than once
        path, mark = state.provenance[name].path, forgotten_line(name)
        with suppress(Error):  # a file that cannot be read or will not hold still stays as the merge has left it
            content = workspace.content_at(admit(path)) or b""
            if encode(mark) in content:  # what was killed in this may have left the lines in a file beside it
                remove_leftovers(workspace, admit(path))
                if (mended := without_fact(content, path, name, mark)) != content:
                    replace(workspace, admit(path), mended, expected=digest(content))


def _is_overtaken(journal: Journal, record: Record) -> bool:
    """Return whether a record was carried out, as others have by now taken that back, forgotten it, or gone on from it.

    What two have forgotten is forgotten again, as that does no harm.
    """
    state = journal.state
    gone = state.forgotten.get(record.target)
    is_gone = gone is not None and gone.seq > record.seq and record.action != Action.FORGET
    later = (journal.record(seq) for seq in state.changes[record.path] if seq > record.seq)
    return is_gone or record.seq in state.undone or any(other.base == record.after_hash for other in later)


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
