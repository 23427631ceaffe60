"""The screen with a line editor: prompt_toolkit's, with answers that grow above the prompt. Importing it loads it."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncGenerator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TextIO
from zlib import crc32

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import is_searching
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyProcessor
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output

from adapters.port import Growing
from adapters.support import printable
from adapters.terminal import PROMPT, Interrupted, LastingRead, ScreenClosed, Shown, Typed

_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_MAY_CHANGE = re.compile(r"://|\]\(|<\w|\w\.[^\W\d_]{2}|\d\.\d+\.\d")
"""In a growing answer: what links and hosts are made of. They are checked, and perhaps shown otherwise, at its end."""

_STYLE = re.compile(r"\x1b\[[0-9;]*m")

MAX_PROGRESS_LINES = 12
"""How much of the end of a growing answer is shown above the prompt."""

COLORS = (36, 35, 32, 33, 34, 31)
"""ANSI colours of the agents, in their order."""

TYPED_AHEAD_S = 0.3
"""A Ctrl-J so soon after the first key is an Enter typed before the prompt: a terminal not in use makes it one."""

TICK_S = 0.25
DRAWN_S = 0.05  # a growing answer is drawn no more often; its end, with the next tick
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CHARACTERS_PER_TOKEN = 4

CHANGED = "(Looked over once more, the answer reads:)"


class _EndOfInput(Exception):
    """Ctrl-D."""


class EditorScreen:
    """A screen with a line editor: input is handled at once, answers grow above the prompt.

    Args:
        stdin, stdout: a terminal, both of them.
        agents, commands: names that Tab completes; those of agents are in the order of their colours.
        history: a file that keeps what was typed for the next session; None keeps nothing.
        color: whether anything may be coloured; bold and italics remain.
    """

    waits = False
    is_attended = True

    def __init__(
        self,
        stdin: TextIO,
        stdout: TextIO,
        *,
        agents: Sequence[str] = (),
        commands: Sequence[str] = (),
        history: Path | None = None,
        color: bool = True,
    ) -> None:
        self._agents = tuple(agents)
        self._words = [f"/{name}" for name in commands] + [f"/agent {name}" for name in agents]
        self._meanings: dict[str, str] = {}
        output = create_output(stdout)
        if isinstance(output, Vt100_Output):  # else each block waits until the terminal has said where its cursor is
            output.enable_cpr = False
        self._session: PromptSession[str] = PromptSession(
            self._prompt,
            completer=WordCompleter(lambda: [*self._meanings, *self._words], meta_dict=self._meanings, sentence=True),
            complete_while_typing=False,
            history=PromptHistory(history) if history else InMemoryHistory(),
            input=create_input(stdin),
            output=output,
            key_bindings=self._keys(),
            multiline=True,
            prompt_continuation=lambda width, *_: " " * width,
            eof_exception=_EndOfInput,
        )
        self._session.app.before_render += lambda _: self._live.grow()
        self._color, self._agent = color, ""
        self._live = _LiveAnswer()
        self._first_key_at: float | None = None
        self._printing = asyncio.Lock()
        self._session.app.key_processor.before_key_press += self._note_first_key
        self._reading = LastingRead(self._session.prompt_async)

    async def read(self, agent: str) -> Typed | None:
        self._agent, self._first_key_at = agent, None
        self._session.app.erase_when_done = False
        try:
            return Typed(await self._reading.next())
        except _EndOfInput:
            return None

    async def accepted(self) -> None:
        if self._live.began is None:
            self._live.began = asyncio.get_running_loop().time()
            self._tick()

    async def progress(self, text: Growing, doing: str) -> None:
        """Print the blocks of the answer that are complete for good; the last one is drawn above the prompt."""
        await self.accepted()
        now = asyncio.get_running_loop().time()
        is_due = now - self._live.looked_at >= DRAWN_S or doing != self._live.doing
        self._live.growing, self._live.doing = text, doing
        if is_due:
            self._live.looked_at = now
            self._live.grow()
            async with self._printing:
                if block := self._live.finished():
                    await self._print(f"{self._name_once(self._agent)}{self._render(block)}\n")
                    self._live.printed += block
            self._session.app.invalidate()

    async def show(self, shown: Shown) -> None:
        async with self._printing:
            text = printable(shown.markdown)
            if shown.goes_on:
                name = self._name(shown.agent)
                self._live.is_named = False  # what goes on below says anew whose it is
            else:
                printed = self._live.printed
                text = text.removeprefix(printed) if text.startswith(printed) else f"_{CHANGED}_\n\n{text}"
                name = "" if shown.is_further else self._name_once(shown.agent)
                self._live.growing, self._live.printed = str, ""
                if shown.last:
                    self._live = _LiveAnswer()
            self._agent = shown.prompt or self._agent
            self._meanings.clear()
            self._meanings.update(shown.choices)
            blank = "\n" if shown.last and shown.agent else ""
            await self._print(f"{name}{self._render(text)}{blank}" if text.strip() else name)

    def _name_once(self, agent: str) -> str:
        is_named, self._live.is_named = self._live.is_named, True
        return "" if is_named else self._name(agent)

    def _name(self, agent: str) -> str:
        return f"{self._styled(agent, agent)}\n" if agent else ""

    def _styled(self, text: str, agent: str) -> str:
        """Return a text in bold and in an agent's colour."""
        place = self._agents.index(agent) if agent in self._agents else crc32(agent.encode())
        return f"\x1b[1{f';{COLORS[place % len(COLORS)]}' if self._color else ''}m{text}\x1b[0m" if agent else text

    def _render(self, text: str) -> str:
        """Return Markdown as lines, without empty ones before and after."""
        lines = render_markdown(text, width=self._session.output.get_size().columns, color=self._color).split("\n")
        full = [number for number, line in enumerate(lines) if _STYLE.sub("", line).strip()]
        return "".join(f"{line}\n" for line in lines[full[0] : full[-1] + 1]) if full else ""

    def _prompt(self) -> ANSI:
        """Return what stands before the cursor: what lives while an answer is made, and who is spoken to."""
        lines: list[str] = []
        if self._live.began is not None and not self._session.app.is_done:
            size = self._session.output.get_size()
            status = self._live.status(int(asyncio.get_running_loop().time() - self._live.began), size.columns - 1)
            tail = self._render(self._live.text.removeprefix(self._live.printed)).splitlines()
            lines = [*tail[-min(MAX_PROGRESS_LINES, size.rows // 2) :], f"\x1b[2m{status}\x1b[0m"]
        return ANSI("\n".join([*lines, self._styled(f"{self._agent}{PROMPT}", self._agent)]))

    def _tick(self) -> None:
        if self._live.began is not None:
            self._session.app.invalidate()
            asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _note_first_key(self, _: KeyProcessor) -> None:
        self._first_key_at = self._first_key_at or asyncio.get_running_loop().time()

    def _keys(self) -> KeyBindings:
        """Return what keys do here: Enter sends; Alt-Enter and Ctrl-J begin a new line. In a search they end it."""
        keys = KeyBindings()

        @keys.add("c-c")
        def _interrupt(event: KeyPressEvent) -> None:
            event.app.erase_when_done = self._live.began is not None  # the answer goes on where the prompt was
            event.app.exit(exception=Interrupted())

        @keys.add("enter", filter=~is_searching)
        def _send(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add("escape", "enter", filter=~is_searching)
        @keys.add("c-j", filter=~is_searching)
        def _break_line(event: KeyPressEvent) -> None:
            assert self._first_key_at is not None
            age_s = asyncio.get_running_loop().time() - self._first_key_at
            if age_s < TYPED_AHEAD_S and event.data == "\n":
                event.current_buffer.validate_and_handle()
            else:
                event.current_buffer.newline(copy_margin=False)

        return keys

    async def _print(self, lines: str) -> None:
        """Print above the prompt, for good."""
        output = self._session.output

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


class _LiveAnswer:
    """An answer that grows: `began`, last `looked_at` by the loop's clock; `printed` so far, `is_named` above that."""

    def __init__(self) -> None:
        self.began: float | None = None
        self.looked_at = 0.0
        self.growing: Growing = str
        self.text = self.doing = self.printed = ""
        self.is_named = False

    def grow(self) -> None:
        """Take the text as far as it has come."""
        self.text = printable(self.growing())

    def status(self, seconds: int, width: int) -> str:
        """The line that says that something goes on, with as much as fits into these columns."""
        tokens = len(self.text) // CHARACTERS_PER_TOKEN
        size = [f"~{tokens} tokens"] if tokens else []
        doing = self.doing or ("writing" if self.text else "thinking")
        parts = [f"{FRAMES[seconds % len(FRAMES)]} {seconds} s", f"{doing}…", *size, "Ctrl-C stops it"]
        while len(parts) > 1 and len(" · ".join(parts)) > width:
            parts.pop()
        return " · ".join(parts)[:width]

    def finished(self) -> str:
        """Return those further blocks that are complete and will not change: they can be printed for good."""
        from markdown_it import MarkdownIt

        tail = self.text.removeprefix(self.printed)
        if tail == self.text and self.printed:
            return ""  # it begins anew, and not as before
        blocks = [token.map[0] for token in MarkdownIt("commonmark").parse(tail) if token.level == 0 and token.map]
        lines = tail.splitlines(keepends=True)
        finished = "".join(lines[: blocks[-1]]) if len(blocks) > 1 else ""
        return finished if finished.strip() and not _MAY_CHANGE.search(finished) else ""


class PromptHistory(FileHistory):
    """prompt_toolkit's history, loaded again by the next prompt when its file was rewritten."""

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


@lru_cache(maxsize=1)  # the prompt is asked for several times while it is drawn once
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
