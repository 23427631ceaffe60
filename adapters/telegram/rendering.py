"""Markdown as Telegram's text with entities."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from telegram import MessageEntity

from adapters.markdown_events import parse
from adapters.telegram.conversion import MAX_ENTITIES, RenderedText, convert, part_of, utf16_length

MAX_PASSES = 20
"""Escaping one mark can make another one effective, so the text is parsed again, at most so often."""

_DEFINITION = re.compile(rb"\\.|(\[)(?:[^\[\]\\]|\\.)+\]:", re.DOTALL)
_WEB = re.compile(r"https?://[\w.\[\]:%-]+(?:[/?#]\S*)?", re.IGNORECASE)
_LINE = re.compile(rb"\n[ \t>]*")
_BLANK = frozenset(b"| \t\r\n>")


def escape_unsupported(markdown: str, *, strict: bool = False) -> str:
    """Escape every mark of Markdown that would make Telegram drop some of the text.

    Args:
        markdown: as a model wrote it.
        strict: escape all tables and formulas, too.
    """
    source = markdown.encode()
    for _ in range(MAX_PASSES):
        marks = set(_Scan(source, strict=strict).positions())
        if not marks:
            break
        bounds = [0, *sorted(marks), len(source)]
        source = b"\\".join(source[start:end] for start, end in pairwise(bounds))
    return source.decode()


class _Scan:
    """Finds the marks of one text that have to be escaped."""

    def __init__(self, source: bytes, *, strict: bool) -> None:
        self._source = source
        self._strict = strict
        self._events = parse(source)

    def positions(self) -> Iterator[int]:
        """Yield where a backslash is needed, in bytes."""
        yield from self._definitions()
        yield from self._links()
        yield from self._tables()
        is_code_empty = False  # an empty block would lose its language, or the first line of a block that still grows
        for event in self._events:
            if event.kind == "InlineHtml":
                yield event.start
            elif event.tag == "Strikethrough" and self._source[event.start + 1 : event.start + 2] != b"~":
                yield event.start  # `~5` is "about 5"
            elif event.kind == "InlineMath" and self._source[event.end : event.end + 1].isdigit():
                yield event.start  # two prices
            elif event.kind == "Html" and event.value.lstrip().startswith("<"):
                yield self._source.index(b"<", event.start)
            elif self._strict and event.kind in {"InlineMath", "DisplayMath"}:
                yield event.start
            elif event.kind == "Text" and event.value.strip():
                is_code_empty = False
            elif event.tag == "CodeBlock" and event.kind == "Start":
                is_code_empty = True
            elif event.tag == "CodeBlock" and is_code_empty:
                yield event.start

    def _definitions(self) -> Iterator[int]:
        """`[name]: target` is not shown at all, wherever it is, unless it is code."""
        code = [event for event in self._events if event.is_code]
        for definition in _DEFINITION.finditer(self._source):
            start = definition.start(1)
            if definition[1] and not any(event.start <= start < event.end for event in code):
                yield start

    def _links(self) -> Iterator[int]:
        """A link that Telegram would drop, that shows no text or hides its title, or that is inside another one."""
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
        """Links in tables lose their targets, and text beyond the last column is dropped.

        A table is escaped at the beginning of its second line, behind quote marks: then its lines are plain text.
        """
        table, cells_end = None, 0
        for event in self._events:
            if event.tag == "Table":
                table = event.start if event.kind == "Start" else None
            elif event.tag == "TableCell":
                cells_end = event.end
            is_row_end = event.kind == "End" and event.tag == "TableRow"
            is_spilled = is_row_end and not _BLANK.issuperset(self._source[cells_end : event.end])
            if table is not None and (self._strict or event.link is not None or is_spilled):
                second_line = _LINE.search(self._source, table)
                yield second_line.end() if second_line else table


_NAME = r"(?<![A-Za-z0-9_])@[A-Za-z]\w{2,31}"
_QUOTED = r"`[^`\n]+`"
_ADDRESS = r"[a-z][a-z0-9+.-]{1,30}://[^\s<>]+|(?:(?<![\w@./-])|(?<=//))(?:[\w-]+\.)+[^\W\d_]{2,}+(?!\w|@)[^\s<>]*"
_FOUND = re.compile(rf"(?P<name>{_NAME})|(?P<quoted>{_QUOTED})|(?P<address>{_ADDRESS})", re.IGNORECASE | re.ASCII)

_APP = re.compile(r"(?!https?:)[a-z0-9+.-]+://", re.IGNORECASE)
"""An address that opens an application: `tg://`."""

_CODE = frozenset({MessageEntity.CODE, MessageEntity.PRE})
_BLOCKS = frozenset({MessageEntity.BLOCKQUOTE, MessageEntity.EXPANDABLE_BLOCKQUOTE})


def break_links(shown: RenderedText, *, source: str, calls: Collection[str] = ()) -> tuple[MessageEntity, ...]:
    """Mark as code what Telegram would make a link of by itself; other formatting is cut around it.

    Args:
        source: the Markdown that it was made of.
        calls: names that notify whom they name.
    """
    text, entities = shown.text, shown.entities
    taken = sorted(
        (entity.offset, entity.offset + entity.length)
        for entity in entities
        if entity.type in _CODE or entity.type == MessageEntity.TEXT_LINK
    )
    spans = list(_implicit_links(text, source, taken, calls=calls))
    if not spans:
        return entities
    kept = [part for entity in entities for part in _cut_around(entity, spans)]
    code = [MessageEntity(MessageEntity.CODE, start, end - start) for start, end in spans]
    links = [entity for entity in kept if entity.type in {*_CODE, MessageEntity.TEXT_LINK}]
    rest = [entity for entity in kept if entity not in links]
    if len(code) + len(links) > MAX_ENTITIES:  # too many: from the first one on it is a single block
        start = min(entity.offset for entity in (*code, *links))
        before = [entity for entity in rest if entity.offset + entity.length <= start]
        block = MessageEntity(MessageEntity.CODE, start, utf16_length(text) - start)
        return (*before[: MAX_ENTITIES - 1], block)
    room = MAX_ENTITIES - len(code) - len(links)
    return tuple(sorted((*code, *links, *rest[:room]), key=lambda entity: (entity.offset, -entity.length)))


def _implicit_links(
    text: str, source: str, taken: Sequence[tuple[int, int]], *, calls: Collection[str]
) -> Iterator[tuple[int, int]]:
    """Yield the spans outside of `taken` that Telegram would make links of, in UTF-16 units."""
    units = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    for link in _FOUND.finditer(text):
        is_written = link["address"] and link[0].rstrip(".,;:!?)*_~") in source and not _APP.match(link[0])
        is_plain = is_written or link[0].removeprefix("@") in calls
        start, end = units[link.start()], units[link.end()]
        after = bisect_left(taken, (end, 0))
        is_taken = after > 0 and taken[after - 1][1] > start
        if not is_plain and not is_taken:
            yield start, end


def _cut_around(entity: MessageEntity, spans: Iterable[tuple[int, int]]) -> Iterator[MessageEntity]:
    """Yield what is left of an entity around the spans; quotations may contain code."""
    start, end = entity.offset, entity.offset + entity.length
    if entity.type not in _BLOCKS:
        for first, last in spans:
            if first < end and last > start:
                if first > start:
                    yield part_of(entity, start, first)
                start = max(start, last)
    if start < end:
        yield part_of(entity, start, end)


MAX_TEXT_UNITS = 4096
MAX_CAPTION_UNITS = 1024

_UNSHOWN = re.compile(r"\\[a-zA-Z]+|^(?:[ \t>]*(?:[-+*]|\d+[.)])(?=[ \t]|$))+(?:[ \t]+\[[xX]\])?", re.MULTILINE)
"""What is shown in another way: `\\alpha` as α, a ticked box as ☑, an item's number counted."""


