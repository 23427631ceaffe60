"""Facts, days and names of one open index file as lists to look around in: filtered, ordered, paged, counted."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memory.index.rows import IS_FACT, filter_conditions
from memory.index.tables.lives import LIVES_JOIN, MERGED
from memory.index.terms import entity_key
from memory.index.types import DayCount, EntityCount, EntityOrder, FactAge, FactListing, FactOrder, FactQuery, FactState
from memory.sqlite import Table, translated
from memory.strength import Fading
from memory.types import Scope

MAX_UNITS = 5_000
"""Units of one name that are looked through for others in them, the newest."""

_FACTS = f"u.scope = ? AND {IS_FACT}"
"""Facts of a scope."""
_REVIEWED = "coalesce(l.reviewed, u.known)"
_AGE = (
    f"max(0, julianday(?) - julianday(substr({_REVIEWED}, 1, 10))) * CASE WHEN l.pinned = 1 THEN NULL ELSE u.speed END"
)
"""Days that have passed for a fact since its last review; null where none do. Takes an ISO day."""

_ORDERS = {
    FactOrder.NEWEST: "known DESC, id DESC",
    FactOrder.OLDEST: "known IS NULL, known, id",
    FactOrder.WEAKEST: "age IS NULL, age DESC, id",
    FactOrder.STRONGEST: "age NULLS FIRST, id",
    FactOrder.MOST_USED: "uses DESC, known DESC, id DESC",
}
_STATES = {
    FactState.ALL: "",
    FactState.ALIVE: "AND merged = 0 AND coalesce(age, 0) <= ?",
    FactState.FADED: "AND merged = 0 AND age > ?",
    FactState.PINNED: "AND pinned = 1",
    FactState.MERGED: "AND merged = 1",
}


class FactTable(Table):
    """The facts of one open index as lists to look around in; what a scope may not see is not counted.

    `Index` says what its methods raise.
    """

    @translated
    def listed(self, query: FactQuery, *, scope: Scope, fading: Fading, today: str) -> FactListing:
        """Return a page of a list; `today` is the ISO day for which strength is asked."""
        narrowed, values = filter_conditions(query.where)
        if query.day:
            narrowed += " AND u.first = ?"
            values.append(query.day)
        if query.sources:
            narrowed += " AND u.source IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(query.sources))
        conditions, bounds = _state_conditions(query, fading)
        by_age = bool(conditions) or query.order in {FactOrder.WEAKEST, FactOrder.STRONGEST, FactOrder.MOST_USED}
        if not by_age:  # then nothing need be known of how they live on
            rows = self._db.execute(
                f"SELECT u.id AS id, u.known AS known FROM units u WHERE {_FACTS} {narrowed} "
                f"ORDER BY {_ORDERS[query.order]} LIMIT ? OFFSET ?",
                (scope, *values, query.limit, query.offset),
            )
            ids = tuple(unit for unit, _ in rows)
            counted = f"SELECT count(*) FROM units u WHERE {_FACTS} {narrowed}"
            return FactListing(ids, self._db.execute(counted, (scope, *values)).get)
        aged = (
            f"SELECT u.id AS id, u.known AS known, coalesce(l.uses, 0) AS uses, {MERGED} AS merged, "
            f"coalesce(l.pinned, 0) AS pinned, {fading.relative(_AGE, 'l.stability')} AS age "
            f"FROM units u {LIVES_JOIN} WHERE {_FACTS} {narrowed}"
        )
        rows = self._db.execute(
            f"SELECT id, count(*) OVER () FROM ({aged}) aged WHERE TRUE {conditions} "
            f"ORDER BY {_ORDERS[query.order]} LIMIT ? OFFSET ?",
            (today, scope, *values, *bounds, query.limit, query.offset),
        )
        pairs = [*rows]
        return FactListing(tuple(unit for unit, _ in pairs), pairs[0][1] if pairs else 0)

    @translated
    def days(self, *, scope: Scope) -> list[DayCount]:
        """Count what is about each day, or begins on it, the earliest first."""
        facts = self._db.execute(
            f"SELECT u.first, count(*) FROM units u INDEXED BY units_facts WHERE {_FACTS} GROUP BY u.first", (scope,)
        )
        counts = dict(facts)
        units = self._db.execute(
            "SELECT first, count(*) FROM units INDEXED BY units_scope WHERE scope = ? AND first IS NOT NULL "
            "GROUP BY first ORDER BY first",
            (scope,),
        )
        return [DayCount(day, counts.get(day, 0), count) for day, count in units]

    @translated
    def ages(self, *, scope: Scope) -> list[FactAge]:
        """Return what the strength of all facts is made of, in no order."""
        rows = self._db.execute(
            f"SELECT CASE WHEN l.pinned = 1 THEN NULL ELSE u.speed END, l.stability, l.difficulty, "
            f"substr({_REVIEWED}, 1, 10), coalesce(l.pinned, 0), {MERGED}, count(*) "
            f"FROM units u INDEXED BY units_facts {LIVES_JOIN} WHERE {_FACTS} GROUP BY 1, 2, 3, 4, 5, 6",
            (scope,),
        )
        return list(map(FactAge._make, rows))

    @translated
    def entities(self, *, scope: Scope, words: str = "", order: EntityOrder = EntityOrder.FACTS) -> list[EntityCount]:
        """Count the facts of each entity whose key has these words in it."""
        ordered = {EntityOrder.FACTS: "2 DESC, 1", EntityOrder.NAME: "1", EntityOrder.NEWEST: "3 DESC, 1"}[order]
        rows = self._db.execute(
            "SELECT m.entity, count(*), max(u.first) FROM units u INDEXED BY units_facts "
            f"CROSS JOIN mentions m INDEXED BY mentions_unit ON m.unit = u.id WHERE {_FACTS} "
            f"AND instr(m.entity, ?) > 0 GROUP BY m.entity ORDER BY {ordered}",
            (scope, entity_key(words)),
        )
        return list(map(EntityCount._make, rows))

    @translated
    def names(self, entities: Sequence[str], *, scope: Scope) -> dict[str, str]:
        """Return how these entities (keys) are written where they were named last."""
        found = {}
        for key in entities:
            rows = self._db.execute(
                "SELECT u.entities FROM mentions m CROSS JOIN units u ON u.id = m.unit "
                "WHERE m.entity = ? AND u.scope = ? ORDER BY m.unit DESC LIMIT 1",
                (key, scope),
            )
            for (written,) in rows:
                found[key] = next((name for name in written.split("\n") if entity_key(name) == key), key)
        return found

    @translated
    def aliases(self, entities: Sequence[str], *, scope: Scope) -> dict[str, list[str]]:
        """Return the other names of these entities, by key."""
        found: dict[str, list[str]] = {}
        rows = self._db.execute(
            "SELECT DISTINCT a.entity, a.alias FROM json_each(?) j CROSS JOIN aliases a ON a.entity = j.value "
            "WHERE EXISTS (SELECT 1 FROM units u INDEXED BY units_file WHERE u.file = a.file AND u.scope = ?) "
            "ORDER BY 1, 2",
            (json.dumps([*entities]), scope),
        )
        for entity, alias in rows:
            if alias != entity:
                found.setdefault(entity, []).append(alias)
        return found

    @translated
    def together(self, entity: str, *, scope: Scope, limit: int) -> list[EntityCount]:
        """Return the entities that most facts name beside this one, with how many do."""
        rows = self._db.execute(
            "SELECT o.entity, count(*), max(n.first) FROM ("
            "SELECT u.id AS id, u.first AS first FROM mentions m CROSS JOIN units u ON u.id = m.unit "
            f"WHERE m.entity = ? AND {_FACTS} ORDER BY m.unit DESC LIMIT {MAX_UNITS}) n "
            "CROSS JOIN mentions o INDEXED BY mentions_unit ON o.unit = n.id WHERE o.entity <> ? "
            "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            (entity, scope, entity, limit),
        )
        return list(map(EntityCount._make, rows))


def _state_conditions(query: FactQuery, fading: Fading) -> tuple[str, Sequence[float]]:
    """Return the SQL conditions for a state and a range of retrievability, each after an AND, and their values."""
    conditions, values = [_STATES[query.state]], list[float]()
    if query.state in {FactState.ALIVE, FactState.FADED}:
        values.append(fading.age_at(fading.least))
    if query.weaker_than is not None:
        conditions.append("AND age > ?")
        values.append(fading.age_at(query.weaker_than))
    if query.as_strong_as is not None:
        conditions.append("AND coalesce(age, 0) <= ?")
        values.append(fading.age_at(query.as_strong_as))
    return " ".join(filter(None, conditions)), values
