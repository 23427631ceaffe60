"""Keyword queries: "dentist number" names what is looked for, and tells nothing that memory does not hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from bot.agent.offline.words import word_list
from bot.turn import Turn
from memory import Recall
from memory.capture.corrections import beginning, without_negation
from memory.capture.grammar import grammar_patterns
from memory.capture.intent import is_courtesy
from memory.index.terms import fold, parts_of, tokens
from memory.language.answer_forms import AnswerForm
from memory.language.detect import HAN, HANGUL, KANA
from memory.language.patterns import Pattern

MAX_WORDS = 6
"""Words of a keyword query; more are a statement."""

MAX_APART = 2
"""Words of it that may stand anywhere in a fact."""

_DONE = Pattern("|".join(word_list("done")))
"""Words that tell what was done; a capital letter tells names and German nouns from them ("Alfred", "Gehalt")."""


@cache
def _folded(name: str) -> frozenset[str]:
    return frozenset(map(fold, word_list(name)))


_RUN = Pattern(rf"[{HAN}{KANA}{HANGUL}]")
_ASKING = _folded("sought") | _folded("sought_numbers")
_APART = re.compile(f"({'|'.join(sorted(filter(_RUN.match, _ASKING | _folded('links')), key=len, reverse=True))})")
"""What asks and what links in scripts without spaces, the longest first."""


async def recall_keywords(turn: Turn, limit: int) -> Recall | None:
    """Recall what a keyword query names, `limit` facts at most; None if it is no query, or no fact holds its words.

    A word that asks for a kind of thing ("number", "recipe") need not stand in a fact; of some kinds there has to be a
    number that is no date. Without such a word, more than two words have to stand together in the fact, and a negation
    in one of both tells something else: "Ben owes Anna" is a statement, whatever is known of Anna, Ben and who owes.
    So is what ends with what was done ("rent paid"), and with a number that the fact does not have behind these words.
    """
    said = [word for word in _words(turn.text) if word not in _folded("links")]
    named = [word for word in said if word not in _ASKING]
    begins_done = re.match(rf"(?:{_DONE.pattern}) (?:the|my|our|an?)\b", turn.text.casefold())  # "paid the rent"
    is_done = begins_done or (said and _DONE.fullmatch(said[-1]) and not turn.text.split()[-1].istitle())
    if not named or len(said) > MAX_WORDS or is_done or is_courtesy(turn.text):
        return None
    gives_number = any(sign.isdigit() for sign in said[-1])
    question = "" if _folded("sought_numbers").isdisjoint(said) else "which number"
    wanted, is_negated = AnswerForm(question, turn.local.date()), without_negation(turn.text)[0]

    def is_sought(known: str) -> bool:
        words = [word for word in _words(known) if word not in _folded("links")]
        if wanted.is_missing(known) or set(words) <= {*said} or (gives_number and not _follow(said, words)):
            return False
        is_apart = len(named) > MAX_APART and not _follow(named, words)
        if named == said and (is_apart or without_negation(known)[0] != is_negated):
            return False
        text = " ".join(word for word in words if not _DONE.fullmatch(word))  # of "is called", not of "call Lee"
        if question and _RUN.match(text):  # of "驾校教练电话", the fact may have but "教练", and a sign of the school's
            return all(word in words or (word[-2:] in text and word[0] in text) for word in named)
        return all(word in words or (beginning(word) != "" and beginning(word) in text) for word in named)

    found = await turn.agent.memory.recall(" ".join(named), scope=turn.scope, limit=limit)
    hits = tuple(
        replace(hit, relevance=max(hit.relevance, found.floor)) for hit in found.hits if is_sought(hit.content)
    )
    return replace(found, hits=hits) if hits else None


def names_a_kind(text: str) -> bool:
    """Return whether a text names a kind of thing and of what, but nothing that it is: "the number of the dentist".

    That is asked, whatever is known: there is nothing in it to be noted. "Wrong number" and "phone broken" may tell it.
    """
    words = _words(text)
    said = [word for word in words if word not in _folded("links")]
    is_linked = not _folded("of").isdisjoint(words[1:-1]) and len(said) == 2 and not _ASKING.isdisjoint(said)
    return is_linked and re.search(r"[\d.!:,;。！：，；]", text) is None and not grammar_patterns().copula.search(text)


def _words(text: str) -> Sequence[str]:
    """Return words; in scripts without spaces, what asks and what links is set apart from what is named."""
    parted = (filter(None, _APART.split(fold(token))) if _RUN.match(token) else [token] for token in tokens(text))
    return [fold(part) for token in chain.from_iterable(parted) for part in parts_of(token) or [token]]


def _follow(said: Sequence[str], words: Sequence[str]) -> bool:
    return f" {' '.join(said)} " in f" {' '.join(words)} "
