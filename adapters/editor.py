"""A terminal with a line editor: history, completion of commands, answers as rendered Markdown above the prompt."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from adapters.screen import Interrupted, ScreenGone, printable

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

PROMPT = "> "

_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


LINES_OF_PROGRESS = 6
"""The end of a growing answer that is shown below the prompt."""


class _Left(Exception):
    """Ctrl-D."""


class EditorScreen:
    """What is typed comes at once; answers appear when they come.

    Args:
        stdin, stdout: a terminal, both of them.
        commands: what Tab completes after a slash, without it.
        history: a file that keeps what was typed for the next session; None keeps nothing.
        color: whether answers may be coloured; bold and italics remain.
    """

    waits = False

    def __init__(
        self,
        stdin: TextIO,
        stdout: TextIO,
        *,
        commands: Sequence[str] = (),
        history: Path | None = None,
        color: bool = True,
    ) -> None:
        self._session = _session(stdin, stdout, commands=commands, history=history)
        self._color = color
        self._progress = ""
        self._session.bottom_toolbar = lambda: self._progress or None

    async def read(self) -> str | None:
        try:
            return await self._session.prompt_async()
        except _Left:
            return None

    async def progress(self, text: str, doing: str) -> None:
        lines = printable(text).splitlines()[-LINES_OF_PROGRESS:]
        self._progress = "\n".join([*lines, *([f"{doing}…"] if doing else [])])
        if self._session.app.is_running:
            self._session.app.invalidate()

    async def show(self, text: str) -> None:
        from prompt_toolkit.application import run_in_terminal

        output = self._session.output
        drawn = rendered(printable(text), width=output.get_size().columns, color=self._color)

        def draw() -> None:
            output.write_raw(drawn.replace("\n", "\r\n"))
            output.flush()

        try:
            if self._session.app.is_running:
                await run_in_terminal(draw)
            else:
                draw()
        except OSError as error:
            raise ScreenGone(f"The answer cannot be printed: {error}.") from error


def rendered(text: str, *, width: int, color: bool = True) -> str:
    """Markdown as lines for a terminal. Line breaks stay where they are; links show where they lead; tags are text."""
    from markdown_it import MarkdownIt
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(file=io.StringIO(), force_terminal=True, width=width, no_color=not color, legacy_windows=False)
    with console.capture() as captured:
        page = Markdown("", hyperlinks=False)
        page.parsed = (
            MarkdownIt("commonmark", {"html": False})
            .enable(["strikethrough", "table"])
            .parse(_SOFT_BREAK.sub("  \n", text))
        )
        console.print(page)
    return captured.get()


def _session(stdin: TextIO, stdout: TextIO, *, commands: Sequence[str], history: Path | None) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.input import create_input
    from prompt_toolkit.output import create_output

    from adapters.history import KeptHistory

    return PromptSession(
        PROMPT,
        completer=WordCompleter([f"/{name}" for name in commands], sentence=True),
        complete_while_typing=False,
        history=KeptHistory(history) if history else InMemoryHistory(),
        input=create_input(stdin),
        output=create_output(stdout),
        interrupt_exception=Interrupted,
        eof_exception=_Left,
    )
