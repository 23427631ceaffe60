"""Chats in the browser: with each agent one, which is open while somebody looks at it or waits for an answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from adapters.port import Address, Growing
from adapters.terminal import EXIT_WORDS, HERE, REMARK, Shown, TerminalAdapter, Typed
from bot.access.routing import Routing
from bot.agent.responder import ModelResponder
from bot.errors import UsageError
from bot.llm.errors import ModelError
from bot.storage.keys import SessionKey
from bot.supervision import Background
from bot.texts.catalogue import tr
from bot.waiting import Notifier, Pause
from memory import Clock

GRACE_S = 60.0
"""How long a chat stays open when nobody looks at it: a page is left to be loaded anew."""

MAX_NOTICES = 10
"""Kept of what is said in a chat without being an answer."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What was said in a chat and answers nothing, such as a reminder; its agent, empty for the program."""

    at: datetime
    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class TrialRun:
    """What came of asking once more without writing: the answer and the calls of tools, or why there is none."""

    is_running: bool = False
    text: str = ""
    calls: tuple[str, ...] = ()
    error: str = ""


class BrowserChat:
    """The chat with one agent, and its screen (`adapters.terminal.Screen`).

    Attributes:
        session: of what is said in it.
        news: tells that something has changed.
        version: grows with what is said, and not while an answer grows.
        so_far: the answer; `doing`: what the agent does meanwhile.
        notices: what was said beside the answers, the oldest first.
        trial: the last time that its request was sent once more.
    """

    waits = False
    is_attended = True

    def __init__(self, session: SessionKey, terminal: TerminalAdapter, clock: Clock, pause: Pause) -> None:
        self.session = session
        self.news = Notifier()
        self.version = 0
        self.so_far: Growing = str
        self.doing = ""
        self.notices: deque[Notice] = deque(maxlen=MAX_NOTICES)
        self.trial: TrialRun | None = None
        self._terminal = terminal
        self._clock = clock
        self._pause = pause
        self._typed: asyncio.Queue[Typed | None] = asyncio.Queue()
        self._said: list[str] = []
        self._visits, self._readers = 0, 0
        self._alone = asyncio.Event()
        self._alone.set()
        self.is_held = False

    @property
    def waiting(self) -> list[str]:
        """What was said and has no answer yet, in order."""
        return self._said[self._terminal.answered(self.session.address) :]

    def say(self, text: str, *, is_confined: bool = False) -> None:
        """Say something to the agent; raises `UsageError` if it is a word with which people leave.

        `is_confined`: in a browser that was let in for this agent alone.
        """
        if text.strip().lower() in EXIT_WORDS:
            raise UsageError(tr("A chat in the browser is left by closing the page."))
        self.trial = None
        self._said.append(text)
        self._typed.put_nowait(Typed(text, is_confined=is_confined))
        self._change()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep the chat open until the block ends, since somebody looks at it."""
        self._readers += 1
        self._alone.clear()
        try:
            yield
        finally:
            self._readers -= 1
            if not self._readers:
                self._alone.set()

    def visit(self) -> None:
        """Keep the chat open for a while."""
        self._visits += 1

    async def hold(self) -> None:
        """Have the chat open at the terminal adapter until nobody needs it any more."""

        async def leave() -> None:
            """Leave the chat once nobody has looked at it for a while."""
            while True:
                await self._alone.wait()
                visits = self._visits
                await self._pause(GRACE_S)
                if self._alone.is_set() and visits == self._visits:
                    self._typed.put_nowait(None)
                    return

        self.is_held = True
        try:
            while True:
                with self._terminal.opened(self, self.session.address, run=f"web-{uuid4().hex}") as chat:
                    async with asyncio.TaskGroup() as group:
                        leaving = group.create_task(leave())
                        await self._terminal.serve(chat)
                        leaving.cancel()
                del self._said[: len(self._said) - self._typed.qsize()]
                if self._typed.empty() and not self._readers:
                    return
        finally:
            self.is_held = False

    async def try_again(self, responder: ModelResponder) -> None:
        """Send the last request once more, without writing anything."""
        self.trial = TrialRun(is_running=True)
        self._change()
        try:
            result = await responder.try_again(self.session)
        except ModelError as error:
            self.trial = TrialRun(error=str(error))
        else:
            forgotten = tr("What it saw is not known any more. Say something, and ask again after the answer.")
            calls = tuple(f"{call.name}({dict(call.arguments)})" for call in result.calls) if result else ()
            self.trial = TrialRun(text=result.text, calls=calls) if result else TrialRun(error=forgotten)
        self._change()

    async def read(self, _agent: str, /) -> Typed | None:
        """Return what is said next (`Screen.read`)."""
        return await self._typed.get()

    async def accepted(self) -> None:
        """Show nothing: what was said is shown already (`Screen.accepted`)."""

    async def progress(self, text: Growing, doing: str) -> None:
        """Show how far the answer has come (`Screen.progress`)."""
        self.so_far, self.doing = text, doing
        self.news.notify()

    async def show(self, shown: Shown) -> None:
        """Take note that something was said; the transcript has the words of an answer (`Screen.show`)."""
        if not shown.is_answer and not shown.text.startswith(REMARK):
            self.notices.append(Notice(self._clock.now(), shown.agent, shown.text))
        elif shown.last:
            self.so_far, self.doing = str, ""
        self._change()

    def _change(self) -> None:
        self.version += 1
        self.news.notify()


class Chats:
    """The chats of all agents, held beside the terminal's others while somebody looks at them."""

    def __init__(
        self, terminal: TerminalAdapter, routing: Routing, background: Background, *, clock: Clock, pause: Pause
    ) -> None:
        self._terminal = terminal
        self._routing = routing
        self._clock = clock
        self.pause = pause
        self._chats: dict[str, BrowserChat] = {}
        self._background = background

    def visit(self, agent: str) -> BrowserChat:
        """Return the chat with an agent, which is open from now on; whoever may see that agent alone sees no other."""
        chat = self._chats.get(agent)
        if chat is None:
            session = SessionKey(agent, address_of(agent))
            self._routing.pin(session.address, agent)
            chat = self._chats[agent] = BrowserChat(session, self._terminal, self._clock, self.pause)
        chat.visit()
        if not chat.is_held:
            chat.is_held = True
            self._background.begin(chat.hold, "chat in the browser")
        return chat


def address_of(agent: str) -> Address:
    """Return where the browser's chat with an agent is."""
    return replace(HERE, thread=f"browser-{agent}")
