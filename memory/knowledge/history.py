"""What was done to a memory: its journal as a person reads it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from memory.errors import NotFound, PathRefused, Unparsable
from memory.files.markdown import blocks, given_id
from memory.files.notation import parse_fact
from memory.files.workspace import SINGLE_BYTES
from memory.index.owners import whole_name
from memory.index.types import LinkKind
from memory.journal.edits import decode, encode, fact_lines
from memory.journal.records import LIVING, SUPERSEDED, Action, Record
from memory.knowledge.context import KnowledgeContext
from memory.recall.passages import to_hit
from memory.types import OWNER, Fact, Hit, Kind, Scope

MAX_LOOKED_AT = 200
"""Records of one operation among which that of a fact is looked for: an import is one, and has thousands."""
MAX_EVENTS = 50
"""Events of one fact's life that are returned, the newest."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One record of the journal.

    Attributes:
        seq: its number; a later one is greater.
        at: ISO instant.
        action: what was done, as `memory.journal.records.Action` names it, or a newer version of it.
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
    """Return the last changes in a scope, newest first; the owner sees those of all scopes.

    They may be `about` one fact, by its id (with or without `^`), or one file; else what happens by the way is left
    out.
    """
    wanted = about.strip().removeprefix("^")
    context.journal.refresh()
    state = context.journal.state  # a record is read from its file: only those that may be meant
    numbers = state.about(wanted) if wanted else {seq for seqs in state.operations.values() for seq in seqs}
    records = (
        record
        for record in map(context.journal.record, sorted(numbers, reverse=True))
        if scope in {OWNER, record.scope}
        and (wanted in {record.target, record.path} if wanted else record.action not in {Action.REVIEW, Action.LINK})
    )
    return tuple(_entry(context, record) for record in islice(records, limit))


def lines_of(record: Record) -> str:
    """Return the lines of a fact alone, without a heading that it brought; empty if they were blanked."""
    return decode(fact_lines(encode(record.after), record.target)) if record.after else ""


def _entry(context: KnowledgeContext, record: Record) -> JournalEntry:
    """Return a record as a person reads it."""
    after = "" if record.action == Action.FORGET else (record.after or "").translate(SINGLE_BYTES)
    if record.action == Action.REMEMBER:
        after = lines_of(record)
    return JournalEntry(
        seq=record.seq,
        at=record.at,
        action=record.action,
        actor=record.actor,
        op_id=record.op_id,
        path=record.path,
        id=record.target,
        before=(record.before or "").translate(SINGLE_BYTES),
        after=after,
        is_undone=record.seq in context.journal.state.undone,
        sources=record.sources,
    )


@dataclass(frozen=True, slots=True)
class FactRecord:
    """What the journal says of one fact, whether it is still there or not.

    Attributes:
        written: its writing; None if it was written by hand.
        forgotten: how it was taken away; None if it was not, or was put back.
        events: how it lived on, newest first: reviews, pins, links, merges.
        replaces: how the facts were taken away that it took the place of.
        replaced_by: the id of the fact that took its place; empty for none.
    """

    written: JournalEntry | None
    forgotten: JournalEntry | None
    events: tuple[JournalEntry, ...]
    replaces: tuple[JournalEntry, ...]
    replaced_by: str


def fact_record(context: KnowledgeContext, id: str, *, scope: Scope) -> FactRecord:
    """Return what the journal says of a fact; nothing of one of another scope."""
    name = whole_name(given_id(id))
    journal = context.journal
    journal.refresh()
    known, gone = journal.state.provenance.get(name), journal.state.forgotten.get(name)

    def about(op_id: str, *actions: Action) -> list[Record]:
        numbers = journal.state.operations.get(op_id, ())
        records = (journal.record(seq) for seq in islice(numbers, MAX_LOOKED_AT))
        return [record for record in records if record.action in actions and record.scope == scope]

    own = about(known.op_id, Action.REMEMBER, Action.IMPORT) if known else []
    written = next((record for record in own if record.action == Action.IMPORT or record.target == name), None)
    forgotten = journal.record(gone.seq) if gone else None
    if forgotten and forgotten.scope != scope:
        forgotten = None
    events = (journal.record(event.seq) for event in reversed(journal.state.lives.get(name, ())[-MAX_EVENTS:]))
    by = forgotten.op_id.removesuffix(SUPERSEDED) if forgotten and forgotten.op_id.endswith(SUPERSEDED) else ""
    replaced = about(f"{known.op_id}{SUPERSEDED}", Action.FORGET) if known else []
    return FactRecord(
        written=_entry(context, written) if written else None,
        forgotten=_entry(context, forgotten) if forgotten else None,
        events=tuple(_entry(context, record) for record in events if record.action in LIVING and record.scope == scope),
        replaces=tuple(_entry(context, record) for record in replaced if record.seq not in journal.state.undone),
        replaced_by=next((record.target for record in about(by, Action.REMEMBER)), ""),
    )


def whole_fact(context: KnowledgeContext, id: str, *, scope: Scope) -> Fact | None:
    """Return a fact to the letter, as its file has it, however long; None if that is no fact of the workspace.

    Raises `Unreadable`, `TooLarge` if the file cannot be read.
    """
    stored = context.find(given_id(id), scope)
    if stored is None or stored.unit.kind is Kind.NOTE:
        return None
    with suppress(NotFound, PathRefused, Unparsable):  # it has just been changed, or is in an extra folder
        text, _ = context.workspace.read_lenient(stored.path)
        block = next((block for block in blocks(text) if block.start == stored.unit.start), None)
        return parse_fact(block.text, kind=stored.unit.kind) if block else None
    return None


@dataclass(frozen=True, slots=True)
class LinkedFact:
    """A fact that another is linked to, why, and how closely, from 0 to 1."""

    fact: Hit
    kind: LinkKind
    weight: float


def linked_facts(context: KnowledgeContext, id: str, *, scope: Scope) -> tuple[LinkedFact, ...]:
    """Return what a fact is linked to, the closest first; of several that say the same, one."""
    index = context.index
    here = index.find(given_id(id), scope=scope)
    links = index.links.neighbours([here.id], scope=scope) if here else []
    hits = {stored.id: to_hit(stored) for stored in index.stored([link.target for link in links], scope=scope)}
    linked = [LinkedFact(hits[link.target], link.kind, link.weight) for link in links if link.target in hits]
    return tuple({fact.fact.content: fact for fact in reversed(linked)}.values())[::-1]
