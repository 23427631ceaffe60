"""Taking back the last changes of a scope, newest first, as far as their text is still as it was left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby, islice

from memory.errors import NotUndoable
from memory.files.digest import digest
from memory.files.edits import decoded, encoded, fact_lines, inverse
from memory.files.journal import Journal
from memory.files.record import Action, Operation, Record, is_past
from memory.files.write_ahead import WriteAhead
from memory.model import Actors, Scope

SUPERSEDED = "/old"
"""Ends the id of the operation that takes a superseded fact away; it is taken back with the one that wrote the new."""


@dataclass(frozen=True, slots=True)
class Undone:
    """One change taken back.

    Attributes:
        action: what it had been.
        path: the file.
        removed: the text that is gone again; for a fact, its lines.
        restored: the text that is there again; empty when a line went away.
        at: ISO instant of the change that was taken back.
    """

    action: str
    path: str
    removed: str
    restored: str
    at: str


def undo(
    ahead: WriteAhead, journal: Journal, operation: Operation, *, count: int, now: datetime, whose: Actors
) -> tuple[Undone, ...]:
    """Take back the last `count` operations of these actors in the operation's scope; the lock must be held.

    A known operation does nothing and says again what it did.

    Raises:
        NotUndoable: there is none, or the newest has been edited since.
        Error: as writing raises.
    """
    known = journal.operation(operation.op_id)
    if known:
        return tuple(_undone(journal.record(record.undoes)) for record in known)
    taken: list[Undone] = []
    for record in _latest(journal, operation.scope, count=count, now=now, whose=whose):
        try:
            ahead.write(record.path, partial(_draft, record, operation, now))
        except NotUndoable:
            if taken:
                break
            raise
        taken.append(_undone(record))
    if not taken:
        raise NotUndoable(
            "There is nothing to undo." if whose is None else "There is nothing of yours to undo.",
            hint="Only what was written here is taken back, not edits by hand.",
        )
    return tuple(taken)


def _latest(journal: Journal, scope: Scope, *, count: int, now: datetime, whose: Actors) -> list[Record]:
    every = (journal.record(seq) for seq in journal.ledger.undoable(scope))
    records = (record for record in every if whose is None or record.actor in whose)
    alive = (record for record in records if not record.is_blanked and not _is_final(record, now))
    operations = groupby(alive, key=lambda record: record.op_id.removesuffix(SUPERSEDED))
    return [record for _, group in islice(operations, max(0, count)) for record in group]


def _is_final(record: Record, now: datetime) -> bool:
    return record.action == Action.FORGET and is_past(record.at, now)


def _draft(record: Record, operation: Operation, now: datetime, content: bytes | None) -> Record:
    edit = inverse(record, content or b"")
    if content is None or edit is None:
        raise NotUndoable(
            f"{record.path} has been edited since: the text of {record.at} is not there as it was left.",
            hint="Change the file by hand.",
        )
    return replace(
        operation.record(Action.UNDO, now),
        origin=record.origin,
        target=record.target,
        path=record.path,
        offset=edit.offset,
        before=decoded(edit.before),
        after=decoded(edit.after),
        base=digest(content),
        undoes=record.seq,
    )


def _undone(record: Record) -> Undone:
    before, after = record.before or "", record.after or ""
    if record.action == Action.REMEMBER:
        after = decoded(fact_lines(encoded(after), record.target))
    removed = "" if record.action == Action.FORGET else after
    return Undone(record.action, record.path, removed, before, record.at)
