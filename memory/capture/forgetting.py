"""Wishes to have something forgotten: what is to be forgotten, and whether memory is meant at all."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from memory.capture.grammar import second_clause
from memory.capture.sentences import Sentence, sentences
from memory.capture.values import Shape, values
from memory.capture.wish_words import PLEASE, ROUNDS, SENTENCES, Found, Message, Words, closed, length, opened, trimmed


def forgotten(message: Message, words: Words) -> Found | None:
    for sentence in islice(sentences(message.simple), SENTENCES):
        found = _order(message, sentence, words)
        if found:
            return found
    return None


_CLAUSE = re.compile(r"[,;，；] *|(?<!\w)(?:so|also|y|et|и|und)(?!\w) *")
_CONDITION = re.compile(
    r"\s*(?:(?:if|when|unless|until|wenn|falls|si|cuando|quand|если|когда|quando|se)(?!\w)|如果|要是|当)"
)


def _order(message: Message, sentence: Sentence, words: Words) -> Found | None:
    """What one sentence orders to forget, at its beginning or after a reason: "I sold it, please forget its code"."""
    simple = message.simple
    if words.one["refused"].search(simple, sentence.start, sentence.end):
        return None
    found = _ordered(message, sentence, sentence.start, words)
    if found or _CONDITION.match(simple, sentence.start):
        return found
    for clause in islice(_CLAUSE.finditer(simple, sentence.start, sentence.end), SENTENCES):
        found = _ordered(message, sentence, clause.end(), words)
        pleased = found and words.one["courtesy"].match(simple, clause.end())
        if found and (pleased or words.one["own"].match(simple, found.start)):
            return found
    return None


def _ordered(message: Message, sentence: Sentence, start: int, words: Words) -> Found | None:
    """What a sentence orders to forget from a place on."""
    simple = message.simple
    at, asked = opened(simple, start, sentence.end, words)
    end = trimmed(message, at, closed(simple, at, sentence.end, words))[1]
    asked |= any(word in simple[end : sentence.end] for word in PLEASE)
    if sentence.asked and not asked:
        return None
    for strength in ("forget", "delete", "remove"):
        order = words.one[strength].match(simple, at, end)
        if order and simple[order.end() : order.end() + 1] != "-":
            return _matter(message, (opened(simple, order.end(), end, words)[0], end), strength, words)
    for pattern in (*words.several["final"], *(words.several["final_asked"] if asked else ())):
        final = pattern.fullmatch(simple, at, end)
        if final:
            strength = "forget" if "forget" in pattern.groupindex else "delete"
            found = _matter(message, final.span("what"), strength, words)
            return replace(found, everything=True) if found and "everything" in pattern.groupindex else found
    return None


def _matter(message: Message, place: tuple[int, int], strength: str, words: Words) -> Found | None:
    """What is to be forgotten, without what is around it; None if the order is not about memory."""
    everything = about_memory = False
    for _ in range(ROUNDS):
        place = trimmed(message, *place)
        whole = None if everything else _inside("everything", message, place, words)
        inner = None if whole else _inside("inner", message, place, words)
        link = None if whole or inner else _inside("link", message, place, words)
        everything |= whole is not None
        about_memory |= inner is not None
        inside = whole or inner or link
        if not inside or inside == place:
            break
        place = inside
    start, end = trimmed(message, *place)
    start, end = trimmed(message, start, start + second_clause(message.text[start:end]))
    what = message.simple[start:end]
    if not any(map(str.isalnum, what)):
        return None
    if not (everything or about_memory) and not _is_meant(strength, what, message.text[start:end], words):
        return None
    return Found(start, end, everything)


def _inside(layer: str, message: Message, place: tuple[int, int], words: Words) -> tuple[int, int] | None:
    """The place of what a layer's first fitting phrase is about."""
    for pattern in words.several[layer]:
        found = pattern.fullmatch(message.simple, *place)
        if found:
            return found.span("what")
    return None


_PLANNED = frozenset({Shape.WEEKDAY, Shape.DATE, Shape.TIME, Shape.MONTH})


def _is_meant(strength: str, what: str, written: str, words: Words) -> bool:
    """Whether an order with such a verb means memory if it says no more than this."""
    if strength == "forget":
        return not words.one["idle"].fullmatch(what)
    planned = any(value.shape in _PLANNED for value in values(f"– {written}"))
    if planned or words.one["work"].search(what) or length(what) > 8:
        return False
    own = strength == "delete" and words.one["own"].match(what) is not None
    return own or words.one["personal"].search(what) is not None
