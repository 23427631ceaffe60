"""The line editor of the terminal: prompt_toolkit's, with a history that can be rewritten. Importing it loads both."""

from __future__ import annotations

import io
import re
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.output import create_output

from adapters.support import printable
from adapters.terminal import PROMPT, Interrupted, ScreenClosed

_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")

MAX_PROGRESS_LINES = 6
"""How much of the end of a growing answer is shown below the prompt."""


class _EndOfInput(Exception):
    """Ctrl-D."""


class EditorScreen:
    """A screen with a line editor: input is handled at once, answers appear when they come.

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
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            completer=WordCompleter([f"/{name}" for name in commands], sentence=True),
            complete_while_typing=False,
            history=PromptHistory(history) if history else InMemoryHistory(),
            input=create_input(stdin),
            output=create_output(stdout),
            interrupt_exception=Interrupted,
            eof_exception=_EndOfInput,
        )
        self._color = color
        self._progress = ""
        self._session.bottom_toolbar = lambda: self._progress or None

    async def read(self) -> str | None:
        try:
            return await self._session.prompt_async()
        except _EndOfInput:
            return None

    async def progress(self, text: str, doing: str) -> None:
        lines = printable(text).splitlines()[-MAX_PROGRESS_LINES:]
        self._progress = "\n".join([*lines, *([f"{doing}…"] if doing else [])])
        if self._session.app.is_running:
            self._session.app.invalidate()

    async def show(self, text: str) -> None:
        output = self._session.output
        lines = render_markdown(printable(text), width=output.get_size().columns, color=self._color)

        def draw() -> None:
            output.write_raw(lines.replace("\n", "\r\n"))
            output.flush()

        try:
            if self._session.app.is_running:
                await run_in_terminal(draw)
            else:
                draw()
        except OSError as error:
            raise ScreenClosed(f"The answer cannot be printed: {error}.") from error


class PromptHistory(FileHistory):
    """prompt_toolkit's history, loaded again by the next prompt when its file was rewritten (`rewrite_history`)."""

    def __init__(self, path: Path) -> None:
        """Create the file, for its owner alone, if there is none."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        super().__init__(str(path))
        self._path = path
        self._inode = path.stat().st_ino

    async def load(self) -> AsyncGenerator[str, None]:
        """Yield what was typed, newest first."""
        inode = self._path.stat().st_ino if self._path.exists() else 0
        if inode != self._inode:
            self._inode, self._loaded, self._loaded_strings = inode, False, []
        async for line in super().load():
            yield line


def render_markdown(text: str, *, width: int, color: bool = True) -> str:
    """Render Markdown as lines for a terminal. Line breaks are kept, links show their targets, tags are text."""
    from markdown_it import MarkdownIt  # rich takes a while to load, and the prompt can be shown before
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
