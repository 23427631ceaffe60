"""What facts are linked to: by the journal's `link` records, by an entity that two name, by a `[[link]]` in one."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memory.files.names import linked_name
from memory.index.rows import IS_FACT
from memory.index.terms import entity_key
from memory.index.types import FactLink, LinkKind
from memory.sqlite import Table, translated
from memory.types import Scope

MAX_PER_FACT = 12
"""Links that are followed from one fact, the heaviest: its own six, and as many of those who chose it."""
HUB = 24
"""An entity in more facts of a scope than this tells none apart, and links none."""
SHARED = 0.7
"""Weight of an entity that only two facts name; it falls with the root of how many others do."""
WRITTEN = 1.0
"""Weight of a link to a fact's block id, which somebody wrote by hand."""
IS_OWN_FACT = f"u.scope = ?2 AND {IS_FACT}"
_FACTS = f"""
SELECT u.id, u.name, CASE WHEN instr(u.text, '[[') > 0 THEN u.text ELSE '' END FROM json_each(?1) j
CROSS JOIN units u ON u.id = j.value WHERE {IS_OWN_FACT}"""
_BY_NAME = f"""
SELECT u.name, u.id FROM json_each(?1) j
CROSS JOIN units u INDEXED BY units_name ON u.name = j.value WHERE {IS_OWN_FACT}"""
_LINKED = f"""
SELECT b, weight FROM links WHERE a = ?1 UNION ALL
SELECT a, weight FROM (
    SELECT a, weight FROM links INDEXED BY links_b WHERE b = ?1 ORDER BY weight DESC LIMIT {2 * MAX_PER_FACT}
)"""
_NAMED = f"""
SELECT m.entity, u.id FROM json_each(?1) j CROSS JOIN units u ON u.id = j.value
CROSS JOIN mentions m ON m.unit = u.id WHERE {IS_OWN_FACT}"""
_NAMING = f"""
SELECT u.id FROM mentions m CROSS JOIN units u ON u.id = m.unit WHERE m.entity = ?1 AND {IS_OWN_FACT}
LIMIT {HUB + 1}"""
MAX_MENTIONS = 4 * HUB
"""Mentions of an entity over all scopes from which on it is not looked through: then it is everywhere."""
_EVERYWHERE = f"SELECT count(*) FROM (SELECT 1 FROM mentions WHERE entity = ?1 LIMIT {MAX_MENTIONS + 1})"
_WIKILINK = re.compile(r"(?<![!\\])\[\[([^\[\]\n]{1,200})\]\]")


class LinkTable(Table):
    """What facts are linked to; `Index` says what its methods raise."""

    @translated
    def neighbours(self, units: Sequence[int], *, scope: Scope) -> list[FactLink]:
        """Return the links of facts, heaviest first for each, and as many as are followed at most.

        Only facts of the scope are there, whichever of the two a link was written for. What is no fact has none.
        """
        ids = json.dumps([*units])
        facts = [*self._db.execute(_FACTS, (ids, scope))]
        names = {unit: name for unit, name, _ in facts}
        targets = {unit: _WIKILINK.findall(text) for unit, _, text in facts if text}
        links: dict[int, dict[int, FactLink]] = defaultdict(dict)
        for link in (
            *self._by_meaning(names, scope),
            *self._by_entity(ids, scope, targets),
            *self._by_id(targets, scope),
        ):
            known = links[link.source].get(link.target)
            if link.target != link.source and (known is None or known.weight < link.weight):
                links[link.source][link.target] = link
        return [
            link
            for unit in dict.fromkeys(units)
            for link in sorted(links[unit].values(), key=lambda link: (-link.weight, link.target))[:MAX_PER_FACT]
        ]

    def _by_meaning(self, facts: Mapping[int, str], scope: Scope) -> Iterator[FactLink]:
        """Yield the links that the journal has of facts, which are given by their numbers with their names."""
        linked = self._linked(facts.values())
        names = json.dumps(sorted({name for found in linked.values() for name, _ in found}))
        known = dict(self._db.execute(_BY_NAME, (names, scope)))
        for unit, fact in facts.items():
            yield from (
                FactLink(unit, known[name], weight, LinkKind.MEANING)
                for name, weight in linked.get(fact, ())
                if name in known
            )

    def _linked(self, facts: Iterable[str]) -> dict[str, list[tuple[str, float]]]:
        """Return what these facts are linked to, with the weights; over a network all are asked for at once."""
        return {name: [*self._db.execute(_LINKED, (name,))] for name in facts}

    def _by_entity(self, ids: str, scope: Scope, targets: Mapping[int, Sequence[str]]) -> Iterator[FactLink]:
        """Yield the links by names that two facts have; `targets` are the insides of the `[[links]]` of the facts."""
        named: dict[str, list[int]] = defaultdict(list)
        for entity, unit in self._db.execute(_NAMED, (ids, scope)):
            named[entity].append(unit)
        written = {unit: {entity_key(linked_name(target)) for target in some} for unit, some in targets.items()}
        naming_entity = self._naming(named, scope)
        for entity, units in named.items():
            naming = naming_entity.get(entity, [])
            if not 2 <= len(naming) <= HUB:
                continue
            weight = SHARED / (len(naming) - 1) ** 0.5
            for unit in units:
                kind = LinkKind.WIKILINK if entity in written.get(unit, ()) else LinkKind.ENTITY
                yield from (FactLink(unit, other, weight, kind) for other in naming)

    def _naming(self, entities: Iterable[str], scope: Scope) -> dict[str, list[int]]:
        """Return the facts of a scope that name each of these; none if it is everywhere, and few more than `HUB`."""
        return {
            entity: [unit for (unit,) in self._db.execute(_NAMING, (entity, scope))]
            for entity in entities
            if self._db.execute(_EVERYWHERE, (entity,)).get <= MAX_MENTIONS
        }

    def _by_id(self, targets: Mapping[int, Sequence[str]], scope: Scope) -> Iterator[FactLink]:
        """Yield the links to the block ids in `[[2026-11-20#^k3f9a2b1]]`."""
        named = {
            unit: [target.partition("|")[0].rpartition("#^")[2].strip() for target in some]
            for unit, some in targets.items()
        }
        names = json.dumps(sorted({name for some in named.values() for name in some}))
        known = dict(self._db.execute(_BY_NAME, (names, scope))) if named else {}
        for unit, some in named.items():
            yield from (FactLink(unit, known[name], WRITTEN, LinkKind.WIKILINK) for name in some if name in known)
