"""Wishes about what is remembered: to have it forgotten, to have it corrected, to be reminded of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from zoneinfo import ZoneInfo

from memory.capture.corrections import read_renewal
from memory.capture.exchange import HOUR, read_contrast
from memory.capture.grammar import FUNCTION_WORDS, WHEN, WORD, Shape, content, grammar_patterns, says_what_is, values
from memory.capture.intent import Act, act_of
from memory.capture.lexicon import read_toml
from memory.capture.sentences import fold, is_notation, sentences
from memory.capture.wishes.forgetting import read_forget_order
from memory.capture.wishes.phrases import (
    MAX_LAYERS,
    MAX_SENTENCES,
    Message,
    Span,
    WishPhrases,
    candidate_codes,
    count_words,
    cut_closing,
    skip_opening,
    skip_pause,
    trim,
    wish_phrases,
)
from memory.language.time.instants import find_when

MAX_WISH_CHARS = 400
"""Characters of a message that can be a wish; a longer one tells something."""

_MAX_WORDS = {"strong": 14, "weak": 9, "slip": 7}
"""Words of a correction after such an opening: who says more tells something new."""
_MAX_CONTRAST_WORDS = 4
"""Words of what is right in a contrast without an opening."""
_ANY_DAY = datetime(2000, 1, 1, tzinfo=ZoneInfo("UTC"))
_NO = frozenset({"no", "non", "não"})
_MENDED = re.compile(r"\*(?=\w[^*]{0,40}$)")
_NEGATION = re.compile(str(read_toml("statements")["negation"]))


class WishKind(StrEnum):
    """What is wished."""

    FORGET = "forget"
    CORRECT = "correct"
    REMIND = "remind"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wishes to be done about what is remembered.

    Attributes:
        kind: what is to be done.
        what: what it is about, as it stands in the message: without the order, courtesies and "the note that". Of a
            correction the statement without its opening, of a move also its time. May point back: "that last note",
            "what I just said".
        everything: whether all about it is to be forgotten; of all there is, `what` is the word for it.
    """

    kind: WishKind
    what: str
    everything: bool = False


def wish(text: str, among: Container[WishKind] = frozenset(WishKind)) -> Wish | None:
    """Read the wish that a message expresses, `among` some kinds; None for statements, questions and what must stay.

    A correction is a candidate: whether there is something that it corrects is told by `memory.capture.corrections`.
    """
    if len(text) > MAX_WISH_CHARS or is_notation(text):
        return None
    message = Message(text, fold(text))
    spoken = [wish_phrases(code) for code in candidate_codes(message.simple)]
    readers: tuple[tuple[WishKind, Callable[[Message, WishPhrases], Span | None]], ...] = (
        (WishKind.FORGET, read_forget_order),
        (WishKind.REMIND, _read_reminder),
        (WishKind.MOVE, _read_move_order),
        (WishKind.CORRECT, read_correction),
    )
    for kind, read in readers:
        found = [place for words in spoken if kind in among and (place := read(message, words))]
        if found:
            # The language that understands most of the order leaves least of it.
            best = min(found, key=lambda place: place.end - place.start)
            what = text[best.start : best.end]
            if kind is WishKind.CORRECT:
                is_question = not values(what) and act_of(text) is Act.QUESTION  # "wait, what is he called"
                if is_question or is_chatter(message, best, spoken):
                    return None
            return Wish(kind, what, best.everything)
    return None


def _read_reminder(message: Message, words: WishPhrases) -> Span | None:
    for sentence in islice(sentences(message.simple), MAX_SENTENCES):
        at, asked = skip_opening(message.simple, sentence.start, sentence.end, words)
        end = trim(message, at, cut_closing(message.simple, at, sentence.end, words))[1]
        if sentence.asked and not asked:
            continue
        if found := words.fit("remind", message.simple, (at, end)):
            place = Span(*trim(message, *found.span("what")))
            is_none = words.patterns["no_reminder"].match(message.simple, place.start, end) or place.start == place.end
            return None if is_none else place
    return None


def read_correction(message: Message, words: WishPhrases) -> Span | None:
    """Find the statement that a message corrects something with, without its opening; None if it corrects nothing."""
    end = trim(message, 0, len(message.simple))[1]
    changed = _read_change_order(message, words, end)  # "could you move that to 4?"
    if changed or "?" in message.simple[end:] or "？" in message.text[end:]:
        return changed
    first = skip_pause(message.simple, 0, end)
    if read_renewal(message.text[first:end]):
        return Span(first, end)
    start, opening = _skip_correction_opening(message.simple, end, words)
    after = words.after.search(message.simple, start, end)
    if after and after.start() > start:
        end, opening = after.start(), opening or "weak"
    if not opening:
        start = first
        within = words.patterns["within"].match(message.simple, start, end)
        opening = "slip" if within else ""
    start, end = trim(message, start, end)
    rest = message.text[start:end]
    if not opening:
        return Span(start, end) if _is_contrast(rest) or read_renewal(rest) else None
    return Span(start, end) if _is_correction(rest, message.simple[start:end], opening, words.code) else None


