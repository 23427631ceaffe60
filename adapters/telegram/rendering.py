"""Markdown as Telegram shows it: plain text and entities, whose offsets count UTF-16 units. No word is lost."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import telegramify_markdown
from telegram import MessageEntity
from telegramify_markdown.config import RenderConfig

from adapters.telegram.inert import inert
from adapters.telegram.unlinked import ENTITY_LIMIT, unlinked

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
