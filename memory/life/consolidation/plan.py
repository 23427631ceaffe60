"""The plan of a consolidation: noted before anything is written, carried out step by step, taken back as a whole.

All ids, texts and instants of the steps follow from the plan, so that one which is broken off and finished later
leaves the same bytes. No line that stands is rewritten: an original is marked in the journal as merged into the fact
that stands for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from functools import partial
from hashlib import blake2b
from itertools import count

from memory.errors import NotFound, NotUndoable, TooLarge, Unparsable
from memory.files.notation import parse_fact
from memory.files.workspace import digest
from memory.index.types import Stored
from memory.journal.placement import Placement
from memory.journal.records import Action, Operation, Record
from memory.journal.writer import CONSOLIDATED, Planned, Undone
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection.opinions import observed_day
from memory.life.consolidation.promote import PAGES, confidence_of, is_sure, promoted, to_fact
from memory.ports import instant
from memory.types import OWNER, Evidence, Fact, Origin

AT_ONCE = 100
"""Records that are written between two chances for others to use the thread."""

_LETTERS = "0123456789abcdefgjkmnpqrstvwxyz"  # as in ids that are drawn by lot, without the `h` that begins others


@dataclass(frozen=True, slots=True)
class Episode:
    """A fact to be written for several statements.

    Attributes:
        line: the fact in notation, without an id.
        day: the log's, ISO.
        origin: whose words they are.
        made_of: ids of the statements, each with `check_of` what it said.
        sources: where they stand.
        hides: ids of those that it stands for from now on.
    """

    line: str
    day: str
    origin: str
    made_of: Mapping[str, str]
    sources: tuple[str, ...]
    hides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """A fact that stands for others which say the same: its id and check, and theirs."""

    into: str
    check: str
    targets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Promotion:
    """A fact that comes into `bank/`: its id and check."""

    id: str
    check: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run writes, and what a model was asked for to make it: requests, and tokens by a rough count."""

    episodes: tuple[Episode, ...] = ()
    merges: tuple[Merge, ...] = ()
    promotions: tuple[Promotion, ...] = ()
    calls: int = 0
    tokens: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything to be written, or to be counted."""
        return bool(self.episodes or self.merges or self.promotions or self.calls)


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a run came to, or a dry one would come to.

    Attributes:
        op_id: by which it is taken back; empty if nothing was written.
        reason: why statements were not looked through; empty if they were.
        entries: how many were.
        plan: what was to be written.
        written: ids and texts of the facts that were written.
        hidden: how many statements another one stands for now.
        promoted: ids and texts of the facts that came into `bank/`.
        is_resumed: it is an earlier run, which had been interrupted.
    """

    op_id: str = ""
    reason: str = ""
    entries: int = 0
    plan: Plan = Plan()
    written: Mapping[str, str] = field(default_factory=dict)
    hidden: int = 0
    promoted: Mapping[str, str] = field(default_factory=dict)
    is_resumed: bool = False


def check_of(text: str) -> str:
    """Return what a text is recognised by when the plan is carried out: by then it may have been edited."""
    return digest(text)[:12]


def source_of(fact: Stored) -> str:
    """Return where a fact stands, as the sources of what is made of it tell."""
    return f"{fact.path}#^{fact.unit.name}"


def plans(context: KnowledgeContext) -> Iterator[Record]:
    """Yield the records of plans, the newest first."""
    state = context.journal.state
    for name in reversed(state.operations):
        if name.startswith(CONSOLIDATED) and ":" not in name.removeprefix(CONSOLIDATED):
            yield context.journal.record(state.operations[name][0])


def last_plan(context: KnowledgeContext) -> Record | None:
    """Return the record of the newest plan; None if there is none."""
    context.journal.refresh()
    return next(plans(context), None)


def note_plan(context: KnowledgeContext, plan: Plan, actor: str) -> Record:
    """Write a plan into the journal; an episode that may hold a secret is left out."""
    plan = replace(plan, episodes=tuple(episode for episode in plan.episodes if not context.is_secret(episode.line)))
    details = json.loads(json.dumps(asdict(plan)))
    lines = "\n".join(episode.pop("line") for episode in details["episodes"])
    context.journal.refresh()
    name = make_id(f"{context.journal.head()} {instant(context.clock.now())}", 0)
    operation = Operation(f"{CONSOLIDATED}{name}", actor, Origin.SYSTEM, OWNER)
    context.writer.note({"": lines}, operation, Action.CONSOLIDATE, {"": details})
    return context.journal.operation(operation.op_id)[0]


