"""Wishes to have something corrected: the statement that corrects, without its opening."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory.capture.correction import renewed
from memory.capture.exchange import contrast
from memory.capture.grammar import content, parts, says_what_is
from memory.capture.values import Shape, values
from memory.capture.wish_words import ROUNDS, Found, Message, Words, closed, length, opened, skip, trimmed

_MOST = {"strong": 14, "weak": 9, "slip": 7}
"""Words of a correction after such an opening: who says more tells something new."""


def corrected(message: Message, words: Words) -> Found | None:
    end = trimmed(message, 0, len(message.simple))[1]
    if "?" in message.simple[end:] or "？" in message.text[end:]:
        return None
    changed = _changed(message, words, end)
    if changed:
        return changed
    first = skip(message.simple, 0, end)
    if renewed(message.text[first:end]):
        return Found(first, end)
    start, opening = _opening(message.simple, end, words)
    after = words.after.search(message.simple, start, end)
    if after and after.start() > start:
        end, opening = after.start(), opening or "weak"
    if not opening:
        start = skip(message.simple, 0, end)
        within = words.one["within"].match(message.simple, start, end)
        opening = "slip" if within else ""
    start, end = trimmed(message, start, end)
    rest = message.text[start:end]
    if not opening:
        return Found(start, end) if _is_contrast(rest) or renewed(rest) else None
    return Found(start, end) if _corrects(rest, message.simple[start:end], opening, words.code) else None


def _is_contrast(said: str) -> bool:
    """Whether a text is nothing but what is right and what is wrong: "8, not 7"."""
    pair = contrast(said)
    return pair is not None and length(pair[0]) <= _LONGEST_PART and length(pair[1]) <= _LONGEST_PART + 1


_LONGEST_PART = 4
"""Words of what is right in a contrast without an opening."""


def is_chatter(message: Message, place: Found, spoken: Iterable[Words]) -> bool:
    """Whether what follows an opening corrects nothing in any language: many say no alike."""
    return any(words.one["chatter"].fullmatch(message.simple, place.start, place.end) for words in spoken)


def _changed(message: Message, words: Words, end: int) -> Found | None:
    """What an order to put a value in place of another says: "the number to 030 7654321"."""
    at, _ = opened(message.simple, 0, end, words)
    end = closed(message.simple, at, end, words)
    for pattern in words.several["change"]:
        found = pattern.fullmatch(message.simple, at, end)
        if found and values(message.text[slice(*found.span("what"))]):
            return Found(*trimmed(message, *found.span("what")))
    return None


_NO = frozenset({"no", "non", "não"})
_MENDED = re.compile(r"\*(?=\w[^*]{0,40}$)")


def _opening(simple: str, end: int, words: Words) -> tuple[int, str]:
    """Where a correction begins after its opening, and the strongest part of that; empty if it has none."""
    at = skip(simple, 0, end)
    # An asterisk before a word is how people mend what they typed.
    mended = _MENDED.match(simple, at, end)
    at, strongest = (mended.end(), "weak") if mended else (at, "")
    for _ in range(ROUNDS):
        found = {name: match for name in (*_MOST, "courtesy") if (match := words.one[name].match(simple, at, end))}
        if not found:
            break
        name = max(found, key=lambda name: found[name].end())
        # The "no" of "no es 42, es 43" belongs to what it says.
        is_said = found[name][0] in _NO and simple[found[name].end() : found[name].end() + 1] == " "
        if found[name].end() == at or (is_said and _is_contrast(simple[at:end])):
            break
        if name in _MOST:
            strongest = min(filter(None, (strongest, name)), key=tuple(_MOST).index)
        at = skip(simple, found[name].end(), end)
    return at, strongest


def _corrects(rest: str, simple: str, opening: str, code: str) -> bool:
    """Whether what follows an opening looks like a correction: short, with a value or a negation."""
    if not any(map(str.isalnum, rest)) or length(rest) > _MOST[opening]:
        return False
    if opening == "strong" or contrast(rest) or renewed(rest) or parts().preferring.match(rest):
        return True
    # A name may be any noun in German: by itself it says little.
    names = code != "de" and opening == "weak" and length(rest) <= 5
    given = any(value.shape is not Shape.NAME or names for value in values(rest))
    if opening == "slip":
        return says_what_is(rest) or (given and length(rest) <= 4)
    is_name = names and any(word[:1].isupper() for word in rest.split()[1:])
    is_place = parts().preposition.match(rest) is not None and length(rest) <= _LONGEST_PART
    return (
        given
        or is_name
        or is_place
        or says_what_is(rest)
        or (_NEGATION.search(simple) is not None and len(content(rest, "en")) > 1)
    )


_NEGATION = re.compile(
    r"(?<!\w)(?:not|no longer|never|\w+n't|nicht|kein\w*|nie|niemals|pas|plus|jamais|ne|no|nunca|не|нет|никогда|"
    r"non|mai|não)(?!\w)|不|没|ない|ません"
)
