"""Markdown as Telegram's text with entities."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import pyromark
import telegramify_markdown
from telegram import MessageEntity
from telegramify_markdown.config import RenderConfig

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
"""What counts as Markdown; the same as in telegramify-markdown."""

PASSES = 20
"""An escaped mark can give another one its power, so the text is looked at again, but not for ever."""

_DEFINITION = re.compile(rb"\\.|(\[)(?:[^\[\]\\]|\\.)+\]:", re.DOTALL)
_WEB = re.compile(r"https?://[\w.\[\]:%-]+(?:[/?#]\S*)?", re.IGNORECASE)
_LINE = re.compile(rb"\n[ \t>]*")
_BLANK = frozenset(b"| \t\r\n>")


def inert(markdown: str, *, strict: bool = False) -> str:
    """The same text, with a backslash in front of every mark that would lose some of it.

    Args:
        markdown: whatever a model wrote.
        strict: take the power from all tables and formulas, too.
    """
    source = markdown.encode()
    for _ in range(PASSES):
        marks = set(_Scan(source, strict=strict).marks())
        if not marks:
            break
        bounds = [0, *sorted(marks), len(source)]
        source = b"\\".join(source[start:end] for start, end in pairwise(bounds))
    return source.decode()


class _Event(NamedTuple):
    """A step of the parser: `kind` is Start, End, Text, ...; `value` its text or tag. Positions are in bytes."""

    kind: str
    value: Any
    start: int
    end: int

    @property
    def tag(self) -> str:
        """The name of what starts or ends here."""
        value = next(iter(self.value)) if isinstance(self.value, Mapping) else self.value
        return str(value) if self.kind in {"Start", "End"} else ""

    @property
    def link(self) -> Mapping[str, str] | None:
        """The link or image that starts here."""
        is_link = self.kind == "Start" and self.tag in {"Link", "Image"}
        return self.value[self.tag] if is_link else None

    @property
    def is_code(self) -> bool:
        """Whether it is a span or a whole block of code."""
        return self.kind == "Code" or (self.kind == "Start" and self.tag == "CodeBlock")


class _Scan:
    """One look at a text."""

    def __init__(self, source: bytes, *, strict: bool) -> None:
        self._source = source
        self._strict = strict
        self._events = list(_events(source))

    def marks(self) -> Iterator[int]:
        """Where a backslash is needed, in bytes."""
        yield from self._definitions()
        yield from self._links()
        yield from self._tables()
        yield from self._empty_blocks()
        for event in self._events:
            if event.kind == "InlineHtml":
                yield event.start
            elif event.kind == "Html" and event.value.lstrip().startswith("<"):
                yield self._source.index(b"<", event.start)
            elif self._strict and event.kind in {"InlineMath", "DisplayMath"}:
                yield event.start

    def _definitions(self) -> Iterator[int]:
        """`[name]: target` is not shown at all, wherever it stands, unless it is code."""
        code = [event for event in self._events if event.is_code]
        for found in _DEFINITION.finditer(self._source):
            start = found.start(1)
            if found[1] and not any(event.start <= start < event.end for event in code):
                yield start

    def _links(self) -> Iterator[int]:
        """A link that Telegram would not keep, that shows no text or hides its title, or that stands in another."""
        depth = 0
        for event, after in pairwise(self._events):
            if event.link is not None:
                is_kept = _WEB.fullmatch(event.link["dest_url"]) and not event.link["title"] and after.kind != "End"
                if depth or not is_kept:
                    yield event.start
                depth += 1
            elif event.kind == "End" and event.tag in {"Link", "Image"}:
                depth -= 1

    def _tables(self) -> Iterator[int]:
        """Links in tables lose their targets, and what stands beyond the last column is dropped."""
        table, last = None, 0
        for event in self._events:
            if event.tag == "Table":
                table = event.start if event.kind == "Start" else None
            elif event.tag == "TableCell":
                last = event.end
            is_spilled = event.kind == "End" and event.tag == "TableRow" and self._has_text(last, event.end)
            if table is not None and (self._strict or event.link is not None or is_spilled):
                yield self._delimiter_row(table)

    def _empty_blocks(self) -> Iterator[int]:
        """A block of code without any would take its language with it; so would one whose first line is yet to come."""
        is_empty = False
        for event in self._events:
            if event.kind == "Text" and event.value.strip():
                is_empty = False
            elif event.tag == "CodeBlock" and event.kind == "Start":
                is_empty = True
            elif event.tag == "CodeBlock" and is_empty:
                yield event.start

    def _has_text(self, start: int, end: int) -> bool:
        return not _BLANK.issuperset(self._source[start:end])

    def _delimiter_row(self, table: int) -> int:
        """Where a table's second line begins, behind quote marks: escaped there, it is lines of text."""
        found = _LINE.search(self._source, table)
        return found.end() if found else table


