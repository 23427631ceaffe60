"""Transcripts that tests start from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from bot.storage.port import EntryKind, Recorded, TranscriptEntry
from tests.samples import NOON, session

KEY = str(session())


class Talk:
    """A conversation in the making: one minute from turn to turn, gaps in the `seq` between them."""

    def __init__(self, *, began: datetime = NOON, first: int = 1) -> None:
        self.recorded: list[Recorded] = []
        self._at = began
        self._seq = first
        self._turn = 0
        self.work: list[tuple[EntryKind, Mapping[str, Any]]] = []
        """What the next turn does between question and answer."""

    def turn(self, said: str, answer: str = "", *, name: str = "Ada", told: tuple[str, ...] = (), **more: Any) -> Talk:
        """A message and its answer; `shown_as` among `more` says that a model had a part in it, `is_foreign` others."""
        self._turn += 1
        opening: dict[str, Any] = {
            "name": name,
            "sent_at": self._at.isoformat(),
            "text": said,
            "is_foreign": False,
            **more,
        }
        self.add(EntryKind.MESSAGE, opening)
        for kind, body in self.work:
            self.add(kind, body)
        self.work = []
        if answer:
            self.add(EntryKind.REPLY, {"text": answer, "told": list(told)})
        self._at += timedelta(minutes=1)
        self._seq += 2
        return self

    def reset(self) -> Talk:
        """The end of a session."""
        return self.add(EntryKind.RESET, {})

    def add(self, kind: EntryKind, body: Mapping[str, Any]) -> Talk:
        """One entry of the turn that is going on."""
        text = json.dumps(body, ensure_ascii=False)
        self.recorded.append(Recorded(self._seq, TranscriptEntry(kind, f"t{self._turn}", self._at, text)))
        self._seq += 1
        return self
