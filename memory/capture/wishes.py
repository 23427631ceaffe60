"""Wishes about what is remembered: to have it forgotten, to have it corrected, to be reminded of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import islice

from memory.capture.act import Act
from memory.capture.correction import contrast
from memory.capture.grammar import content, says_what_is, second_clause
from memory.capture.message import act_of
from memory.capture.notation import is_notation
from memory.capture.phrases import phrases, signs
from memory.capture.sentences import Sentence, folded, sentences
from memory.capture.values import Shape, values
from memory.language.scripts import HAN, KANA

LONGEST = 400
"""Characters of a message that can be a wish; a longer one tells something."""

_SENTENCES = 4
"""Sentences of a message that are read."""

_ROUNDS = 8
"""Courtesies and openings before the matter that are read, and layers around it."""


class WishKind(StrEnum):
    """What is wished."""

    FORGET = "forget"
    CORRECT = "correct"
    REMIND = "remind"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wishes to be done about what is remembered.

    Attributes:
        kind: what is to be done.
        what: what it is about, as it stands in the message: without the order, courtesies and "the note that". Of a
            correction the statement without its opening. May point back: "that last note", "what I just said".
        everything: whether all about it is to be forgotten; of all there is, `what` is the word for it.
    """

    kind: WishKind
    what: str
    everything: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """Where the matter of a wish stands in a message."""

    start: int
    end: int
    everything: bool = False


def wish(text: str) -> Wish | None:
    """The wish that a message expresses; None for a statement, a question, small talk and what must not be forgotten.

    A correction is a candidate: whether there is something that it corrects is told by `memory.capture.correction`.
    """
    if len(text) > LONGEST or is_notation(text):
        return None
    message = _Message(text, folded(text))
    spoken = [_words(code) for code in _codes(message.simple)]
    readers: tuple[tuple[WishKind, Callable[[_Message, _Words], _Found | None]], ...] = (
        (WishKind.FORGET, _forgotten),
        (WishKind.REMIND, _reminded),
        (WishKind.CORRECT, _corrected),
    )
    for kind, read in readers:
        found = [place for words in spoken if (place := read(message, words))]
        if found:
            # The language that understands most of the order leaves least of it.
            best = min(found, key=lambda place: place.end - place.start)
            if kind is WishKind.CORRECT and (
                _is_chatter(message, best, spoken)
                or (
                    not values(text[best.start : best.end]) and act_of(text) is Act.QUESTION
                )  # "wait, what is he called"
            ):
                return None
            return Wish(kind, text[best.start : best.end], best.everything)
    return None


@dataclass(frozen=True, slots=True)
class _Message:
    """A message as it was written, and folded to lower case; both are equally long."""

    text: str
    simple: str


Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Words:
    """The phrases of one language, as `lexicons/wishes.toml` explains them; a list is tried in order."""

    code: str
    one: Mapping[str, Pattern]
    several: Mapping[str, tuple[Pattern, ...]]
    closing: Pattern
    after: Pattern


_LISTS = ("everything", "inner", "link", "final", "final_asked", "change", "remind")
_UNSPACED = frozenset({"zh", "ja"})
_HAN = re.compile(rf"[{HAN}]")
_KANA = re.compile(rf"[{KANA}]")
_CYRILLIC = re.compile("[а-яё]")


def _codes(simple: str) -> Iterable[str]:
    """The languages that a message may be in, by its letters."""
    if _KANA.search(simple):
        yield "ja"
    elif _HAN.search(simple):
        yield from ("zh", "ja")
    if _CYRILLIC.search(simple):
        yield "ru"
    if re.search("[a-z]", simple):
        yield from ("en", "de", "es", "fr", "it", "pt")


@cache
def _lexicon() -> Mapping[str, Mapping[str, str]]:
    read = files("memory.capture").joinpath("lexicons", "wishes.toml").read_text(encoding="utf-8")
    return tomllib.loads(read)