def _events(source: bytes) -> Iterator[_Event]:
    for event, span in pyromark.events_with_range(source.decode(), options=OPTIONS):
        kind, value = (event, None) if isinstance(event, str) else next(iter(event.items()))
        yield _Event(kind, value, span["start"], span["end"])


ENTITY_LIMIT = 100
"""Telegram does not look at more."""

_NAME = r"(?<![A-Za-z0-9_])@[A-Za-z]\w{2,31}"
_QUOTED = r"`[^`\n]+`"
_ADDRESS = r"[a-z][a-z0-9+.-]{1,30}://[^\s<>]+|(?:(?<![\w@./-])|(?<=//))(?:[\w-]+\.)+[^\W\d_]{2,}+(?!\w|@)[^\s<>]*"
_FOUND = re.compile(rf"(?P<name>{_NAME})|(?P<quoted>{_QUOTED})|(?P<address>{_ADDRESS})", re.IGNORECASE | re.ASCII)

_APP = re.compile(r"(?!https?:)[a-z0-9+.-]+://", re.IGNORECASE)
"""An address that opens an application: `tg://`."""

_CODE = frozenset({MessageEntity.CODE, MessageEntity.PRE})
_BLOCKS = frozenset({MessageEntity.BLOCKQUOTE, MessageEntity.EXPANDABLE_BLOCKQUOTE})


def unlinked(text: str, entities: Sequence[MessageEntity], *, source: str) -> tuple[MessageEntity, ...]:
    """The entities with code around what is to be no link; formatting gives way to it.

    Args:
        text: as it is shown.
        entities: in it; offsets count UTF-16 units.
        source: the Markdown that it was made of.
    """
    taken = sorted(
        (one.offset, one.offset + one.length)
        for one in entities
        if one.type in _CODE or one.type == MessageEntity.TEXT_LINK
    )
    spans = [span for span in _spans(text, source) if not _overlaps(span, taken)]
    if not spans:
        return tuple(entities)
    kept = [piece for one in entities for piece in _around(one, spans)]
    code = [MessageEntity(MessageEntity.CODE, start, end - start) for start, end in spans]
    links = [one for one in kept if one.type in {*_CODE, MessageEntity.TEXT_LINK}]
    rest = [one for one in kept if one not in links]
    if len(code) + len(links) > ENTITY_LIMIT:  # too many: from the first one on it is a single block
        start = min(one.offset for one in (*code, *links))
        before = [one for one in rest if one.offset + one.length <= start]
        end = len(text.encode("utf-16-le")) // 2
        return (*before[: ENTITY_LIMIT - 1], MessageEntity(MessageEntity.CODE, start, end - start))
    room = ENTITY_LIMIT - len(code) - len(links)
    return tuple(sorted((*code, *links, *rest[:room]), key=lambda one: (one.offset, -one.length)))


def _spans(text: str, source: str) -> Iterator[tuple[int, int]]:
    """Where code is needed, in UTF-16 units."""
    units = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    for found in _FOUND.finditer(text):
        is_plain = found["address"] and found[0].rstrip(".,;:!?)*_~") in source and not _APP.match(found[0])
        if not is_plain:
            yield units[found.start()], units[found.end()]


