"""What somebody wrote into a memory, and how nothing of it is left in the journal."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory.journal.maintenance import Blanking, Whose, purge
from memory.journal.records import Action, Record
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.history import lines_of
from memory.types import OWNER, Scope


@dataclass(frozen=True, slots=True)
class AuthoredFact:
    """A fact that somebody told: its id, who may see it, its lines if the journal has them, whether it can be found."""

    id: str
    scope: Scope
    text: str
    is_there: bool


def facts_by(context: KnowledgeContext, whose: Whose) -> tuple[AuthoredFact, ...]:
    """Return what somebody told that is to be found, or of which the journal still has the text."""
    remembered = [(record, lines_of(record)) for record in _remembered(context, whose)]
    there = {record.target for record, _ in remembered if context.index.find(record.target, scope=record.scope)}
    facts = (AuthoredFact(record.target, record.scope, text, record.target in there) for record, text in remembered)
    return tuple(fact for fact in facts if fact.text or fact.is_there)


def scopes(context: KnowledgeContext) -> frozenset[Scope]:
    """Return where something was told: the owner's, and the chats whose facts the journal knows."""
    context.journal.refresh()
    return frozenset({OWNER, *(written.scope for written in context.journal.state.provenance.values())})


def unpurged(context: KnowledgeContext, prefix: str) -> tuple[str, ...]:
    """Return the operations with ids that begin like this of which the journal has texts of what they forgot."""
    context.journal.refresh()
    state = context.journal.state
    left = {forgetting.seq for forgetting in state.forgotten.values() if not forgetting.blanked}
    return tuple(name for name, seqs in state.operations.items() if name.startswith(prefix) and left.intersection(seqs))


def blank_by(context: KnowledgeContext, whose: Whose) -> None:
    """Take the texts out of all records of the journal that somebody made, or that are about what they told."""
    ahead = context.writer.ahead
    with ahead.hold():
        records = [replace(record, before=lines_of(record)) for record in _remembered(context, whose)]
        purge(context.workspace, context.journal, Blanking(records, lambda _: False, str, by=whose))
        ahead.save_rewritten()


def _remembered(context: KnowledgeContext, whose: Whose) -> list[Record]:
    """Return the records of what somebody told."""
    journal = context.journal
    journal.refresh()
    operations = dict.fromkeys(written.op_id for written in journal.state.provenance.values() if whose(written.actor))
    records = (record for name in operations for record in journal.operation(name))
    return [record for record in records if record.action == Action.REMEMBER and whose(record.actor)]
