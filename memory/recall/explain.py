"""Why a result is what it is, in words for a person."""

from __future__ import annotations

from collections.abc import Sequence

from memory.index.port import Index
from memory.model import EVERYWHERE, Hit, Scope, Where
from memory.recall.query import Query, Word

BY_WORDS = "Searched by words; searching by meaning is not set up."

_NAMES = {
    "near": "words in the lines beside it",
    "entity": "about a name that was asked for",
    "time": "close to the days that were asked for",
    "fact": "written down as a fact",
    "again": "another piece of a turn that is shown already",
}


def reason_found(query: Query, unseen: Sequence[Word]) -> str:
    """Why this mode, when something was found; `unseen` are words that nothing found has."""
    if not query.words:
        return "Searched by the days that were asked for."
    if query.is_common:
        return f"{BY_WORDS} The question has only common words, so these were looked for."
    if unseen and len(unseen) < len(query.words):
        return f"{BY_WORDS} Nothing found has {_listed(unseen)}."
    return BY_WORDS


def reason_empty(index: Index, query: Query, *, scope: Scope, where: Where) -> str:
    """Why nothing was found."""
    if not index.totals().units:
        return "There is nothing in memory yet."
    if not index.stats(scope=scope).units:
        return "There is nothing in memory yet that may be shown here."
    if not query.words and not query.when:
        return "The question has no words to look for."
    if where != EVERYWHERE:
        return "Nothing that it was narrowed to (days, kinds, folder) has any of the words."
    if query.when and not query.words:
        return "There are no notes from around those days."
    return f"No note has {_listed(query.words)}."


def parts_in_words(hit: Hit) -> list[str]:
    """The parts of a hit's score, largest first, as `0.41 "key"` or `0.12 words in the lines beside it`."""
    parts = sorted(hit.parts.items(), key=lambda part: -abs(part[1]))
    return [f"{weight:.2f} {_named(name)}" for name, weight in parts]


def _named(part: str) -> str:
    kind, _, word = part.partition(":")
    return f'"{word}"' if kind == "word" else _NAMES.get(part, part)


def _listed(words: Sequence[Word], most: int = 6) -> str:
    """`"one", "two" or "three"`."""
    shown = [f'"{word.text[:40]}"' for word in words[:most]]
    if len(words) > most:
        return f"{', '.join(shown)} or any other word of the question"
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
