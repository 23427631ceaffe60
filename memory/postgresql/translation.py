"""The SQL of the index as PostgreSQL reads it.

Statements are written once, for SQLite, and keep to what both engines share, but for what is rewritten here: marks of
parameters, lists as JSON, hints for SQLite's planner, where nulls stand in an order, and keys, which begin with the
agent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory.index.tables.lives import HAS_OTHER, LIVES_JOIN

_MARK = re.compile(r"\?(\d*)")
_LIST = re.compile(r"json_each\(\?(\d*)\)( [a-z]\b)?")
_BY_NUMBER = re.compile(r"\b\w+\.id = (?:\w\.)?value\b")
_LIFE = LIVES_JOIN.partition(" ON ")
_REWRITTEN = (
    # Under row-level security a condition with functions that are not known to keep secrets is no condition of an
    # index, unless what they are given comes from outside: a subquery's is looked up, a join's compared with each row.
    (
        re.compile(re.escape(LIVES_JOIN)),
        f"LEFT JOIN LATERAL (SELECT * FROM lives l WHERE {_LIFE[2]} OFFSET 0) l ON TRUE".replace("\\", r"\\"),
    ),
    # One that may be hashed is: with all units of the agent, for a fact or two that are merged.
    (re.compile(re.escape(HAS_OTHER)), f"({HAS_OTHER.removeprefix('EXISTS (')[:-1]} LIMIT 1) = 1"),
    (re.compile(re.escape("json_each(u.details, '$[1]')")), "json_array_elements_text(u.details::json -> 1)"),
    (re.compile(r"%"), "%%"),
    (re.compile(r" INDEXED BY \w+"), ""),
    (re.compile(r"\bCROSS JOIN\b"), "JOIN"),
    (re.compile(r"\bDESC\b(?! NULLS)"), "DESC NULLS LAST"),
    (re.compile(r"\bmarks & 3\b"), "(marks & 3) <> 0"),
    (re.compile(r"\bON CONFLICT\((\w+)\)"), r"ON CONFLICT(agent, \1)"),
    (re.compile(r"\bsqlite_sequence\b"), "sequences"),
    (re.compile(r"^INSERT OR IGNORE (.*)$", re.DOTALL), r"INSERT \1 ON CONFLICT DO NOTHING"),
)
_VALUES = re.compile(r"^(INSERT INTO .*?VALUES )(\([^()]*\))((?: ON CONFLICT.*)?)$", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Translated:
    """A statement with psycopg's marks.

    Attributes:
        sql: the statement.
        order: which of the given values stands at each mark, from 0.
        lists: which of the given values are lists as JSON.
    """

    sql: str
    order: tuple[int, ...]
    lists: frozenset[int]

    def values(self, given: Sequence[Any]) -> list[Any]:
        """Return the values as psycopg takes them, one for each mark."""
        ready = [_ready(value, is_list=number in self.lists) for number, value in enumerate(given)]
        return [ready[number] for number in self.order]

    def rows(self) -> tuple[str, str, str] | None:
        """Return what stands before, in and behind the values of an INSERT, for many rows; None for others."""
        found = _VALUES.match(self.sql)
        return (found[1], found[2], found[3]) if found else None


@cache
def translate(sql: str) -> Translated:
    """Translate a statement, once for each text."""
    order: list[int] = []
    lists: set[int] = set()
    kind = "bigint" if _BY_NUMBER.search(sql) else "text"
    for number, found in enumerate(_MARK.finditer(sql)):
        order.append(int(found[1]) - 1 if found[1] else number)
    places = iter(order)
    seen = 0
    for found in _LIST.finditer(sql):
        before = len(_MARK.findall(sql[seen : found.start()]))
        place = [next(places) for _ in range(before + 1)][-1]
        lists.add(place)
        seen = found.end()
    for pattern, replacement in _REWRITTEN:
        sql = pattern.sub(replacement, sql)

    def unnested(found: re.Match[str]) -> str:
        nonlocal kind
        name, element = found[2] or " listed", kind
        kind = "text"  # further lists are of names
        return f"unnest(?::{element}[]) AS{name}(value)"

    return Translated(_MARK.sub("%s", _LIST.sub(unnested, sql)), tuple(order), frozenset(lists))


def sendable(text: str) -> str:
    """Return a text without what PostgreSQL takes in none."""
    return _SURROGATES.sub("\ufffd", text.replace("\x00", "\ufffd"))


def _ready(value: Any, *, is_list: bool) -> Any:
    if is_list:
        return [sendable(element) if isinstance(element, str) else element for element in json.loads(value)]
    if isinstance(value, str):
        return str(value).replace("\x00", "\ufffd")  # PostgreSQL keeps no text with a zero
    return int(value) if isinstance(value, bool) else value
