"""Reads the files of people in a process of its own, within limits of time, memory and output."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import structlog

from bot.errors import distribution
from bot.llm.types import Picture
from bot.texts.catalogue import tr
from bot.turn import File
from memory.files.workspace import decode_text

PROGRAM = Path(__file__).with_name("extract.py")
TIMEOUT_S = 30.0
"""For all files of one message."""
MAX_BYTES = 4 * 2**20
"""Bytes of what one file may come to."""
AT_ONCE = 2
"""How many files are read at the same time: each may take a gigabyte."""

PICTURE_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})
MAX_SIDE = 1568
"""Pixels; what is longer, the large providers make smaller themselves."""
SMALL_WINDOW, SMALL_SIDE = 16_000, 768
"""Below so many tokens, a picture has to be smaller."""
MAX_PICTURES = 8

_DOCUMENTS = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "text/html": "html",
    "application/xhtml+xml": "html",
}
_SUFFIXES = {".pdf": "pdf", ".docx": "docx", ".html": "html", ".htm": "html"}
_LIBRARIES = {"pdf": "pypdf", "docx": "defusedxml", "picture": "PIL"}
"""What reads a kind of file; it comes with the extra `documents`."""
_PLAIN = (".md", ".txt", ".json", ".csv")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class FileUnreadable(Exception):
    """A file cannot be read; the message is for people and models."""


@dataclass(slots=True)
class ReadingTime:
    """How many seconds are left for the files of a message; waiting for others' files does not count."""

    left: float = TIMEOUT_S


class MediaReader:
    """Reads files, no more than a few at a time; `timeout_s` is for all of a message (`ReadingTime`)."""

    def __init__(self, *, program: Path = PROGRAM, timeout_s: float = TIMEOUT_S) -> None:
        self._program = program
        self.timeout_s = timeout_s
        self._free = asyncio.Semaphore(AT_ONCE)

    async def text(self, file: File, *, limit: int, within: ReadingTime) -> str:
        """Return a document's text, longer than `limit` if there is more; empty for others. Raises `FileUnreadable`."""
        if file.path is None or limit <= 0:
            return ""
        if kind := _DOCUMENTS.get(file.mime) or _SUFFIXES.get(Path(file.name).suffix.lower()):
            return (await self._run(kind, file.path, limit, within)).decode("utf-8", "replace").strip()
        if file.mime.startswith("text/") or file.name.lower().endswith(_PLAIN):
            return await asyncio.to_thread(_read_plain, file.path, limit)
        return ""

    async def picture(self, file: File, *, longest: int, within: ReadingTime) -> Picture:
        """Return a picture as models get it, made anew, no side longer than so many pixels; raises `FileUnreadable`."""
        if file.path is None:
            raise FileUnreadable("It is not there.")
        head, _, content = (await self._run("picture", file.path, longest, within)).partition(b"\n")
        width, height = map(int, head.split())
        return Picture("image/jpeg", content, width, height)

    async def _run(self, kind: str, path: Path, most: int, within: ReadingTime) -> bytes:
        if (library := _LIBRARIES.get(kind)) and find_spec(library) is None:
            hint = tr('pip install "{name}[documents]" installs it.', name=distribution())
            raise FileUnreadable(tr("The library {library} is not installed here. {hint}", library=library, hint=hint))
        if within.left <= 0:
            raise FileUnreadable("The files before it took all the time that there is for a message.")
        now = asyncio.get_running_loop().time
        async with self._free:
            started = now()
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", str(self._program), kind, str(path), str(most)),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=DEVNULL,  # its errors may hold the file's words
                env={},
                limit=MAX_BYTES,
            )
            try:
                async with asyncio.timeout(within.left):
                    content = await _read_output(process.stdout) if process.stdout else b""
                    failed = await process.wait()
            except (TimeoutError, asyncio.LimitOverrunError):
                raise FileUnreadable("It takes too much time or room to be read.") from None
            finally:
                within.left -= now() - started
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        if failed:
            log.info("file.unreadable", kind=kind, code=failed)
            raise FileUnreadable("It is damaged, protected by a password, or too large.")
        return content


def longest_side(window: int) -> int:
    """Return how many pixels a side of a picture may have for a window of so many tokens."""
    return MAX_SIDE if window >= SMALL_WINDOW else SMALL_SIDE


def is_picture(file: File) -> bool:
    """Whether a file is a picture of a kind that models see."""
    return file.mime in PICTURE_TYPES and file.path is not None


async def _read_output(stream: asyncio.StreamReader) -> bytes:
    """Read a stream to its end; raises `LimitOverrunError` if it has more than `MAX_BYTES`."""
    content = bytearray()
    while part := await stream.read(2**16):
        content += part
        if len(content) > MAX_BYTES:
            raise asyncio.LimitOverrunError("too much", len(content))
    return bytes(content)


def _read_plain(path: Path, limit: int) -> str:
    """Read the beginning of a text file; empty if it is none."""
    with path.open("rb") as opened:
        text, _ = decode_text(opened.read(4 * limit + 4), path.name)
    return "" if "\0" in text else text.strip()
