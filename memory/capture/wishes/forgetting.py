"""Wishes to have something forgotten: what is to be forgotten, and whether memory is meant at all."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from memory.capture.grammar import Shape, grammar_patterns, link_of, second_clause, values
from memory.capture.sentences import Sentence, sentences
from memory.capture.wishes.phrases import (
    MAX_LAYERS,
    MAX_SENTENCES,
    PLEASE,
    Message,
    Span,
    WishPhrases,
    count_words,
    cut_closing,
    skip_opening,
    skip_pause,
    trim,
)

_MAX_TOPIC_WORDS = 6
"""Words of what is named before an order that points at it; more tell something."""
_PLANNED = frozenset({Shape.WEEKDAY, Shape.DATE, Shape.TIME, Shape.MONTH})
_CLAUSE = re.compile(r"[,;，；] *|(?<!\w)(?:so|also|y|et|и|und)(?!\w) *")
_CONDITION = re.compile(
    r"\s*(?:(?:if|when|unless|until|wenn|falls|si|cuando|quand|если|когда|quando|se)(?!\w)|如果|要是|当)"
)
_BREAK = re.compile(r"[,;:?!.，；：？。]+ *")
_COMMA = re.compile("[,，、]")
_NAMING = re.compile(r"[?:？：]")


def read_forget_order(message: Message, words: WishPhrases) -> Span | None:
    """Return what a message orders to forget, in one language; None if it orders nothing of the kind."""
    orders = (_read_order(message, one, words) for one in islice(sentences(message.simple), MAX_SENTENCES))
    return _read_pointing_order(message, words) or next(filter(None, orders), None)


def _read_pointing_order(message: Message, words: WishPhrases) -> Span | None:
    """Return what is named before an order that only points at it: "the gym? you can drop that"."""
    simple = message.simple
    if words.patterns["refused"].search(simple):
        return None
    for pause in islice(_BREAK.finditer(simple), MAX_SENTENCES):
        order = words.patterns["pointing"].match(simple, _skip_courtesies(simple, pause.end(), words))
        if not order or simple[order.end() : order.end() + 1].strip(" ,;.!?:，；。！？)…"):
            continue
        ended = max(simple.rfind(mark, 0, pause.start()) for mark in ".!?。！？") + 1
        start = skip_opening(simple, ended, pause.start(), words)[0]
        if (found := _read_topic(message, (start, pause.start()), pause[0], words)) is not None:
            return found
    return None


def _skip_courtesies(simple: str, at: int, words: WishPhrases) -> int:
    """Find where an order begins after "please" and the like; "can you" stays: it is part of one that points."""
    for _ in range(MAX_LAYERS):
        courtesy = words.patterns["courtesy"].match(simple, at)
        if not courtesy or courtesy.end() == at or words.patterns["pointing"].match(simple, at):
            break
        at = skip_pause(simple, courtesy.end(), len(simple))
    return at


def _read_topic(message: Message, place: tuple[int, int], pause: str, words: WishPhrases) -> Span | None:
    """Return what is named before a pause, if it is no statement of its own like "what I said wasn't mine to tell"."""
    named = _read_matter(message, place, "named", words)
    if named is not None:
        return named
    start, end = trim(message, *place)
    is_named = _NAMING.search(pause) is not None or words.patterns["own"].match(message.simple, start) is not None
    if not is_named or count_words(message.text[start:end]) > _MAX_TOPIC_WORDS or link_of(message.text[start:end]):
        return None
    if grammar_patterns().first.match(message.text, start):  # "I can't find them"
        return None
    return _read_matter(message, place, "forget", words)


def _read_order(message: Message, sentence: Sentence, words: WishPhrases) -> Span | None:
    """Return what a sentence orders to forget, first or after a reason: "I sold it, please forget its code"."""
    simple = message.simple
    if found := _read_negative_order(message, sentence, words):
        return found
    if words.patterns["refused"].search(simple, sentence.start, sentence.end):
        return None
    found = _read_order_from(message, sentence, sentence.start, words)
    if found or _CONDITION.match(simple, sentence.start):
        return found
    for clause in islice(_CLAUSE.finditer(simple, sentence.start, sentence.end), MAX_SENTENCES):
        found = _read_order_from(message, sentence, clause.end(), words)
        pleased = found and words.patterns["courtesy"].match(simple, clause.end())
        if found and (pleased or words.patterns["own"].match(simple, found.start)):
            return found
    return None


def _read_negative_order(message: Message, sentence: Sentence, words: WishPhrases) -> Span | None:
    """Return what somebody does not want to be remembered: "I'd rather you didn't keep my address"."""
    simple = message.simple
    start = skip_pause(simple, sentence.start, sentence.end)
    begun, asked = skip_opening(simple, start, sentence.end, words)
    if sentence.asked and not asked:
        return None
    end = trim(message, begun, cut_closing(simple, begun, sentence.end, words))[1]
    found = words.fit("negated", simple, (start, end)) or words.fit("negated", simple, (begun, end))
    if not found:
        return None
    strength = "delete" if "delete" in found.re.groupindex else "forget"  # eggs are kept, too
    return _read_matter(message, found.span("what"), strength, words)


def _read_order_from(message: Message, sentence: Sentence, start: int, words: WishPhrases) -> Span | None:
    """Return what a sentence orders to forget from a place on."""
    simple = message.simple
    at, asked = skip_opening(simple, start, sentence.end, words)
    end = trim(message, at, cut_closing(simple, at, sentence.end, words))[1]
    asked |= any(word in simple[end : sentence.end] for word in PLEASE)
    if sentence.asked and not asked:
        return None
    for strength in ("forget", "delete", "remove"):
        order = words.patterns[strength].match(simple, at, end)
        if order and simple[order.end() : order.end() + 1] != "-":
            first = skip_opening(simple, order.end(), end, words)[0]
            return _read_matter(message, (first, end), strength, words)
    stops = (end, *(comma.start() for comma in islice(_COMMA.finditer(simple, at, end), MAX_SENTENCES)))
    return next(filter(None, (_read_final_order(message, (at, stop), words, asked=asked) for stop in stops)), None)


def _read_final_order(message: Message, place: tuple[int, int], words: WishPhrases, *, asked: bool) -> Span | None:
    """Return what is to be forgotten by an order that ends in its verb."""
    final = words.fit("final", message.simple, place)
    final = words.fit("final_asked", message.simple, place) if asked and not final else final
    if not final:
        return None
    strength = "forget" if "forget" in final.re.groupindex else "delete"
    found = _read_matter(message, final.span("what"), strength, words)
    return replace(found, everything=True) if found and "everything" in final.re.groupindex else found


def _read_matter(message: Message, place: tuple[int, int], strength: str, words: WishPhrases) -> Span | None:
    """Return what is to be forgotten, without what is around it; None if the order is not about memory."""
    is_idle = words.patterns["idle"].fullmatch(message.simple, *trim(message, *place))
    if is_idle and strength == "forget":  # before its "about" is taken off
        return None
    place, is_over = _without_reason(message, place, words)
    everything = about_memory = False
    for _ in range(MAX_LAYERS):
        place = trim(message, *place)
        whole = None if everything else words.fit("everything", message.simple, place)
        inner = None if whole else words.fit("inner", message.simple, place)
        found = whole or inner or words.fit("link", message.simple, place)
        everything |= whole is not None
        about_memory |= inner is not None
        if not found or found.span("what") == place:
            break
        place = found.span("what")
    start, end = trim(message, *place)
    start, end = trim(message, start, start + second_clause(message.text[start:end]))
    start, end = trim(message, start, cut_closing(message.simple, start, end, words))
    what = message.simple[start:end]
    if not any(map(str.isalnum, what)):
        return None
    meant = everything or about_memory
    if not meant and not _is_meant("over" if is_over else strength, what, message.text[start:end], words):
        return None
    return Span(start, end, everything)


def _without_reason(message: Message, place: tuple[int, int], words: WishPhrases) -> tuple[tuple[int, int], bool]:
    """Return what is to be forgotten without the reason behind it, and whether that says that it holds no more."""
    start, end = trim(message, *place)
    pause = _BREAK.search(message.simple, start)
    reason = words.patterns["over"].search(message.simple, pause.end()) if pause else None
    if not pause or not reason:
        return (start, end), False
    commas = [comma.start() for comma in islice(_COMMA.finditer(message.simple, start, end), MAX_SENTENCES)]
    before = [comma for comma in commas if comma < reason.start()]
    return (start, before[-1] if before else end), True


def _is_meant(strength: str, what: str, written: str, words: WishPhrases) -> bool:
    """Check whether an order with such a verb means memory if it says no more than this."""
    if strength == "named":
        return False
    if strength == "forget":
        return not words.patterns["idle"].fullmatch(what)
    planned = any(value.shape in _PLANNED for value in values(f"– {written}"))
    if planned or words.patterns["work"].search(what) or count_words(what) > 8:
        return False
    own = strength == "delete" and words.patterns["own"].match(what) is not None
    return strength == "over" or own or words.patterns["personal"].search(what) is not None
