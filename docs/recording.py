"""Draws the picture in the README: a real `scrubjay chat` in the demo home, typed into a pseudo-terminal.

    python -m docs.recording docs/pictures/chat.svg

The demo home is made in the system's folder for temporary files, on a fixed day, and is searched by words, so that
each recording is the same.
Ids are drawn anew in each home; in the picture they are replaced by made-up ones.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from xml.sax.saxutils import escape

import pexpect
import pyte

from bot.demo.home import make
from memory import FrozenClock

COLUMNS, LINES = 90, 60
NOW = "2026-11-22T17:45+00:00"
RUN = "import sys; from datetime import datetime; from memory import FrozenClock; from bot.cli.main import main; "
RUN += "sys.exit(main(sys.argv[2:], clock=FrozenClock(datetime.fromisoformat(sys.argv[1]))))"

SCENES = (
    ("where is the spare key?", "meter box"),
    ("Frau Zumstein gives the spare key to the plumber on Thursday.", "Noted in"),
    ("Wann hat Yuelan Geburtstag?", "neunten Oktober"),
    ("岳母什么时候打电话？", "每个星期天晚上八点"),
)
"""What is typed, and words of the answer to it."""

QUIET_S = 1.5
"""Seconds in which nothing comes: then the screen stands."""

PATIENCE_S = 60
"""Seconds until what is waited for has to be there."""

CELL_W, CELL_H, MARGIN = 8.4, 19, 16
FRAME_S, LAST_FRAME_S = 1.8, 6.0

LIGHT = {"fg": "#24292f", "bg": "#ffffff", "frame": "#d0d7de", "dim": "#57606a", "red": "#b3261e", "green": "#116329"}
LIGHT |= {"brown": "#7d4e00", "blue": "#0550ae", "magenta": "#8250df", "cyan": "#1b7c83"}
DARK = {"fg": "#e6edf3", "bg": "#0d1117", "frame": "#30363d", "dim": "#9198a1", "red": "#ff7b72", "green": "#7ee787"}
DARK |= {"brown": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#56d4dd"}

_ID = re.compile(r"\^[0-9a-z]{8}\b")


@dataclass(frozen=True, slots=True)
class Run:
    """Cells of one line that look the same: where they begin, what stands in them, and their style classes."""

    column: int
    text: str
    style: str


Frame = tuple[tuple[Run, ...], ...]
"""What a screen shows, line by line."""


class Terminal:
    """A program in a pseudo-terminal, and what its screen shows."""

    def __init__(self, home: Path, *words: str) -> None:
        environment = {
            "SCRUBJAY_HOME": str(home),
            "HOME": str(home),
            "PATH": os.defpath,
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "PYTHONUTF8": "1",
            "TERM": "xterm-256color",
            "SCRUBJAY__MEMORY__EMBEDDER__KIND": "none",
        }
        arguments = ["-c", RUN, NOW, *words]
        self._child = pexpect.spawn(sys.executable, arguments, env=environment, dimensions=(LINES, COLUMNS), echo=False)
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)

    def type(self, keys: str) -> None:
        """Press keys; Enter is `\\r`."""
        self._child.send(keys.encode())

    def settle(self, words: str = "") -> Frame:
        """Wait until the screen shows these words and stands still; what it shows."""
        waited = 0.0
        while waited < PATIENCE_S:
            waited = 0.0 if self._look() else waited + QUIET_S
            shown = " ".join("".join(self._screen.display).split())
            if waited and shown and words.lower() in shown.lower():
                return self.frame()
        raise SystemExit(f"It never said {words!r}; the screen shows:\n" + "\n".join(self._screen.display))

    def frame(self) -> Frame:
        """Return what the screen shows, without empty lines at its end."""
        lines = [tuple(self._runs(y)) for y in range(LINES)]
        while lines and not lines[-1]:
            lines.pop()
        return tuple(lines)

    def _look(self) -> bool:
        """Take in what has been printed; False if nothing comes for a while."""
        try:
            data = self._child.read_nonblocking(65536, timeout=QUIET_S)
        except (pexpect.EOF, pexpect.TIMEOUT):
            return False
        self._stream.feed(data)
        for _ in range(data.count(b"\x1b[6n")):  # "where is the cursor?"
            self.type(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
        return True

    def _runs(self, y: int) -> Iterator[Run]:
        """Yield the runs of a line. A wide character is one of its own, so that no font moves what follows."""
        start, text, last = 0, "", ""
        for x in range(COLUMNS + 1):
            cell = self._screen.buffer[y][x] if x < COLUMNS else None
            is_wide = bool(cell) and x + 1 < COLUMNS and self._screen.buffer[y][x + 1].data == ""
            style = _style(cell) if cell else ""
            if not cell or style != last or is_wide or (text and not text.isascii()):
                if text.strip():
                    yield Run(start, text.rstrip(), last)
                start, text, last = x, "", style
            text += cell.data if cell else ""

    def leave(self) -> None:
        """End the program as a person does."""
        self.type("\x04")
        self._child.expect(pexpect.EOF, timeout=PATIENCE_S)
        self._child.close()


def _style(cell: pyte.screens.Char) -> str:
    colour = cell.fg.removeprefix("bright")
    named = colour if colour in LIGHT else "fg" if colour in {"default", "white", "black"} else "dim"
    return " ".join([named, *(["bold"] if cell.bold else []), *(["italic"] if cell.italics else [])])


def record(home: Path) -> list[Frame]:
    """Hold the conversation; what the screen shows after each line that is typed, and after each answer."""
    terminal = Terminal(home, "chat")
    frames = [terminal.settle()]
    for said, answer in SCENES:
        terminal.type(said)
        frames.append(terminal.settle(said))
        terminal.type("\r")
        frames.append(terminal.settle(answer))
    terminal.leave()
    return frames


def draw(frames: list[Frame]) -> str:
    """Draw the frames one after the other as an SVG; where nothing is to move, the last one stands."""
    shown: dict[str, str] = {}

    def stable(found: re.Match[str]) -> str:
        return shown.setdefault(found[0], f"^k3f9a{len(shown):02d}q")

    height = round(max(map(len, frames)) * CELL_H + 2 * MARGIN)
    width = round(COLUMNS * CELL_W + 2 * MARGIN)
    total = FRAME_S * (len(frames) - 1) + LAST_FRAME_S
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>A conversation with Scrubjay in a terminal</title>",
        f"<style>{_css(len(frames), total)}</style>",
        f'<rect class="page" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
    ]
    for number, frame in enumerate(frames):
        parts.append(f'<g class="frame f{number}">')
        for y, line in enumerate(frame):
            for run in line:
                at = f'x="{MARGIN + run.column * CELL_W:.1f}" y="{MARGIN + (y + 0.75) * CELL_H:.1f}"'
                if len(run.text) > 1:  # no reader's font moves what follows
                    at += f' textLength="{len(run.text) * CELL_W:.1f}" lengthAdjust="spacingAndGlyphs"'
                text = escape(_ID.sub(stable, run.text))
                parts.append(f'<text class="{run.style}" {at}>{text}</text>')
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _css(count: int, total: float) -> str:
    def colours(palette: dict[str, str]) -> str:
        rules = [f".{name}{{fill:{value}}}" for name, value in palette.items() if name not in {"bg", "frame"}]
        return "".join([f".page{{fill:{palette['bg']};stroke:{palette['frame']}}}", *rules])

    rules = [
        "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}",
        ".bold{font-weight:700}.italic{font-style:italic}",
        colours(LIGHT),
        f"@media (prefers-color-scheme:dark){{{colours(DARK)}}}",
        f".frame{{visibility:hidden}}.f{count - 1}{{visibility:visible}}",
    ]
    moving = []
    for number in range(count):
        begin, end = (100 * FRAME_S * n / total for n in (number, number + 1))
        hidden = f"0%{{visibility:{'visible' if number == 0 else 'hidden'}}}"
        if number:
            hidden += f"{begin:.2f}%{{visibility:visible}}"
        if number < count - 1:
            hidden += f"{end:.2f}%{{visibility:hidden}}"
        moving.append(f"@keyframes k{number}{{{hidden}}}")
        moving.append(f".f{number}{{animation:k{number} {total:.1f}s step-end infinite}}")
    return "".join([*rules, f"@media (prefers-reduced-motion:no-preference){{{''.join(moving)}}}"])


def main() -> None:
    """Make the demo home, record, and write the picture."""
    home = Path(tempfile.gettempdir()) / "scrubjay-demo"  # its name can be read in the picture
    asyncio.run(make(home, clock=FrozenClock(datetime.fromisoformat(NOW))))
    Path(sys.argv[1]).write_text(draw(record(home)), encoding="utf-8")
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
