"""The chat in a terminal, or through a pipe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TextIO

from adapters.editor import PROMPT, EditorScreen
from adapters.port import Address, Capabilities, ChatKind, Door, Inbound, Outbound, Receipt, Sender, SendRefused
from adapters.screen import Interrupted, PlainScreen, Screen, ScreenGone

HERE = Address("terminal", "local", "owner", ChatKind.PRIVATE)
"""The only chat. Whoever sits here has the files anyway, so they are the owner: `terminal:owner`."""

LEAVE = "(Nothing is under way. Ctrl-D leaves.)"
REMARK = "(To what you wrote in an earlier session:)"

LEAVING = frozenset({"exit", "quit", "/exit", "/quit"})
"""What people type to leave a program; taken as that at a prompt only, through a pipe it is a line like any other."""


class TerminalAdapter:
    """One person at one screen.

    Args:
        screen: what they see and type into.
        run: names this process; update ids are made of it, so it must not have been used before, unless the same
            lines are fed again and are to be recognised.
        now: the current instant, aware.
        person: what they are called.
        greeting: shown first to somebody who sits at a prompt.
    """

    platform = HERE.platform
    bot = HERE.bot
    capabilities = Capabilities(text_limit=1_000_000, at_least_once=True)

    def __init__(
        self, screen: Screen, *, run: str, now: Callable[[], datetime], person: str = "", greeting: str = ""
    ) -> None:
        self._screen = screen
        self._run = run
        self._now = now
        self._person = person
        self._greeting = greeting
        self._asked: dict[str, asyncio.Event] = {}
        self._hushed: set[str] = set()
        self._is_gone = False

    async def run(self, door: Door) -> None:
        """Bring what is typed to the door until the person leaves; a screen that waits has the last answer by then."""
        if self._greeting and not self._screen.waits:
            with suppress(SendRefused):
                await self._show(self._greeting)
        while not self._is_gone:
            try:
                text = await self._screen.read()
            except Interrupted:
                await self._interrupt(door)
                continue
            if text is None or (not self._screen.waits and text.strip().lower() in LEAVING):
                return
            if text.strip():
                await self._ask(door, text)

    async def send(self, out: Outbound) -> Receipt:
        """Print it, with a remark if the question is from an earlier process.

        What is sent again is printed again: a process that was killed may have printed it without a record of that.
        """
        answered = self._asked.get(out.reply_to or "")
        if out.reply_to not in self._hushed:
            remark = () if answered or not out.reply_to else (REMARK,)
            await self._show("\n".join([*remark, out.text, *_extras(out)]))
        if answered and out.last:
            answered.set()
        return Receipt(out.id)

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """What is printed is printed."""
        raise SendRefused(f"A terminal cannot edit {receipt.message}, to say {out.id} instead.")

    async def typing(self, to: Address) -> None:
        """`progress` says more."""

    async def progress(self, to: Address, text: str, doing: str) -> None:
        """Show how far the answer has come and what goes on."""
        assert to == HERE
        await self._screen.progress(text, doing)

    async def announce(self, text: str) -> None:
        """Print a line that answers nothing; a pipe, which is to hold answers alone, is spared it."""
        if not self._screen.waits:
            await self._show(text)

    async def _ask(self, door: Door, text: str) -> None:
        update = self._next_update
        answered = self._asked[update] = asyncio.Event()
        sender = Sender(HERE.chat, self._person)
        is_new = await door.receive(
            Inbound(update, HERE, sender, text, update, self._now(), is_unattended=self._screen.waits)
        )
        if is_new and self._screen.waits:
            await answered.wait()

    @property
    def _next_update(self) -> str:
        return f"{self._run}-{len(self._asked) + 1}"

    async def _interrupt(self, door: Door) -> None:
        """Ctrl-C ends the answer that is under way; it never ends the program by surprise.

        What becomes of that answer is shown; what is answered to the `/stop` itself, which nobody typed, is not.
        """
        if any(not answered.is_set() for answered in self._asked.values()):
            self._hushed.add(self._next_update)
            await self._ask(door, "/stop")
        else:
            await self._show(LEAVE)

    async def _show(self, text: str) -> None:
        try:
            await self._screen.progress("", "")
            await self._screen.show(text)
        except ScreenGone as error:
            self._is_gone = True
            for answered in self._asked.values():
                answered.set()
            raise SendRefused(str(error)) from error


def _extras(out: Outbound) -> list[str]:
    """Choices as what to type (a yes and a no, or the numbers of more than two), files as where they are."""
    keys = "yn" if len(out.buttons) <= 2 else map(str, range(1, len(out.buttons) + 1))
    choices = [f"- {button.label}: `{key}`" for key, button in zip(keys, out.buttons, strict=False)]
    return [*choices, *(f"- file: {path}" for path in out.files)]


def open_screen(
    stdin: TextIO,
    stdout: TextIO,
    *,
    term: str = "",
    color: bool = True,
    commands: Sequence[str] = (),
    history: Path | None = None,
) -> Screen:
    """The screen that fits the streams: a line editor on a terminal, plain lines on a dumb one and through a pipe.

    Args:
        stdin: where the person types.
        stdout: where they read.
        term: the environment's TERM.
        color: False where NO_COLOR is set.
        commands: slash commands to complete, without the slash.
        history: where the line editor keeps what was typed.
    """
    if not (stdin.isatty() and stdout.isatty()):
        return PlainScreen(stdin, stdout)
    if term == "dumb":
        return PlainScreen(stdin, stdout, prompt=PROMPT)
    return EditorScreen(stdin, stdout, commands=commands, history=history, color=color)
