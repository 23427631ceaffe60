"""The index in memory, for tests and for what is too small or too short-lived for a file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memory.index.owners import whole_name
from memory.index.port import Changed, Entry, FileChange, FileState, Stored, Totals, Voice, Words
from memory.index.terms import entity_key
from memory.index.units import Unit
from memory.language.guidance import GUIDING, TextFlags
from memory.types import EVERYWHERE, OWNER, Filter, Kind, Problem, Scope, Stats


@dataclass(frozen=True, slots=True)
class _Row:
    stored: Stored
    digest: bytes
    terms: str
    bag: Counter[str]
    marks: TextFlags


class VolatileIndex:
    """Plain dictionaries behind `memory.index.port.Index`; every read looks at every unit."""

    def __init__(self) -> None:
        self._rows: dict[int, _Row] = {}
        self._files: dict[str, FileState] = {}
        self._numbers: dict[str, int] = {}
        self._aliases: dict[str, tuple[tuple[str, str], ...]] = {}
        self._problems: dict[str, tuple[Problem, ...]] = {}
        self._notes: dict[str, str] = {}
        self._last = 0
        self._generation = 0

    def write(self, changes: Sequence[FileChange], removed: Sequence[str] = ()) -> Changed:
        self._generation += 1
        changed = Changed()
        for path in removed:
            changed += Changed(removed=len(self._replaced(path, {})[0]))
            for table in (self._files, self._aliases, self._problems):
                table.pop(path, None)
        for change in changes:
            self._files[change.path] = change.state
            self._numbers.setdefault(change.path, len(self._numbers) + 1)
            if change.chunked:
                changed += self._take(change.path, change.chunked.units)
                self._aliases[change.path] = change.chunked.aliases
                self._problems[change.path] = change.chunked.problems
        return changed

    def holding(self, names: Iterable[str]) -> set[str]:
        wanted = frozenset(names)
        return {row.stored.path for row in self._rows.values() if row.stored.unit.name in wanted}

    def note(self, key: str, value: str) -> None:
        self._notes[key] = value

    def noted(self, key: str) -> str:
        return self._notes.get(key, "")

    def generation(self) -> int:
        return self._generation

    def tidy(self) -> bool:
        return False

    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileState]:
        return {path: self._files[path] for path in (self._files if paths is None else paths) if path in self._files}

    def totals(self, *, scope: Scope = OWNER) -> Totals:
        rows = self._counted(scope)
        facts = sum(row.stored.unit.kind is not Kind.NOTE for row in rows)
        terms, characters = sum(row.bag.total() for row in rows), sum(len(row.stored.unit.text) for row in rows)
        files = len(self._files) if scope == OWNER else len({row.stored.file for row in rows})
        return Totals(files, len(rows), facts, terms, characters)

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        return _by_count(Counter(row.stored.unit.language for row in self._counted(scope)))

    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        rows = self._counted(scope)
        counts = {term: sum(term in row.bag for row in rows) for term in terms}
        return {term: count for term, count in counts.items() if count}

    def match(
        self,
        words: Words,
        *,
        scope: Scope,
        where: Filter = EVERYWHERE,
        limit: int,
        among: Words = (),
    ) -> list[int]:
        rows = [
            row
            for row in self._seen(scope, where)
            if any(_holds(row, word) for word in words) and (not among or any(_holds(row, word) for word in among))
        ]
        weight = _bm25(self._counted(scope), [term for word in (*among, *words) for term in word])
        rows.sort(key=lambda row: (-weight(row), row.stored.id))
        return [row.stored.id for row in rows[:limit]]

    def dated(self, first: str, last: str, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        return _newest((row for row in self._seen(scope, where) if _overlaps(row.stored.unit, first, last)), limit)

    def listed(self, *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        rows = sorted(self._seen(scope, where), key=lambda row: -row.stored.order)
        rows.sort(key=lambda row: row.stored.path)
        rows.sort(key=lambda row: row.stored.unit.first or "", reverse=True)
        return [row.stored.id for row in rows[:limit]]

    def about(self, entities: Iterable[str], *, scope: Scope, where: Filter = EVERYWHERE, limit: int) -> list[int]:
        wanted = set(entities)
        rows = self._seen(scope, where)
        return _newest((row for row in rows if wanted & set(map(entity_key, row.stored.unit.entities))), limit)

    def known(self, names: Iterable[str], *, scope: Scope) -> dict[str, str]:
        seen = [row.stored for row in self._seen(scope)]
        found = {entity_key(name): entity_key(name) for one in seen for name in one.unit.entities}
        pairs = [pair for path in {one.path for one in seen} for pair in self._aliases.get(path, ())]
        found |= dict(sorted((entity_key(alias), entity_key(name)) for alias, name in pairs))
        return {name: found[name] for name in names if name in found}

    def guiding(self, *, scope: Scope) -> list[int]:
        return sorted(row.stored.id for row in self._seen(scope) if row.marks & GUIDING)

    def voices(self, *, scope: Scope) -> dict[str, Voice]:
        said: dict[str, list[bool]] = {}
        for row in self._counted(scope):
            said.setdefault(row.stored.unit.speaker, []).append(bool(row.marks & TextFlags.FIRST_PERSON))
        return {who: Voice(len(marks), sum(marks)) for who, marks in said.items() if who}

    def entries(self, ids: Sequence[int], *, scope: Scope, around: int = 0) -> list[Entry]:
        places = {
            (row.stored.file, row.stored.order + step)
            for row in self._seen(scope)
            if row.stored.id in ids
            for step in range(-around, around + 1)
        }
        return [_entry(row) for row in self._seen(scope) if (row.stored.file, row.stored.order) in places]

    def stored(self, ids: Sequence[int], *, scope: Scope) -> list[Stored]:
        seen = {row.stored.id: row.stored for row in self._seen(scope)}
        return [seen[number] for number in ids if number in seen]

    def between(self, file: int, *, first: int, last: int, scope: Scope) -> list[Stored]:
        rows = (row.stored for row in self._seen(scope) if row.stored.file == file)
        return sorted((row for row in rows if first <= row.order <= last), key=lambda row: row.order)

    def find(self, name: str, *, scope: Scope) -> Stored | None:
        rows = [row.stored for row in self._seen(scope) if row.stored.unit.name == name]
        return min(rows, key=lambda row: (row.path, row.order), default=None)

    def stats(self, *, scope: Scope) -> Stats:
        stored = [row.stored for row in self._seen(scope)]
        units = [row.unit for row in stored]
        own = [unit for unit in units if whole_name(unit.name) == unit.name]  # not a further piece of a long fact
        days = [unit.first for unit in units if unit.first]
        spelled: dict[str, list[str]] = {}
        for name in (name for unit in units for name in unit.entities):
            spelled.setdefault(entity_key(name), []).append(name)
        by_count = sorted(spelled, key=lambda key: (-len(spelled[key]), key))
        return Stats(
            files=len({row.file for row in stored}),
            units=len(units),
            facts=sum(unit.kind is not Kind.NOTE for unit in own),
            by_kind=dict(Counter(str(unit.kind) for unit in own)),
            by_category=dict(Counter(unit.category for unit in own if unit.category)),
            entities=tuple((min(spelled[key]), len(spelled[key])) for key in by_count),
            first_day=min(days, default=None),
            last_day=max(days, default=None),
        )

    def problems(self) -> tuple[Problem, ...]:
        found = [problem for problems in self._problems.values() for problem in problems]
        return tuple(sorted(found, key=lambda problem: (problem.path, problem.line or 0, problem.message)))

    def close(self) -> None:
        """There is nothing to let go of."""

    def _seen(self, scope: Scope, where: Filter = EVERYWHERE) -> Iterator[_Row]:
        """The rows of a scope, narrowed, file by file and in order."""
        return (row for row in self._rows.values() if row.stored.unit.scope == scope and _is_in(row.stored, where))

    def _counted(self, scope: Scope) -> list[_Row]:
        """The rows that a scope's statistics are taken over."""
        return list(self._rows.values() if scope == OWNER else self._seen(scope))

    def _take(self, path: str, units: Sequence[Unit]) -> Changed:
        new = {unit.digest(): (order, unit) for order, unit in enumerate(units)}
        gone, kept = self._replaced(path, new)
        for digest, (order, unit) in new.items():
            if digest not in kept:
                self._last += 1
                language, terms = unit.searched()
                stored = Stored(self._last, self._numbers[path], order, path, replace(unit, language=language))
                spaced = f" {terms.replace(' ', '  ')} "
                self._rows[self._last] = _Row(stored, digest, spaced, Counter(terms.split()), unit.marks)
        return Changed(len(new) - len(kept), len(gone), len(kept))

    def _replaced(self, path: str, new: Mapping[bytes, tuple[int, Unit]]) -> tuple[set[bytes], set[bytes]]:
        """Drop what a file no longer holds and move what it still does: (digests gone, digests kept)."""
        old = {row.digest: row for row in self._rows.values() if row.stored.path == path}
        for digest, row in old.items():
            if digest not in new:
                del self._rows[row.stored.id]
                continue
            order, unit = new[digest]
            unit = replace(unit, language=row.stored.unit.language)
            self._rows[row.stored.id] = replace(row, stored=replace(row.stored, order=order, unit=unit))
        return old.keys() - new.keys(), old.keys() & new.keys()


