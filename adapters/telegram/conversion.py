"""Markdown parsed, and shown as a text with entities: the lines of items, quotes and code stay lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from telegram import MessageEntity
from telegramify_markdown.latex_escape.helper import LatexToUnicodeHelper

from adapters.markdown import draw_table
from adapters.markdown_events import Event, parse

MAX_ENTITIES = 100
"""Telegram ignores further ones."""


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A text, and its formatting: what is bold, a link, code, and so on."""

    text: str
    entities: tuple[MessageEntity, ...] = ()


def utf16_length(text: str) -> int:
    """Return a text's length as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def convert(markdown: str) -> RenderedText:
    """Show Markdown in which nothing is left that Telegram would drop; links are the last entities to be left out."""
    source = markdown.encode()
    events = parse(source)
    spoilers = find_spoilers(events, source)
    converter = _Converter(source)
    for number, event in enumerate(events):
        if event.kind == "Start":
            converter.start(event)
        elif event.kind == "End":
            converter.end(event)
        elif number in spoilers:
            converter.text(event, spoilers[number])
        else:
            converter.leaf(event)
    text = "".join(converter.parts).rstrip()
    end = utf16_length(text)
    inside = [entity for entity in converter.entities if entity.offset < end]
    inside.sort(key=lambda entity: (entity.type != MessageEntity.TEXT_LINK, entity.offset, -entity.length))
    clipped = (part_of(kept, kept.offset, min(kept.offset + kept.length, end)) for kept in inside[:MAX_ENTITIES])
    return RenderedText(text, tuple(sorted(clipped, key=lambda entity: (entity.offset, -entity.length))))


def part_of(entity: MessageEntity, start: int, end: int) -> MessageEntity:
    """Return the part of an entity between two places in UTF-16 units."""
    return MessageEntity(entity.type, start, end - start, url=entity.url, language=entity.language)


_INLINE = {
    "Strong": MessageEntity.BOLD,
    "Emphasis": MessageEntity.ITALIC,
    "Strikethrough": MessageEntity.STRIKETHROUGH,
    "Link": MessageEntity.TEXT_LINK,
    "Image": MessageEntity.TEXT_LINK,
}
_HEADINGS = {
    "H1": (MessageEntity.UNDERLINE, MessageEntity.BOLD),
    "H2": (MessageEntity.UNDERLINE, MessageEntity.BOLD),
    "H3": (MessageEntity.BOLD,),
    "H4": (MessageEntity.BOLD,),
}
"""Lower headings are italic."""

_INDENT = "  "
_NUMBER = re.compile(rb"\s*(\d+)[.)]")
_SPOILER = re.compile(r"(?<!\|)\|\|(?!\|)")
_LINE_BREAK = re.compile(r"\n[ \t>]*")
_BLANK_LINE = re.compile(rb"\n[ \t>]*\r?\n[ \t>]*\Z")
_MATH = re.compile(r"[\\^_]")
_MAX_BLANK_BYTES = 400
"""How far before a block a blank line is looked for."""


class _Converter:
    """Shows the events of one text, which are handed to it in their order.

    Attributes:
        parts: the text so far.
        entities: in the order of their ends.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.parts: list[str] = []
        self._units = 0
        self.entities: list[MessageEntity] = []
        self._open: list[tuple[tuple[str, ...], int, str | None]] = []  # types, start, target of a link
        self._spoiler: int | None = None
        self._lists: list[tuple[int, int] | None] = []  # the first number, and the last one that was shown
        self._prefixes: list[str] = []  # of each further line
        self._outside: list[str] = []  # the prefixes around a quote
        self._quotes = 0
        self._lead = ""  # what the next line begins with: the mark of its item
        self._is_line_new = True
        self._is_in_line = False
        self._rows: list[list[str]] = []
        self._is_right: list[bool] = []
        self._collected: list[str] | None = None  # of a cell or a block of code
        self._language = ""  # of the block of code
        self._latex = LatexToUnicodeHelper()

    def start(self, event: Event) -> None:
        if event.tag in _INLINE:
            self._mark(event, (_INLINE[event.tag],), event.link["dest_url"] if event.link else None)
            self._write_inline(event, "🖼 " if event.tag == "Image" else "")
            return
        match event.tag:
            case "Heading":
                self._is_in_line = False
                self._mark(event, _HEADINGS.get(event.value["Heading"]["level"], (MessageEntity.ITALIC,)))
            case "BlockQuote":
                self._start_quote(event)
            case "List":
                self._is_in_line = False
                first = event.value["List"]
                self._lists.append(None if first is None else (first, -1))
            case "Item":
                self._start_item(event)
            case "Table":
                self._rows, self._is_right = [], [side == "Right" for side in event.value["Table"]]
            case "TableHead" | "TableRow":
                self._rows.append([])
            case "TableCell":
                self._collected = []
            case "CodeBlock":
                kind = event.value["CodeBlock"]
                self._collected = []
                self._language = kind["Fenced"].partition(",")[0].strip() if isinstance(kind, Mapping) else ""

    def end(self, event: Event) -> None:
        if event.tag in _INLINE or event.tag == "Heading":
            self._close_mark()
        match event.tag:
            case "Heading" | "Paragraph":
                self._is_in_line = False
            case "BlockQuote":
                self._end_quote()
            case "List":
                self._lists.pop()
            case "Item":
                if self._lead:  # it is empty
                    self._open_line(event)
                self._prefixes.pop()
                self._is_in_line = False
            case "TableCell":
                self._rows[-1].append("".join(self._collected or ()).strip())
                self._collected = None
            case "Table":
                self._write_block(event, "\n".join(draw_table(self._rows, self._is_right)))
            case "CodeBlock":
                code, self._collected = "".join(self._collected or ()), None
                self._write_block(event, code.removesuffix("\n"), self._language)

    def _start_item(self, event: Event) -> None:
        """Begin an item with its number as it was written; where all were written as 1, they are counted."""
        if not self._lead:
            self._break(event)
        written = _NUMBER.match(self._source, event.start)
        if written is None or self._lists[-1] is None:
            self._lead += "• "
        else:
            first, shown = self._lists[-1]
            number = shown + 1 if shown >= 0 and int(written[1]) == first else int(written[1])
            self._lists[-1] = (first, number)
            self._lead += f"{number}. "
        self._prefixes.append(_INDENT)
        self._is_line_new, self._is_in_line = True, False

    def _start_quote(self, event: Event) -> None:
        """Begin a quote: Telegram's begin with a line, which holds the mark of an item, and contain no others."""
        self._is_in_line = False
        self._quotes += 1
        if self._quotes > 1:
            if not self._lead:
                self._break(event)
            self._prefixes.append("> ")
            self._lead += "> "
        else:
            if not self._lead:
                self._break(event, is_plain=True)
            self._outside, self._prefixes = self._prefixes, []
            self._open.append(((MessageEntity.BLOCKQUOTE,), self._units, None))
        self._is_line_new = True

    def _end_quote(self) -> None:
        self._is_in_line = False
        self._quotes -= 1
        if self._quotes:
            self._prefixes.pop()
        else:
            self._close_mark()
            self._prefixes = self._outside

    def text(self, event: Event, spoilers: Sequence[int]) -> None:
        """Write a text in which spoilers begin and end at some positions."""
        at = 0
        for mark in spoilers:
            self._write_inline(event, event.value[at:mark])
            at = mark + 2
            if self._spoiler is None:
                self._spoiler = self._units
            else:
                self._add(MessageEntity.SPOILER, self._spoiler)
                self._spoiler = None
        self._write_inline(event, event.value[at:])

    def leaf(self, event: Event) -> None:
        """Write what has nothing inside of it."""
        match event.kind:
            case "SoftBreak" | "HardBreak":
                self._write("\n" + "".join(self._prefixes))
            case "Rule":
                self._is_in_line = False
                self._write_inline(event, "———")
                self._is_in_line = False
            case "TaskListMarker":
                bare = re.sub(r"(?:•|\d+\.) \Z", "", self._lead)
                self._lead = f"{bare}{'☑' if event.value else '☐'} "
            case "InlineMath" | "DisplayMath":
                shown = self._latex.convert(event.value) if _MATH.search(event.value) else event.value
                if event.kind == "DisplayMath" and self._collected is None:
                    self._write_block(event, shown.strip())
                else:
                    self._write_code(event, shown.strip())
            case "Code":
                raw = self._source[event.start : event.end].decode()
                self._write_code(event, raw.strip("`") if "\n" in raw else event.value)
            case _:
                self._write_inline(event, event.value)

    def _write_code(self, event: Event, code: str) -> None:
        if self._collected is None:
            self._open_line(event)
        start = self._units
        self._write_inline(event, _LINE_BREAK.sub("\n" + "".join(self._prefixes), code))
        if self._collected is None:
            self._add(MessageEntity.CODE, start)

    def _write_inline(self, event: Event, text: str) -> None:
        """Write into the line, the cell or the block of code that is open."""
        if self._collected is not None:
            self._collected.append(text)
        elif text:
            self._open_line(event)
            self._write(text)

    def _write_block(self, event: Event, text: str, language: str = "") -> None:
        """Write lines that stand by themselves and are shown as code."""
        self._is_in_line = False
        if self._lead:
            self._write(self._lead.rstrip() + "\n")
            self._lead = ""
        elif not self._is_line_new:
            self._break(event, is_plain=True)
        start = self._units
        self._write(text)
        self._add(MessageEntity.PRE, start, language=language or None)
        self._is_line_new = False

    def _open_line(self, event: Event) -> None:
        """Begin a line unless one is open: further text in an item comes without an event of its own."""
        if self._is_in_line:
            return
        if not self._is_line_new:
            self._break(event)
        self._write(self._lead)
        self._lead = ""
        self._is_in_line, self._is_line_new = True, False

    def _break(self, event: Event, *, is_plain: bool = False) -> None:
        """End the line before a block; a blank line of the source is kept, except in lists."""
        if self.parts:
            before = self._source[max(0, event.start - _MAX_BLANK_BYTES) : event.start]
            is_apart = not self._prefixes and len(self._lists) < 2 and _BLANK_LINE.search(before)
            self._write("\n\n" if is_apart else "\n")
        if not is_plain:
            self._write("".join(self._prefixes))

    def _mark(self, event: Event, types: tuple[str, ...], url: str | None = None) -> None:
        if self._collected is None:
            self._open_line(event)
        self._open.append((types, self._units, url))

    def _close_mark(self) -> None:
        types, start, url = self._open.pop()
        for kind in types:
            self._add(kind, start, url=url)

    def _add(self, kind: str, start: int, *, url: str | None = None, language: str | None = None) -> None:
        if self._units > start:
            self.entities.append(MessageEntity(kind, start, self._units - start, url=url, language=language))

    def _write(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self._units += utf16_length(text)


def find_spoilers(events: Sequence[Event], source: bytes) -> dict[int, list[int]]:
    """Return where `||` begins or ends a spoiler: numbers of events -> positions in their text."""
    spoilers: dict[int, list[int]] = {}
    waiting: tuple[int, int] | None = None
    is_outside = True
    for number, event in enumerate(events):
        if event.tag in {"CodeBlock", "Table"}:
            is_outside = event.kind == "End"
        if event.kind in {"Start", "End"} and event.tag not in _INLINE:
            waiting = None
        elif event.kind == "Text" and is_outside:
            is_escaped = source[event.start - 1 : event.start] == b"\\"
            for mark in _SPOILER.finditer(event.value, int(is_escaped)):
                if waiting is None:
                    waiting = (number, mark.start())
                else:
                    spoilers.setdefault(waiting[0], []).append(waiting[1])
                    spoilers.setdefault(number, []).append(mark.start())
                    waiting = None
    return spoilers