def _overlaps(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    """Whether it meets one of the spans, which are in order and apart."""
    after = bisect_left(taken, (span[1], 0))
    return after > 0 and taken[after - 1][1] > span[0]


def _around(entity: MessageEntity, spans: Iterable[tuple[int, int]]) -> Iterator[MessageEntity]:
    """What is left of an entity around the spans; quotations may hold code."""
    start, end = entity.offset, entity.offset + entity.length
    if entity.type not in _BLOCKS:
        for first, last in spans:
            if first < end and last > start:
                if first > start:
                    yield _piece(entity, start, first)
                start = max(start, last)
    if start < end:
        yield _piece(entity, start, end)


def _piece(entity: MessageEntity, start: int, end: int) -> MessageEntity:
    return MessageEntity(entity.type, start, end - start, url=entity.url, language=entity.language)


TEXT_LIMIT = 4096
CAPTION_LIMIT = 1024

_UNSHOWN = re.compile(r"\\[a-zA-Z]+|^[ \t>]*(?:[-+*]|\d+[.)])[ \t]+\[[xX]\]", re.MULTILINE)
"""What may disappear: `\\alpha` is shown as α, a ticked box as ☑."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What is sent: a text, and what is bold, a link, code, and so on in it."""

    text: str
    entities: tuple[MessageEntity, ...] = ()

    @property
    def plain(self) -> Rendered:
        """The words alone."""
        return Rendered(self.text)


def rendered(markdown: str, *, limit: int = TEXT_LIMIT) -> Rendered:
    """Render one message. No name in it reaches whoever bears it, and nothing is a link that was not written as one.

    If formatting would lose a word, or make the text too long (a wide table), less is formatted; at worst the text is
    sent as it was written.

    Args:
        markdown: at most `limit` UTF-16 units of it.
        limit: the longest text that Telegram takes there.
    """
    for strict in (False, True):
        shown = _converted(inert(markdown, strict=strict))
        if 0 < utf16_length(shown.text) <= limit and _is_whole(markdown, shown):
            return Rendered(shown.text, unlinked(shown.text, shown.entities, source=markdown))
    text = markdown.strip()
    return Rendered(text, unlinked(text, (), source=markdown))


def utf16_length(text: str) -> int:
    """A text's length as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def _converted(markdown: str) -> Rendered:
    text, entities = telegramify_markdown.convert(markdown, latex_escape=False, config=_config())
    text = text.rstrip()
    end = utf16_length(text)
    most = sorted((entity for entity in entities if entity.offset < end), key=_importance)[:ENTITY_LIMIT]
    most.sort(key=lambda entity: (entity.offset, -entity.length))
    return Rendered(text, tuple(_entity(entity, end) for entity in most))


def _importance(entity: telegramify_markdown.MessageEntity) -> tuple[bool, int, int]:
    """Links first, since they hold text; then what comes early and is long."""
    return entity.type != "text_link", entity.offset, -entity.length


def _entity(entity: telegramify_markdown.MessageEntity, end: int) -> MessageEntity:
    length = min(entity.length, end - entity.offset)
    return MessageEntity(entity.type, entity.offset, length, url=entity.url, language=entity.language)


def _config() -> RenderConfig:
    """Signs that take no more room than the marks that they stand for; nothing is folded away."""
    config = RenderConfig.isolated()
    signs = config.markdown_symbol
    signs.heading_level_1 = signs.heading_level_2 = signs.heading_level_3 = signs.heading_level_4 = ""
    signs.horizontal_rule, signs.unordered_list_item = "———", "•"
    signs.task_completed, signs.task_uncompleted = "☑", "☐"
    config.cite_expandable = False
    return config


def _is_whole(markdown: str, shown: Rendered) -> bool:
    """Whether every letter and digit of the source is still there, in its order, if only as the target of a link."""
    there = iter(_letters("".join(_with_targets(shown))))
    return all(letter in there for letter in _letters(html.unescape(_UNSHOWN.sub("", markdown))))


def _with_targets(shown: Rendered) -> Iterator[str]:
    """The text, with each link's target behind it and each code block's language in front of it."""
    inserts = [(entity.offset, entity.language or "") for entity in shown.entities]
    inserts += [(entity.offset + entity.length, entity.url or "") for entity in shown.entities]
    units, at = shown.text.encode("utf-16-le"), 0
    for position, insert in sorted(inserts, key=lambda pair: pair[0]):
        yield units[2 * at : 2 * position].decode("utf-16-le")
        yield insert
        at = position
    yield units[2 * at :].decode("utf-16-le")


def _letters(text: str) -> str:
    """Letters and digits in one form each, so that `x²` has the letters of `x^2`."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))
