"""A source that is imported: a folder, a ZIP archive, or one file. It is only read, and nothing of it is unpacked."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import zipfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from bot.errors import BotError, Missing, Refused
from bot.paths import reason
from bot.texts.catalogue import mark, tr
from memory.files.workspace import decode_text

MAX_FILES = 200_000
MAX_TEXT_BYTES = 15 << 20
"""Bytes of one text; a workspace reads files of at most 20 MB."""
MAX_DOCUMENT_BYTES = 256 << 20
"""Bytes of a JSON document that is read as a whole, and characters of one element of an array that is not."""
MAX_ARCHIVE_BYTES = 32 << 30
"""Bytes that all files of an archive may have together."""
SUSPICIOUS_BYTES = 64 << 20
SUSPICIOUS_RATIO = 200
"""A larger file that was packed more tightly is no text."""
READ_AT_ONCE = 1 << 20
"""Characters."""

_PASSED_OVER = frozenset({"node_modules", "__MACOSX", "__pycache__"})
_LEADS_OUT = mark("its path leads out of the archive")
_LINK = mark("it is a link: import what it leads to by itself")
_NO_EXPORT = mark("No program exports such a file: do not unpack it.")
_BETWEEN = frozenset(" \t\r\n,")

MAX_STRANGE_SHARE = 1 / 3
"""Share of a text's characters; in Icelandic a fifth have accents, in Russian read as Windows-1252 three quarters."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a source: bytes, and how it is opened."""

    size: int
    place: Path | zipfile.ZipInfo