_UMLAUTS = str.maketrans({"ä": "(ä|ae)", "ö": "(ö|oe)", "ü": "(ü|ue)", "ß": "(ß|ss)"})


@cache
def _words(code: str) -> _Words:
    compiled = signs if code in _UNSPACED else phrases
    read = _lexicon()[code]
    if code == "de":
        read = {name: block.translate(_UMLAUTS) for name, block in read.items()}
    one = {name: compiled(block) for name, block in read.items() if name not in _LISTS}
    several = {name: tuple(map(compiled, filter(None, read.get(name, "").splitlines()))) for name in _LISTS}
    closing, after = (
        re.compile(rf"(?<![\s,，、。.!;:–—-])[\s,，、。.!;:–—-]*(?:{one[name].pattern})[\s.!?。！？~]*$")
        for name in ("closing", "after")
    )
    return _Words(code, one, several, closing, after)


_PAUSE = " \t\n,.!:;…~–—-、，。：；！¡¿\"'"
_CLOSING = " \t\n.!?…。！？~,;:、，；："
_ABBREVIATED = re.compile(r"(?<!\w)\w\.\s?\w\.$")
_QUOTES = ('""', "''", "“”", "„“", "«»", "「」", "‘’")


def _skip(simple: str, at: int, end: int) -> int:
    while at < end and simple[at] in _PAUSE:
        at += 1
    return at


def _trimmed(message: _Message, start: int, end: int) -> tuple[int, int]:
    """A place without the spaces, pauses and quotation marks around it."""
    while start < end and message.simple[start] in " \t\n,:;、，：；":
        start += 1
    while start < end and message.simple[end - 1] in _CLOSING and not _ABBREVIATED.search(message.simple, start, end):
        end -= 1
    if end - start > 2 and message.text[start] + message.text[end - 1] in _QUOTES:
        return start + 1, end - 1
    return start, end


_PLEASE = frozenset({"bitte", "please"})


def _opened(simple: str, at: int, end: int, words: _Words) -> tuple[int, bool]:
    """Where an order begins after the courtesies, and whether "please" or "can you" was one of them."""
    asked = False
    for _ in range(_ROUNDS):
        at = _skip(simple, at, end)
        asking = words.one["asking"].match(simple, at, end)
        courtesy = words.one["courtesy"].match(simple, at, end)
        found = asking or courtesy
        if not found or found.end() == at:
            break
        asked |= asking is not None or found[0] in _PLEASE
        at = found.end()
    return _skip(simple, at, end), asked


def _closed(simple: str, at: int, end: int, words: _Words) -> int:
    """Where an order ends before the courtesies."""
    for _ in range(_ROUNDS):
        found = words.closing.search(simple, at, end)
        if not found or found.start() <= at:
            break
        end = found.start()
    return end


# -- to forget -------------------------------------------------------------------------------------------------------


def _forgotten(message: _Message, words: _Words) -> _Found | None:
    for sentence in islice(sentences(message.simple), _SENTENCES):
        found = _order(message, sentence, words)
        if found:
            return found
    return None


_CLAUSE = re.compile(r"[,;，；] *|(?<!\w)(?:so|also|y|et|и|und)(?!\w) *")
_CONDITION = re.compile(
    r"\s*(?:(?:if|when|unless|until|wenn|falls|si|cuando|quand|если|когда|quando|se)(?!\w)|如果|要是|当)"
)


def _order(message: _Message, sentence: Sentence, words: _Words) -> _Found | None:
    """What one sentence orders to forget, at its beginning or after a reason: "I sold it, please forget its code"."""
    simple = message.simple
    if words.one["refused"].search(simple, sentence.start, sentence.end):
        return None
    found = _ordered(message, sentence, sentence.start, words)
    if found or _CONDITION.match(simple, sentence.start):
        return found
    for clause in islice(_CLAUSE.finditer(simple, sentence.start, sentence.end), _SENTENCES):
        found = _ordered(message, sentence, clause.end(), words)
        pleased = found and words.one["courtesy"].match(simple, clause.end())
        if found and (pleased or words.one["own"].match(simple, found.start)):
            return found
    return None