def _is_contrast(said: str) -> bool:
    """Check whether a text is nothing but what is right and what is wrong: "8, not 7"."""
    pair = read_contrast(said)
    return (
        pair is not None
        and count_words(pair[0]) <= _MAX_CONTRAST_WORDS
        and count_words(pair[1]) <= _MAX_CONTRAST_WORDS + 1
    )


def is_chatter(message: Message, place: Span, spoken: Iterable[WishPhrases]) -> bool:
    """Check whether what follows an opening corrects nothing in any language: many say no alike."""
    return any(words.patterns["chatter"].fullmatch(message.simple, place.start, place.end) for words in spoken)


def _read_change_order(message: Message, words: WishPhrases, end: int) -> Span | None:
    """Return what an order to put a value in place of another says: "the number to 030 7654321"."""
    at, _ = skip_opening(message.simple, 0, end, words)
    end = cut_closing(message.simple, at, end, words)
    for pattern in words.ordered["change"]:
        found = pattern.fullmatch(message.simple, at, end)
        if found and values(message.text[slice(*found.span("what"))]):
            return Span(*trim(message, *found.span("what")))
    return None


def _read_move_order(message: Message, words: WishPhrases) -> Span | None:
    """Return what an order to have something at another time says: "dinner to 8"."""
    at, _ = skip_opening(message.simple, 0, len(message.simple), words)
    end = trim(message, at, cut_closing(message.simple, at, len(message.simple), words))[1]
    found = words.fit("move", message.simple, (at, end))
    if found is None or not _is_time(message.text[slice(*found.span("then"))]):
        return None
    place = Span(*trim(message, *found.span("what")))
    said = message.simple[place.start : place.end]
    is_order = not grammar_patterns().preposition.match(said) and not _NEGATION.search(said)  # "shift on Sunday"
    return place if is_order else None


def _is_time(text: str) -> bool:
    """Return whether a text says a day or an hour and nothing else."""
    rest = find_when(text, _ANY_DAY, codes=("en", "de", "es", "fr")).rest
    for value in values(rest):
        is_hour = value.shape is Shape.NUMBER and HOUR.fullmatch(value.text)
        rest = rest.replace(value.text, " ") if is_hour or value.shape in WHEN | {Shape.TIME} else rest
    return rest != text and FUNCTION_WORDS.issuperset(WORD.findall(rest.casefold()))


def _skip_correction_opening(simple: str, end: int, words: WishPhrases) -> tuple[int, str]:
    """Find where a correction begins after its opening, and the strongest part of that; empty if it has none."""
    at = skip_pause(simple, 0, end)
    # An asterisk before a word is how people mend what they typed.
    mended = _MENDED.match(simple, at, end)
    at, strongest = (mended.end(), "weak") if mended else (at, "")
    for _ in range(MAX_LAYERS):
        found = {
            name: match for name in (*_MAX_WORDS, "courtesy") if (match := words.patterns[name].match(simple, at, end))
        }
        if not found:
            break
        name = max(found, key=lambda name: found[name].end())
        # The "no" of "no es 42, es 43" belongs to what it says.
        is_said = found[name][0] in _NO and simple[found[name].end() : found[name].end() + 1] == " "
        if found[name].end() == at or (is_said and _is_contrast(simple[at:end])):
            break
        if name in _MAX_WORDS:
            strongest = min(filter(None, (strongest, name)), key=tuple(_MAX_WORDS).index)
        at = skip_pause(simple, found[name].end(), end)
    return at, strongest


def _is_correction(rest: str, simple: str, opening: str, code: str) -> bool:
    """Check whether what follows an opening looks like a correction: short, with a value or a negation."""
    if not any(map(str.isalnum, rest)) or count_words(rest) > _MAX_WORDS[opening]:
        return False
    if opening == "strong" or read_contrast(rest) or read_renewal(rest) or grammar_patterns().preferring.match(rest):
        return True
    # A name may be any noun in German: by itself it says little.
    names = code != "de" and opening == "weak" and count_words(rest) <= 5
    given = any(value.shape is not Shape.NAME or names for value in values(rest))
    if opening == "slip":
        return says_what_is(rest) or given
    is_name = names and any(word[:1].isupper() for word in rest.split()[1:])
    is_place = grammar_patterns().preposition.match(rest) is not None and count_words(rest) <= _MAX_CONTRAST_WORDS
    return (
        given
        or is_name
        or is_place
        or says_what_is(rest)
        or (_NEGATION.search(simple) is not None and len(content(rest, "en")) > 1)
    )
