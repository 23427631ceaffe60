"""Opinions: statements with a confidence that evidence moves in small steps, kept in `bank/opinions.md`.

The confidence of a bullet is folded from where it began and the evidence in the comment under it:

    logit(c) = logit(start) + sum of steps

Each source counts once a day, with a step of .25; the contradiction with which three of them, from two sources on two
days, have come together has a step of 1, and they are counted anew from there. So has one by somebody who says of
themself that it was so before: "I no longer like jazz". What a person writes into the file stays: a confidence that is
edited by hand is what later evidence moves.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memory.capture.grammar import grammar_patterns
from memory.errors import Unparsable
from memory.files.evidence import format_evidence, parse_evidence
from memory.files.markdown import BlockKind, blocks, is_evidence, split_lines
from memory.files.notation import format_fact, parse_fact
from memory.index.chunking import day_of_file
from memory.index.terms import entity_key
from memory.index.types import Stored
from memory.index.units import line_name
from memory.journal.writer import random_id
from memory.knowledge.reflection.stance import Judge, Stance, stance
from memory.language.words import read_lists
from memory.types import Evidence, Fact, Kind

PATH = "bank/opinions.md"
HEADING = "# Opinions\n"

START = 0.7
"""The confidence of an opinion that gives none."""
SMALL, LARGE = 0.25, 1.0
"""Steps of log-odds."""
REPEATED, DAYS, SOURCES = 3, 2, 2
"""Contradictions, on so many days and from so many sources, that together make a large step."""
BOUNDS = (0.02, 0.98)
"""Nothing is certain: the confidence that evidence begins from and leads to lies between these."""
RULES = frozenset({"rule", "decision", "workflow"})
"""Categories of what is settled and no matter of confidence."""

_CHANGED = re.compile(read_lists("memory.knowledge", "lexicon", "statements.toml")["changed"])
"""Says that something was so before: who says so of themself knows, and no second voice is waited for."""
_CONFIDENCE = re.compile(r"(\([^()]*?\bc\s*=\s*)([^,()\s]+)")
_BULLET = re.compile(r"(\s*(?:[-*+]|[0-9]{1,9}[.)])\s+)(O(?=[\s:：(])\s?)?(\()?")


def fold(start: float, evidence: Iterable[Evidence]) -> float:
    """Return the confidence that evidence leads to from where an opinion began, both from 0 to 1."""
    return _bounded(1 / (1 + math.exp(-_logit(start) - sum(piece.step for piece in evidence))))


def step_of(evidence: Sequence[Evidence], stance: Stance, *, day: str, source: str, source_of: SourceOf) -> float:
    """Return the step that a further piece of evidence makes; 0 if its source has said so on that day already.

    The evidence so far is in the order in which it counted; `day`, an ISO day, and `source` are those of the new piece.
    """
    is_for = stance is Stance.SUPPORTS
    known = {(piece.day, source_of(piece.id)) for piece in evidence if (piece.step >= 0) == is_for}
    if (day, source) in known:
        return 0.0
    if is_for:
        return SMALL
    against = [(day, source)]
    for piece in reversed(evidence):
        if piece.step <= -LARGE:
            break
        if piece.step < 0:
            against.append((piece.day, source_of(piece.id)))
    days, sources = ({pair[place] for pair in against} for place in (0, 1))
    is_large = len(against) >= REPEATED and len(days) >= DAYS and len(sources) >= SOURCES
    return -LARGE if is_large else -SMALL


SourceOf = Callable[[str], str]
"""Returns who a fact comes from, by its id."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One bullet of the page.

    Attributes:
        fact: what the bullet says.
        name: its block id, or `h...` for a line by hand.
        start: the confidence before all evidence.
        evidence: in the order in which it counted.
        line, end: 0-based lines of the bullet, the second past its last.
        comment: the line of the comment under it; None if there is none.
    """

    fact: Fact
    name: str
    start: float
    evidence: tuple[Evidence, ...]
    line: int
    end: int
    comment: int | None

    @property
    def confidence(self) -> float:
        """The folded confidence, to two places, as the bullet gives it."""
        return round(fold(self.start, self.evidence), 2)


@dataclass(frozen=True, slots=True)
class Move:
    """One change of an opinion: which fact moved it, by what, and the confidence after it."""

    opinion: str
    evidence: Evidence
    confidence: float


def read(page: str) -> Iterator[Opinion]:
    """Yield the opinions of a page, in order. Bullets that cannot be read are passed over: `problems` names them."""
    lines = split_lines(page)
    for block in blocks(page):
        if block.kind is not BlockKind.BULLET or block.managed:
            continue
        try:
            fact = parse_fact(block.text, kind=Kind.OPINION)
        except Unparsable:
            continue
        if fact.kind is not Kind.OPINION:
            continue
        comment = block.end if block.end < len(lines) and is_evidence(lines[block.end]) else None
        parsed = None if comment is None else parse_evidence(lines[comment])
        start, evidence = parsed or (_written(fact.attributes), ())
        name = fact.id or line_name(PATH, block.text)
        opinion = Opinion(fact, name, start, evidence, block.start - 1, block.end, comment)
        if fact.attribute("c") is not None and abs(opinion.confidence - _written(fact.attributes)) > 0.005:
            # Somebody has edited the confidence: it is what later evidence moves.
            moved = _logit(_written(fact.attributes)) - sum(piece.step for piece in evidence)
            opinion = replace(opinion, start=1 / (1 + math.exp(-moved)))
        yield opinion


def reflect(
    page: str,
    facts: Sequence[Stored],
    *,
    source_of: SourceOf,
    new_id: Callable[[], str] = random_id,
    judge: Judge = stance,
) -> tuple[str, tuple[Move, ...]]:
    """Weigh facts against the opinions of a page; returns the page as it is then, and what was moved, in order.

    An opinion among them that the page does not have yet comes in as a bullet of its own; everything else that bears on
    one is evidence for or against it. What counted before does not count again. An empty page is none; the facts are in
    order of time, and those of the page itself are passed over.
    """
    known = _Known(read(page))
    moves: list[Move] = []
    dated = [(fact, observed_day(fact)) for fact in facts if fact.path != PATH and observed_day(fact)]
    for fact, day in dated:
        if fact.unit.kind is Kind.OPINION and fact.unit.category not in RULES:
            bearings = (_bearing(known.opinions[place], fact, judge) for place in known.places(fact))
            if all(bearing is Stance.UNRELATED for bearing in bearings):
                opinion = _begun(fact, day, new_id())
                known.add(opinion)
                moves.append(Move(opinion.name, opinion.evidence[0], opinion.confidence))
    for fact, day in dated:
        source = source_of(fact.unit.name)
        for place in known.places(fact):
            opinion = known.opinions[place]
            if any(piece.id == fact.unit.name for piece in opinion.evidence):  # before what it says is compared again
                continue
            bearing = _bearing(opinion, fact, judge)
            if bearing is Stance.UNRELATED:
                continue
            step = step_of(opinion.evidence, bearing, day=day, source=source, source_of=source_of)
            if step < 0 and grammar_patterns().first.match(fact.unit.body) and _CHANGED.search(fact.unit.body):
                step = -LARGE
            if step:
                piece = Evidence(day, step, fact.path, fact.unit.name)
                known.opinions[place] = opinion = replace(opinion, evidence=(*opinion.evidence, piece))
                moves.append(Move(opinion.name, piece, opinion.confidence))
    return _written_page(page, known.opinions), tuple(moves)


def without(page: str, names: Collection[str], *, keeps: bool = False) -> str:
    """Return a page of opinions without the evidence of some facts nor, unless it `keeps` it, what came in by them."""
    known = list(read(page))
    begun = [opinion for opinion in known if any(piece.id in names and not piece.step for piece in opinion.evidence)]
    gone = [] if keeps else begun
    left = [
        replace(opinion, evidence=tuple(piece for piece in opinion.evidence if piece.id not in names))
        for opinion in known
        if opinion not in gone
    ]
    lines = _written_page(page, left).split("\n")
    for opinion in reversed(gone):  # the comments of others stand where they stood
        del lines[opinion.line : opinion.end + (opinion.comment is not None)]
    return "\n".join(lines)


def observed_day(fact: Stored) -> str:
    """Return the ISO day on which a fact was said: of its log, else on which it was written down; empty if unknown."""
    return day_of_file(fact.path) or (fact.unit.known or fact.unit.first or "")[:10]


class _Known:
    """Opinions, found by whom they are about: a fact bears on those alone, and on those that name nobody."""

    def __init__(self, opinions: Iterable[Opinion]) -> None:
        self.opinions: list[Opinion] = []
        self._places = defaultdict[str | None, list[int]](list)
        for opinion in opinions:
            self.add(opinion)

    def add(self, opinion: Opinion) -> None:
        """Put an opinion behind the others."""
        for key in {*map(entity_key, opinion.fact.entities)} or (None,):
            self._places[key].append(len(self.opinions))
        self.opinions.append(opinion)

    def places(self, fact: Stored) -> list[int]:
        """Return the places of the opinions that a fact may bear on, in order."""
        keys = (None, *map(entity_key, fact.unit.entities))
        return sorted({place for key in keys for place in self._places.get(key, ())})


def _bearing(opinion: Opinion, fact: Stored, judge: Judge) -> Stance:
    """Return what a fact does to an opinion about the same."""
    by_words = judge(opinion.fact.text, fact.unit.body, names=(*opinion.fact.entities, *fact.unit.entities))
    is_denied = fact.unit.kind is Kind.OPINION and _written(fact.unit.attributes) < 0.5
    if by_words is not Stance.UNRELATED and is_denied:
        return Stance.CONTRADICTS if by_words is Stance.SUPPORTS else Stance.SUPPORTS
    return by_words


def _begun(said: Stored, day: str, name: str) -> Opinion:
    """Return the opinion that a fact of a log is, with that fact as what it was said by."""
    start = _bounded(_written(said.unit.attributes))
    attributes = tuple(pair for pair in said.unit.attributes if pair[0] not in {"c", "from"})
    fact = Fact(said.unit.body, Kind.OPINION, said.unit.entities, said.unit.category, name, attributes)
    return Opinion(fact, name, start, (Evidence(day, 0.0, said.path, said.unit.name),), -1, -1, None)


def _written_page(page: str, known: Sequence[Opinion]) -> str:
    """Return the page with the confidence and the evidence of its opinions as they are, and with new ones at its end.

    All other lines stay as they are.
    """
    lines = page.split("\n")
    for opinion in sorted((opinion for opinion in known if opinion.line >= 0), key=lambda opinion: -opinion.line):
        if _is_as_written(page, opinion):
            continue
        end = "\r" if lines[opinion.line].endswith("\r") else ""
        comment = format_evidence(opinion.name, opinion.start, opinion.evidence) + end
        if opinion.comment is not None:
            lines[opinion.comment] = comment
        elif opinion.evidence:
            lines.insert(opinion.end, comment)
        lines[opinion.line] = _with_confidence(lines[opinion.line], opinion)
    text = "\n".join(lines)
    if fresh := [opinion for opinion in known if opinion.line < 0]:
        text = text or f"{HEADING}\n"
        text += "" if text.endswith("\n") else "\n"
        for opinion in fresh:
            attributes = (("c", _decimal(opinion.confidence)), *opinion.fact.attributes)
            bullet = format_fact(replace(opinion.fact, attributes=attributes))
            text += f"{bullet}\n{format_evidence(opinion.name, opinion.start, opinion.evidence)}\n"
    return text


def _is_as_written(page: str, opinion: Opinion) -> bool:
    """Return whether a page gives the confidence and the evidence of an opinion as they are."""
    lines = split_lines(page)
    kept = parse_evidence(lines[opinion.comment]) if opinion.comment is not None else None
    is_kept = kept is not None and kept[1] == opinion.evidence and abs(kept[0] - opinion.start) < 1e-6
    has_confidence = not opinion.evidence or f"{_written(opinion.fact.attributes):.2f}" == f"{opinion.confidence:.2f}"
    return (is_kept or not (opinion.evidence or kept)) and has_confidence


def _with_confidence(line: str, opinion: Opinion) -> str:
    """Return the first line of a bullet with the folded confidence in its parenthesis; the rest to the letter."""
    value = _decimal(opinion.confidence)
    if opinion.fact.attribute("c") is not None:
        return _CONFIDENCE.sub(rf"\g<1>{value}", line, count=1)
    bullet = _BULLET.match(line)
    assert bullet
    rest = line[bullet.end() :]
    if opinion.fact.attributes:
        return f"{bullet[1]}O(c={value}, {rest}"
    return f"{bullet[1]}O(c={value}){'' if bullet[2] else ':'}{'' if rest[:1] in ':：' else ' '}{rest}"


def _decimal(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".") or "0"


def _written(attributes: Iterable[tuple[str, str]]) -> float:
    return float(dict(attributes).get("c", START))


def _bounded(confidence: float) -> float:
    return min(max(confidence, BOUNDS[0]), BOUNDS[1])


def _logit(confidence: float) -> float:
    bounded = _bounded(confidence)
    return math.log(bounded / (1 - bounded))
