"""What an importer is and what it yields; and what several of them need: notes, instants, fields of JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, Self

from bot.imports.sources.places import MAX_TEXT_BYTES, Source
from bot.texts.catalogue import mark
from memory import Kind


class ItemSort(StrEnum):
    """What becomes of an item: a bullet under `## Retain`, a file of a conversation, or a note as it is."""

    FACT = "fact"
    CONVERSATION = "conversation"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: who says it, when (with a zone; None if unknown), and its Markdown."""

    who: str
    at: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in a source.

    Attributes:
        sort: what becomes of it.
        key: what the source calls it: the same in every later export.
        text: of a fact or a note, to the letter.
        title: of a conversation.
        at: the day or instant from which it is; None if the source does not say.
        messages: of a conversation, in order.
        place: of a note, its path in the source.
        kind, entities, category: of a fact, where the source says; else they are found by rule.
        importance: of a fact, 0 to 1; None if the source does not say.
        is_file: `key` is the name of a file, which another source may have, too.
    """

    sort: ItemSort
    key: str
    text: str = ""
    title: str = ""
    at: date | None = None
    messages: tuple[Message, ...] = ()
    place: str = ""
    kind: Kind | None = None
    entities: tuple[str, ...] = ()
    category: str | None = None
    importance: float | None = None
    is_file: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in a source that is not taken, and why: a text of the catalogue."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of another program: its dotted names there and here, and its value as YAML; it is never applied."""

    theirs: str
    option: str
    value: str


Content = Item | Skipped | Setting


class Fields(dict[str, Any]):
    """A JSON object that another program wrote; what is missing in it, or is of another type, reads as empty."""

    @classmethod
    def of(cls, value: Any) -> Self:
        return cls(value if isinstance(value, dict) else ())

    def first(self, *names: str) -> Any:
        """The first value under these names that is not empty; None if all are."""
        return next((value for name in names if (value := self.get(name))), None)

    def text(self, *names: str) -> str:
        """The first text under these names that is not empty."""
        return next((text for name in names if isinstance(text := self.get(name), str) and text), "")

    def instant(self, *names: str) -> datetime | None:
        """The instant that stands under the first of these names that has something."""
        return parse_instant(self.first(*names))

    def array(self, name: str) -> list[Any]:
        value = self.get(name)
        return value if isinstance(value, list) else []

    def objects(self, name: str) -> list[Self]:
        """The elements of an array, each as an object."""
        return [self.of(element) for element in self.array(name)]

    def inner(self, name: str) -> Self:
        """The object under a name."""
        return self.of(self.get(name))


@dataclass(frozen=True, slots=True)
class Importer:
    """One source.

    Attributes:
        name: what `--as` takes, and the folder below `memory/imports/`.
        summary: what it is, for a list.
        detect: how sure it is that this is such a source, 0 to 1; it looks at names and beginnings only.
        read: yields what is in it, always in the same order; raises `BotError` for what is damaged.
        names: the files that it reads.
        places: where it usually stands: patterns below a person's home folder, and how many names of a match to leave
            out at its end.
    """

    name: str
    summary: str
    detect: Callable[[Source], float]
    read: Callable[[Source], Iterator[Content]]
    names: Callable[[Source], Sequence[str]]
    places: tuple[tuple[str, int], ...] = ()


NO_TEXT = mark("nothing is said in it")
NOT_UTF8 = mark("it is not text in UTF-8")
TOO_LONG = mark("it is longer than 15 MB")
NO_OBJECT = mark("it is not what this source writes")

_FRONT_DAY = re.compile(
    r"^(?:date|created|created_at|creation date):\s*[\"']?(\d{4}-\d{2}-\d{2})", re.IGNORECASE | re.MULTILINE
)
_NAMED_DAY = re.compile(r"(?<!\d)(\d{4})[-_]?(\d{2})[-_]?(\d{2})(?!\d)")


def conversation(key: str, title: str, messages: Sequence[Message], *, began: datetime | None = None) -> Item:
    """Return a conversation; where the source does not say when it `began`, its first message that has a time does."""
    at = began or next((message.at for message in messages if message.at), None)
    return Item(ItemSort.CONVERSATION, key, title=title, at=at, messages=tuple(messages))


def fact(fields: Fields, place: str, text: str, *, at: date | None, **more: Any) -> Content:
    """Return a row of a source as a fact, known by its id or its words; left out if it is no object, or has none."""
    if not text.strip():
        return Skipped(place, NO_TEXT if fields else NO_OBJECT)
    return Item(ItemSort.FACT, fields.text("id") or text, text, at=at, **more)


def notes_of(names: Callable[[Source], Sequence[str]]) -> Callable[[Source], Iterator[Content]]:
    """Return what reads the files of these names in a source, each as a note."""
    return lambda source: notes(source, names(source))


def notes(source: Source, names: Sequence[str]) -> Iterator[Content]:
    """Yield files of Markdown as notes, each dated by its name or by its properties."""
    for name in names:
        if source.entries[name].size > MAX_TEXT_BYTES:
            yield Skipped(name, TOO_LONG)
        elif (text := source.text(name)) is None:
            yield Skipped(name, NOT_UTF8)
        elif not text.strip():
            yield Skipped(name, NO_TEXT)
        else:
            yield Item(ItemSort.NOTE, name, text, place=name, at=day_of_note(name, text), is_file=True)


def day_of_note(name: str, text: str) -> date | None:
    """Return the day that a note's name carries, also as `2024_03_01`, or else its properties; None without one."""
    named = _NAMED_DAY.search(name.rpartition("/")[2])
    head = text[:2000].partition("\n---")[0] if text.startswith("---") else ""
    stated = _FRONT_DAY.search(head)
    return parse_day("-".join(named.groups()) if named else stated[1] if stated else "")


def parse_day(value: Any) -> date | None:
    """Return an ISO day; None for anything else."""
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def parse_instant(value: Any) -> datetime | None:
    """Return an instant in UTC from what exports hold: seconds or milliseconds since 1970, or ISO text; None else."""
    try:
        if isinstance(value, str) and not value.strip().replace(".", "", 1).isdigit():
            given = datetime.fromisoformat(value.strip())
            instant = given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)
            return instant if date.min.year < instant.year < date.max.year else None  # else: none that they knew
        number = float(value)
        seconds = number / 1000 if number > 1e11 else number
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def is_markdown(name: str) -> bool:
    """Return whether a file is Markdown by its name."""
    return name.lower().endswith((".md", ".markdown"))
