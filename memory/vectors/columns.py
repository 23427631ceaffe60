"""Scopes, kinds and days of the units that have vectors, by their ids: what nearly all searches are narrowed to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from memory.index.types import EmbeddedUnit
from memory.types import EVERYWHERE, Filter, Kind, Scope
from memory.vectors.store import Allow, Ids, Mask

_SCOPE, _COLUMNS = 0, 5
"""The place of the scopes among the columns, and how many these are."""
_MIN_ROWS = 256
_SPARE = 0.5
_KINDS: Mapping[str, int] = {kind: code for code, kind in enumerate(Kind)}
Matching: TypeAlias = Callable[[Filter], Iterable[int]]
"""The units of all scopes that a filter lets through."""


class Columns:
    """Scopes, kinds and days, which most searches are narrowed to. A unit's id is its place in each of them."""

    def __init__(self, matching: Matching) -> None:
        """Empty columns; `matching` is asked which units all else lets through that narrows a search."""
        self._matching = matching
        self._scopes: dict[str, int] = {}
        self._columns = np.zeros((_COLUMNS, _MIN_ROWS), np.int32)

    def put(self, units: Collection[EmbeddedUnit]) -> None:
        """Add units, or replace what is known of them."""
        if not units:
            return
        ids, scopes, kinds, *days = zip(*units, strict=True)
        self._make_room(max(ids))
        codes, numbers = [*map(self._code, scopes)], [_KINDS[kind] for kind in kinds]
        self._columns[:, np.array(ids, np.int64)] = codes, numbers, *([*map(_day, column)] for column in days)

    def rescope(self, owners: Mapping[int, str]) -> None:
        """Change the scopes of units, by their numbers."""
        if owners:
            self._make_room(max(owners))
            self._columns[_SCOPE, [*owners]] = [self._code(scope) for scope in owners.values()]

    def allow(self, scope: Scope, where: Filter = EVERYWHERE, *, among: Iterable[int] | None = None) -> Allow:
        """Return a filter for a search in a scope, without which there is none; `among` narrows it to some units."""
        code = self._scopes.get(scope, 0)
        scopes, kind, first, last, named = self._columns
        kinds = _flags([_KINDS[wanted] for wanted in where.kinds], len(_KINDS)) if where.kinds else None
        since, until = _day(where.since or "0001"), _day(where.until or "9999-12-31")
        rest = replace(where, since=None, until=None, kinds=(), faded=False)
        sets = among, self._matching(rest) if rest != EVERYWHERE else None
        narrowed = [_flags(numbers, len(scopes)) for numbers in sets if numbers is not None]

        def mask(ids: Ids) -> Mask:
            passing: Mask = scopes[ids] == code
            if kinds is not None:
                passing &= kinds[kind[ids]]
            if where.since or where.until:
                day = named[ids]
                passing &= (last[ids] >= since) & (first[ids] <= until) | (day >= since) & (day <= until)
            for numbers in narrowed:
                passing &= numbers[ids]
            return passing

        return mask

    def _code(self, scope: str) -> int:
        return self._scopes.setdefault(scope, len(self._scopes) + 1)

    def _make_room(self, highest: int) -> None:
        missing = highest + 1 - self._columns.shape[1]
        if missing > 0:
            self._columns = np.pad(self._columns, ((0, 0), (0, missing + int(highest * _SPARE) + _MIN_ROWS)))


@lru_cache(maxsize=4096)
def _day(day: str | None) -> int:
    """Return an ISO day, or the beginning of one, as a number that is compared as the text is; 0 for none."""
    return int((day or "").replace("-", "").ljust(8, "0"))


def _flags(numbers: Iterable[int], size: int) -> Mask:
    flags = np.zeros(size, np.bool_)
    wanted = np.fromiter(numbers, np.int64)
    flags[wanted[(wanted >= 0) & (wanted < size)]] = True
    return flags
