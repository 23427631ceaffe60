"""How facts stand to each other on a day: which took another's place, which contradict each other, which are over."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from memory.capture.grammar import grammar_patterns
from memory.index.terms import entity_key
from memory.index.types import Stored
from memory.index.units import Unit
from memory.knowledge.reflection import stance
from memory.knowledge.reflection.stance import Judge, Stance
from memory.language.answer_forms import YEAR
from memory.types import Kind

MAX_COMPARED = 150
"""Facts of one entity, the newest, that are compared with each other."""
WORDS_APART = 3
"""Words of a statement that its denial may have none of: how it is denied, and how it is liked."""

_CALLED = re.compile(r"\A(?:called|named) ")
_STATING = frozenset({Kind.WORLD, Kind.OBSERVATION, Kind.OPINION})


@dataclass(frozen=True, slots=True)
class Standing:
    """How facts stand to each other; ids as units have them.

    A `superseded` fact comes with the newer one that took its place. Of `conflicts`, pairs that cannot both hold, the
    earlier fact is first. The last day of those that have `ended` has passed.
    """

    superseded: Mapping[str, str]
    conflicts: tuple[tuple[str, str], ...]
    ended: frozenset[str]

    def is_current(self, name: str) -> bool:
        """Return whether a fact holds still, as far as is known."""
        return name not in self.superseded and name not in self.ended


def stand(facts: Sequence[Stored], *, today: date, aliases: Mapping[str, str], judge: Judge) -> Standing:
    """Find out how facts stand to each other; `aliases` has the keys of other names, and the key of whom they name.

    Of statements that give one entity another value of what it has one of at a time (a home, a number), the one that
    holds from a later day took the other's place; on the same day they are in conflict, as are two of which one
    denies the other while both hold. Nothing is decided between those. What moved an opinion one way took the place of
    what had moved it the other way: "I no longer like tea", "I like tea again".
    """
    ended = frozenset(fact.unit.name for fact in facts if fact.unit.until and fact.unit.until < today.isoformat())
    superseded: dict[str, str] = {}
    conflicts: dict[tuple[str, str], None] = {}
    opinions = {fact.unit.name: {piece.id: piece.step for piece in fact.unit.evidence} for fact in facts}
    weighed = {name for evidence in opinions.values() for name in evidence}
    for piece, newer in (pair for fact in facts for pair in combinations(fact.unit.evidence, 2)):
        is_turned = piece.step * newer.step < 0 and piece.day < newer.day
        if is_turned and opinions.keys() >= {piece.id, newer.id}:  # a line may be gone since
            superseded[piece.id] = newer.id
    for group in _grouped(facts, aliases, _owner):
        _succeed(group, superseded, conflicts)
    for group in _grouped(facts, aliases, _about):
        lasting = [fact for fact in group if fact.unit.name not in superseded and fact.unit.name not in ended]
        units = [fact.unit for fact in lasting[-MAX_COMPARED:]]
        compared = [(unit, stance.telling_words(unit.body, unit.entities)) for unit in units]
        for (earlier, words), (later, others) in combinations(compared, 2):
            pair = earlier.name, later.name
            if (
                len(words & others) < max(1, (len(words) - WORDS_APART) / 2)
                or pair in conflicts
                or earlier.body == later.body
                or _is_over(earlier, later)
                or _is_over(later, earlier)
                or weighed.issuperset(pair)  # what bears on one opinion is weighed there
            ):
                continue
            if weighed.isdisjoint(pair) or opinions[pair[0]].get(pair[1]) or opinions[pair[1]].get(pair[0]):
                shared = {entity_key(name) for name in later.entities}
                names = tuple(name for name in earlier.entities if entity_key(name) in shared)
                if judge(earlier.body, later.body, names=names) is Stance.CONTRADICTS:
                    conflicts[pair] = None
    return Standing(superseded, tuple(conflicts), ended)


def find_superseded(facts: Sequence[Stored]) -> Mapping[str, str]:
    """Return the ids of facts, each with that of the newer one that took its place, as `stand` does."""
    superseded: dict[str, str] = {}
    for group in _grouped(facts, {}, _owner):
        _succeed(group, superseded, {})
    return superseded


def _grouped(
    facts: Sequence[Stored], aliases: Mapping[str, str], whose: Callable[[Unit], str]
) -> Collection[list[Stored]]:
    """Return the facts that state something by whose they are, each group in order of time."""
    groups = defaultdict[str, list[Stored]](list)
    for fact in sorted(facts, key=lambda fact: (fact.unit.since or fact.unit.first or "", fact.path, fact.order)):
        if fact.unit.kind in _STATING:
            key = whose(fact.unit)
            groups[aliases.get(key, key)].append(fact)
    return groups.values()


def _about(fact: Unit) -> str:
    """Return the key of whom a fact names first; empty if it names nobody."""
    return entity_key(fact.entities[0]) if fact.entities else ""


def _owner(fact: Unit) -> str:
    """Return what stands for whoever has the value that a fact gives: of "my boss is Petra" it is not Petra."""
    name = fact.entities[0].casefold() if fact.entities else ""
    given = (stance.single_value(fact.body) or stance.left_base(fact.body)) if name else None
    if given:
        is_value = _CALLED.sub("", given.value).startswith(name) and name not in given.whose
        is_whole = given.relation in {stance.PLACE, stance.OTHER}  # its verb is in what the subject says
        is_told = " " in given.whose if is_whole else bool(given.whose)
        if is_value and (is_told or grammar_patterns().first.match(fact.body)):  # "he lives in Rome": who?
            return " ".join(("", *given.held))
    return _about(fact)


def _succeed(facts: Sequence[Stored], superseded: dict[str, str], conflicts: dict[tuple[str, str], None]) -> None:
    """Note what took the place of what among the facts of one entity, given in order of time.

    "My sister Ana" and "my colleague Ana" are two; where both have a value, "Ana" may be either.
    """
    holding = defaultdict[tuple[str, str], dict[str, tuple[Stored, str]]](dict)
    for fact in facts:
        given = stance.single_value(fact.unit.body, names=fact.unit.entities)
        if left := stance.left_base(fact.unit.body, names=fact.unit.entities):
            for known in (holding[held] for held in stance.ended_by(left)):
                over = [role for role, (_, base) in known.items() if left.value in {base, ""}]
                superseded.update((known.pop(role)[0].unit.name, fact.unit.name) for role in over)
        others = {*YEAR.findall(fact.unit.body)} - {(fact.unit.first or "")[:4]}
        if given is None or (others and given.relation == stance.HOME):  # "moved to Rome in 2015": one move of several
            continue
        role, known = stance.role_of(fact.unit.body), holding[given.held]
        is_same = role in known or len(known) != 1 or "" not in {role, *known}
        who = role if is_same else next(iter(known))
        before, value = known.pop(who, (None, ""))
        if before and value != given.value:
            if (before.unit.since or before.unit.first) == (fact.unit.since or fact.unit.first):
                conflicts[before.unit.name, fact.unit.name] = None
            elif given.relation != stance.PLACE:
                superseded[before.unit.name] = fact.unit.name
        known[role or who] = fact, given.value


def _is_over(fact: Unit, other: Unit) -> bool:
    """Return whether a fact held no longer when another began to hold; without an end it holds still."""
    return bool(fact.until and other.since and fact.until < other.since)
