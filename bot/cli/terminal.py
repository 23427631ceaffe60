"""What a command prints and asks: data to standard output, the rest to standard error, questions to people only."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from getpass import getpass
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.texts.catalogue import tr
from bot.texts.formatting import as_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

    from memory import Progress

MANY_FILES = 100

NARROWEST = 24
"""Columns that the last one of a table has at least, unless its cells need less."""


def clean(text: str) -> str:
    """A text that a terminal shows and does not obey, without what moves the cursor or turns the writing direction."""
    from adapters.support import printable

    return printable(text)


class Terminal:
    """The three standard streams.

    Attributes:
        asks: people may be asked; not with `--no-input`.
        as_json: nothing but the command's answer is data; what is for people alone is left out.
    """

    def __init__(self) -> None:
        self.asks = True
        self.as_json = False

    @cached_property
    def console(self) -> Console:
        """Standard output with colours; NO_COLOR, FORCE_COLOR and TERM=dumb decide whether there are any."""
        from rich.console import Console

        return Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def out(self, text: str = "", *, style: str | None = None) -> None:
        """Print a line of data for people."""
        if self.as_json:
            return
        if style is None or self.console.no_color:
            print(clean(text))
        else:
            self.console.print(clean(text), style=style)

    def json(self, value: object) -> None:
        """Print one JSON object: on one line for programs, over several for people."""
        print(as_json(value, indent=2 if sys.stdout.isatty() else None))

    def table(self, rows: Sequence[Sequence[str]], *, heads: Sequence[str], lack: str = "") -> None:
        """Print rows under bold heads, columns aligned whatever script they are in; nothing is cut off.

        On a narrow terminal the last column is wrapped at its spaces; where that is not enough, each row is a block
        with a line for each column. Without rows `lack`, a sentence that says so, is printed in their place: as a line
        that is not data.
        """
        if lack and not rows:
            self.note(lack)
            return
        from rich.cells import cell_len

        cleaned = [[clean(cell) for cell in row] for row in (heads, *rows)]
        *widths, widest = [max(map(cell_len, column)) for column in zip(*cleaned, strict=True)]
        columns = self.console.width if sys.stdout.isatty() else sum(widths) + 2 * len(widths) + widest
        if columns - sum(widths) - 2 * len(widths) >= min(widest, NARROWEST):
            for number, row in enumerate(cleaned):
                if number or any(heads):
                    self.out(_line(row, widths, columns), style=None if number else "bold")
            return
        longest = max(map(cell_len, cleaned[0]))
        for number, row in enumerate(cleaned[1:]):
            if number:
                self.out()
            for pair in filter(any, zip(cleaned[0], row, strict=True)):
                self.out(_line(pair, [longest], columns))

    def err(self, text: str) -> None:
        """Print a line that is not data."""
        print(clean(text), file=sys.stderr)

    def log_apart(self) -> None:
        """Let what is logged where no log is open go to standard error; structlog prints it between the data."""
        import structlog  # here, since a look into memory logs nothing

        structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))

    def note(self, text: str) -> None:
        """Print a line that is not data, beside data that is for people."""
        if not self.as_json:
            self.err(text)

    @property
    def is_interactive(self) -> bool:
        """Somebody is there to be asked."""
        return self.asks and sys.stdin.isatty() and sys.stderr.isatty()

    def ask(self, question: str, *, default: str = "", secret: bool = False) -> str:
        """Ask for a line, unseen if `secret`; an empty one is the default. Raises `UsageError` if nobody is there."""
        if not self.is_interactive:
            message = tr("Nobody is there to answer: {question}", question=question)
            raise UsageError(message, hint=tr("Add --yes to accept what is proposed."))
        prompt = clean(f"{question} [{default}] " if default else f"{question} ")
        with _interruptible():
            if secret:
                with suppress(EOFError):
                    return getpass(prompt).strip() or default
                line = ""
            else:
                print(prompt, end="", file=sys.stderr, flush=True)
                line = sys.stdin.readline()
            if not line:  # end of input: the person pressed Ctrl-D
                raise KeyboardInterrupt
        return line.strip() or default

    def confirm(self, question: str) -> bool:
        """Ask for a yes; anything else is a no."""
        return self.ask(f"{question} [y/N]").lower() in {"y", "yes", "j", "ja", "是"}

    def lines(self, prompt: str = "") -> list[str]:
        """Read standard input to its end, without empty lines; a person who is to type them is shown a prompt.

        Raises:
            UsageError: it is not text in UTF-8.
        """
        if prompt and self.is_interactive:
            self.err(prompt)
        try:
            return [line.strip() for line in sys.stdin.read().splitlines() if line.strip()]
        except UnicodeDecodeError as error:
            message = tr("Standard input is not UTF-8 text.")
            raise UsageError(message, hint=tr("Convert it first (see: man iconv).")) from error

    @contextmanager
    def progress(self, what: str, *, of: str = "files") -> Iterator[Progress | None]:
        """A bar on standard error while there is much to do; nothing where nobody watches.

        It appears late: a handful of files is done before it could be read.
        """
        if not sys.stderr.isatty():
            yield None
            return
        drawn: RichProgress | None = None

        def show(done: int, total: int) -> None:
            nonlocal drawn
            if drawn is None and total >= MANY_FILES:
                from rich.console import Console
                from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

                columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(of))
                drawn = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
                drawn.add_task(what, total=None)
                drawn.start()
            if drawn is not None:
                drawn.update(drawn.task_ids[0], completed=done, total=total)

        try:
            yield show
        finally:
            if drawn is not None:
                drawn.stop()


async def every(seconds: float) -> AsyncIterator[None]:
    """Yield at once, and again after each wait of so many seconds, until the person presses Ctrl-C."""
    import asyncio  # which most commands do without

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop.set)
    try:
        while not stop.is_set():
            yield
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), seconds)
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def _line(row: Sequence[str], widths: Sequence[int], columns: int) -> str:
    """A row of a table: its last cell is wrapped at spaces; a word that is longer stays whole, to be copied."""
    from rich.cells import cell_len

    begins = sum(widths) + 2 * len(widths)
    room, lines = max(columns - begins, NARROWEST), list[str]()
    for text in row[-1].split("\n"):
        first, *words = text.split(" ")
        lines.append(first)
        for word in words:
            if cell_len(longer := f"{lines[-1]} {word}") <= room:
                lines[-1] = longer
            else:
                lines.append(word)
    padded = [cell + " " * (width - cell_len(cell)) for cell, width in zip(row[:-1], widths, strict=True)]
    return "  ".join([*padded, f"\n{' ' * begins}".join(lines)]).rstrip()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends the question, also where an event loop has other plans with it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise
    finally:
        signal.signal(signal.SIGINT, before)
