"""Reflection: opinions moved by what was said since, and the pages that follow from facts written anew.

Nothing is decided by it: facts stay where they stand, contradictions are shown, and what would change `USER.md` or
`MEMORY.md` is proposed. A run that finds nothing new writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache

from memory.errors import Conflict, NotFound, PathRefused, TooLarge, Unparsable
from memory.files.managed import WHOLE, read_part, write_part
from memory.files.markdown import page_properties
from memory.files.paths import admit, original, page_name
from memory.files.workspace import state
from memory.index.owners import is_piece
from memory.index.terms import entity_key
from memory.index.types import Stored
from memory.index.units import REDIRECT
from memory.journal.edits import decode
from memory.journal.records import Action, Operation
from memory.journal.writer import DERIVED
from memory.knowledge import proposals
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.proposals import Change, Proposal
from memory.knowledge.reflection import opinions, pages
from memory.knowledge.reflection.opinions import Move, observed_day
from memory.knowledge.reflection.stance import Judge, stance
from memory.knowledge.reflection.succession import Standing, stand
from memory.privacy.traces import PhraseIndex, phrase
from memory.recall import profile
from memory.recall.filters import FACTS
from memory.types import OWNER, Filter, Origin

MAX_FACTS = 50_000
"""Facts that are looked at, the newest."""
MAX_DROPPED = 0.1
"""The share of a page's entries that one run may leave out although their facts are still there."""
MIN_ENTRIES = 10
"""Entries of a page from which that share is looked at."""
TRIES = 3


