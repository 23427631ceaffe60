"""Consolidation: what was said several times becomes one statement, and what has proved itself a lasting one.

A run is planned as a whole, and the plan (`memory.life.consolidation.plan`) is in the journal before anything is
written: a run that is killed is finished by the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from memory.capture.draft import draft, read_fact
from memory.files.notation import format_fact
from memory.index.owners import is_piece
from memory.index.types import Stored
from memory.journal.records import Action, Record
from memory.knowledge.context import KnowledgeContext
from memory.language.time.validity import means_the_same
from memory.life.calibrate import LINK, MERGE, LanguageBands, words_bands
from memory.life.consolidation import clusters
from memory.life.consolidation.clusters import Matrix
from memory.life.consolidation.episodes import NOTHING, Budget, compose, cost_of
from memory.life.consolidation.plan import (
    Consolidation,
    Episode,
    Merge,
    Plan,
    Promotion,
    carry_out,
    check_of,
    describe,
    last_plan,
    note_plan,
    plans,
    read_plan,
    source_of,
)
from memory.life.consolidation.promote import find_promotions
from memory.life.gate import importance
from memory.life.wording import Repeated, say_the_same, with_count, without_count
from memory.ports import Purpose, Vectors, Writer, instant
from memory.strength import fold_life
from memory.types import OWNER, Fact, Kind, Origin
from memory.vectors.questions import Questions
from memory.vectors.service import VectorService

P = ParamSpec("P")
T = TypeVar("T")

QUEUED_FOR = timedelta(days=60)
"""How long a fact that is like another waits for what would make a cluster with it."""
WAITS = timedelta(hours=11)
"""How long an observation waits for others, and for silence: it is kept for 24 hours, and runs may be 12 apart."""
PATIENCE_S = 60.0
"""How long a run waits for a vector: one that gives up under load chooses by words, and otherwise than was shown."""
MIN_COMPOSED = 3
"""Different statements from which a model is asked; fewer are counted."""
IMPORTANT = 0.8
"""The importance from which an observation becomes a fact by itself, before its day is over."""

_KINDS = frozenset({Kind.EXPERIENCE, Kind.OBSERVATION, Kind.WORLD})


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run is worth it, and what it may cost.

    Attributes:
        min_entries: statements since the last run from which they are looked through, and a model may be asked.
        idle: how long nothing may have been said. Observations wait for either at most `WAITS`.
        budget: what a model may be asked for in one run; twice that in 24 hours.
    """

    min_entries: int = 1
    idle: timedelta = timedelta(0)
    budget: Budget = NOTHING


Embed: TypeAlias = "Callable[[Sequence[str]], Awaitable[Sequence[Vectors | None]]]"
"""Returns the vectors of texts, None for one that has none."""
ANY_TIME = Limits()


