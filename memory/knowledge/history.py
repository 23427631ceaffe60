"""What was done to a memory: its journal as a person reads it."""

from __future__ import annotations

from dataclasses import dataclass

from memory.files.records import Action
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
        sources: what the fact was derived from: turns, and lines of files as `path#L12`.
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
    sources: tuple[str, ...] = ()


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
    known = context.journal.state
    numbers = {seq for seqs in known.operations.values() for seq in seqs}
    found: list[JournalEntry] = []
    for seq in sorted(numbers, reverse=True):
        record = context.journal.record(seq)
        if len(found) == limit:
            break
        if scope in {OWNER, record.scope} and (not wanted or wanted in {record.target, record.path}):
            after = "" if record.action == Action.FORGET else record.after or ""
            if record.action == Action.REMEMBER:
                after = decode(fact_lines(encode(after), record.target))  # without a heading that it brought
            entry = JournalEntry(
                seq=seq,
                at=record.at,
                action=record.action,
                actor=record.actor,
                op_id=record.op_id,
                path=record.path,
                id=record.target,
                before=record.before or "",
                after=after,
                is_undone=seq in known.undone,
                sources=record.sources,
            )
            found.append(entry)
    return tuple(found)