def _bm25(rows: Sequence[_Row], terms: Sequence[str]) -> Callable[[_Row], float]:
    """Okapi BM25 as FTS5 computes it: k1 1.2, b .75, and no term counts less than nothing."""
    mean = sum(row.bag.total() for row in rows) / max(1, len(rows))
    idf = {}
    for term in terms:
        holding = sum(_holds(row, [term]) for row in rows)
        idf[term] = max(1e-6, math.log((len(rows) - holding + 0.5) / (holding + 0.5)))

    def weight(row: _Row) -> float:
        damp = 1.2 * (0.25 + 0.75 * row.bag.total() / mean)
        return sum(idf[term] * 2.2 * count / (count + damp) for term in terms if (count := _count(row, term)))

    return weight


def _count(row: _Row, term: str) -> int:
    if not term.endswith("*"):
        return row.bag[term]
    return sum(count for held, count in row.bag.items() if held.startswith(term[:-1] or "*"))


def _holds(row: _Row, word: Sequence[str]) -> bool:
    return any(_count(row, term) for term in word)


def _overlaps(unit: Unit, first: str, last: str) -> bool:
    return unit.first is not None and unit.last is not None and unit.first <= last and unit.last >= first


def _is_in(stored: Stored, where: Filter) -> bool:
    unit = stored.unit
    if (where.since or where.until) and not _overlaps(unit, where.since or "", where.until or "9999"):
        return False
    return stored.path.startswith(where.under) and (not where.kinds or unit.kind in where.kinds)


def _newest(rows: Iterable[_Row], limit: int) -> list[int]:
    stored = sorted((row.stored for row in rows), key=lambda one: (one.path, one.order))
    stored.sort(key=lambda one: one.unit.first or "", reverse=True)
    return [one.id for one in stored[:limit]]


def _entry(row: _Row) -> Entry:
    one, unit = row.stored, row.stored.unit
    return Entry(
        id=one.id,
        file=one.file,
        order=one.order,
        turn=unit.turn,
        kind=unit.kind,
        first=unit.first,
        last=unit.last,
        speaker=unit.speaker,
        characters=len(unit.text),
        length=row.bag.total(),
        marks=row.marks,
        path=one.path,
        terms=row.terms,
    )


def _by_count(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted((code for code in counts if counts[code]), key=lambda code: (-counts[code], code)))
