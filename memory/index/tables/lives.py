"""How facts live on, in the tables `lives` and `links` of an index file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from memory.index.rows import IS_FACT
from memory.index.schema import note
from memory.index.types import FactLife
from memory.sqlite import Table, immediate, translated
from memory.strength import Life
from memory.types import Kind, Scope

_FEW = 8
_LAST = 500
"""Where a sample by chance finds few facts, the newest are taken."""


def whole_name_in_sql(name: str) -> str:
    """Return what computes `memory.index.owners.whole_name` of a column."""
    return f"CASE instr({name}, '/') WHEN 0 THEN {name} ELSE substr({name}, 1, instr({name}, '/') - 1) END"


# A further piece of a long fact has the fact's life. Notes have none, and are not looked up.
_FACT = f"CASE WHEN u.kind <> '{Kind.NOTE}' THEN {whole_name_in_sql('u.name')} END"
LIVES_JOIN = f"LEFT JOIN lives l ON l.name = {_FACT}"
"""Joins units `u` with their lives `l`, for what follows."""
HAS_OTHER = "EXISTS (SELECT 1 FROM units m INDEXED BY units_name WHERE m.name = l.merged_into AND m.scope = u.scope)"
"""Whether what stands for a fact is there, for whoever may see that one."""
MERGED = f"CASE WHEN coalesce(l.merged_into, '') <> '' AND {HAS_OTHER} THEN 1 ELSE 0 END"
LIFE = (
    "CASE WHEN l.pinned = 1 THEN NULL ELSE u.speed END, l.stability, coalesce(l.reviewed, u.known), "
    f"coalesce(l.uses, 0), {MERGED}"
)
"""The last five columns of `Entry`."""


class LifeTable(Table):
    """How facts live on, as the journal tells it, beside the units; `Index` says what its methods raise."""

    @translated
    def write(self, lives: Iterable[Life], *, anew: bool = False, notes: Mapping[str, str] | None = None) -> None:
        """Take in lives, `anew` instead of all that are known, and keep short texts, in one transaction."""
        lives = [*lives]
        with immediate(self._db):
            if anew:
                self._db.execute("DELETE FROM lives")
                self._db.execute("DELETE FROM links")
            self._db.executemany("DELETE FROM lives WHERE name = ?", ((life.name,) for life in lives))
            self._db.executemany("DELETE FROM links WHERE a = ?", ((life.name,) for life in lives))
            self._db.executemany(
                "INSERT INTO lives VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        life.name, life.stability, life.difficulty, life.reviewed, life.uses, life.used_days,
                        life.restated, life.pinned, life.merged_into,
                    )
                    for life in lives
                ),
            )  # fmt: skip
            self._db.executemany(
                "INSERT INTO links VALUES (?, ?, ?)",
                ((life.name, other, weight) for life in lives for other, weight in life.links.items()),
            )
            note(self._db, notes or {})

    @translated
    def facts(
        self, *, scope: Scope, names: Iterable[str] | None = None, ids: Iterable[int] | None = None
    ) -> list[FactLife]:
        """Return all facts of a scope, or those of these names or numbers, by path and place; a long one once."""
        units, values = "units u", list[str]()
        if ids is not None:
            units = "(SELECT DISTINCT value FROM json_each(?)) j CROSS JOIN units u ON u.id = value"
            values = [json.dumps([*ids])]
        elif names is not None:
            units = (
                "(SELECT DISTINCT value FROM json_each(?)) j CROSS JOIN units u INDEXED BY units_name ON u.name = value"
            )
            values = [json.dumps([*names])]
        rows = self._db.execute(
            f"SELECT u.id, u.name, u.kind, u.category, {LIFE}, u.known, coalesce(l.used_days, 0), "
            "coalesce(l.restated, 0), coalesce(l.pinned, 0), coalesce(l.merged_into, '') "
            f"FROM {units} CROSS JOIN files f ON f.id = u.file {LIVES_JOIN} "
            f'WHERE u.scope = ? AND {IS_FACT} ORDER BY f.path, u."order"',
            (*values, scope),
        )
        return list(map(FactLife._make, rows))

    @translated
    def sample(self, shares: Iterable[float], *, scope: Scope) -> list[FactLife]:
        """Return some facts of a scope, with bounded work: those at these shares (0 to 1) of all numbers of units.

        Where that finds few, the newest; none only if the scope has none.
        """
        highest = self._db.execute("SELECT coalesce(max(id), 0) FROM units").get
        found = self.facts(scope=scope, ids=[1 + int(share * highest) for share in shares])
        if len(found) >= _FEW:
            return found
        # Most numbers are those of notes, of other scopes, or of what is gone.
        last = f"SELECT u.id FROM units u WHERE u.scope = ? AND u.kind <> '{Kind.NOTE}' ORDER BY u.first DESC LIMIT ?"
        return self.facts(scope=scope, ids=[unit for (unit,) in self._db.execute(last, (scope, _LAST))])