_BOLD = re.compile(r"(\w?)\*\*((?=\S)[^*\n]+(?<=\S))\*\*(?=(\w?))")


def _is_sign(char: str, beside: str) -> bool:
    """Check for a sign beside a letter; `10**-3` is a power, and in an address nothing is bold."""
    return not char.isalnum() and char != "\u2212" and not f"{char}{beside}".isascii()


def _spaced(markdown: str) -> str:
    """Put hair spaces around bold text between signs and letters: Chinese has none, and Markdown takes it for plain."""
    code = [event for event in parse(markdown.encode()) if event.is_code] if _BOLD.search(markdown) else []

    def space(bold: re.Match[str]) -> str:
        at = len(markdown[: bold.start()].encode())
        before = "\u200a" if bold[1] and _is_sign(bold[2][0], bold[1]) else ""
        after = "\u200a" if bold[3] and _is_sign(bold[2][-1], bold[3]) else ""
        is_in_code = any(event.start <= at < event.end for event in code)
        return bold[0] if is_in_code else f"{bold[1]}{before}**{bold[2]}**{after}"

    return _BOLD.sub(space, markdown)


_PLAIN = re.compile(r"…|(?!\d+\.)(?:[^\W_]++(?:['’-][^\W_]++)*+[.,;:!?…]?+(?: (?=\S)|\Z))++")
"""Sentences of one line that no sign makes anything else of: neither Markdown nor Telegram finds formatting in them."""


def render(markdown: str, *, limit: int = MAX_TEXT_UNITS, calls: Collection[str] = ()) -> RenderedText:
    """Render one message. No name but those of `calls` notifies; nothing is a link that was not written as one.

    If formatting would lose a word or a line break, or make the text too long (a wide table), less is formatted; at
    worst the text is sent as it was written.

    Args:
        markdown: at most `limit` UTF-16 units of it.
        limit: the longest text that Telegram takes there.
    """
    if _PLAIN.fullmatch(markdown) and utf16_length(markdown) <= limit:
        return RenderedText(markdown)
    lines = unicodedata.normalize("NFKC", html.unescape(_UNSHOWN.sub("", markdown))).splitlines()
    wanted = "\n".join(filter(None, ("".join(filter(str.isalnum, line)) for line in lines)))
    for strict in (False, True):
        shown = convert(escape_unsupported(_spaced(markdown), strict=strict))
        letters = iter(unicodedata.normalize("NFKC", _with_targets(shown)))
        is_whole = all(letter in letters for letter in wanted)
        if 0 < utf16_length(shown.text) <= limit and is_whole:
            return RenderedText(shown.text, break_links(shown, source=markdown, calls=calls))
    shown = RenderedText(markdown.strip())
    return RenderedText(shown.text, break_links(shown, source=markdown, calls=calls))


def _with_targets(shown: RenderedText) -> str:
    """Return the text, with each link's target behind it and each code block's language in front of it."""
    inserts = [(entity.offset, f"{entity.language}\n" if entity.language else "") for entity in shown.entities]
    inserts += [(entity.offset + entity.length, entity.url or "") for entity in shown.entities]
    units, at, parts = shown.text.encode("utf-16-le"), 0, []
    for position, insert in sorted(inserts, key=lambda pair: pair[0]):
        parts += [units[2 * at : 2 * position].decode("utf-16-le"), insert]
        at = position
    return "".join([*parts, units[2 * at :].decode("utf-16-le")])