def _ordered(message: _Message, sentence: Sentence, start: int, words: _Words) -> _Found | None:
    """What a sentence orders to forget from a place on."""
    simple = message.simple
    at, asked = _opened(simple, start, sentence.end, words)
    end = _trimmed(message, at, _closed(simple, at, sentence.end, words))[1]
    asked |= any(word in simple[end : sentence.end] for word in _PLEASE)
    if sentence.asked and not asked:
        return None
    for strength in ("forget", "delete", "remove"):
        order = words.one[strength].match(simple, at, end)
        if order and simple[order.end() : order.end() + 1] != "-":
            return _matter(message, (_opened(simple, order.end(), end, words)[0], end), strength, words)
    for pattern in (*words.several["final"], *(words.several["final_asked"] if asked else ())):
        final = pattern.fullmatch(simple, at, end)
        if final:
            strength = "forget" if "forget" in pattern.groupindex else "delete"
            found = _matter(message, final.span("what"), strength, words)
            return replace(found, everything=True) if found and "everything" in pattern.groupindex else found
    return None


def _matter(message: _Message, place: tuple[int, int], strength: str, words: _Words) -> _Found | None:
    """What is to be forgotten, without what is around it; None if the order is not about memory."""
    everything = about_memory = False
    for _ in range(_ROUNDS):
        place = _trimmed(message, *place)
        whole = None if everything else _inside("everything", message, place, words)
        inner = None if whole else _inside("inner", message, place, words)
        link = None if whole or inner else _inside("link", message, place, words)
        everything |= whole is not None
        about_memory |= inner is not None
        inside = whole or inner or link
        if not inside or inside == place:
            break
        place = inside
    start, end = _trimmed(message, *place)
    start, end = _trimmed(message, start, start + second_clause(message.text[start:end]))
    what = message.simple[start:end]
    if not any(map(str.isalnum, what)):
        return None
    if not (everything or about_memory) and not _is_meant(strength, what, message.text[start:end], words):
        return None
    return _Found(start, end, everything)


def _inside(layer: str, message: _Message, place: tuple[int, int], words: _Words) -> tuple[int, int] | None:
    """The place of what a layer's first fitting phrase is about."""
    for pattern in words.several[layer]:
        found = pattern.fullmatch(message.simple, *place)
        if found:
            return found.span("what")
    return None


_PLANNED = frozenset({Shape.WEEKDAY, Shape.DATE, Shape.TIME, Shape.MONTH})


def _is_meant(strength: str, what: str, written: str, words: _Words) -> bool:
    """Whether an order with such a verb means memory if it says no more than this."""
    if strength == "forget":
        return not words.one["idle"].fullmatch(what)
    planned = any(value.shape in _PLANNED for value in values(f"– {written}"))
    if planned or words.one["work"].search(what) or _length(what) > 8:
        return False
    own = strength == "delete" and words.one["own"].match(what) is not None
    return own or words.one["personal"].search(what) is not None


# -- to be reminded --------------------------------------------------------------------------------------------------


def _reminded(message: _Message, words: _Words) -> _Found | None:
    for sentence in islice(sentences(message.simple), _SENTENCES):
        at, asked = _opened(message.simple, sentence.start, sentence.end, words)
        end = _trimmed(message, at, _closed(message.simple, at, sentence.end, words))[1]
        if sentence.asked and not asked:
            continue
        for pattern in words.several["remind"]:
            found = pattern.fullmatch(message.simple, at, end)
            if found:
                place = _Found(*_trimmed(message, *found.span("what")))
                if words.one["no_reminder"].match(message.simple, place.start, end) or place.start == place.end:
                    return None
                return place
    return None


# -- to correct ------------------------------------------------------------------------------------------------------

_MOST = {"strong": 14, "weak": 9, "slip": 7}
"""Words of a correction after such an opening: who says more tells something new."""


