"""Which message is marked with which reaction: as few requests as there are changes, in their order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from adapters.port import Address, Outbound, Status
from adapters.support import BackgroundCalls, LimitedDict

EMOJI = {Status.QUEUED: "👀", Status.WORKING: "✍", Status.FAILED: "💔"}
"""What a message is marked with, on every platform: reactions that Telegram lets bots set."""

MAX_MARKED_MESSAGES = 1000
"""How many are remembered; the mark of a forgotten one may stay."""

React = Callable[[Address, str, str, str], Awaitable[None]]
"""Puts on a message, in the place of one emoji, another one; empty for none."""


@dataclass(slots=True)
class _MessageStatus:
    """A message's status, the emoji that was last asked for, whether a request waits, and whether one is under way."""

    status: Status
    shown: str = ""
    is_queued: bool = False
    is_busy: bool = False


class StatusMarks:
    """Marks messages that are to be answered, until they are: `react` makes the requests, in the background."""

    def __init__(self, background: BackgroundCalls, react: React) -> None:
        self._background = background
        self._react = react
        self._marks = LimitedDict[tuple[Address, str], _MessageStatus](MAX_MARKED_MESSAGES)

    def mark(self, to: Address, message: str, status: Status) -> None:
        mark = self._marks.get((to, message)) or _MessageStatus(Status.DONE)
        if mark.status is not status:
            mark.status = status
            self._marks[to, message] = mark
            show = partial(self._show, to, message, mark)
            mark.is_queued = mark.is_queued or self._background.add("reaction", show)

    def clear(self, out: Outbound) -> None:
        """Remove the marks of what a reply answers, once its last part was sent: the question and those before it.

        What was given up stays marked.
        """
        if out.reply_to is None or not out.last:
            return
        answered = [key for key in self._marks if key[0] == out.to and int(key[1]) <= int(out.reply_to)]
        for key in answered:
            if self._marks[key].status is not Status.FAILED:
                self.mark(*key, Status.DONE)
                del self._marks[key]

    async def _show(self, to: Address, message: str, mark: _MessageStatus) -> None:
        """Show what a message is to be marked with by now."""
        mark.is_queued = False
        if mark.is_busy:
            return
        mark.is_busy = True
        try:
            while (emoji := EMOJI.get(mark.status, "")) != mark.shown:
                before, mark.shown = mark.shown, emoji
                await self._react(to, message, before, emoji)
        finally:
            mark.is_busy = False
