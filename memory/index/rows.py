"""Units as rows of the index: how they are written and read back, and how a filter narrows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import Any

from memory.index.port import Stored
from memory.index.terms import entity_key
from memory.index.units import LASTING, Unit
from memory.types import Evidence, FactSource, Filter, Kind, Origin

STORED = (
    'SELECT u.id, u.file, u."order", f.path, u.name, u.kind, u.start, u."end", u.text, coalesce(u.body, u.text), '
    "u.origin, u.scope, u.lead, u.title, u.speaker, u.entities, u.category, coalesce(u.time, u.first), u.first, "
    "u.last, u.language, u.turn, u.details, u.since, u.until, u.evidence, u.source, u.known, u.named FROM"
)
"""The beginning of a query whose rows `read_stored` takes."""

# SQLite knows small letters of ASCII only: "Übung" and "ÜBUNG" are met in three spellings.
_TAGGED = (
    "EXISTS (SELECT 1 FROM json_each(u.details, '$[1]') t"
    " WHERE lower(t.value) IN (SELECT lower(value) FROM json_each(?)))"
)


def packed_details(unit: Unit) -> str | None:
    """Return what a fact carries besides its words, as it is kept; None if that is nothing."""
    details = (unit.lead_in, unit.tags, unit.attributes)
    return json.dumps(details, ensure_ascii=False) if any(details) else None


def packed_evidence(unit: Unit) -> str | None:
    """Return a unit's evidence as it is kept; None for none."""
    return json.dumps([astuple(piece) for piece in unit.evidence], ensure_ascii=False) if unit.evidence else None


def read_stored(rows: Iterable[tuple[Any, ...]]) -> list[Stored]:
    """Read the rows of a query that begins with `STORED`."""
    stored = []
    for number, file, order, path, name, kind, start, end, text, body, origin, scope, lead, title, *rest in rows:
        speaker, entities, category, time, first, last, language, turn, details, *more = rest
        since, until, evidence, source, known, named = more
        lead_in, tags, attributes = json.loads(details) if details else ("", (), ())
        unit = Unit(
            name,
            Kind(kind),
            start,
            end,
            text,
            body,
            Origin(origin),
            scope,
            lead,
            title,
            speaker,
            tuple(entities.split("\n")) if entities else (),
            category,
            time,
            first,
            last,
            language,
            turn,
            lead_in,
            tuple(tags),
            tuple((name, value) for name, value in attributes) if attributes else (),
            since,
            until,
            tuple(Evidence(*piece) for piece in json.loads(evidence)) if evidence else (),
            FactSource(source) if source else None,
            known,
            named,
        )
        stored.append(Stored(number, file, order, path, unit))
    return stored


def files_under(under: Sequence[str]) -> tuple[str, list[str]]:
    """Return the query for number and path of these files and of those in these folders, and its values."""
    each = " OR ".join(["path = ? OR substr(path, 1, length(?)) = ?"] * len(under))
    values = [value for path in under for value in (path, *[f"{path.rstrip('/')}/"] * 2)]
    return f"SELECT id, path FROM files WHERE {each}", values


def filter_conditions(where: Filter) -> tuple[str, list[str]]:
    """Return a filter's SQL conditions, each beginning with AND, and their values."""
    conditions: list[str] = []
    values: list[str] = []
    if where.since and where.until:
        conditions.append("AND (u.last >= ? AND u.first <= ? OR u.named BETWEEN ? AND ?)")
        values += [where.since, where.until] * 2
    elif where.since:
        conditions.append("AND (u.last >= ? OR u.named >= ?)")
        values += [where.since] * 2
    elif where.until:
        conditions.append("AND (u.first <= ? OR u.named <= ?)")
        values += [where.until] * 2
    for wanted, condition in (
        (where.kinds, "u.kind IN (SELECT value FROM json_each(?))"),
        (where.categories, "u.category IN (SELECT value FROM json_each(?))"),
        ([case(tag) for tag in where.tags for case in (str.lower, str.upper, str.capitalize)], _TAGGED),
    ):
        if wanted:
            conditions.append(f"AND {condition}")
            values.append(json.dumps(wanted))
    if where.under:
        files, paths = files_under(where.under)
        conditions.append(f"AND u.file IN (SELECT id FROM ({files}) f)")
        values += paths
    if where.entities:
        conditions.append("AND u.id IN (SELECT unit FROM mentions WHERE entity IN (SELECT value FROM json_each(?)))")
        values.append(json.dumps([entity_key(name) for name in where.entities]))
    if where.valid:
        # Without a day, what lasts holds always, and what is of one day never.
        conditions.append(
            "AND coalesce(u.since, '') <= ? AND coalesce(u.until, '9') >= ? "
            "AND (u.since IS NOT NULL OR u.until IS NOT NULL OR u.kind IN (SELECT value FROM json_each(?)))"
        )
        values += [where.valid[1], where.valid[0], json.dumps(sorted(LASTING))]
    if where.known:
        conditions.append("AND u.known < ?")
        values.append(f"{where.known}~")  # behind all instants of the day
    return " ".join(conditions), values
