"""Proposals: changes to the files that are always loaded, which the owner accepts, edits or rejects.

They are records of the journal, so that they outlive the index. A proposal is named by what it would change: the same
one is never made twice, and one that was rejected never comes back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b

from memory.errors import Conflict, Error, NotFound
from memory.files.markdown import split_lines
from memory.files.paths import admit
from memory.files.workspace import state
from memory.journal.edits import decode
from memory.journal.records import Action, Operation, Record
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection.stance import Stance, stance
from memory.language.guidance import is_first_person
from memory.recall import profile
from memory.recall.profile import ProfileSuggestions
from memory.types import OWNER, Origin

PATHS = ("USER.md", "MEMORY.md")
"""What may be proposed to be changed."""
ACCEPTED = "/accept"
"""Ends the id of the operation that notes an acceptance, beside the one that changes the file."""
MAX_OPEN = 20
"""Proposals that wait at once: a longer list nobody works through."""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a file that would be another.

    Attributes:
        path: one of `PATHS`.
        before: the line that would go, as it stands; empty to add one at the end.
        after: the line that would stand there; empty to take `before` away.
        reason: why, in a sentence for a person, with the places that it rests on.
        evidence: ids of these facts: where one is forgotten, the proposal goes as well.
    """

    path: str
    before: str
    after: str
    reason: str
    evidence: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Name of the change: equal for equal changes, whatever they rest on."""
        joined = f"{self.path}\0{self.before}\0{self.after}"
        return "p" + blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that waits for a decision: its id, and the ISO instant at which it was made."""

    id: str
    at: str
    change: Change


def suggest(context: KnowledgeContext, *, op_id: str, actor: str) -> tuple[Proposal, ...]:
    """Propose what ought to be in the files that are always loaded; return what is new."""
    offered = profile.offer(context.index, scope=OWNER)
    return propose(context, guidance(offered), Operation(op_id, actor, Origin.SYSTEM, OWNER))


def propose(context: KnowledgeContext, changes: Iterable[Change], operation: Operation) -> tuple[Proposal, ...]:
    """Propose changes as far as there is room, except those that were proposed or made already; returns the new ones.

    Raises `ValueError` for a change of a file that is not among `PATHS`, or not of one line.
    """
    changes = tuple(changes)
    for change in changes:
        if change.path not in PATHS or change.before == change.after or "\n" in change.before + change.after:
            raise ValueError(f"{change} is no change of one line of {' or '.join(PATHS)}.")
    proposed = context.journal.state.proposed
    fresh = {change.id: change for change in changes if change.id not in proposed and _is_possible(context, change)}
    due = dict([*fresh.items()][: max(0, MAX_OPEN - len(waiting(context)))])
    texts = {name: json.dumps(asdict(change), ensure_ascii=False) for name, change in due.items()}
    context.writer.note(texts, operation, Action.PROPOSE)
    return tuple(proposal for proposal in waiting(context) if proposal.id in due)


def waiting(context: KnowledgeContext) -> tuple[Proposal, ...]:
    """Return what waits for a decision, can still be carried out and was not told otherwise since, oldest first."""
    context.journal.refresh()
    state = context.journal.state
    made = [proposal for seq in state.proposed.values() for proposal in _read(context.journal.record(seq))]
    told = [one for one in made if state.forgotten.keys().isdisjoint(one.change.evidence)]

    def is_denied(proposal: Proposal) -> bool:
        later = told[told.index(proposal) + 1 :] if not proposal.change.before else ()
        return any(stance(proposal.change.after, one.change.after) is Stance.CONTRADICTS for one in later)

    undecided = (one for one in told if not state.is_decided(one.id) and _is_possible(context, one.change))
    return tuple(one for one in undecided if not is_denied(one))