class Source:
    """The files of a source by their names (`memory/2024-01-05.md`), sorted.

    Attributes:
        folders: names of folders at the top, hidden ones too.
        left_out: files that are not looked at, with the reason.
    """

    def __init__(self, path: Path, *, most_files: int) -> None:
        self.path = path
        self.folders: set[str] = set()
        self.left_out: list[tuple[str, str]] = []
        self._most_files = most_files
        self._stack = ExitStack()
        self._archive: zipfile.ZipFile | None = None
        self.entries: Mapping[str, Entry] = {}

    @property
    def origin(self) -> str:
        """Where its files live; empty for an archive, which has another name each time that it is made."""
        return str(self.path.resolve()) if self._archive is None else ""

    @classmethod
    @contextmanager
    def at(cls, path: Path, *, most_files: int = MAX_FILES) -> Iterator[Self]:
        """Open a source; it is closed at the end of the block.

        Raises:
            Missing: there is nothing of that name.
            Refused: an archive is not one that is opened: encrypted, or made to grow.
            BotError: it cannot be read, or has too many files.
        """
        source = cls(path, most_files=most_files)
        try:
            if path.is_dir():
                entries = dict(source._folder())
            elif not path.exists():
                message = tr("There is no {path}.", path=path)
                raise Missing(message, hint=tr("Name the file or folder that the other program wrote."))
            elif zipfile.is_zipfile(path):
                entries = dict(source._zip())
            elif path.suffix.lower() == ".zip":
                raise _cut_off(path.name)
            else:
                entries = {path.name: Entry(path.stat().st_size, path)}
        except OSError as error:
            message = tr("{path} cannot be read: {reason}.", path=path, reason=reason(error))
            raise BotError(message, hint=tr("Check its permissions.")) from error
        source.entries = dict(sorted(entries.items()))
        with source._stack:
            yield source

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all files, sorted."""
        return tuple(self.entries)

    def stream(self, name: str) -> IO[bytes]:
        """Return the bytes of a file, to be read; raises `BotError` if it cannot be opened."""
        place = self.entries[name].place
        try:
            if isinstance(place, Path):
                return place.open("rb")
            assert self._archive
            return self._archive.open(place)
        except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            message = tr("{name} cannot be opened ({error}).", name=name, error=error)
            raise BotError(message, hint=tr("Export it again.")) from error

    def read(self, name: str, limit: int = MAX_TEXT_BYTES) -> bytes:
        """Return at most so many bytes of a file; raises `BotError` if the disk refuses, or an archive is damaged."""
        try:
            with self.stream(name) as stream:
                return stream.read(limit)
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            message = tr("{name} cannot be read ({error}).", name=name, error=error)
            raise BotError(message, hint=tr("Export it again.")) from error

    def text(self, name: str) -> str | None:
        """Return a file's text, read as a workspace's notes are, or as UTF-16; None if it is neither; raises as `read`.

        What is in another encoding, or no text, would become accented letters, or have zeros between its letters.
        """
        content = self.read(name)
        is_marked = content.startswith((BOM_UTF16_BE, BOM_UTF16_LE))
        text, problem = (content.decode("utf-16", "replace"), None) if is_marked else decode_text(content, name)
        begins = text[:READ_AT_ONCE]
        strange = begins.count("\0") + (len(re.findall("[\x80-\xff\ufffd]", begins)) if problem else 0)
        return None if strange > MAX_STRANGE_SHARE * len(begins) else text

    def beginning(self, name: str, length: int = 4096) -> str:
        """Return the first characters of a file as far as they are text; empty if it cannot be read."""
        with suppress(BotError):
            return self.read(name, length).decode("utf-8-sig", "replace")
        return ""

    def document(self, name: str) -> Any:
        """Return a whole JSON document; raises `BotError` if it is none, or too large."""
        data = self.read(name, MAX_DOCUMENT_BYTES + 1)
        if len(data) > MAX_DOCUMENT_BYTES:
            message = tr("{name} is larger than {size} MB.", name=name, size=MAX_DOCUMENT_BYTES >> 20)
            raise BotError(message, hint=tr("Split it, then import each."))
        try:
            return json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise damaged(name, error) from error

    def elements(self, name: str) -> Iterator[Any]:
        """Yield the elements of a JSON array one by one, so that it may be larger than the memory.

        Raises:
            BotError: it is none, ends in the middle, or is damaged; what came before has been yielded.
        """
        try:
            with self.stream(name) as stream, io.TextIOWrapper(stream, "utf-8-sig") as text:
                yield from _elements(text)
        except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, RecursionError) as error:
            raise damaged(name, error) from error

    def rows(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yield the number and value of each line of JSON lines, None for one that is no JSON; raises `BotError`."""
        try:
            with self.stream(name) as stream, io.TextIOWrapper(stream, "utf-8-sig") as text:
                for number, line in enumerate(text, 1):
                    value = None
                    with suppress(ValueError, RecursionError):  # that it is none is told by the caller
                        value = json.loads(line)
                    if line.strip():
                        yield number, value
        except (OSError, EOFError, UnicodeDecodeError, zipfile.BadZipFile, zlib.error) as error:
            raise damaged(name, error) from error

    def _folder(self) -> Iterator[tuple[str, Entry]]:
        count = 0
        for folder, below, files in os.walk(self.path, followlinks=False):
            relative = PurePosixPath(Path(folder).relative_to(self.path))
            if not relative.parts:
                self.folders.update(below)
            below[:] = sorted(name for name in below if name[0] != "." and name not in _PASSED_OVER)
            for name in (*below, *files):
                place = Path(folder, name)
                status = place.lstat()
                if name[0] != "." and stat.S_ISLNK(status.st_mode):
                    self.left_out.append((str(relative / name), _LINK))
                if name[0] == "." or not stat.S_ISREG(status.st_mode):
                    continue
                count += 1
                self._check_count(count)
                yield str(relative / name), Entry(status.st_size, place)

    def _zip(self) -> Iterator[tuple[str, Entry]]:
        try:
            self._archive = archive = self._stack.enter_context(zipfile.ZipFile(self.path))
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise _cut_off(self.path.name) from error
        infos = [info for info in archive.infolist() if not info.is_dir()]
        self._check_count(len(infos))
        if sum(info.file_size for info in infos) > MAX_ARCHIVE_BYTES:
            size = MAX_ARCHIVE_BYTES >> 30
            message = tr("{name} would unpack to more than {size} GB.", name=self.path.name, size=size)
            raise Refused(message, hint=tr(_NO_EXPORT))
        kept = []
        for info in infos:
            if info.flag_bits & 1:
                message = tr("{name} is encrypted.", name=self.path.name)
                raise Refused(message, hint=tr("Unpack it first, and import the folder."))
            if info.file_size > max(SUSPICIOUS_BYTES, SUSPICIOUS_RATIO * info.compress_size):
                raise Refused(
                    tr('"{file}" in {name} is made to grow when unpacked.', file=info.filename, name=self.path.name),
                    hint=tr(_NO_EXPORT),
                )
            parts = info.filename.replace("\\", "/").split("/")
            if ".." in parts or not parts[0] or ":" in parts[0] or stat.S_ISLNK(info.external_attr >> 16):
                self.left_out.append((info.filename, _LEADS_OUT))
            elif not _PASSED_OVER & {*parts}:
                kept.append((parts, info))
        shared = {parts[0] for parts, _ in kept if len(parts) > 1}
        top = 1 if len(shared) == 1 and all(len(parts) > 1 for parts, _ in kept) else 0
        for parts, info in kept:
            inner = parts[top:]
            self.folders.update(inner[:1] if len(inner) > 1 else ())
            if not any(part.startswith(".") for part in inner):
                yield "/".join(inner), Entry(info.file_size, info)

    def _check_count(self, count: int) -> None:
        if count > self._most_files:
            message = tr("{path} has more than {count:,} files.", path=self.path, count=self._most_files)
            raise BotError(message, hint=tr("Name a smaller folder, or one file."))


def damaged(what: str, why: object) -> BotError:
    """Return the error for a source that cannot be read as what it is taken for."""
    message = tr("{what} cannot be read: {why}.", what=what, why=why)
    return BotError(message, hint=tr("Export it again, and check that the download is complete."))


def _elements(text: io.TextIOWrapper) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    buffer = text.read(READ_AT_ONCE).lstrip()
    if not buffer.startswith("["):
        raise ValueError("it does not begin with [")
    at, count = 1, 0
    while True:
        while buffer[at : at + 1] in _BETWEEN:
            at += 1
        if buffer[at : at + 1] == "]":
            return
        try:
            value, end = decoder.raw_decode(buffer, at) if at < len(buffer) else (None, at)
        except ValueError:
            if len(buffer) - at > MAX_DOCUMENT_BYTES:
                raise
            value, end = None, len(buffer)
        if end == len(buffer):  # it may go on
            more = text.read(max(READ_AT_ONCE, len(buffer) - at))
            if not more:
                raise ValueError(f"it ends in the middle, after {count:,} entries")
            buffer, at = buffer[at:] + more, 0
            continue
        yield value
        at, count = end, count + 1


def _cut_off(name: str) -> BotError:
    message = tr("{name} is not a whole ZIP archive: it may be half downloaded.", name=name)
    return BotError(message, hint=tr("Download it again, then import it."))
