"""Properties of the units that have vectors, in tables by their ids: what a search may be narrowed to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.types import EVERYWHERE, Filter, Kind, Scope
from memory.vectors.store import Allow, Ids, Mask

_LEAST = 256
_SPARE = 1.5
_KINDS: Mapping[str, int] = {kind: code for code, kind in enumerate(Kind)}
Folder: TypeAlias = Callable[[Sequence[str]], Iterable[int]]
"""The index's numbers of the files whose paths begin like this."""
Matching: TypeAlias = Callable[[Filter], Iterable[int]]
"""The units of all scopes that a filter lets through."""


class Placed(NamedTuple):
    """A unit that has a vector. A tuple, because opening an index makes one for each.

    Attributes:
        id: the index's number for it.
        file: the index's number for its file.
        scope, kind, first, last: as in `Unit`.
    """

    id: int
    file: int
    scope: str
    kind: str
    first: str | None
    last: str | None


class Columns:
    """One table for each property; a unit's id is its place in all of them."""

    def __init__(self, folder: Folder, matching: Matching) -> None:
        """Empty tables; `folder` and `matching` as for `VectorCollection`."""
        self._folder = folder
        self._matching = matching
        self._scopes: dict[str, int] = {}
        self._file = np.zeros(_LEAST, np.int32)
        self._scope = np.zeros(_LEAST, np.int32)
        self._kind = np.zeros(_LEAST, np.int32)
        self._first = np.zeros(_LEAST, np.int32)
        self._last = np.zeros(_LEAST, np.int32)

    def put(self, units: Collection[Placed]) -> None:
        """Add units, or replace what is known of them."""
        if not units:
            return
        ids, files, scopes, kinds, firsts, lasts = zip(*units, strict=True)
        self._make_room(max(ids))
        at = np.array(ids, np.int64)
        self._file[at] = files
        self._scope[at] = [self._code(scope) for scope in scopes]
        self._kind[at] = [_KINDS[kind] for kind in kinds]
        self._first[at] = [*map(_day, firsts)]
        self._last[at] = [*map(_day, lasts)]

    def rescope(self, owners: Mapping[int, str]) -> None:
        """Change the scopes of units, by their numbers."""
        if owners:
            self._make_room(max(owners))
            self._scope[[*owners]] = [self._code(scope) for scope in owners.values()]

    def allow(self, scope: Scope, where: Filter = EVERYWHERE, *, among: Iterable[int] | None = None) -> Allow:
        """Return a filter for a search in a scope, without which there is none; `among` narrows it to some units."""
        code = self._scopes.get(scope, 0)
        flags = [*self._flags(where)]
        rest = replace(where, since=None, until=None, kinds=(), under=(), faded=False)
        sets = [among] if among is not None else []
        sets += [self._matching(rest)] if rest != EVERYWHERE else []
        wanted = [_flags(numbers, len(self._scope)) for numbers in sets]

        def mask(ids: Ids) -> Mask:
            passing: Mask = self._scope[ids] == code
            for flag, column in flags:
                passing &= flag[column[ids]]
            for numbers in wanted:
                passing &= numbers[ids]
            if where.since:
                passing &= self._last[ids] >= _day(where.since)
            if where.until:
                passing &= (self._first[ids] <= _day(where.until)) & (self._first[ids] > 0)
            return passing

        return mask

    def _flags(self, where: Filter) -> Iterator[tuple[Mask, NDArray[np.int32]]]:
        """Which values of a column are wanted, and the column."""
        if where.kinds:
            yield _flags([_KINDS[kind] for kind in where.kinds], len(_KINDS)), self._kind
        if where.under:
            yield _flags(self._folder(where.under), int(self._file.max()) + 1), self._file

    def _code(self, scope: str) -> int:
        return self._scopes.setdefault(scope, len(self._scopes) + 1)

    def _make_room(self, highest: int) -> None:
        if highest < len(self._scope):
            return
        room = int(highest * _SPARE) + _LEAST
        for name in ("_file", "_scope", "_kind", "_first", "_last"):
            old: NDArray[np.int32] = getattr(self, name)
            grown = np.zeros(room, old.dtype)
            grown[: len(old)] = old
            setattr(self, name, grown)


@lru_cache(maxsize=4096)
def _day(day: str | None) -> int:
    """Return an ISO day, or the beginning of one, as a number that is compared as the text is; 0 for none."""
    digits = "".join(filter(str.isdecimal, day or ""))[:8]
    return int(digits.ljust(8, "0")) if digits else 0


def _flags(numbers: Iterable[int], size: int) -> Mask:
    flags = np.zeros(size, np.bool_)
    wanted = np.fromiter(numbers, np.int64)
    flags[wanted[(wanted >= 0) & (wanted < size)]] = True
    return flags
