"""What facts are linked to, in PostgreSQL: looked up for all facts of a question together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from memory.index.tables.links import HUB, IS_FACT, MAX_PER_FACT, MOST_MENTIONS, LinkTable
from memory.postgresql.connection import AgentStatements
from memory.postgresql.translation import sendable, translate
from memory.types import Scope

_LINKED = f"""
SELECT n.name, l.other, l.weight FROM unnest(%s::text[]) AS n(name) CROSS JOIN LATERAL (
    SELECT b AS other, weight FROM links WHERE a = n.name UNION ALL
    (SELECT a, weight FROM links WHERE b = n.name ORDER BY weight DESC LIMIT {2 * MAX_PER_FACT})
) l"""
_NAMING = f"""
SELECT e.entity, f.id FROM unnest(%s::text[]) AS e(entity) CROSS JOIN LATERAL (
    SELECT u.id FROM (SELECT m.unit FROM mentions m WHERE m.entity = e.entity LIMIT {MOST_MENTIONS}) m
    JOIN units u ON u.id = m.unit WHERE {translate(IS_FACT).sql} LIMIT {HUB + 1}
) f WHERE (SELECT count(*) FROM (SELECT 1 FROM mentions WHERE entity = e.entity LIMIT {MOST_MENTIONS + 1}) m) <= %s"""


class PostgresLinkTable(LinkTable):
    """The links of one agent."""

    def __init__(self, statements: AgentStatements, path: Path) -> None:
        super().__init__(statements, path)
        self._own = statements

    def _linked(self, facts: Iterable[str]) -> dict[str, list[tuple[str, float]]]:
        linked: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, other, weight in self._own.run(_LINKED, [[*facts]]):
            linked[name].append((other, weight))
        return linked

    def _naming(self, entities: Iterable[str], scope: Scope) -> dict[str, list[int]]:
        units: dict[str, list[int]] = defaultdict(list)
        for entity, unit in self._own.run(_NAMING, [[*map(sendable, entities)], scope, MOST_MENTIONS]):
            units[entity].append(unit)
        return units
