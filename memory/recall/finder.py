"""A question in, passages out: the one way through this package."""

from __future__ import annotations

from datetime import date
from time import perf_counter

from memory.errors import NotFound
from memory.index.port import Index
from memory.model import EVERYWHERE, Hit, Profile, Recall, Scope, Where
from memory.recall import explain, fuse, pack, query, rank, search
from memory.recall.meant import Meant
from memory.recall.pack import Room

ROOM = Room()


class Finder:
    """Searches one index."""

    def __init__(self, index: Index, meant: Meant | None = None, *, profile: Profile = Profile.SCRUBJAY) -> None:
        """Get ready.

        Args:
            index: where to look.
            meant: the question's meaning; without it words are searched alone.
            profile: how words and meaning are put together.
        """
        self._index = index
        self._meant = meant or Meant()
        self._profile = profile

    def recall(self, text: str, *, scope: Scope, today: date, where: Where = EVERYWHERE, room: Room = ROOM) -> Recall:
        """Find what answers a question.

        Args:
            text: the question. No text makes this raise.
            scope: whose units; those of others are never looked at.
            today: the asker's day, from which `yesterday` is counted.
            where: narrows to days, kinds, a folder.
            room: how much is handed over at most.

        Raises:
            IndexBroken, WriteFailed, Busy: the index cannot be read.
        """
        began = perf_counter()
        index, meant = self._index, self._meant
        asked = search.ask(index, query.parse(text, languages=index.languages(), today=today), scope=scope)
        ranking = self._ranking(asked, scope=scope, where=where)
        packed = pack.pack(index, ranking, scope=scope, room=room)
        if packed.hits:
            reason = explain.reason_found(asked.query, ranking.unseen(asked.query.words), meant)
        else:
            reason = explain.reason_empty(index, asked.query, scope=scope, where=where)
        ms = round(1000 * (perf_counter() - began), 3)
        coverage = ranking.coverage(asked.query.words) if packed.hits else 0.0
        return Recall(text, meant.mode, reason, ms, packed.hits, packed.near, coverage)

    def _ranking(self, asked: search.Asked, *, scope: Scope, where: Where) -> rank.Ranking:
        index, scan = self._index, self._meant.scan
        totals = index.totals()
        found = search.candidates(index, asked, scope=scope, where=where, units=totals.units)
        if scan:
            found = found.with_those(near.id for near in scan.best(search.BY_MEANING, scope=scope, where=where))
        entries = index.entries(found.ids, scope=scope, around=1) if found.ids else []
        fusion = fuse.Fusion.of(scan, [entry.id for entry in entries], profile=self._profile)
        return rank.Ranking(asked, entries, found.ids, about=found.about, totals=totals, fusion=fusion)


def find(index: Index, name: str, *, scope: Scope) -> Hit:
    """One unit by its id, with or without `^`; raises `NotFound`."""
    stored = index.find(name.strip().removeprefix("^"), scope=scope)
    if stored is None:
        raise NotFound(f"There is no `^{name.strip().removeprefix('^')}` in memory.", hint="Ids stand behind each hit.")
    return pack.shown(stored)