def read_plan(record: Record) -> Plan:
    """Return the plan that a record has; without its episodes, if their texts were blanked."""
    details, lines = record.details, (record.after or "").split("\n")
    episodes = [
        Episode(line, made["day"], made["origin"], made["made_of"], tuple(made["sources"]), tuple(made["hides"]))
        for line, made in zip(lines, details.get("episodes", ()), strict=False)
        if line
    ]
    return Plan(
        tuple(episodes),
        tuple(Merge(**merge) for merge in details.get("merges", ())),
        tuple(Promotion(**promotion) for promotion in details.get("promotions", ())),
        details.get("calls", 0),
        details.get("tokens", 0),
    )


def make_id(seed: str, number: int) -> str:
    """Return eight base32 characters that follow from a text: what is done again has the same ids."""
    drawn = blake2b(f"{seed} {number}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in drawn)


def carry_out(context: KnowledgeContext, record: Record, begin: int) -> tuple[int | None, bool]:
    """Carry out steps of a plan; what was done before is passed over, and so is what no longer fits the memory.

    A statement that was forgotten, edited or merged since takes what was planned for it along. Returns where to go on,
    None at the end; and whether anything was written.
    """
    context.journal.refresh()
    before = context.journal.state.last
    steps = _PlanRun(context, record).steps()
    written = 0
    while begin < len(steps) and written < AT_ONCE:
        written += steps[begin]()
        begin += 1
    return begin if begin < len(steps) else None, context.journal.state.last > before


class _PlanRun:
    """A plan that is being carried out."""

    def __init__(self, context: KnowledgeContext, record: Record) -> None:
        self._context = context
        self._record = record

    def steps(self) -> list[Callable[[], int]]:
        """Return the steps in their order; each says how many records it may have written."""
        plan, steps = read_plan(self._record), list[Callable[[], int]]()
        for number, episode in enumerate(plan.episodes):
            steps.append(partial(self._write_episode, f"episode:{number}", episode))
            steps += [partial(self._mark, f"episode:{number}", names) for names in batches(episode.hides)]
        for number, merge in enumerate(plan.merges):
            steps += [partial(self._merge, f"merge:{number}", merge, names) for names in batches(tuple(merge.targets))]
        for number, promotion in enumerate(plan.promotions):
            steps.append(partial(self._promote, f"promote:{number}", promotion))
            steps.append(partial(self._mark, f"promote:{number}", (promotion.id,)))
        return steps

    def _operation(self, step: str) -> Operation:
        planned = datetime.fromisoformat(self._record.at)
        return Operation(f"{self._record.op_id}:{step}", self._record.actor, Origin.SYSTEM, OWNER, planned)

    def _write_episode(self, step: str, episode: Episode) -> int:
        merged = self._context.journal.state.merged_into  # by another run, which has noted the same meanwhile
        if self._is_done(step) or any(map(merged, episode.made_of)):
            return 1
        if self._unchanged(episode.made_of) == {*episode.made_of}:
            day, origin = date.fromisoformat(episode.day), Origin(episode.origin)
            self._write(step, parse_fact(episode.line), origin, episode.sources, day=day)
        return 1

    def _merge(self, step: str, merge: Merge, names: tuple[str, ...]) -> int:
        alive = self._unchanged({merge.into: merge.check, **merge.targets})
        if merge.into not in alive:
            return 0
        return self._note_merges(step, [name for name in names if name in alive], merge.into)

    def _promote(self, step: str, promotion: Promotion) -> int:
        stored = find_fact(self._context, promotion.id)
        is_done = self._is_done(step) or promotion.id in promoted(self._context.journal.state)
        is_due = not is_done and self._unchanged({promotion.id: promotion.check})
        fact = to_fact(stored) if stored and is_due and is_sure(stored) else None
        if stored and fact:
            said = Evidence(observed_day(stored) or self._record.at[:10], 0.0, stored.path, stored.unit.name)
            place = Placement(PAGES[stored.unit.kind], confidence_of(stored), (said,))
            self._write(step, fact, stored.unit.origin, (source_of(stored),), page=place)
        name = self._written(step)
        if name:
            details = {name: {"from": [promotion.id]}}
            self._context.writer.note({name: ""}, self._operation(f"{step}/noted"), Action.PROMOTE, details)
        return 2

    def _write(
        self,
        step: str,
        fact: Fact,
        origin: Origin,
        sources: tuple[str, ...],
        *,
        day: date | None = None,
        page: Placement | None = None,
    ) -> None:
        """Write a fact under an id that follows from the step, unless the file does not let it in."""
        operation = replace(self._operation(step), origin=origin)
        ids = (make_id(operation.op_id, number) for number in count())
        try:
            planned = Planned(partial(next, ids), page)
            written, content = self._context.writer.remember(fact, operation, day=day, sources=sources, planned=planned)
        except (TooLarge, Unparsable):  # a fence that is open to the end of a page would swallow it
            return
        self._context.index_manager.take_in(written, content)

    def _mark(self, step: str, names: tuple[str, ...]) -> int:
        """Note that what a step has written stands for others."""
        into = self._written(step)
        alive = [name for name in names if text_of(self._context, name) is not None]
        return self._note_merges(f"{step}/merged", alive, into) if into else 0

    def _note_merges(self, step: str, names: Sequence[str], into: str) -> int:
        state = self._context.journal.state
        due = [name for name in names if not state.merged_into(name)]
        if due:
            details = {name: {"into": into} for name in due}
            self._context.writer.note(dict.fromkeys(due, ""), self._operation(step), Action.MERGE, details)
            self._context.index_manager.refresh([])
        return len(due)

    def _is_done(self, step: str) -> bool:
        return self._operation(step).op_id in self._context.journal.state.operations

    def _written(self, step: str) -> str:
        """Return the id of the fact that a step has written; empty if there is none, or it is gone again."""
        done = self._context.journal.first_record(self._operation(step).op_id)
        return done.target if done and find_fact(self._context, done.target) else ""

    def _unchanged(self, checks: Mapping[str, str]) -> set[str]:
        """Return the statements that still say what they did when the plan was made."""
        texts = {name: text_of(self._context, name) for name in checks}
        return {name for name, text in texts.items() if text is not None and check_of(text) == checks[name]}


def batches(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield names in portions between which others may use the thread."""
    for at in range(0, len(names), AT_ONCE):
        yield names[at : at + AT_ONCE]


def find_fact(context: KnowledgeContext, name: str) -> Stored | None:
    """Return a fact of the owner's scope that was not forgotten."""
    return None if name in context.journal.state.forgotten else context.find(name, OWNER)


def text_of(context: KnowledgeContext, name: str) -> str | None:
    """Return what a fact or a sensory entry says now; None if it is gone."""
    entry = context.sensory.find(name)
    if entry:
        return entry.text
    fact = find_fact(context, name)
    return fact.unit.statement if fact else None


def describe(context: KnowledgeContext, record: Record) -> Consolidation:
    """Return what a plan has come to."""
    state = context.journal.state
    written, pages, hidden = dict[str, str](), dict[str, str](), 0
    for name, numbers in state.operations.items():
        if not name.startswith(f"{record.op_id}:"):
            continue
        for done in (context.journal.record(seq) for seq in numbers if seq not in state.undone):
            fact = find_fact(context, done.target) if done.action == Action.REMEMBER else None
            if fact:
                (pages if ":promote:" in name else written)[done.target] = fact.unit.body
            hidden += done.action == Action.MERGE and ":promote:" not in name
    return Consolidation(record.op_id, plan=read_plan(record), written=written, hidden=hidden, promoted=pages)


def take_back(context: KnowledgeContext, name: str, *, op_id: str, actor: str) -> tuple[Undone, ...]:
    """Take a whole run back: the facts that it wrote go, and what they stood for stands again.

    What was edited since, or taken back or forgotten, stays as it is. `name` is the run's, with or without its prefix
    `CONSOLIDATED`, or empty for the newest run; each step that is taken back has an operation below `op_id`. Raises
    `NotFound` if there was no such run.
    """
    wanted = name.strip().removeprefix(CONSOLIDATED)
    record = next((plan for plan in plans(context) if wanted in {"", plan.op_id.removeprefix(CONSOLIDATED)}), None)
    if record is None:
        message = f"There is no consolidation {name}." if wanted else "Nothing was consolidated yet."
        raise NotFound(message, hint="`scrubjay memory journal` lists what was done.")
    steps = [step for step in context.journal.state.operations if step.startswith(f"{record.op_id}:")]
    undone = list[Undone]()
    for number, step in enumerate(reversed(steps)):
        with suppress(NotUndoable):
            operation = Operation(f"{op_id}/{number}", actor, Origin.SYSTEM, OWNER)
            undone += context.writer.undo(operation, only={step})
    context.index_manager.refresh(sorted({step.path for step in undone if step.path}))
    return tuple(undone)
