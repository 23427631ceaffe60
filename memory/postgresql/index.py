"""One agent's index in a database that several processes share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memory.index.port import Words
from memory.index.schema import IDENTITY, filter_conditions
from memory.index.sql import K1, LEAST_WEIGHT, B, SqlIndex
from memory.index.vector_table import VectorTable
from memory.postgresql.connection import AgentStatements
from memory.postgresql.schema import AGENT, NAME, TABLES, TARGET
from memory.postgresql.translation import translate
from memory.postgresql.vectors import PostgresVectorTable
from memory.sqlite import immediate
from memory.types import EVERYWHERE, OWNER, Filter, Scope

_POSTED = (
    "INSERT INTO postings (term, unit, count, length) "
    "SELECT found.term, t.unit, count(*), cardinality(string_to_array(btrim(t.terms), '  ')) "
    "FROM terms t, string_to_table(btrim(t.terms), '  ') AS found(term) "
    "WHERE t.unit = ANY(%s) AND found.term <> '' GROUP BY 1, 2, 4"
)
_MATCH = f"""
WITH hits AS (
    SELECT e.term, e.times, e.wanted, e.required, p.unit, p.count, p.length
    FROM unnest(%s::text[], %s::int[], %s::bool[], %s::bool[]) AS e(term, times, wanted, required)
    JOIN postings p ON p.term = e.term {{visible}}
    UNION ALL
    SELECT e.term, e.times, e.wanted, e.required, p.unit, sum(p.count), p.length
    FROM unnest(%s::text[], %s::int[], %s::bool[], %s::bool[], %s::text[], %s::text[])
        AS e(term, times, wanted, required, low, high)
    JOIN postings p ON p.term >= e.low AND p.term < e.high {{visible}} GROUP BY 1, 2, 3, 4, 5, 7
), weighed AS (
    SELECT *, count(*) OVER (PARTITION BY term)::float8 AS held FROM hits
), scores AS (
    SELECT unit, sum(
        times * greatest({LEAST_WEIGHT}, ln((%s - held + 0.5) / (held + 0.5)))
        * {K1 + 1}::float8 * count / (count + {K1}::float8 * ({1 - B} + {B} * length / %s::float8))
    ) AS score
    FROM weighed GROUP BY 1 HAVING bool_or(wanted) AND (bool_or(required) OR %s)
), best AS MATERIALIZED (
    SELECT unit FROM scores ORDER BY round(score::numeric, 9) DESC, unit
)
SELECT s.unit FROM best s WHERE (SELECT u.scope = %s {{conditions}} FROM units u WHERE u.id = s.unit) LIMIT %s"""
"""BM25 as FTS5 computes it (its manual, "The bm25() function"). Sums differ in their last digits with the order of
their terms: these are cut off, so that the same question has the same answer."""
_FORGOTTEN = "DELETE FROM meta WHERE key <> 'holder'"
_HIGHEST = "\U0010ffff"
"""Sorts behind all that a term may go on with."""


class PostgresIndex(SqlIndex):
    """An agent's index. Raises what `SqlIndex` raises."""

    def __init__(self, statements: AgentStatements, path: Path) -> None:
        super().__init__(statements, path)
        self.vectors: VectorTable = PostgresVectorTable(statements, path)
        self._own = statements

    def identity(self) -> dict[str, str]:
        """Return the versions that the index was made by; empty if there is none."""
        found = self._own.execute("SELECT key, value FROM meta")
        return {key: value for key, value in found if key in IDENTITY}

    def create(self) -> None:
        """Begin the index, if it has not been begun."""
        with immediate(self._own):
            if not self.identity():
                self._begin()

    def empty(self) -> None:
        """Drop all rows, and begin the index anew; the numbers of what is gone are not given again."""
        with immediate(self._own):
            self._own.run("; ".join(f"DELETE FROM {table}" for table in TABLES if table not in {"sequences", "meta"}))
            self._own.run(_FORGOTTEN)
            self._begin()

    def become(self, other: PostgresIndex) -> None:
        """Take over all that another agent's index holds, in one transaction, and leave that one empty."""
        giver, taker = other._own.agent, self._own.agent
        seen = f"SELECT set_config('{AGENT}', %s, true), set_config('{TARGET}', %s, true)"
        tables = [table for table in TABLES if table != "meta"]
        with immediate(self._own):
            self._own.run("; ".join(f"DELETE FROM {table}" for table in tables))
            self._own.run(_FORGOTTEN)
            self._own.run(seen, [giver, taker])
            for table in TABLES:
                self._own.run(f"UPDATE {table} SET agent = %s", [taker])
            self._own.run(seen, [taker, taker])

    def vacuum(self) -> None:
        """Free the space of rows that were removed, in the tables of all agents, and look what these hold."""
        for table in TABLES:
            self._own.run_alone(f"VACUUM (ANALYZE) {NAME}.{table}")

    def close(self) -> None:
        """Nothing is open between two statements."""

    def merge_segments(self) -> bool:
        """Have the planner learn what the tables hold by now, if that has grown by much; nothing is left to do then."""
        row = self._own.execute(
            "SELECT (SELECT coalesce(max(seq), 0) FROM sequences), (SELECT value FROM meta WHERE key = 'analysed')"
        ).fetchone()
        seen, before = row[0], int(row[1] or 0)
        if seen > 2 * before:
            self.vacuum()
            with immediate(self._own):
                self._own.execute(
                    "INSERT INTO meta VALUES ('analysed', ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                    (str(seen),),
                )
        return False

    def keep_terms(self, added: Sequence[tuple[int, str]] = (), removed: Sequence[int] = ()) -> None:
        if removed:
            self._own.run(
                "DELETE FROM postings p USING terms t, string_to_table(btrim(t.terms), '  ') AS found(term) "
                "WHERE t.unit = ANY(%s) AND p.unit = t.unit AND p.term = found.term",
                [[*removed]],
            )
        if added:
            self._own.run(_POSTED, [[unit for unit, _ in added]])

    def frequencies(self, terms: Iterable[str], *, scope: Scope) -> dict[str, int]:
        asked = [term.replace("\x00", "\ufffd") for term in terms if term and not (scope != OWNER and term[-1] == "*")]
        own = "" if scope == OWNER else "JOIN units u ON u.id = p.unit AND u.scope = %s"
        rows = self._own.run(
            f"SELECT p.term, count(*) FROM postings p {own} WHERE p.term = ANY(%s) GROUP BY 1",
            [asked] if scope == OWNER else [scope, asked],
        )
        return dict(rows)

    def match(
        self, words: Words, *, scope: Scope, where: Filter = EVERYWHERE, limit: int, among: Words = ()
    ) -> list[int]:
        required, wanted = (
            Counter(term.replace("\x00", "") for word in some for term in word) for some in (among, words)
        )
        sums = self.totals(scope=scope)
        if not wanted or not sums.terms:
            return []
        conditions, values = filter_conditions(where)
        narrowed = translate(conditions)
        own, seen = ("", []) if scope == OWNER else ("JOIN units u ON u.id = p.unit AND u.scope = %s", [scope])

        def columns(terms: Sequence[str]) -> list[list[Any]]:
            times = [required[term] + wanted[term] for term in terms]
            return [[*terms], times, [term in wanted for term in terms], [term in required for term in terms]]

        whole = [term for term in required + wanted if not term.endswith("*")]
        begins = [term for term in required + wanted if term.endswith("*") and term != "*"]
        stems = [term[:-1] for term in begins]
        rows = self._own.run(
            _MATCH.format(visible=own, conditions=narrowed.sql),
            [
                *columns(whole), *seen,
                *columns(begins), stems, [stem + _HIGHEST for stem in stems], *seen,
                sums.units, sums.terms / sums.units, not required, scope, *narrowed.values(values), limit,
            ],
        )  # fmt: skip
        return [unit for (unit,) in rows]

    def _begin(self) -> None:
        self._own.executemany("INSERT INTO meta VALUES (?, ?)", IDENTITY.items())
        self._own.run("INSERT INTO meta VALUES ('born', replace(gen_random_uuid()::text, '-', ''))")
