"""One agent's index in a database that several processes share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from memory.index.rows import filter_conditions
from memory.index.schema import IDENTITY
from memory.index.sql import ENTRY, K1, B, Index, rarity
from memory.index.tables.links import HUB, IS_OWN_FACT, MAX_MENTIONS, MAX_PER_FACT, LinkTable
from memory.index.tables.lives import LIFE, LIVES_JOIN
from memory.index.tables.vectors import VectorTable
from memory.index.types import Entry, Neighbour, Totals, Voice, Words
from memory.postgresql.connection import AgentStatements
from memory.postgresql.schema import AGENT, NAME, TABLES, TARGET
from memory.postgresql.translation import sendable, translate
from memory.postgresql.vectors import PostgresVectorTable
from memory.sqlite import immediate, translated
from memory.types import EVERYWHERE, OWNER, Filter, Scope

_POSTED = (
    "INSERT INTO postings (term, unit, count, length) "
    "SELECT found.term, t.unit, count(*), cardinality(array_remove(string_to_array(t.terms, ' '), '')) "
    "FROM terms t, string_to_table(t.terms, ' ') AS found(term) "
    "WHERE t.unit = ANY(%s) AND found.term <> '' GROUP BY 1, 2, 4"
)
_LINKED = f"""
SELECT n.name, l.other, l.weight FROM unnest(%s::text[]) AS n(name) CROSS JOIN LATERAL (
    SELECT b AS other, weight FROM links WHERE a = n.name UNION ALL
    (SELECT a, weight FROM links WHERE b = n.name ORDER BY weight DESC LIMIT {2 * MAX_PER_FACT})
) l"""
_NAMING = f"""
SELECT e.entity, f.id FROM unnest(%s::text[]) AS e(entity) CROSS JOIN LATERAL (
    SELECT u.id FROM (SELECT m.unit FROM mentions m WHERE m.entity = e.entity LIMIT {MAX_MENTIONS}) m
    JOIN units u ON u.id = m.unit WHERE {translate(IS_OWN_FACT).sql} LIMIT {HUB + 1}
) f WHERE (SELECT count(*) FROM (SELECT 1 FROM mentions WHERE entity = e.entity LIMIT {MAX_MENTIONS + 1}) m) <= %s"""
DIGITS = 9
"""Of a score behind the point, by which it is compared."""
_HITS = "unnest(%s::text[], %s::float8[], %s::bool[], %s::bool[]) AS e(term, weight, wanted, required)"
_BEGINNING = """
UNION ALL
SELECT e.weight, e.wanted, e.required, p.unit, sum(p.count), p.length
FROM unnest(%s::text[], %s::text[], %s::float8[], %s::bool[], %s::bool[]) AS e(low, high, weight, wanted, required)
JOIN postings p ON p.term >= e.low AND p.term < e.high {visible} GROUP BY e.low, 1, 2, 3, 4, 6"""
_COUNTED = """
SELECT e.low, count(DISTINCT p.unit) FROM unnest(%s::text[], %s::text[]) AS e(low, high)
JOIN postings p ON p.term >= e.low AND p.term < e.high {visible} GROUP BY 1"""
"""How many units have a term that begins so."""
_MATCH = f"""
WITH hits AS (
    SELECT e.weight, e.wanted, e.required, p.unit, p.count, p.length
    FROM {_HITS} JOIN postings p ON p.term = e.term {{visible}} {{beginning}}
), scores AS (
    SELECT unit, sum(weight * count / (count + {K1}::float8 * ({1 - B} + {B} * length / %s::float8))) AS score
    FROM hits GROUP BY 1 HAVING bool_or(wanted) AND (bool_or(required) OR %s)
), best AS MATERIALIZED (
    SELECT unit FROM scores ORDER BY round(score * {10**DIGITS}::float8) DESC, unit
)
SELECT s.unit FROM best s WHERE (SELECT u.scope = %s {{conditions}} FROM units u WHERE u.id = s.unit) LIMIT %s"""
"""BM25 as FTS5 computes it (its manual, "The bm25() function"). Sums differ in their last digits with the order of
their terms: these are cut off, so that the same question has the same answer."""
_BORN = "born"
_SUMS = f"""SELECT key, value FROM sums
UNION ALL SELECT '{_BORN}', hashtextextended(value, 0) FROM meta WHERE key = '{_BORN}'
UNION ALL SELECT NULL, id FROM units WHERE scope = '{OWNER}' AND (marks & 3) <> 0"""
"""What nearly every question of the owner asks: its sums, which index it is, and behind no key what guides."""
_ENTRIES = f"""
SELECT {ENTRY}, f.path, u.since, u.until, u.named, {translate(LIFE).sql}
FROM units u JOIN files f ON f.id = u.file {translate(LIVES_JOIN).sql}
WHERE u.id = ANY(%s) AND u.scope = %s"""
"""Entries without their terms, which stand behind the path."""
_NEIGHBOURS = """
WITH wanted AS MATERIALIZED (
    SELECT c.file, array_agg(DISTINCT c."order" + s.step) AS orders
    FROM units c CROSS JOIN (VALUES (-1), (1)) AS s(step) WHERE c.id = ANY(%s) AND c.scope = %s GROUP BY 1
)
SELECT u.id, u.file, u."order", u.kind, u.length
FROM wanted w JOIN units u ON u.file = w.file AND u."order" = ANY(w.orders) WHERE u.scope = %s"""
"""Neighbours without their terms, which come last. Places are grouped by file: an index looks many up in one file
faster than one in many files."""
_BESIDE_TERMS = 150
"""Bytes that a text which is kept takes beside its characters."""
_TERMS_OF_ENTRY, _TERMS_OF_NEIGHBOUR = Entry._fields.index("terms"), Neighbour._fields.index("terms")
_FORGOTTEN = "DELETE FROM meta WHERE key <> 'holder'"
_HIGHEST = "\U0010ffff"
"""Sorts behind all that a term may go on with."""


@dataclass(frozen=True, slots=True)
class _Sums:
    """What was read for a question: the sums by their keys, the units that guide, and how many units hold terms."""

    counts: dict[str, int]
    guiding: list[int]
    frequencies: dict[tuple[Scope, str], int]

    @classmethod
    def of(cls, rows: Iterable[tuple[str | None, int]]) -> Self:
        sums = [*rows]
        return cls({key: value for key, value in sums if key}, [value for key, value in sums if key is None], {})

    def of_each(self, kind: str) -> dict[str, int]:
        """Return the counts of one kind: by language, or by speaker."""
        return {key[len(kind) :]: value for key, value in self.counts.items() if key.startswith(kind)}


class _Terms:
    """The terms of units that were read. A unit's never change, and its number is another's only in another index."""

    def __init__(self, statements: AgentStatements) -> None:
        self._own = statements
        self._born: int | None = None
        self._known: dict[int, str] = {}
        self._reserved = 0

    def follow(self, born: int | None) -> None:
        """Take note of which index is read."""
        if born != self._born:
            self.drop()
            self._born = born

    def of(self, units: Sequence[int], *, keep: bool) -> dict[int, str]:
        """Return the terms of units; keep those that are new, while this process has room for them."""
        known = self._known if keep else {}
        missing = [unit for unit in units if unit not in known]
        read = dict(self._own.run("SELECT unit, terms FROM terms WHERE unit = ANY(%s)", [missing])) if missing else {}
        size = sum(len(terms) + _BESIDE_TERMS for terms in read.values())
        if not (keep and self._own.database.reserve(size)):
            return known | read
        self._reserved += size
        self._known |= read
        return self._known

    def drop(self) -> None:
        """Forget all that was kept, and give its reserved memory back."""
        self._own.database.reserve(-self._reserved)
        self._known, self._reserved = {}, 0


class PostgresLinkTable(LinkTable):
    """The links of one agent, looked up for all facts of a question together."""

    _db: AgentStatements

    def _linked(self, facts: Iterable[str]) -> dict[str, list[tuple[str, float]]]:
        linked: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, other, weight in self._db.run(_LINKED, [[*facts]]):
            linked[name].append((other, weight))
        return linked

    def _naming(self, entities: Iterable[str], scope: Scope) -> dict[str, list[int]]:
        units: dict[str, list[int]] = defaultdict(list)
        for entity, unit in self._db.run(_NAMING, [[*map(sendable, entities)], scope, MAX_MENTIONS]):
            units[entity].append(unit)
        return units


class PostgresIndex(Index):
    """An agent's index. Raises what `Index` raises."""

    _db: AgentStatements

    def __init__(self, statements: AgentStatements, path: Path) -> None:
        super().__init__(statements, path)
        self.links: LinkTable = PostgresLinkTable(statements, path)
        self.vectors: VectorTable = PostgresVectorTable(statements, path)
        self._sums: _Sums | None = None
        self._terms = _Terms(statements)

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._db.in_transaction:
            yield
            return
        self._sums = _Sums.of(self._db.begin_reading(_SUMS))
        self._terms.follow(self._sums.counts.get(_BORN))
        try:
            yield
        finally:
            self._sums = None
            self._db.execute("COMMIT")

    def identity(self) -> dict[str, str]:
        """Return the versions that the index was made by; empty if there is none."""
        rows = self._db.execute("SELECT key, value FROM meta")
        return {key: value for key, value in rows if key in IDENTITY}

    def create(self) -> None:
        """Begin the index, if it has not been begun."""
        with immediate(self._db):
            if not self.identity():
                self._begin()

    def empty(self) -> None:
        """Drop all rows, and begin the index anew; the numbers of what is gone are not given again."""
        with immediate(self._db):
            self._db.run("; ".join(f"DELETE FROM {table}" for table in TABLES if table not in {"sequences", "meta"}))
            self._db.run(_FORGOTTEN)
            self._begin()

    def become(self, other: PostgresIndex) -> None:
        """Take over all that another agent's index holds, in one transaction, and leave that one empty."""
        giver, taker = other._db.agent, self._db.agent
        seen = f"SELECT set_config('{AGENT}', %s, true), set_config('{TARGET}', %s, true)"
        tables = [table for table in TABLES if table != "meta"]
        with immediate(self._db):
            self._db.run("; ".join(f"DELETE FROM {table}" for table in tables))
            self._db.run(_FORGOTTEN)
            self._db.run(seen, [giver, taker])
            for table in TABLES:
                self._db.run(f"UPDATE {table} SET agent = %s", [taker])
            self._db.run(seen, [taker, taker])

    def vacuum(self) -> None:
        """Free the space of rows that were removed, in the tables of all agents, and look what these hold."""
        for table in TABLES:
            self._db.run_alone(f"VACUUM (ANALYZE) {NAME}.{table}")

    def close(self) -> None:
        """Keep nothing; nothing is open between two statements."""
        self._terms.drop()

    def merge_segments(self) -> bool:
        """Have the planner learn what the tables hold by now, if that has grown by much; nothing is left to do then."""
        row = self._db.execute(
            "SELECT (SELECT coalesce(max(seq), 0) FROM sequences), (SELECT value FROM meta WHERE key = 'analysed')"
        ).fetchone()
        seen, before = row[0], int(row[1] or 0)
        if seen > 2 * before:
            self.vacuum()
            with immediate(self._db):
                self._db.execute(
                    "INSERT INTO meta VALUES ('analysed', ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                    (str(seen),),
                )
        return False

    def keep_terms(self, added: Sequence[tuple[int, str]], removed: Sequence[int]) -> None:
        if removed:
            self._db.run(
                "DELETE FROM postings p USING terms t, string_to_table(t.terms, ' ') AS found(term) "
                "WHERE t.unit = ANY(%s) AND p.unit = t.unit AND p.term = found.term",
                [[*removed]],
            )
        if added:
            self._db.run(_POSTED, [[unit for unit, _ in added]])

    def totals(self, *, scope: Scope = OWNER) -> Totals:
        if scope != OWNER or self._sums is None:
            return super().totals(scope=scope)
        return Totals(*(self._sums.counts.get(field.name, 0) for field in fields(Totals)))

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        if scope != OWNER or self._sums is None:
            return super().languages(scope=scope)
        counts = self._sums.of_each("language.")
        known = (code for code, count in counts.items() if code and count > 0)
        return tuple(sorted(known, key=lambda code: (-counts[code], code)))

    def voices(self, *, scope: Scope) -> dict[str, Voice]:
        if scope != OWNER or self._sums is None:
            return super().voices(scope=scope)
        own = self._sums.of_each("self.")
        return {name: Voice(said, own[name]) for name, said in self._sums.of_each("said.").items() if said > 0}

    def guiding(self, *, scope: Scope) -> list[int]:
        if scope != OWNER or self._sums is None:
            return super().guiding(scope=scope)
        return self._sums.guiding

    @translated
    def entries(self, ids: Sequence[int], *, scope: Scope) -> list[Entry]:
        return [Entry._make(row) for row in self._with_terms(_ENTRIES, [[*ids], scope], at=_TERMS_OF_ENTRY)]

    @translated
    def neighbours(self, ids: Sequence[int], *, scope: Scope) -> list[Neighbour]:
        rows = self._with_terms(_NEIGHBOURS, [[*ids], scope, scope], at=_TERMS_OF_NEIGHBOUR)
        return [*map(Neighbour._make, rows)]

    def _with_terms(self, sql: str, values: Sequence[Any], *, at: int) -> Iterator[tuple[Any, ...]]:
        """Run a statement that finds units without their terms, and put these into its rows at a place."""
        rows = [*self._db.run(sql, values)]
        terms = self._terms.of([row[0] for row in rows], keep=self._sums is not None)
        return ((*row[:at], terms[row[0]], *row[at:]) for row in rows if row[0] in terms)

    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        asked = [term.replace("\x00", "\ufffd") for term in terms if term and not (scope != OWNER and term[-1] == "*")]
        visible, seen = _visible(scope)
        rows = self._db.run(
            f"SELECT p.term, count(*) FROM postings p {visible} WHERE p.term = ANY(%s) GROUP BY 1", [*seen, asked]
        )
        counts = dict(rows)
        if self._sums is not None:
            self._sums.frequencies.update({(scope, term): counts.get(term, 0) for term in asked})
        return counts

    def match(
        self, words: Words, *, scope: Scope, where: Filter = EVERYWHERE, limit: int, among: Words = ()
    ) -> list[int]:
        required, wanted = (
            Counter(term.replace("\x00", "") for word in some for term in word) for some in (among, words)
        )
        sums = self.totals(scope=scope)
        if not wanted or not sums.terms:
            return []
        terms = {term: times for term, times in (required + wanted).items() if term != "*"}
        held = self._held(terms, scope)
        conditions, values = filter_conditions(where)
        narrowed = translate(conditions)
        visible, seen = _visible(scope)

        def columns(some: Sequence[str]) -> list[list[Any]]:
            weights = [terms[term] * (K1 + 1) * rarity(sums.units, held[term]) for term in some]
            return [weights, [term in wanted for term in some], [term in required for term in some]]

        whole = [term for term in terms if held[term] and not term.endswith("*")]
        begins = [term for term in terms if held[term] and term.endswith("*")]
        rows = self._db.run(
            _MATCH.format(
                visible=visible,
                beginning=_BEGINNING.format(visible=visible) if begins else "",
                conditions=narrowed.sql,
            ),
            [
                whole, *columns(whole), *seen,
                *([*_beginnings(begins), *columns(begins), *seen] if begins else ()),
                sums.terms / sums.units, not required, scope, *narrowed.values(values), limit,
            ],
        )  # fmt: skip
        return [unit for (unit,) in rows]

    def _held(self, terms: Iterable[str], scope: Scope) -> dict[str, int]:
        """Count the units of a scope that hold each term, or one that begins like it; a question has asked most."""
        known = self._sums.frequencies if self._sums is not None else {}
        whole = {term: known.get((scope, term)) for term in terms if not term.endswith("*")}
        if missing := [term for term, count in whole.items() if count is None]:
            whole |= dict.fromkeys(missing, 0) | self.frequencies(missing, scope=scope)
        begins = [term for term in terms if term.endswith("*")]
        visible, seen = _visible(scope)
        rows = self._db.run(_COUNTED.format(visible=visible), [*_beginnings(begins), *seen]) if begins else ()
        counted = {f"{stem}*": count for stem, count in rows}
        return {term: whole.get(term) or counted.get(term, 0) for term in terms}

    def _begin(self) -> None:
        self._db.executemany("INSERT INTO meta VALUES (?, ?)", IDENTITY.items())
        self._db.run("INSERT INTO meta VALUES ('born', replace(gen_random_uuid()::text, '-', ''))")


def _visible(scope: Scope) -> tuple[str, list[str]]:
    """Return what joins postings `p` with the units of a scope, and its values; the owner counts all."""
    return ("", []) if scope == OWNER else ("JOIN units u ON u.id = p.unit AND u.scope = %s", [scope])


def _beginnings(terms: Iterable[str]) -> list[list[str]]:
    """Return between which texts there is what begins like these: two columns."""
    stems = [term[:-1] for term in terms]
    return [stems, [stem + _HIGHEST for stem in stems]]
