"""Wishes about what is remembered: to have it forgotten, to have it corrected, to be reminded of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from memory.capture.act import Act
from memory.capture.correcting import corrected, is_chatter
from memory.capture.forgetting import forgotten
from memory.capture.message import act_of
from memory.capture.notation import is_notation
from memory.capture.sentences import folded, sentences
from memory.capture.values import values
from memory.capture.wish_words import SENTENCES, Found, Message, Words, closed, codes, opened, trimmed, words_of

LONGEST = 400
"""Characters of a message that can be a wish; a longer one tells something."""


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


def wish(text: str) -> Wish | None:
    """The wish that a message expresses; None for a statement, a question, small talk and what must not be forgotten.

    A correction is a candidate: whether there is something that it corrects is told by `memory.capture.correction`.
    """
    if len(text) > LONGEST or is_notation(text):
        return None
    message = Message(text, folded(text))
    spoken = [words_of(code) for code in codes(message.simple)]
    readers: tuple[tuple[WishKind, Callable[[Message, Words], Found | None]], ...] = (
        (WishKind.FORGET, forgotten),
        (WishKind.REMIND, _reminded),
        (WishKind.CORRECT, corrected),
    )
    for kind, read in readers:
        found = [place for words in spoken if (place := read(message, words))]
        if found:
            # The language that understands most of the order leaves least of it.
            best = min(found, key=lambda place: place.end - place.start)
            if kind is WishKind.CORRECT and (
                is_chatter(message, best, spoken)
                or (
                    not values(text[best.start : best.end]) and act_of(text) is Act.QUESTION
                )  # "wait, what is he called"
            ):
                return None
            return Wish(kind, text[best.start : best.end], best.everything)
    return None


def _reminded(message: Message, words: Words) -> Found | None:
    for sentence in islice(sentences(message.simple), SENTENCES):
        at, asked = opened(message.simple, sentence.start, sentence.end, words)
        end = trimmed(message, at, closed(message.simple, at, sentence.end, words))[1]
        if sentence.asked and not asked:
            continue
        for pattern in words.several["remind"]:
            found = pattern.fullmatch(message.simple, at, end)
            if found:
                place = Found(*trimmed(message, *found.span("what")))
                if words.one["no_reminder"].match(message.simple, place.start, end) or place.start == place.end:
                    return None
                return place
    return None
