"""Names of entities as texts mention them: `@Peter`, `[[Peter]]`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import category

from memory.language.normalize import normalize

MAX_MENTION_CHARS = 64
"""Characters of a name; what runs on longer is a sentence in a script without spaces."""
# An @ inside an address, a URL or a code span mentions nobody; nor does an embedded or an escaped link.
_MENTION = re.compile(r"(?<![A-Za-z0-9_.+%/@`\\-])@(?=\w)|(?<![!\\])\[\[([^\[\]\n]+)\]\]")
_DAY_MENTIONS = re.compile(r"\d{4}-\d\d-\d\d")
_JOINERS = frozenset("-.·\u200c\u200d")
_APOSTROPHES = frozenset("'’")


def mentions(text: str) -> tuple[str, ...]:
    """Return the entities that a text names as `@Peter`, `[[Peter]]` or `[[Peter|an alias]]`, each once, in order."""
    if "@" not in text and "[[" not in text:
        return ()
    names = (
        linked_name(match[1]) if match[1] else normalize("NFC", text[match.end() : name_end(text, match.end())])
        for match in _MENTION.finditer(text)
    )
    return distinct(name for name in names if 0 < len(name) <= MAX_MENTION_CHARS)


def entity_name(raw: str) -> str:
    """Return a name as it can stand after `@`: NFC, with hyphens for spaces and for what no name holds; maybe empty."""
    text = normalize("NFC", raw)
    runs = []
    at = 0
    while at < len(text):
        end = name_end(text, at)
        if end > at:
            runs.append(text[at:end])
        at = max(end, at + 1)
    return "-".join(runs)


def linked_name(target: str) -> str:
    """Return the entity behind a wikilink's inside (`Peter#home|him` is `Peter`); empty for a link to a day's log."""
    page = target.split("|", 1)[0].split("#", 1)[0].rsplit("/", 1)[-1].strip().removesuffix(".md")
    return "" if _DAY_MENTIONS.match(page) else entity_name(page)


def name_end(text: str, start: int) -> int:
    """Return where the name that begins at `start` ends; `start` itself if none begins there.

    A name holds letters, marks, digits and `_` of any script, and between them hyphens, dots, middle dots and
    joiners; an apostrophe only before a capital (`O'Brien`, but `Peter's` is Peter).
    """
    at = start
    while at < len(text):
        if not _in_name(text[at], first=at == start):
            after = text[at + 1 : at + 2]
            is_apostrophe, is_joiner = text[at] in _APOSTROPHES, text[at] in _JOINERS
            joins = after.isupper() if is_apostrophe else is_joiner and after != "" and _in_name(after, first=True)
            if at == start or not joins:
                break
        at += 1
    return at


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without repetition; of two that differ in case only, the first."""
    seen: dict[str, str] = {}
    for name in names:
        seen.setdefault(name.casefold(), name)
    return tuple(seen.values())


def _in_name(character: str, *, first: bool) -> bool:
    if character.isalnum() or character == "_":
        return True
    return not first and category(character)[0] == "M"
