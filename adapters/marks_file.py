"""Marks in a file, for accounts that live longer than their process."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from adapters.marks import Marks

REWRITTEN_AFTER = 2000
"""Lines that have been added since the file was written anew; a mark that is set again leaves its old line behind."""

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Account and name."""


class MarksFile(Marks):
    """A line for each mark that was set, `["discord.42", "channel/7", "1234"]`; the last one of a name counts.

    Nothing waits for the disk: what a power cut takes back is a mark's newest value, never the one before it. Use one
    object for all accounts; the file has no other writer.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._marks: dict[Key, str] | None = None
        self._added = 0

    async def load(self, account: str) -> Mapping[str, str]:
        """All marks of an account; raises OSError if there is a file that cannot be read."""
        return {name: value for (owner, name), value in self._known().items() if owner == account}

    async def save(self, account: str, name: str, value: str) -> None:
        """Set a mark. If the disk refuses, that is logged: what lies behind the older mark is read again, no more."""
        self._known()[account, name] = value
        try:
            self._add(_line((account, name), value))
        except OSError as error:
            log.warning("%s: a mark could not be written (%s).", self._path.name, error.strerror)

    def _known(self) -> dict[Key, str]:
        if self._marks is None:
            self._marks = _read(self._path)
            self._rewrite(self._marks)
        return self._marks

    def _add(self, line: str) -> None:
        if self._added >= REWRITTEN_AFTER:
            return self._rewrite(self._known())
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
        self._added += 1
        return None

    def _rewrite(self, marks: Mapping[Key, str]) -> None:
        """One line for each mark, in a file that takes the old one's place when it is whole and on disk."""
        fresh = self._path.with_name(f"{self._path.name}.new")
        with fresh.open("w", encoding="utf-8") as file:
            file.writelines(_line(key, value) for key, value in marks.items())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        self._added = 0


def _line(key: Key, value: str) -> str:
    return json.dumps([*key, value], ensure_ascii=False) + "\n"


def _read(path: Path) -> dict[Key, str]:
    """What the whole lines say; one that a power cut has torn counts as not written."""
    marks: dict[Key, str] = {}
    if not path.exists():
        return marks
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        try:
            account, name, value = json.loads(line)
        except (TypeError, ValueError):
            log.warning("%s: line %s is torn and left out.", path.name, number)
        else:
            marks[account, name] = value
    return marks
