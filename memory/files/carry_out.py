"""Carrying out what a record of the journal describes, at once or after its writer was killed."""

from __future__ import annotations

from memory.errors import Conflict
from memory.files.atomic import append, remove, remove_leftovers, replace
from memory.files.daily import placed
from memory.files.digest import digest, state
from memory.files.edits import Edit, decoded, edit_of, encoded, fact_lines, find_lines, moved
from memory.files.journal import Journal
from memory.files.lines import split_lines
from memory.files.names import admit
from memory.files.origins import declared
from memory.files.record import Action, Record
from memory.files.workspace import Workspace

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