class Run(Protocol):
    """`Memory.run`: carries a function out on the memory's own thread."""

    async def __call__(
        self, work: Callable[Concatenate[KnowledgeContext, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T: ...


@dataclass(frozen=True, slots=True)
class Heard:
    """A statement that may be consolidated.

    Attributes:
        id: of the fact, or of the sensory entry.
        text: what it says, with whom it is about.
        at: ISO instant at which it was said.
        day: ISO day, in the owner's zone.
        origin: whose words they are.
        source: `path#^id` of a fact; the turn in which it was observed of what is none.
        is_fact: whether it stands in a log.
        is_pinned: whether it does not fade.
        uses: how often it was reviewed.
    """

    id: str
    text: str
    at: str
    day: str
    origin: Origin
    source: str
    is_fact: bool = False
    is_pinned: bool = False
    uses: int = 0


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a run begins from: statements, oldest first, or why none; what to promote; what a model may cost."""

    heard: tuple[Heard, ...]
    reason: str
    promotions: tuple[Stored, ...]
    budget: Budget


@dataclass(frozen=True, slots=True)
class Cluster:
    """Statements that are alike: groups of those with the same words, and how alike the groups are, shape (n, n)."""

    groups: tuple[tuple[Heard, ...], ...]
    alike: Matrix


async def consolidate(
    run: Run,
    *,
    actor: str,
    limits: Limits = ANY_TIME,
    embed: Embed | None = None,
    bands: LanguageBands | None = None,
    writer: Writer | None = None,
    dry_run: bool = False,
) -> Consolidation:
    """Consolidate once, or finish a run that was interrupted.

    Args:
        run: `Memory.run`.
        limits: when it is worth it, and what it may cost.
        embed: makes vectors; without it, or without `bands`, statements are compared by their words.
        bands: what cosines of these vectors mean.
        writer: makes a sentence of a cluster that is worth one, within the budget; without it statements are counted.

    Raises:
        WriteFailed, Busy: the disk refused, or another process keeps writing; the next run goes on from there.
    """
    last = None if dry_run else await run(last_plan)
    if last and await _carry_out(run, last):
        return replace(await run(describe, last), is_resumed=True)
    gathered = await run(gather, limits)
    promotions = (Promotion(fact.unit.name, check_of(fact.unit.statement)) for fact in gathered.promotions)
    plan = Plan(promotions=tuple(promotions))
    groups: dict[str, list[Heard]] = {}
    for statement in gathered.heard:
        groups.setdefault(" ".join(statement.text.casefold().split()), []).append(statement)
    newest = [tuple(equal) for equal in groups.values()][-clusters.MAX_STATEMENTS :]
    vectors = await embed([group[0].text for group in newest]) if embed and bands and len(newest) > 1 else ()
    for cluster in await asyncio.to_thread(_find_clusters, newest, vectors, bands):
        plan = await _add(plan, cluster, gathered.budget, writer)
    outcome = Consolidation("", gathered.reason, len(gathered.heard), plan)
    if dry_run or not plan:
        return outcome
    record = await run(note_plan, plan, actor)
    await _carry_out(run, record)
    return replace(await run(describe, record), reason=gathered.reason, entries=len(gathered.heard))


async def embed_texts(run: Run, asked: Questions, texts: Sequence[str]) -> list[Vectors | None]:
    """Return the vectors of texts as they are kept; from the first that cannot be computed on, all others are None."""
    known = await run(lambda context: context.index_manager.with_vectors(VectorService.known, texts=texts))
    vectors: dict[str, Vectors | None] = dict(known or {})
    is_working = True
    for text in texts:
        if text not in vectors and is_working:
            vectors[text] = (await asked.vector(text, Purpose.PASSAGE, waits_s=PATIENCE_S)).vector
            is_working = vectors[text] is not None
    return [vectors.get(text) for text in texts]


async def _carry_out(run: Run, record: Record) -> bool:
    """Carry a plan out, with chances for others to use the thread; says whether there was anything left to be done."""
    at, was_left = await run(carry_out, record, 0)
    while at is not None:
        at, has_written = await run(carry_out, record, at)
        was_left |= has_written
    return was_left


def _find_clusters(
    groups: Sequence[tuple[Heard, ...]], vectors: Sequence[Vectors | None], bands: LanguageBands | None
) -> list[Cluster]:
    if not groups:
        return []
    texts = [group[0].text for group in groups]
    measured = clusters.compare_vectors(vectors) if bands else None
    if measured is None or bands is None:
        measured, bands = clusters.compare_words(texts), words_bands()
    alike = on_scale(measured, texts, bands)
    found = clusters.link_averages(alike, LINK)
    single = set(range(len(groups))).difference(*found)
    found += [(at,) for at in sorted(single) if len(groups[at]) > 1 or is_important(groups[at][0])]
    return [Cluster(tuple(groups[at] for at in places), alike[list(places)][:, list(places)]) for places in found]


async def _add(plan: Plan, cluster: Cluster, budget: Budget, writer: Writer | None) -> Plan:
    """Return the plan with what becomes of a cluster."""
    merges, groups = fold_equal(cluster)
    plan = replace(plan, merges=(*plan.merges, *merges))
    lines = [Repeated(group[0].text, tuple(sorted(statement.day for statement in group))) for group in groups.values()]
    every = [statement for group in groups.values() for statement in group]
    left = budget.less(plan.calls, plan.tokens)
    if writer and len(lines) >= MIN_COMPOSED and left.calls and left.tokens >= cost_of(str(lines)):
        composition = await compose(lines, writer)
        plan = replace(plan, calls=plan.calls + 1, tokens=plan.tokens + composition.tokens)
        if composition.text:
            covered = [said for at, group in enumerate(groups.values()) for said in group if at in composition.said]
            hides = [said for said in every if not said.is_fact or said in covered]
            episode = _episode(_dated(composition.text), Origin.AGENT, every, hides)
            return replace(plan, episodes=(*plan.episodes, episode))
    sensory = {place: group for place, group in groups.items() if not group[0].is_fact}
    alone = [sensory.pop(place) for place in list(sensory) if is_important(sensory[place][0])]
    plan = replace(plan, episodes=(*plan.episodes, *map(_single_episode, alone)))
    members = [statement for group in sensory.values() for statement in group]
    if len(members) < 2:
        return plan
    weights = [len(sensory.get(place, ())) for place in range(len(cluster.groups))]
    medoid = sensory[clusters.find_medoid(cluster.alike, list(sensory), weights)][0]
    repeated = [Repeated(group[0].text, tuple(said.day for said in group)) for group in sensory.values()]
    text = with_count(medoid.text, repeated)
    worst = Origin.worst(statement.origin for statement in members)
    return replace(plan, episodes=(*plan.episodes, _episode(_dated(text), worst, members, members)))


def is_important(statement: Heard) -> bool:
    """Return whether an observation that no fact says is worth one by itself: a decision, a rule, a preference."""
    return not statement.is_fact and importance(read_fact(statement.text)) >= IMPORTANT


def _single_episode(group: Sequence[Heard]) -> Episode:
    """Return a fact of its own kind, in the words in which it was observed."""
    fact = read_fact(group[0].text)
    text = " ".join(fact.text.split())
    if len(group) > 1:
        text = with_count(fact.text, [Repeated(statement.text, (statement.day,)) for statement in group])
    return _episode(replace(fact, text=text), Origin.worst(statement.origin for statement in group), group, group)


def _dated(text: str) -> Fact:
    """Return what an episode says, with whom and what it is about."""
    drafted = draft(without_count(text))
    return Fact(text, Kind.EXPERIENCE, drafted.entities, drafted.category)


def _episode(fact: Fact, origin: Origin, made_of: Sequence[Heard], hides: Sequence[Heard]) -> Episode:
    return Episode(
        format_fact(fact),
        max(statement.day for statement in made_of),
        origin.value,
        {statement.id: check_of(statement.text) for statement in made_of},
        tuple(dict.fromkeys(statement.source for statement in made_of)),
        tuple(statement.id for statement in hides),
    )


def fold_equal(cluster: Cluster) -> tuple[list[Merge], dict[int, tuple[Heard, ...]]]:
    """Put statements together that say the same (`memory.life.wording.say_the_same`).

    Returns, where there is a fact among them, what is merged into it: into that which is pinned, was used most, or is
    oldest. And what is left, by places in the cluster: that fact alone, or statements that nobody has written down.
    """
    together: list[list[int]] = []
    for at, group in enumerate(cluster.groups):
        same = (places for places in together if say_the_same(cluster.groups[places[0]][0].text, group[0].text))
        if (places := next(same, None)) is None:
            together.append([at])
        else:
            places.append(at)
    merges, left = [], {}
    for places in together:
        members = {statement.id: (at, statement) for at in places for statement in cluster.groups[at]}
        statements = [statement for _, statement in members.values()]
        facts = [pair for pair in members.values() if pair[1].is_fact]
        if not facts:
            left[places[0]] = tuple(statements)
            continue
        place, best = min(facts, key=lambda pair: (not pair[1].is_pinned, -pair[1].uses, pair[1].at, pair[1].id))
        left[place] = (best,)
        day = date.fromisoformat(best.day)
        checks = {
            other.id: check_of(other.text)
            for other in statements
            if other is not best and means_the_same(best.text, day, date.fromisoformat(other.day))
        }
        if checks:
            merges.append(Merge(best.id, check_of(best.text), checks))
    return merges, left


def on_scale(measured: Matrix, texts: Sequence[str], bands: LanguageBands) -> Matrix:
    """Return measured values on the common scale of the gate, as `Bands.similarity` has it.

    Of two statements in different languages the lower value counts.
    """
    import numpy as np

    rows = []
    for row, text in zip(measured, texts, strict=True):
        band = bands.of(text)
        steps = (band.unrelated, band.link, band.merge, 1.0) if band else ()  # else nothing is told to be the same
        rows.append(np.interp(row, steps, (0.0, LINK, MERGE, 1.0)) if band else np.zeros_like(row))
    scaled = np.stack(rows).astype(np.float32)
    return np.minimum(scaled, scaled.T)


def gather(context: KnowledgeContext, limits: Limits) -> Gathered:
    """Return what a run begins from."""
    context.journal.refresh()
    now = context.clock.now()
    of_today = [read_plan(plan) for plan in plans(context) if now - datetime.fromisoformat(plan.at) < timedelta(days=1)]
    budget = Budget(2 * limits.budget.calls, 2 * limits.budget.tokens).less(
        sum(plan.calls for plan in of_today), sum(plan.tokens for plan in of_today)
    )
    budget = Budget(min(budget.calls, limits.budget.calls), min(budget.tokens, limits.budget.tokens))
    settled = _settled(context, now)
    waiting = (said for said in (*_sensory(context), *_queued(context, now)) if said.id not in settled)
    heard = sorted(waiting, key=lambda said: (said.at, said.id))
    last = next(plans(context), None)
    fresh = [said for said in heard if last is None or said.at > last.at]
    newest = max((said.at for said in heard), default="")
    oldest = min((said.at for said in heard if not said.is_fact), default="")
    can_wait = not oldest or now - datetime.fromisoformat(oldest) < WAITS
    reason, are_few = "", len(fresh) < limits.min_entries
    if are_few and can_wait:
        waits = f"New statements since the last run: {len(fresh)}; it waits for {limits.min_entries}."
        reason = waits if fresh else "Nothing new was said that could be brought together."
    elif newest and can_wait and now - datetime.fromisoformat(newest) < limits.idle:
        reason = "Something was said a moment ago."
    return Gathered(() if reason else tuple(heard), reason, find_promotions(context), NOTHING if are_few else budget)


def _sensory(context: KnowledgeContext) -> Iterator[Heard]:
    """Yield what was observed within a day and is the owner's, as far as no fact stands for it yet."""
    for entry in context.sensory.entries(scope=OWNER):
        if not entry.origin.is_foreign and not context.journal.state.merged_into(entry.op_id):
            turn = entry.op_id.rpartition(":")[0] or entry.op_id
            yield Heard(entry.op_id, entry.text, entry.at, context.day_of(entry.at), entry.origin, turn)


def _queued(context: KnowledgeContext, now: datetime) -> list[Heard]:
    """Return the facts that the gate found to be like others, and the facts that they are linked to."""
    state, since = context.journal.state, instant(now - QUEUED_FOR)
    queued = dict[str, str]()
    for name, events in state.lives.items():
        gates = [event for event in events if event.action == Action.GATE and event.at >= since]
        if any(event.details.get("decision") == "link" for event in gates):
            links = [event.details.get("links", {}) for event in events if event.action == Action.LINK]
            queued |= dict.fromkeys((name, *(links[-1] if links else ())), gates[-1].at)

    found = [fact for name in queued if (fact := context.index.find(name, scope=OWNER)) and not is_piece(name)]
    return [
        Heard(
            fact.unit.name,
            fact.unit.statement,
            state.provenance[fact.unit.name].at if fact.unit.name in state.provenance else queued[fact.unit.name],
            fact.unit.first or context.day_of(queued[fact.unit.name]),
            fact.unit.origin,
            source_of(fact),
            is_fact=True,
            is_pinned=fold_life(fact.unit.name, state.lives.get(fact.unit.name, ())).pinned,
            uses=sum(event.action == Action.REVIEW for event in state.lives.get(fact.unit.name, ())),
        )
        for fact in found
        if fact.unit.kind in _KINDS
        and not fact.unit.origin.is_foreign
        and fact.path.startswith("memory/")
        and not state.merged_into(fact.unit.name)
    ]


def _settled(context: KnowledgeContext, now: datetime) -> set[str]:
    """Return the ids of what an earlier run made something of; what was taken back is not done again."""
    ids = set[str]()
    for record in plans(context):
        if now - datetime.fromisoformat(record.at) > QUEUED_FOR:
            break
        plan = read_plan(record)
        ids.update(*(episode.made_of for episode in plan.episodes), *(merge.targets for merge in plan.merges))
    return ids
