"""What is to be kept of a message: its own words, without the courtesies and the "remember that" around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

from memory.capture.act import COURTESIES
from memory.capture.cues import Language
from memory.capture.languages import languages_for
from memory.capture.notation import is_notation
from memory.capture.opening import longest, opening, skip
from memory.capture.sentence import act_of_sentence, asks_to_keep
from memory.capture.sentences import LOOKED_AT, Sentence, folded, sentences

_CLAUSE = re.compile(r"[,;:–—] *|(?<=\w) (?=(?:please|pls|bitte)\W*$)|(?=谢谢|感谢)")
_ASKED = re.compile(r"[吗嘛么]?\s*[?？]\s*$")
_AS_TYPED = re.compile(r"\w*[a-zà-ÿ][A-Z]|\w+[.:/@_\d]\w|\w+://|`")


def statement(text: str) -> str:
    """What is to be kept of a message.

    "Hi! remember that my flight is at 7:40, thanks" gives "My flight is at 7:40". The wording between the courtesies
    is left as it is; a first letter that was not the message's first becomes a capital.
    A message that is nothing but courtesies, and one in the Retain notation, comes back whole.
    """
    text = normalize("NFC", text).strip()
    if is_notation(text):
        return text
    simple = folded(text[:LOOKED_AT])
    languages = languages_for(simple)
    start, asked = _start(simple, languages)
    tail = max(start, len(text) - LOOKED_AT)
    end = tail + _end(folded(text[tail:]), languages)
    kept = text[start:end].strip()
    if asked:
        kept = _ASKED.sub("", kept)
    return _capital(kept) if kept and start else kept or text


def _start(text: str, languages: Sequence[Language]) -> tuple[int, bool]:
    """Where the matter begins in a folded text, and whether it is put as a question: "can you remember that ...?"."""
    for number, sentence in enumerate(sentences(text)):
        if act_of_sentence(sentence, languages) not in COURTESIES:
            at, polite = _matter(sentence, languages)
            return (sentence.start + at if number or at else 0), polite and sentence.asked
    return 0, False


def _matter(sentence: Sentence, languages: Sequence[Language]) -> tuple[int, bool]:
    """Where the matter of one sentence begins, counted from its start, and whether "can you" stood before it."""
    begun = opening(sentence.text, languages)
    orders = [language.orders for language in languages]
    bare = [order.keep_bare for order in orders if not sentence.asked]
    kept = longest([order.keep for order in orders] + bare, sentence.text, begun.order)
    if kept > begun.order or begun.polite:
        return skip(sentence.text, kept), begun.polite
    return begun.courteous, False


def _end(text: str, languages: Sequence[Language]) -> int:
    """Where the matter ends in a folded text."""
    end = len(text)
    for sentence in reversed(list(sentences(text))):
        if not (act_of_sentence(sentence, languages) in COURTESIES or asks_to_keep(sentence.text, languages)):
            return _without_closing(text, sentence, end, languages)
        end = sentence.start
    return end


def _without_closing(text: str, sentence: Sentence, end: int, languages: Sequence[Language]) -> int:
    """Where a last sentence ends without ", thanks" and ", please remember that"."""
    for pause in reversed(list(_CLAUSE.finditer(text, sentence.start, sentence.end))):
        clause = text[pause.end() : end].strip(" .!?。,")
        if clause and not _is_closing(clause, languages):
            break
        end = pause.start()
    return end


def _is_closing(clause: str, languages: Sequence[Language]) -> bool:
    if asks_to_keep(clause, languages) or any(language.manners.please.fullmatch(clause) for language in languages):
        return True
    begun = opening(clause, languages)
    return begun.end == len(clause) and (begun.greeting or begun.thanks)


def _capital(text: str) -> str:
    first = text[0].upper()
    return text if len(first) > 1 or _AS_TYPED.match(text) else first + text[1:]
