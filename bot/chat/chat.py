"""`scrubjay chat`: holds the home itself while nobody else does, and else is a client of whoever does."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING

from adapters.port import Growing, SendRefused
from adapters.terminal import HERE, Screen, ScreenClosed, Shown, TerminalAdapter, Typed
from bot import starter
from bot.chat.client import LOST, ChatClient, Ended
from bot.chat.server import CHAT_CLOSED, LEFT, OWNER, ChatServer
from bot.config.model import Config, secrets_of
from bot.errors import BotError, Locked, Unreachable
from bot.paths import Home
from bot.service import control
from bot.storage.keys import SessionKey
from bot.system import instance
from bot.texts.catalogue import tr
from bot.waiting import pause

if TYPE_CHECKING:
    from bot.app import OpenDashboard
    from memory import Clock

START_S = 20
"""How long whoever has just taken the home may need until it can be reached."""

TRY_S = 0.1


class OneQuestion:
    """A screen at which one thing is said, and then its answer read (`adapters.terminal.Screen`).

    `show` is given each part of the answer, `report` what answers something earlier.
    """

    waits = True
    is_attended = False

    def __init__(self, question: Typed, *, show: Callable[[Shown], None], report: Callable[[str], None]) -> None:
        self._questions = [question]
        self._show = show
        self._report = report

    async def read(self, _agent: str, /) -> Typed | None:
        return self._questions.pop() if self._questions else None

    async def accepted(self) -> None:
        """Show nothing; only the complete answer is printed."""

    async def progress(self, text: Growing, doing: str) -> None:
        """Show nothing, likewise."""

    async def show(self, shown: Shown) -> None:
        if not shown.is_answer:
            self._report(shown.markdown)
            return
        try:
            self._show(shown)
        except (OSError, ValueError) as error:  # a closed pipe, a closed file
            raise ScreenClosed(tr("The answer cannot be printed: {reason}.", reason=error)) from error


@dataclass(frozen=True, slots=True)
class Chat:
    """One call of `scrubjay chat`.

    Attributes:
        clock: returns the source of time; called by who serves the home alone, for it loads the memory library.
        screen: where the person types and reads.
    """

    home: Home
    config: Config
    clock: Callable[[], Clock]
    agent: str
    screen: Screen
    dashboard: OpenDashboard

    async def run(self) -> str:
        """Talk until the person leaves or the process is asked to end; returns the key of the conversation.

        Raises:
            Locked: something else holds the home, and serves no chats.
            Unreachable: what held the home has ended, or does not answer.
            BotError: it refuses this chat.
        """
        agent, first = self.agent, None
        workspace = self.config.workspaces(self.home)[self.agent]
        greeting = tr(
            "{agent} is here, and keeps what you tell it in `{folder}`.\n`/help` lists commands, Ctrl-D leaves.",
            agent=self.agent,
            folder=workspace,
        )
        while True:
            with ExitStack() as stack:
                client = await self._hold_or_connect(stack, agent, greeting)
                if client is None:
                    await self._host(agent, greeting, first)
                    return str(SessionKey(agent, HERE))
            async with asyncio.TaskGroup() as group:
                talking = group.create_task(client.converse(self.screen, first=first))
                with instance.ending(talking.cancel):  # by a signal to this process
                    await asyncio.wait([talking])
            ended = Ended(LEFT, "") if talking.cancelled() else talking.result()
            if ended.why == LEFT:
                return client.session
            if ended.why != CHAT_CLOSED:
                raise _explain(ended)
            agent, first, greeting = ended.agent, ended.unaccepted, ""  # the next to hold the home may be this one

    async def _hold_or_connect(self, stack: ExitStack, agent: str, greeting: str) -> ChatClient | None:
        """Connect to who holds the home, or take it until the stack is closed, which is None."""
        loop = asyncio.get_running_loop()
        until = loop.time() + START_S
        cards = {"run": self.home.control, "dashboard": self.home.control, "chat": self.home.chats}
        while True:
            holder = instance.holder(self.home)
            card = cards.get(holder.command) if holder else None
            is_late = loop.time() > until
            if card and card.exists():
                try:
                    return await ChatClient.connect(card, self.screen, agent=agent, greeting=greeting)
                except Unreachable:
                    if is_late:
                        raise
            elif card is None or is_late:
                try:
                    stack.enter_context(instance.hold(self.home, command="chat", clock=self.clock()))
                    return None
                except Locked:
                    if is_late or (holder and holder == instance.holder(self.home)):  # else somebody has just come
                        raise
            await pause(TRY_S)

    async def _host(self, agent: str, greeting: str, first: Typed | None) -> None:
        """Hold the home, and serve further chats beside this one."""
        from bot import log
        from bot.access.access import AccessRules
        from bot.app import build  # the whole service, which a client need not load

        home, config, clock = self.home, self.config, self.clock()
        adapter = TerminalAdapter(
            self.screen, run=token_hex(8), now=clock.now, person=config.owner.name, greeting=greeting, first=first
        )

        async def show(text: str) -> None:
            with suppress(SendRefused):  # nobody looks any more
                await adapter.announce(text)

        def say(text: str) -> None:
            notices.create_task(show(text))

        with log.to_file(home.log_file, level=config.log.level, clock=clock, mask=log.Mask(secrets_of(config))):
            starter.write_all(home, config)
            async with (
                asyncio.TaskGroup() as notices,
                build(
                    home,
                    config,
                    clock=clock,
                    opening=lambda _: nullcontext([adapter]),
                    default_agent=agent,
                    access=AccessRules(owners=frozenset({OWNER}), queue=config.chats.queue.modes),
                    say=say,
                ) as built,
            ):
                chats = ChatServer(adapter, built.context.routing, agents=tuple(config.agents), default=agent)
                async with (
                    self.dashboard(built, adapter) as make_link,
                    control.listening(home.chats, control.chat_api(make_link), chats.converse),
                    chats.ending(CHAT_CLOSED),
                ):
                    with instance.ending(built.service.stop):
                        await built.service.run(tuple(config.agents), owner=f"chat-{os.getpid()}")


def _explain(ended: Ended) -> BotError:
    """Return the error that says how the service has ended, and what to do about it."""
    what = tr("The running Scrubjay was killed.") if ended.why == LOST else tr("The running Scrubjay has ended.")
    kept = tr("What it has taken in is kept, and answered when it runs again: scrubjay run, or scrubjay chat")
    if ended.unaccepted is None:
        return Unreachable(what, hint=kept)
    said = ended.unaccepted.text
    if ended.why == LOST:
        return Unreachable(what, hint=tr("Perhaps it has not taken in your last message: {text}", text=said))
    return Unreachable(what, hint=tr("It has not taken in your last message: {text}", text=said) + f"\n{kept}")
