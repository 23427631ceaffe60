"""Scopes and kinds of the units that have vectors, in tables by their ids: what nearly all searches are narrowed to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from memory.index.types import EmbeddedUnit
from memory.types import EVERYWHERE, Filter, Kind, Scope
from memory.vectors.store import Allow, Ids, Mask

_COLUMNS = 2
_SCOPE = 0
"""The place of the scopes among the columns."""
_LEAST = 256
_SPARE = 0.5
_KINDS: Mapping[str, int] = {kind: code for code, kind in enumerate(Kind)}
Matching: TypeAlias = Callable[[Filter], Iterable[int]]
"""The units of all scopes that a filter lets through."""


class Columns:
    """Two columns, in both of which a unit's id is its place."""

    def __init__(self, matching: Matching) -> None:
        """Empty columns; `matching` is asked which units all else lets through that narrows a search."""
        self._matching = matching
        self._scopes: dict[str, int] = {}
        self._columns = np.zeros((_COLUMNS, _LEAST), np.int32)

    def put(self, units: Collection[EmbeddedUnit]) -> None:
        """Add units, or replace what is known of them."""
        if not units:
            return
        ids, scopes, kinds = zip(*units, strict=True)
        self._make_room(max(ids))
        self._columns[:, np.array(ids, np.int64)] = [*map(self._code, scopes)], [_KINDS[kind] for kind in kinds]

    def rescope(self, owners: Mapping[int, str]) -> None:
        """Change the scopes of units, by their numbers."""
        if owners:
            self._make_room(max(owners))
            self._columns[_SCOPE, [*owners]] = [self._code(scope) for scope in owners.values()]

    def allow(self, scope: Scope, where: Filter = EVERYWHERE, *, among: Iterable[int] | None = None) -> Allow:
        """Return a filter for a search in a scope, without which there is none; `among` narrows it to some units."""
        code = self._scopes.get(scope, 0)
        scopes, kind = self._columns
        kinds = _flags([_KINDS[wanted] for wanted in where.kinds], len(_KINDS)) if where.kinds else None
        rest = replace(where, kinds=(), faded=False)
        sets = [among] if among is not None else []
        sets += [self._matching(rest)] if rest != EVERYWHERE else []
        narrowed = [_flags(numbers, len(scopes)) for numbers in sets]

        def mask(ids: Ids) -> Mask:
            passing: Mask = scopes[ids] == code
            if kinds is not None:
                passing &= kinds[kind[ids]]
            for numbers in narrowed:
                passing &= numbers[ids]
            return passing

        return mask

    def _code(self, scope: str) -> int:
        return self._scopes.setdefault(scope, len(self._scopes) + 1)

    def _make_room(self, highest: int) -> None:
        missing = highest + 1 - self._columns.shape[1]
        if missing > 0:
            self._columns = np.pad(self._columns, ((0, 0), (0, missing + int(highest * _SPARE) + _LEAST)))


def _flags(numbers: Iterable[int], size: int) -> Mask:
    flags = np.zeros(size, np.bool_)
    wanted = np.fromiter(numbers, np.int64)
    flags[wanted[(wanted >= 0) & (wanted < size)]] = True
    return flags