def accept(context: KnowledgeContext, id: str, *, text: str = "", op_id: str, actor: str) -> Change:
    """Carry a proposal out, with the owner's own text instead of its line if there is one; `undo` takes it back.

    The text becomes one line, and an item of a list if it is neither that nor a heading. A known operation changes
    nothing more. Returns what was changed.

    Raises:
        NotFound: no such proposal waits, or its line is not what it was.
        SecretFound: the text looks like it holds a secret.
        Conflict, WriteFailed, Busy: the file is being changed, or the disk refused.
    """
    context.check_secrets(text)
    change = _find(context, id, op_id)
    line = " ".join(text.split())
    is_item = not line or line.startswith(("- ", "* ", "#"))
    made = replace(change, after=(line if is_item else f"- {line}") or change.after)
    if not context.journal.operation(op_id):
        content = context.workspace.content_at(admit(change.path))
        page = _changed(decode(content or b""), made)
        operation = Operation(op_id, actor, Origin.OWNER, OWNER)
        context.writer.replace(change.path, page, operation, expected=state(content))
        context.index_manager.refresh([change.path])
    decision = Operation(f"{op_id}{ACCEPTED}", actor, Origin.OWNER, OWNER)
    context.writer.note({change.id: made.after}, decision, Action.ACCEPT)
    return made


def reject(context: KnowledgeContext, id: str, *, op_id: str, actor: str) -> Change:
    """Drop a proposal for good: the same one is never made again. Raises `NotFound` if no such proposal waits."""
    change = _find(context, id, op_id)
    context.writer.note({change.id: ""}, Operation(op_id, actor, Origin.OWNER, OWNER), Action.REJECT)
    return change


def _find(context: KnowledgeContext, id: str, op_id: str) -> Change:
    """Return the change of a proposal that waits, or that this operation has decided about."""
    wanted, journal = id.strip().lower(), context.journal
    journal.refresh()
    seq = journal.state.proposed.get(wanted)
    proposal = next(_read(journal.record(seq)), None) if seq else None
    begun = (*journal.operation(op_id), *journal.operation(f"{op_id}{ACCEPTED}"))
    is_decided = journal.state.is_decided(wanted) and wanted not in {record.target for record in begun}
    if proposal is None or is_decided:
        raise NotFound(f"No proposal `{wanted}` waits.", hint="`/review` shows those that do.")
    is_forgotten = not journal.state.forgotten.keys().isdisjoint(proposal.change.evidence)
    if not begun and (is_forgotten or not _is_possible(context, proposal.change)):
        message = f"{proposal.change.path} has been changed since this was proposed, so it was dropped."
        raise NotFound(message, hint="`/review` shows those that wait.")
    return proposal.change


def _is_possible(context: KnowledgeContext, change: Change) -> bool:
    try:
        lines = {line.strip() for line in split_lines(context.workspace.read_lenient(change.path)[0])}
    except NotFound:
        lines = set()
    except Error:
        return False  # a file that cannot be read cannot be changed, and `problems` tells of it
    return (not change.before or change.before in lines) and (not change.after or change.after not in lines)


def guidance(offered: ProfileSuggestions) -> Iterator[Change]:
    """Yield the changes that put guidance where every conversation has it, unless something told later denies it."""
    own = [guide for guide in offered.guides if guide.standing or is_first_person(guide.text)]  # not what others prefer
    told = sorted(own, key=lambda guide: (guide.time or "", guide.source.path, guide.source.start))
    for guide in own:
        if any(stance(guide.text, one.text) is Stance.CONTRADICTS for one in told[told.index(guide) + 1 :]):
            continue
        what = "You asked for this" if guide.standing else "You told this preference or need"
        when = f" on {guide.time[:10]}" if guide.time else ""
        yield Change(PATHS[0], "", f"- {guide.text}", f"{what}{when} (`{guide.source}`).", (guide.id,))


def _read(record: Record) -> Iterator[Proposal]:
    """Yield what a record proposes; nothing if its text was blanked or is another version's."""
    try:
        fields = json.loads(record.after or "")
        change = Change(**{**fields, "evidence": tuple(fields["evidence"])})
    except (ValueError, TypeError, KeyError):
        return
    yield Proposal(record.target, record.at, change)


def _changed(page: str, change: Change) -> str:
    """Return a page with the change made; raises `Conflict` if its line is gone."""
    newline = "\r\n" if "\r\n" in page else "\n"
    if not change.before:
        above = page if not page or page.endswith("\n") else page + newline
        return f"{above}{change.after}{newline}"
    lines = page.split("\n")
    at = next((n for n, line in enumerate(lines) if line.strip() == change.before), None)
    if at is None:
        raise Conflict(f"{change.path} has been changed since this was proposed.", hint="Look at `/review` again.")
    line = lines[at]
    lines[at : at + 1] = [line.replace(change.before, change.after)] if change.after else []
    return "\n".join(lines)
