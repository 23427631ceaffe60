"""Why a result is what it is, in words for a person."""

from __future__ import annotations

from collections.abc import Sequence

from memory.index.port import Index
from memory.model import EVERYWHERE, OWNER, Scope, Where
from memory.recall.meant import Meant
from memory.recall.query import Query, Word


def reason_found(query: Query, unseen: Sequence[Word], meant: Meant) -> str:
    """Why this mode, when something was found; `unseen` are words that nothing found has."""
    if not query.words:
        return "Searched by the days that were asked for."
    if query.is_common:
        return f"{meant.told} The question has only common words, so these were looked for."
    if unseen and len(unseen) < len(query.words):
        return f"{meant.told} Nothing found has {_listed(unseen)}."
    return meant.told


def reason_empty(index: Index, query: Query, *, scope: Scope, where: Where) -> str:
    """Why nothing was found."""
    if scope == OWNER and not index.totals(scope=scope).units:
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


def _listed(words: Sequence[Word], most: int = 6) -> str:
    """`"one", "two" or "three"`."""
    shown = [f'"{word.text[:40]}"' for word in words[:most]]
    if len(words) > most:
        return f"{', '.join(shown)} or any other word of the question"
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
