"""A question in, passages out: the one way through this package."""

from __future__ import annotations

from datetime import date
from time import perf_counter

from memory.errors import NotFound
from memory.index.port import Index
from memory.model import EVERYWHERE, Hit, Recall, Scope, Where
from memory.recall import explain, pack, query, rank, search
from memory.recall.pack import Room

MODE = "words"
ROOM = Room()


def recall(
    index: Index,
    text: str,
    *,
    scope: Scope,
    today: date,
    where: Where = EVERYWHERE,
    room: Room = ROOM,
) -> Recall:
    """Find what answers a question.

    Args:
        index: where to look.
        text: the question. No text makes this raise.
        scope: whose units; those of others are never looked at.
        today: the asker's day, from which `yesterday` is counted.
        where: narrows to days, kinds, a folder.
        room: how much is handed over at most.

    Raises:
        IndexBroken, WriteFailed, Busy: the index cannot be read.
    """
    began = perf_counter()
    asked = search.ask(index, query.parse(text, languages=index.languages(), today=today), scope=scope)
    ranking = _ranking(index, asked, scope=scope, where=where)
    packed = pack.pack(index, ranking, scope=scope, room=room)
    if packed.hits:
        reason = explain.reason_found(asked.query, ranking.unseen(asked.query.words))
    else:
        reason = explain.reason_empty(index, asked.query, scope=scope, where=where)
    ms = round(1000 * (perf_counter() - began), 3)
    coverage = ranking.coverage(asked.query.words) if packed.hits else 0.0
    return Recall(text, MODE, reason, ms, packed.hits, packed.near, coverage)


def find(index: Index, name: str, *, scope: Scope) -> Hit:
    """One unit by its id, with or without `^`; raises `NotFound`."""
    stored = index.find(name.strip().removeprefix("^"), scope=scope)
    if stored is None:
        raise NotFound(f"There is no `^{name.strip().removeprefix('^')}` in memory.", hint="Ids stand behind each hit.")
    return pack.shown(stored)


def _ranking(index: Index, asked: search.Asked, *, scope: Scope, where: Where) -> rank.Ranking:
    totals = index.totals()
    found = search.candidates(index, asked, scope=scope, where=where, units=totals.units)
    entries = index.entries(found.ids, scope=scope, around=1) if found.ids else []
    return rank.Ranking(asked, entries, found.ids, about=found.about, totals=totals)
