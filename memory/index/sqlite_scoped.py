"""What a chat may know of the collection: sums and frequencies over its own units alone.

The owner's are kept by every write, over all units, since all of them are the owner's to see. Those of a chat are
counted when they are asked for: a sum that others' units are in would tell of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import apsw

from memory.index.port import Totals, Voice, Words
from memory.index.sqlite_read import expression, narrowed
from memory.language.guidance import TextFlags
from memory.model import Kind, Scope, Where

_AT_ONCE = 500
"""Terms; SQLite has a limit on the columns of a result."""
_K1, _B = 1.2, 0.75


def totals(db: apsw.Connection, scope: Scope) -> Totals:
    """Sums over a scope's units."""
    row = db.execute(
        "SELECT count(DISTINCT file), count(*), total(kind <> ?), total(length), total(characters) FROM units "
        "WHERE scope = ?",
        (Kind.NOTE, scope),
    ).fetchone()
    return Totals(*map(int, row or ()))


def languages(db: apsw.Connection, scope: Scope) -> tuple[str, ...]:
    """The languages of a scope's units, commonest first."""
    rows = db.execute(
        "SELECT language, count(*) AS n FROM units WHERE scope = ? AND language <> '' GROUP BY 1 ORDER BY n DESC, 1",
        (scope,),
    )
    return tuple(code for code, _ in rows)


def voices(db: apsw.Connection, scope: Scope) -> dict[str, Voice]:
    """The speakers of a scope's units."""
    rows = db.execute(
        "SELECT speaker, count(*), total(marks & ? > 0) FROM units WHERE scope = ? AND speaker <> '' GROUP BY 1",
        (int(TextFlags.FIRST_PERSON), scope),
    )
    return {speaker: Voice(units, int(first)) for speaker, units, first in rows}


def frequencies(db: apsw.Connection, terms: Sequence[str], scope: Scope) -> dict[str, int]:
    """How many of a scope's units hold each term."""
    whole = [term for term in terms if term and not term.endswith("*")]
    counts = _holding(db, [_needle(term) for term in whole], scope)
    return {term: count for term, count in zip(whole, counts, strict=True) if count}


def match(db: apsw.Connection, words: Words, *, scope: Scope, where: Where, limit: int, among: Words) -> list[int]:
    """The best of a scope's units by BM25 as FTS5 computes it, with the scope's own statistics."""
    wanted = expression(words, among)
    if not wanted:
        return []
    conditions, values = narrowed(where)
    found = db.execute(
        "SELECT u.id, u.length, t.terms FROM fts CROSS JOIN units u ON u.id = fts.rowid AND u.scope = ? "
        f"{conditions} CROSS JOIN terms t ON t.unit = u.id WHERE fts MATCH ?",
        (scope, *values, wanted),
    )
    rows = [(unit, length, held) for unit, length, held in found]
    if not rows:
        return []
    sums = totals(db, scope)
    mean = sums.terms / sums.units
    needles = [_needle(term) for word in (*among, *words) for term in word]
    rarities = (math.log((sums.units - held + 0.5) / (held + 0.5)) for held in _holding(db, needles, scope))
    weights = [(needle, max(1e-6, rarity)) for needle, rarity in zip(needles, rarities, strict=True)]

    def score(length: int, held: str) -> float:
        damp = _K1 * (1 - _B + _B * length / mean)
        counts = ((weight, held.count(needle)) for needle, weight in weights)
        return sum(weight * (_K1 + 1) * count / (count + damp) for weight, count in counts if count)

    best = sorted((-score(length, held), unit) for unit, length, held in rows)
    return [unit for _, unit in best[:limit]]


def _holding(db: apsw.Connection, needles: Sequence[str], scope: Scope) -> list[int]:
    """How many of a scope's units have each of these in their terms."""
    found: list[int] = []
    for start in range(0, len(needles), _AT_ONCE):
        some = needles[start : start + _AT_ONCE]
        counts = ", ".join(["total(instr(t.terms, ?) > 0)"] * len(some))
        row = db.execute(
            f"SELECT {counts} FROM units u CROSS JOIN terms t ON t.unit = u.id WHERE u.scope = ?", (*some, scope)
        ).fetchone()
        found += map(int, row or ())
    return found


def _needle(term: str) -> str:
    """What stands for a term in `terms`: itself with a space on both sides, or what begins like it."""
    return f" {term[:-1]}" if term.endswith("*") else f" {term} "
