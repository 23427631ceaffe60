"""What was done to a memory: its journal as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from memory.files.journal import Action, Record
from memory.files.recovery import decode, encode, fact_lines
from memory.knowledge.context import KnowledgeContext
from memory.types import OWNER, Scope


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One record of the journal.

    Attributes:
        seq: its number; a later one is greater.
        at: ISO instant.
        action: what was done, as `memory.files.journal.Action` names it, or a newer version of it.
        actor: who asked for it, as the journal calls them.
        op_id: the operation.
        path: the file; empty if none was changed.
        id: the fact that it is about, or empty.
        before, after: the text that went, and that came; empty where there is none, or where it was blanked.
        is_undone: whether it was taken back later.
    """

    seq: int
    at: str
    action: str
    actor: str
    op_id: str
    path: str
    id: str
    before: str
    after: str
    is_undone: bool


def changes(context: KnowledgeContext, *, limit: int, scope: Scope, about: str = "") -> tuple[JournalEntry, ...]:
    """Return the last changes, newest first.

    Args:
        context: the open memory.
        limit: at most so many.
        scope: whose; the owner sees those of all scopes.
        about: an id of a fact (with or without `^`), or a file; empty for all.

    Raises:
        JournalBroken, Unreadable: the journal cannot be read.
    """
    wanted = about.strip().removeprefix("^")
    context.journal.refresh()
    records = (record for record in _records(context) if scope in {OWNER, record.scope})
    chosen = (record for record in records if not wanted or wanted in {record.target, record.path})
    undone = context.journal.state.undone
    return tuple(_change(record, is_undone=record.seq in undone) for record in islice(chosen, max(0, limit)))


def _records(context: KnowledgeContext) -> Iterator[Record]:
    """Yield all records, newest first."""
    numbers = {seq for seqs in context.journal.state.operations.values() for seq in seqs}
    yield from (context.journal.record(seq) for seq in sorted(numbers, reverse=True))


def _change(record: Record, *, is_undone: bool) -> JournalEntry:
    before, after = record.before or "", record.after or ""
    if record.action == Action.REMEMBER:
        after = decode(fact_lines(encode(after), record.target))  # without a heading that it brought
    if record.action == Action.FORGET:
        after = ""
    return JournalEntry(
        seq=record.seq,
        at=record.at,
        action=record.action,
        actor=record.actor,
        op_id=record.op_id,
        path=record.path,
        id=record.target,
        before=before,
        after=after,
        is_undone=is_undone,
    )