@dataclass(frozen=True, slots=True)
class PageChange:
    """One page as it was and as it is; `kept` are a person's lines that stood in its generated part."""

    path: str
    before: str
    after: str
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both hold, as they are said, with their places."""

    earlier: str
    later: str
    places: tuple[str, str]


@dataclass(slots=True)
class Reflection:
    """What a run wrote, or would, and found; `left` has the paths that were not written, and why."""

    pages: list[PageChange] = field(default_factory=list)
    moves: tuple[Move, ...] = ()
    contradictions: list[Contradiction] = field(default_factory=list)
    proposals: tuple[Proposal, ...] = ()
    left: dict[str, str] = field(default_factory=dict)


def reflect(
    context: KnowledgeContext,
    *,
    since: date | None = None,
    dry_run: bool = False,
    op_id: str,
    actor: str,
    judge: Judge = stance,
) -> Reflection:
    """Take in what was said, and write what follows from it.

    Args:
        since: only facts of this day and later count as evidence, and only pages of entities that they name are
            looked at; None for all.
        op_id: of this run, without a prefix; each page has its own below it.
        judge: what `prepare` has judged beforehand.

    Raises:
        WriteFailed, Busy: the disk refused, or another process keeps writing; what was written stays, and the next
            run goes on from there.
    """
    run = PageRun(context, op_id=op_id, actor=actor, dry_run=dry_run)
    first = since.isoformat() if since else ""
    facts = gather(context)
    fresh = [fact for fact in facts if observed_day(fact) >= first]

    def weigh(page: str) -> tuple[str, tuple[str, ...]]:
        after, run.found.moves = opinions.reflect(
            page, fresh, source_of=lambda name: context.journal.author(name) or "hand", judge=judge
        )
        return after, ()

    run.write(opinions.PATH, weigh)
    if run.found.pages:
        facts = gather(context)
    # What a bullet of the page of opinions was taken from is on that page already.
    carried = {piece.id for fact in facts for piece in fact.unit.evidence if not piece.step}
    facts = [fact for fact in facts if fact.unit.name not in carried]
    today = context.today
    aliases, known = entity_pages(context)
    standing = stand(facts, today=today, aliases=aliases, judge=judge)
    entities = pages.find_entities(facts, aliases)
    paged = [
        replace(entity, name=page_name(known[entity.key])) if entity.key in known else entity
        for entity in entities
        if len(entity.facts) >= pages.MIN_FACTS or entity.key in known
    ]
    names = {entity.key: page_name(known.get(entity.key, entity.path)) for entity in paged}
    head = pages.ENTITY_HEAD.format(today.isoformat())
    for entity in paged:
        if any(observed_day(fact) >= first for fact in entity.facts):
            body = pages.entity_page(entity, standing, names)
            run.write_part(known.get(entity.key, entity.path), body, head=head, keeps=pages.is_summed_up)
    run.write_part(pages.WORLD, pages.world_page(facts, standing, aliases, names), head="")
    run.write_part(pages.EXPERIENCE, pages.experience_page(facts), head="")
    by_name = {fact.unit.name: fact for fact in facts}
    for pair in standing.conflicts:
        earlier, later = (by_name[name] for name in pair)
        places = (f"{earlier.path}#L{earlier.unit.start}", f"{later.path}#L{later.unit.start}")
        run.found.contradictions.append(Contradiction(earlier.unit.statement, later.unit.statement, places))
    if not dry_run:
        run.found.proposals = _propose(context, run.operation, standing, by_name)
    return run.found


def prepare(context: KnowledgeContext) -> Callable[[], Judge]:
    """Return what judges how all facts stand to each other, on whichever thread it is called.

    A `reflect` that is given these judgements does not hold the memory's own thread for seconds while answers wait.
    """
    facts, page = gather(context), decode(context.workspace.content_at(admit(opinions.PATH)) or b"")
    (aliases, _), today = entity_pages(context), context.today

    def judge_all() -> Judge:
        judge = cache(stance)
        opinions.reflect(page, facts, source_of=str, judge=judge)
        stand(facts, today=today, aliases=aliases, judge=judge)
        return judge

    return judge_all


def gather(context: KnowledgeContext) -> list[Stored]:
    """Return the owner's facts in order of the days on which they were said; nothing that others said.

    A fact that another one stands for is not among them, nor is the copy of a line, or of it in a version of its file.
    """
    merged = {fact.id for fact in context.index.lives.facts(scope=OWNER) if fact.merged}
    listed = context.list_units(Filter(kinds=FACTS), scope=OWNER, limit=MAX_FACTS)
    own = (fact for fact in listed if not fact.unit.origin.is_foreign)
    whole = (fact for fact in own if not is_piece(fact.unit.name))
    facts = [fact for fact in whole if fact.id not in merged and not fact.path.startswith("extra/")]
    first = dict[tuple[str, str], Stored]()
    there = {(fact.path, fact.unit.statement) for fact in facts}
    facts = [
        fact for fact in facts if (of := original(fact.path)) == fact.path or (of, fact.unit.statement) not in there
    ]
    for fact in sorted(facts, key=lambda fact: (observed_day(fact), fact.path, fact.order)):
        first.setdefault((fact.unit.name.partition("-")[0], fact.unit.statement), fact)  # its copy is called `ID-2`
    return list(first.values())


def forget_sources(
    context: KnowledgeContext,
    names: frozenset[str],
    texts: Sequence[str] = (),
    *,
    op_id: str,
    actor: str,
    keeps_opinions: bool = False,
) -> None:
    """Take what was made of facts that are gone out of the pages; a page that is being edited follows later.

    Only those pages are read that were generated after one of the facts was written, all if the journal does not know
    when that was. The facts are named by their ids, and by what they say. With `keeps_opinions` opinions stay that
    came in by one of them.
    """
    run, journal = PageRun(context, op_id=op_id, actor=actor), context.journal.state
    changes, written = journal.changes, [journal.provenance.get(name) for name in names]
    numbers = (journal.operations[record.op_id][0] if record else 0 for record in written)
    said = PhraseIndex(filter(None, map(phrase, texts)))
    first = 0 if texts else min(numbers, default=0)
    for path in context.index.files():
        if path == opinions.PATH:
            run.write(path, lambda page: (opinions.without(page, names, keeps=keeps_opinions), ()))
        elif path.startswith("bank/") and (path not in changes or changes[path][-1] > first):
            run.remove(path, names, said)  # of pages that people renamed or brought, the journal knows nothing


class PageRun:
    """One run: writes pages as operations of their own, and keeps what came of it."""

    def __init__(self, context: KnowledgeContext, *, op_id: str, actor: str, dry_run: bool = False) -> None:
        self.found = Reflection()
        self.operation = Operation(f"{DERIVED}{op_id}", actor, Origin.SYSTEM, OWNER)
        self._context = context
        self._dry_run = dry_run

    def write_part(self, path: str, body: str, *, head: str, keeps: Callable[[str, str], bool] | None = None) -> None:
        """Write the generated part of a page, which begins with `head` if there is none; nothing without a body.

        What `keeps` says of the part as it is and as it would be leaves it alone.
        """
        try:
            is_missing = self._context.workspace.content_at(admit(path)) is None
        except PathRefused as error:  # a name that some systems keep for devices
            self.found.left[path] = str(error)
            return
        if is_missing and not body:
            return

        def change(page: str) -> tuple[str, tuple[str, ...]]:
            part = read_part(page)
            if part is not None:
                if keeps is not None and keeps(part, body):
                    return page, ()
                self._check_dropped(path, part, body)
            return write_part(page or head, body, was=last_written(self._context, path))

        self.write(path, change)

    def remove(self, path: str, names: frozenset[str], said: PhraseIndex) -> None:
        """Take facts out of a page's generated part, or its lines that look it without marks; an empty page goes."""

        def change(page: str) -> tuple[str, tuple[str, ...]]:
            if not pages.repeats(page, names, said):
                return page, ()
            try:
                part = read_part(page)
            except Unparsable:
                return pages.without_lines(page, names, said), ()
            if part is None:
                return page, ()
            lines, was = [line.rstrip() for line in part.split("\n")], last_written(self._context, path)
            known = {line.rstrip() for line in (part if was is None else was).split("\n")}  # else a person's
            known |= {line for line in lines if pages.repeats(line, names, said)}
            body = pages.without("\n".join(line for line in lines if line in known), names, said)
            after, kept = write_part(page, body, was="\n".join(known))
            rest = WHOLE.sub("", after).replace("\r\n", "\n")
            return "" if not body and pages.BARE.fullmatch(rest) else after, kept

        self.write(path, change)

    def write(self, path: str, change: Callable[[str], tuple[str, tuple[str, ...]]]) -> None:
        """Write a page as `change` makes it of what it is, unless that is the same; a page that is edited is left."""
        for _ in range(TRIES):
            content = self._context.workspace.content_at(admit(path))
            before = decode(content or b"")
            try:
                after, kept = change(before)
                if after == before:
                    return
                if not self._dry_run:
                    operation = replace(self.operation, op_id=f"{self.operation.op_id}:{path}")
                    self._context.writer.replace(path, after, operation, expected=state(content))
                    self._context.index_manager.refresh([path])
            except Conflict as error:
                self.found.left[path] = str(error)
            except (Unparsable, TooLarge) as error:
                self.found.left[path] = str(error)
                return
            else:
                self.found.left.pop(path, None)
                self.found.pages.append(PageChange(path, before, after, kept))
                return

    def _check_dropped(self, path: str, known: str, body: str) -> None:
        """Refuse a part without many of the facts that it had and that are still there; raises `TooLarge`."""
        before = pages.linked_ids(known)
        gone = before - pages.linked_ids(body)
        alive = [life for life in self._context.index.lives.facts(scope=OWNER, names=gone) if not life.merged]
        if len(before) >= MIN_ENTRIES and len(alive) > MAX_DROPPED * len(before):
            message = f"{path} would lose {len(alive)} of its {len(before)} entries, so it was left as it is."
            raise TooLarge(message, hint="Look at it, and remove its generated part if it may be written anew.")


