"""What facts are linked to: by the journal's `link` records, by an entity that two name, by a `[[link]]` in one."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from memory.files.notation import linked_name
from memory.index.port import Link, LinkKind
from memory.index.terms import entity_key
from memory.sqlite import translated
from memory.types import Kind, Scope

MAX_PER_FACT = 12
"""Links that are followed from one fact, the heaviest: its own six, and as many of those who chose it."""
HUB = 24
"""An entity in more facts of a scope than this tells none apart, and links none."""
SHARED = 0.7
"""Weight of an entity that only two facts name; it falls with the root of how many others do."""
WRITTEN = 1.0
"""Weight of a link to a fact's block id, which somebody wrote by hand."""

_FACT = f"u.kind <> '{Kind.NOTE}' AND instr(u.name, '/') = 0"  # of a long fact its first piece
_MEANING = f"""
WITH asked(id, name) AS MATERIALIZED (
    SELECT u.id, u.name FROM json_each(?1) j CROSS JOIN units u ON u.id = j.value WHERE u.scope = ?2 AND {_FACT}
)
SELECT asked.id, u.id, k.weight FROM asked CROSS JOIN links k ON k.a = asked.name
CROSS JOIN units u INDEXED BY units_name ON u.name = k.b WHERE u.scope = ?2 AND {_FACT}
UNION ALL
SELECT asked.id, u.id, k.weight FROM asked CROSS JOIN links k INDEXED BY links_b ON k.b = asked.name
CROSS JOIN units u INDEXED BY units_name ON u.name = k.a WHERE u.scope = ?2 AND {_FACT}"""
_NAMED = f"""
SELECT m.entity, u.id FROM json_each(?1) j CROSS JOIN units u ON u.id = j.value
CROSS JOIN mentions m ON m.unit = u.id WHERE u.scope = ?2 AND {_FACT}"""
_NAMING = f"""
SELECT u.id FROM mentions m CROSS JOIN units u ON u.id = m.unit WHERE m.entity = ?1 AND u.scope = ?2 AND {_FACT}
LIMIT {HUB + 1}"""
_SCANNED = 4 * HUB
"""Mentions of an entity that are counted over all scopes: one that is everywhere is not looked through."""
_WITH_LINKS = f"""
SELECT u.id, u.text FROM json_each(?1) j CROSS JOIN units u ON u.id = j.value
WHERE u.scope = ?2 AND {_FACT} AND instr(u.text, '[[')"""
_BY_NAME = f"""
SELECT u.name, u.id FROM json_each(?1) j CROSS JOIN units u INDEXED BY units_name ON u.name = j.value
WHERE u.scope = ?2 AND {_FACT}"""
_WIKILINK = re.compile(r"(?<![!\\])\[\[([^\[\]\n]{1,200})\]\]")


class LinkTable:
    """The links of one open index file; `memory.index.port.Links` documents its methods, `Index` their errors.

    Attributes:
        path: the file, for messages.
    """

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self.path = path
        self._db = db

    @translated
    def neighbours(self, units: Sequence[int], *, scope: Scope) -> list[Link]:
        asked = json.dumps([*units])
        found: dict[int, dict[int, Link]] = defaultdict(dict)
        for link in (*self._by_meaning(asked, scope), *self._by_entity(asked, scope), *self._written(asked, scope)):
            known = found[link.source].get(link.target)
            if link.target != link.source and (known is None or known.weight < link.weight):
                found[link.source][link.target] = link
        return [
            link
            for unit in dict.fromkeys(units)
            for link in sorted(found[unit].values(), key=lambda one: (-one.weight, one.target))[:MAX_PER_FACT]
        ]

    def _by_meaning(self, asked: str, scope: Scope) -> Iterator[Link]:
        for source, target, weight in self._db.execute(_MEANING, (asked, scope)):
            yield Link(source, target, weight, LinkKind.MEANING)

    def _by_entity(self, asked: str, scope: Scope) -> Iterator[Link]:
        named: dict[str, list[int]] = defaultdict(list)
        for entity, unit in self._db.execute(_NAMED, (asked, scope)):
            named[entity].append(unit)
        written = self._linked_names(asked, scope) if named else {}
        for entity, units in named.items():
            naming = self._naming(entity, scope)
            if not 2 <= len(naming) <= HUB:
                continue
            weight = SHARED / (len(naming) - 1) ** 0.5
            for unit in units:
                kind = LinkKind.WIKILINK if entity in written.get(unit, ()) else LinkKind.ENTITY
                yield from (Link(unit, other, weight, kind) for other in naming)

    def _naming(self, entity: str, scope: Scope) -> list[int]:
        """Return the facts of a scope that name an entity, one more than `HUB` at most; none if it is everywhere."""
        everywhere = "SELECT count(*) FROM (SELECT 1 FROM mentions WHERE entity = ? LIMIT ?)"
        if self._db.execute(everywhere, (entity, _SCANNED)).get == _SCANNED:
            return []
        return [unit for (unit,) in self._db.execute(_NAMING, (entity, scope))]

    def _linked_names(self, asked: str, scope: Scope) -> dict[int, set[str]]:
        """Return the entities that facts name as `[[Name]]`."""
        return {
            unit: {entity_key(linked_name(target)) for target in _WIKILINK.findall(text)}
            for unit, text in self._db.execute(_WITH_LINKS, (asked, scope))
        }

    def _written(self, asked: str, scope: Scope) -> Iterator[Link]:
        """Yield the links to the block ids in `[[2026-11-20#^k3f9a2b1]]`."""
        named = {
            unit: [target.partition("|")[0].rpartition("#^")[2].strip() for target in _WIKILINK.findall(text)]
            for unit, text in self._db.execute(_WITH_LINKS, (asked, scope))
        }
        names = json.dumps(sorted({name for found in named.values() for name in found}))
        known = dict(self._db.execute(_BY_NAME, (names, scope))) if named else {}
        for unit, found in named.items():
            yield from (Link(unit, known[name], WRITTEN, LinkKind.WIKILINK) for name in found if name in known)
