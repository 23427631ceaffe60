"""Keeps Telegram from making links of its own out of a text: what it would find there is marked as code.

It looks for names and addresses in the text as it is shown. A name in an answer would reach whoever bears it. An
address is to be no link if it stands in quotes of code in the source, if marks or escapes keep it apart there, or if it
opens an application.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from telegram import MessageEntity

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
