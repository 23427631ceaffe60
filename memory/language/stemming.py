"""Snowball's stemmers, with the endings of a word looked up instead of searched for: the same stems in less time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol


class Ending(Protocol):
    """An entry of a stemmer's list (`snowballstemmer.among.Among`).

    Attributes:
        s: the letters.
        result: what is said to be found.
        method: a further condition, which may move the cursor; None for none.
    """

    s: str
    result: int
    method: Callable[[Any], bool] | None


class _Endings(NamedTuple):
    """A list's entries by their letters, and by their first letter or their last one the lengths that there are.

    Lengths are in descending order; `shortest` are those of entries without any letter. The list itself is kept so that
    no other one can get its `id`, by which it is looked up.
    """

    listed: Sequence[Ending]
    by_letters: dict[str, Ending]
    lengths: dict[str, tuple[int, ...]]
    shortest: tuple[int, ...]

    @classmethod
    def of(cls, listed: Sequence[Ending], *, at: int) -> _Endings:
        """Order a list by the first letters of its entries (`at` 0), or by their last ones (-1)."""
        by_letters = {ending.s: ending for ending in listed}
        shortest = (0,) if "" in by_letters else ()
        lengths: dict[str, set[int]] = {}
        for letters in filter(None, by_letters):
            lengths.setdefault(letters[at], {*shortest}).add(len(letters))
        ordered = {letter: tuple(sorted(found, reverse=True)) for letter, found in lengths.items()}
        return cls(listed, by_letters, ordered, shortest)


class _Lookup:
    """The two searches of `snowballstemmer.basestemmer.BaseStemmer`, which compare a word letter by letter.

    The longest entry that stands at the cursor counts; one with a condition that does not hold gives way to the next
    shorter one (M. F. Porter (2001), "Snowball: A language for stemming algorithms", `among`).
    """

    current: str
    cursor: int
    limit: int
    limit_backward: int

    def __init__(self) -> None:
        super().__init__()
        self._forward: dict[int, _Endings] = {}
        self._backward: dict[int, _Endings] = {}

    def find_among(self, listed: Sequence[Ending]) -> int:
        """Go over the entry that stands behind the cursor; return its result, 0 if there is none."""
        endings = self._forward.get(id(listed))
        if endings is None:
            endings = self._forward[id(listed)] = _Endings.of(listed, at=0)
        current, begin = self.current, self.cursor
        room = self.limit - begin
        for length in endings.lengths.get(current[begin], endings.shortest) if room else endings.shortest:
            found = endings.by_letters.get(current[begin : begin + length]) if length <= room else None
            if found is not None:
                self.cursor = begin + length
                if found.method is None:
                    return found.result
                if found.method(self):
                    self.cursor = begin + length
                    return found.result
        return 0

    def find_among_b(self, listed: Sequence[Ending]) -> int:
        """Go back over the entry that stands before the cursor; return its result, 0 if there is none."""
        endings = self._backward.get(id(listed))
        if endings is None:
            endings = self._backward[id(listed)] = _Endings.of(listed, at=-1)
        current, end = self.current, self.cursor
        room = end - self.limit_backward
        for length in endings.lengths.get(current[end - 1], endings.shortest) if room else endings.shortest:
            found = endings.by_letters.get(current[end - length : end]) if length <= room else None
            if found is not None:
                self.cursor = end - length
                if found.method is None:
                    return found.result
                if found.method(self):
                    self.cursor = end - length
                    return found.result
        return 0


def stemmer(algorithm: str) -> Callable[[str], str]:
    """Return what stems a word by one of Snowball's algorithms (`english`); for one thread at a time."""
    name = f"{algorithm.title()}Stemmer"
    kind = getattr(import_module(f"snowballstemmer.{algorithm}_stemmer"), name)
    found: Callable[[str], str] = type(name, (_Lookup, kind), {})().stemWord
    return found
