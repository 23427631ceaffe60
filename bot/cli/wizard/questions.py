"""Questions to a person: asked one after the other, each with a default, a way back, and an option that answers it."""

from __future__ import annotations

import textwrap
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from shutil import get_terminal_size

from bot.cli.terminal import Terminal
from bot.errors import UsageError
from bot.texts.catalogue import tr

BACK = "<"
"""What is typed to go back to the question before."""

NOTHING = "-"
"""What is typed to take a value away."""

MAX_COLUMNS = 88


class GoBack(Exception):
    """The person wants to go back to the question before."""


@dataclass(frozen=True, slots=True)
class Step:
    """A question, or some that belong together.

    Attributes:
        screen: the heading of the screen on which it stands; empty if it goes on with the one before.
        ask: asks it, and keeps the answer; raises `GoBack`.
        is_given: it was answered with the command, so that there is nothing to go back to.
    """

    screen: str
    ask: Callable[[], Awaitable[None]]
    is_due: Callable[[], bool] = lambda: True
    is_given: bool = False


class Prompter:
    """Asks on a terminal, or takes what was given with the command where nobody is to be asked."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.asks = terminal.is_interactive

    def say(self, text: str, *, indent: str = "") -> None:
        """Show a paragraph, its lines as long as the terminal is wide."""
        for line in self._wrapped(text, indent):
            self.terminal.err(line)

    @staticmethod
    def _wrapped(text: str, indent: str) -> list[str]:
        width = min(get_terminal_size().columns, MAX_COLUMNS)
        hanging = " " * (len(text) - len(text.lstrip("-0123456789 ")))
        return textwrap.wrap(
            text, width, initial_indent=indent, subsequent_indent=indent + hanging, break_long_words=False
        )

    def ask(self, question: str, *, default: str = "", secret: bool = False) -> str:
        """Ask for a line; an empty one means the default. Raises `GoBack`."""
        *above, last = self._wrapped(question, "")
        for line in above:
            self.terminal.err(line)
        said = self.terminal.ask(last, default="" if secret else default, secret=secret)
        if said == BACK:
            raise GoBack
        return said

    def confirm(self, question: str, *, default: bool) -> bool:
        """Ask for a yes or no; raises `GoBack`."""
        while True:
            said = self.ask(question, default=tr("yes") if default else tr("no")).lower()
            if said in {"y", "yes", "j", "ja", "是", tr("yes")}:
                return True
            if said in {"n", "no", "nein", "否", tr("no")}:
                return False
            self.say(tr("Yes or no, please."))

    def answer(self, question: str, take: Callable[[str], None], *, given: str | None, default: str = "") -> None:
        """Have an answer taken: the one that was given, or what the person says, asked again while it is not possible.

        Where nobody is asked and nothing was given, nothing is taken.

        Args:
            take: keeps an answer; raises `UsageError` if it is not possible.
            given: with the command.
            default: what holds now, or is proposed.

        Raises:
            UsageError: what was given is not possible.
            GoBack: the person wants to.
        """
        if given is not None:
            take(given)
            return
        while self.asks:
            said = self.ask(question, default=default)
            try:
                take(said)
            except UsageError as error:
                self.terminal.err(str(error))
            else:
                return


async def walk(prompter: Prompter, steps: Sequence[Step]) -> None:
    """Ask one step after the other, under the headings of their screens; `GoBack` leads to the one before."""
    place, is_forward = 0, True
    while place < len(steps):
        step = steps[place]
        if step.is_due() and (is_forward or not step.is_given):
            if prompter.asks and step.screen:
                screens = [each.screen for each in steps if each.screen and each.is_due()]
                heading = f"{screens.index(step.screen) + 1}/{len(screens)} {step.screen}"
                for line in ("", heading, "─" * len(heading)):
                    prompter.terminal.err(line)
            try:
                await step.ask()
                is_forward = True
            except GoBack:
                is_forward = False
        place += 1 if is_forward else -1
        if place < 0:
            place, is_forward = 0, True