def last_written(context: KnowledgeContext, path: str) -> str | None:
    """Return what was generated in a page last, as the journal has it; None if it does not."""
    for seq in reversed(context.journal.state.changes.get(path, ())):
        record = context.journal.record(seq)
        if record.action == Action.REPLACE and record.op_id.startswith(DERIVED):
            return read_part(record.after) if record.after else None
    return None


def entity_pages(context: KnowledgeContext) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the keys of other names with whom they name, and of entities that have a page with its path."""
    aliases: dict[str, str] = {}
    paths: dict[str, str] = {}
    for path in sorted(context.index.files()):
        if not path.startswith(pages.FOLDER):
            continue
        key = entity_key(page_name(path))
        paths.setdefault(key, path)
        try:
            stated = page_properties(context.workspace.read_lenient(path)[0])
        except NotFound:
            continue
        if target := stated.get(REDIRECT):
            aliases[key] = entity_key(str(target))
            del paths[key]
            continue
        names = stated.get("aliases", [])
        for alias in [names] if isinstance(names, str) else names:
            aliases.setdefault(entity_key(alias), key)
    resolved = {}
    for name, target in aliases.items():
        key, seen = target, {name}
        while key in aliases and key not in paths and key not in seen:  # who was merged twice
            seen.add(key)
            key = aliases[key]
        if name and name not in paths:
            resolved[name] = key
    return resolved, paths


def _propose(
    context: KnowledgeContext, operation: Operation, standing: Standing, facts: Mapping[str, Stored]
) -> tuple[Proposal, ...]:
    changes: list[Change] = []
    for earlier, later in standing.superseded.items():  # lines that are always loaded and whose place a newer one took
        old, new = facts[earlier], facts[later]
        line = old.unit.text.strip()
        if old.path in proposals.PATHS and new.path not in proposals.PATHS and "\n" not in line:
            after = f"- {' '.join(new.unit.statement.split())}"
            reason = f"You said so later, on {observed_day(new)} (`{new.path}#L{new.unit.start}`)."
            changes.append(Change(old.path, line, after, reason, (later,)))
    changes += proposals.guidance(profile.offer(context.index, scope=OWNER))
    return proposals.propose(context, changes, replace(operation, op_id=f"{operation.op_id}:proposals"))
