"""The gate for observations: what is known is counted, what is like it is linked, what is new has to be worth a fact.

The bounds are those of "Cortex on Firestore", on the scale of `memory.life.calibrate`: above .85 merge, from .5 link,
below it novel. But no similarity is enough to merge: half of all near misses ("at seven", "at eight") are above .85.
What is merged has the same words, too (`memory.life.wording`), and what merely looks alike is linked, so that no
statement is lost in another one. The prediction error is 1 - the highest similarity, the salience importance x error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from memory.capture import contradicts
from memory.capture.draft import read_fact
from memory.errors import Busy, TooLarge, Unparsable, VectorRefused, WriteFailed
from memory.files.markdown import blocks, is_identified
from memory.files.notation import MAX_FACT_CHARS, parse_fact
from memory.files.sensory import SensoryEntry
from memory.files.workspace import digest
from memory.index.owners import whole_name
from memory.index.types import Stored
from memory.index.units import statement
from memory.index_manager import refusal
from memory.journal.records import Action, Operation
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.retain import content_words
from memory.language.guidance import GUIDING, text_flags
from memory.language.time.validity import means_the_same
from memory.life.calibrate import LINK, LanguageBands, words_bands
from memory.life.observations import Decision, Observed, SurprisingFact
from memory.life.reviews import day_said
from memory.life.wording import COMPARED_CHARS, overlap, say_the_same, without_count
from memory.ports import instant
from memory.recall.filters import FACTS
from memory.types import Fact, Filter, Kind, Origin, Scope
from memory.vectors.questions import Question
from memory.vectors.service import VectorService

NEAREST = 5
"""Facts that an observation is compared with, by meaning and as many by words."""
GATED = "/gate"
"""Ends the id of the operation that says how the gate decided, behind that of the observation."""
LONG = 1000
"""Characters of an observation from which a fact that says the same may be indexed in pieces."""
IMPORTANCE = 0.7
"""The importance of a statement of no special kind."""
_BY_CATEGORY = {
    "decision": 0.9,
    "rule": 0.9,
    "goal": 0.85,
    "lesson": 0.85,
    "preference": 0.85,
    "person": 0.8,
    "workflow": 0.8,
    "belief": 0.75,
}
_BY_KIND = {Kind.INTENTION: 0.9, Kind.PROCEDURE: 0.8, Kind.OPINION: 0.75}
_GUIDING = 0.9
"""The importance of a standing instruction or a preference."""


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """A fact near an observation; `is_same`: it says the same, word for word."""

    stored: Stored
    similarity: float
    is_same: bool

    @property
    def id(self) -> str:
        return whole_name(self.stored.unit.name)


def read_observation(context: KnowledgeContext, text: str) -> Fact:
    """Return an observation as a fact, if it may be kept; raises what `Memory.observe` says."""
    fact = read_fact(text)
    if not fact.text.strip():
        raise Unparsable("nothing is said; nothing was observed.", hint="Say what was observed.")
    if len(fact.text) > MAX_FACT_CHARS:
        raise TooLarge(f"An observation has at most {MAX_FACT_CHARS:,} characters.", hint="Save it as a file instead.")
    context.check_secrets(fact.text)
    return fact


def compared_text(context: KnowledgeContext, text: str) -> str:
    """Return what an observation says by itself, with the names that it is about: what is embedded and compared.

    Nothing that may hold a secret is handed out, for an embedder may be on another machine; raises as that does.
    """
    return _compared(read_observation(context, text))[:COMPARED_CHARS]


def _compared(fact: Fact) -> str:
    return statement(fact.text, fact.entities)


def observe(
    context: KnowledgeContext, text: str, operation: Operation, *, question: Question, bands: LanguageBands | None
) -> Observed:
    """Take in an observation; `Memory.observe` says what it does and raises.

    The question is the text's vector, embedded as facts are, or why there is none; `bands` say what the cosines of its
    embedder mean, None if nobody has measured it.
    """
    if context.index_manager.is_read_only:
        raise refusal()
    fact, scope = read_observation(context, text), operation.scope
    context.journal.refresh()
    reason = question.reason if question.vector is None else "" if bands else "the embedder has not been measured."
    written = _written_before(context, operation)
    if isinstance(written, Observed):
        return written
    near = [neighbour for neighbour in _neighbours(context, fact, scope, question, bands) if neighbour.id != written]
    judged = replace(_judge(fact, near, operation.origin, context.salient_above), reason=reason)
    if written:  # it was broken off before the decision was noted, and so was no merge
        judged = replace(judged, decision=Decision.NOVEL if judged.error > 1 - LINK else Decision.LINK)
    if judged.decision is Decision.MERGE:
        known = next(neighbour for neighbour in near if neighbour.id == judged.nearest)
        if standing := context.find(context.journal.state.merged_into(known.id), scope):  # since a consolidation
            known = replace(known, stored=standing)
        _count(context, operation, known, fact.text, judged.similarity)
        return replace(judged, fact_id=known.id, at=known.stored.place)
    if judged.decision is Decision.SENSORY:
        by = (operation.op_id, operation.actor, operation.origin, scope, instant(context.clock.now()))
        context.sensory.keep(SensoryEntry(*by, fact.text, round(judged.similarity, 4), round(judged.salience, 4)))
        return judged
    return _store(context, operation, fact, judged)


def surprises(
    context: KnowledgeContext, *, scope: Scope, after: int = 0, limit: int = 10
) -> tuple[SurprisingFact, ...]:
    """Return the facts that surprised and are not forgotten, newest first: of records with a number above `after`."""
    context.journal.refresh()
    judged = (
        (event, target)
        for target, events in context.journal.state.lives.items()
        for event in events
        if event.action == Action.GATE and event.details.get("surprise") and event.seq > after
    )
    surprising: list[SurprisingFact] = []
    for event, target in sorted(judged, key=lambda pair: -pair[0].seq):
        stored = context.find(target, scope)
        if stored is None:
            continue
        unit, against = stored.unit, context.find(str(event.details.get("against", "")), scope)
        source, other = stored.place, against.unit.statement if against else ""
        surprising.append(SurprisingFact(event.seq, event.at, target, unit.statement, source, unit.origin, other))
        if len(surprising) == limit:
            break
    return tuple(surprising)


def importance(fact: Fact) -> float:
    """Return how important a statement is, 0 to 1: as it says itself, or by its category, kind and wording."""
    try:
        stated = float(fact.attribute("i") or "")
    except ValueError:
        by_rule = (_BY_CATEGORY.get(fact.category or "", IMPORTANCE), _BY_KIND.get(fact.kind, IMPORTANCE))
        return max(*by_rule, _GUIDING if text_flags(fact.text) & GUIDING else 0.0)
    return IMPORTANCE if isnan(stated) else min(1.0, max(0.0, stated))


def _judge(fact: Fact, near: Iterable[_Neighbour], origin: Origin, salient_above: float) -> Observed:
    """Decide, before anything is written."""
    neighbours = sorted(near, key=lambda neighbour: -neighbour.similarity)
    similarity = neighbours[0].similarity if neighbours else 0.0
    error = 1 - similarity
    nearest = neighbours[0].id if neighbours else None
    judged = Observed(Decision.LINK, None, similarity, error, importance(fact) * error, nearest=nearest)
    for one in neighbours:
        if one.is_same and Origin.worst((one.stored.unit.origin, origin)) == origin:
            return replace(judged, decision=Decision.MERGE, nearest=one.id)
    for one in neighbours:
        if contradicts(without_count(one.stored.unit.statement), _compared(fact)):
            return replace(judged, surprise=True, nearest=one.id)
    if similarity >= LINK:
        return judged
    if judged.salience > salient_above:
        return replace(judged, decision=Decision.NOVEL, surprise=True)
    return replace(judged, decision=Decision.SENSORY)


def _same(context: KnowledgeContext, stored: Stored, fact: Fact) -> bool:
    """Return whether a fact says the same; one that is indexed in pieces is read from its file."""
    unit = stored.unit
    body, said = without_count(unit.body), without_count(unit.statement)
    if say_the_same(body, fact.text) or say_the_same(said, _compared(fact)):
        return means_the_same(fact.text, day_said(unit, stored.path, context.today), context.today)
    if len(fact.text) <= LONG or unit.body.strip() not in fact.text:
        return False
    page, _ = context.workspace.read_lenient(stored.path)
    whole = next((block.text for block in blocks(page) if block.start == unit.start), "")
    return is_identified(whole.split("\n")[0]) and parse_fact(whole).text == fact.text


def _neighbours(
    context: KnowledgeContext, fact: Fact, scope: Scope, question: Question, bands: LanguageBands | None
) -> list[_Neighbour]:
    """Return the nearest facts by meaning and by words; those without a usable vector are compared by words."""
    where = Filter(kinds=FACTS, faded=True)
    text = _compared(fact)[:COMPARED_CHARS]
    words = content_words(text)
    by_words = context.index.match([[word] for word in words], scope=scope, where=where, limit=NEAREST) if words else []
    cosines: Mapping[int, float] = {}
    if bands and question.vector is not None:
        try:
            measured = context.index_manager.with_vectors(
                VectorService.cosines, question.vector, among=by_words, limit=NEAREST, scope=scope, where=where
            )
        except (VectorRefused, WriteFailed, Busy):
            measured = None  # words decide, as without an embedder
        cosines = measured or {}
    ids = list(dict.fromkeys([*by_words, *cosines]))
    scale = bands.of(text) if bands else None
    words_scale = words_bands().of(text)
    near = []
    for known in context.index.stored(ids, scope=scope):
        is_same = _same(context, known, fact)
        if is_same:
            similarity = 1.0
        elif scale and known.id in cosines:
            similarity = scale.similarity(cosines[known.id])
        else:
            similarity = words_scale.similarity(overlap(known.unit.statement, text)) if words_scale else 0.0
        near.append(_Neighbour(known, similarity, is_same))
    return near


def _written_before(context: KnowledgeContext, operation: Operation) -> Observed | str:
    """Return what a known operation has decided; the id of a fact whose decision was not noted; empty if unknown."""
    records = context.journal.operation(operation.op_id)
    noted = context.journal.operation(operation.op_id + GATED)
    entry = None if records else context.sensory.find(operation.op_id)
    if entry:
        return Observed(Decision.SENSORY, None, entry.similarity, 1 - entry.similarity, entry.salience)
    if not records:
        return ""
    record = records[0]
    if not noted and record.action == Action.REMEMBER:
        return record.target
    details = {"decision": Decision.MERGE, **(noted[0] if noted else record).details}
    similarity = float(details["similarity"])
    stored = context.find(record.target, operation.scope)
    return Observed(
        Decision(details["decision"]),
        record.target,
        similarity,
        1 - similarity,
        float(details.get("salience", 0.0)),
        surprise=bool(details.get("surprise")),
        at=stored.place if stored else None,
        nearest=record.target if details["decision"] == Decision.MERGE else details.get("against"),
    )


def _count(context: KnowledgeContext, operation: Operation, known: _Neighbour, text: str, similarity: float) -> None:
    """Note a restatement: of the same text one a day, and none by others of what the owner or the agent has said."""
    if operation.origin.is_foreign and operation.origin is not known.stored.unit.origin:
        return
    is_other = text != known.stored.unit.body
    details: dict[str, Any] = {"similarity": round(similarity, 4)}
    if is_other:
        details["text"] = digest(text)[:16]
    today = context.today.isoformat()
    events = context.journal.state.lives.get(known.id, ())
    for event in reversed(events):
        if event.action == Action.RESTATE and event.details.get("text") == details.get("text"):
            if context.day_of(event.at) == today:
                return
            break
    context.writer.note({known.id: text if is_other else ""}, operation, Action.RESTATE, {known.id: details})


def _store(context: KnowledgeContext, operation: Operation, fact: Fact, judged: Observed) -> Observed:
    """Write the fact, then how it was judged: broken off in between, the next attempt notes the rest."""
    written, content = context.writer.remember(fact, operation)
    name = written.fact.id or ""
    details: dict[str, Any] = {
        "decision": judged.decision.value,
        "similarity": round(judged.similarity, 4),
        "error": round(judged.error, 4),
        "salience": round(judged.salience, 4),
        "surprise": judged.surprise,
    }
    if judged.surprise and judged.decision is Decision.LINK:
        details["against"] = judged.nearest
    noting = replace(operation, op_id=operation.op_id + GATED)
    context.writer.note({name: ""}, noting, Action.GATE, {name: details})
    context.index_manager.take_in(written, content)
    return replace(judged, fact_id=name, at=written.at)