def _corrected(message: _Message, words: _Words) -> _Found | None:
    end = _trimmed(message, 0, len(message.simple))[1]
    if "?" in message.simple[end:] or "？" in message.text[end:]:
        return None
    changed = _changed(message, words, end)
    if changed:
        return changed
    start, opening = _opening(message.simple, end, words)
    after = words.after.search(message.simple, start, end)
    if after and after.start() > start:
        end, opening = after.start(), opening or "weak"
    if not opening:
        start = _skip(message.simple, 0, end)
        within = words.one["within"].match(message.simple, start, end)
        opening = "slip" if within else ""
    start, end = _trimmed(message, start, end)
    rest = message.text[start:end]
    if not opening:
        right = contrast(rest)
        is_value = right and (says_what_is(right[0]) or _HAN.match(right[0])) and _length(right[0]) <= 4
        return _Found(start, end) if is_value else None
    return _Found(start, end) if _corrects(rest, message.simple[start:end], opening, words.code) else None


def _is_chatter(message: _Message, place: _Found, spoken: Iterable[_Words]) -> bool:
    """Whether what follows an opening corrects nothing in any language: many say no alike."""
    return any(words.one["chatter"].fullmatch(message.simple, place.start, place.end) for words in spoken)


def _changed(message: _Message, words: _Words, end: int) -> _Found | None:
    """What an order to put a value in place of another says: "the number to 030 7654321"."""
    at, _ = _opened(message.simple, 0, end, words)
    end = _closed(message.simple, at, end, words)
    for pattern in words.several["change"]:
        found = pattern.fullmatch(message.simple, at, end)
        if found and values(message.text[slice(*found.span("what"))]):
            return _Found(*_trimmed(message, *found.span("what")))
    return None


_MENDED = re.compile(r"\*(?=\w[^*]{0,40}$)")


def _opening(simple: str, end: int, words: _Words) -> tuple[int, str]:
    """Where a correction begins after its opening, and the strongest part of that; empty if it has none."""
    at = _skip(simple, 0, end)
    # An asterisk before a word is how people mend what they typed.
    mended = _MENDED.match(simple, at, end)
    at, strongest = (mended.end(), "weak") if mended else (at, "")
    for _ in range(_ROUNDS):
        found = {name: match for name in (*_MOST, "courtesy") if (match := words.one[name].match(simple, at, end))}
        if not found:
            break
        name = max(found, key=lambda name: found[name].end())
        if found[name].end() == at:
            break
        if name in _MOST:
            strongest = min(filter(None, (strongest, name)), key=tuple(_MOST).index)
        at = _skip(simple, found[name].end(), end)
    return at, strongest


def _corrects(rest: str, simple: str, opening: str, code: str) -> bool:
    """Whether what follows an opening looks like a correction: short, with a value or a negation."""
    if not any(map(str.isalnum, rest)) or _length(rest) > _MOST[opening]:
        return False
    if opening == "strong" or contrast(rest):
        return True
    # A name may be any noun in German: by itself it says little.
    names = code != "de" and opening == "weak" and _length(rest) <= 5
    given = any(value.shape is not Shape.NAME or names for value in values(rest))
    if opening == "slip":
        return says_what_is(rest) or (given and _length(rest) <= 4)
    return given or says_what_is(rest) or (_NEGATION.search(simple) is not None and len(content(rest, "en")) > 1)


_NEGATION = re.compile(
    r"(?<!\w)(?:not|no longer|never|\w+n't|nicht|kein\w*|nie|niemals|pas|plus|jamais|ne|no|nunca|не|нет|никогда|"
    r"non|mai|não)(?!\w)|不|没|ない|ません"
)


def _length(text: str) -> int:
    """How long a text is, in words; two Chinese or Japanese characters count as one."""
    unspaced = len(_HAN.findall(text)) + len(_KANA.findall(text))
    return unspaced // 2 + len(text.split())
