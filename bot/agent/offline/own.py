"""What people have told of themselves, found by what is asked of it: home, name, job, school, debts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from bot.agent.offline.closest import asked_about
from bot.agent.offline.words import CLAUSE_END, without_courtesies, word_list
from bot.turn import Turn
from memory import Hit, Origin, Recall
from memory.capture.corrections import without_negation
from memory.capture.grammar import grammar_patterns
from memory.index.terms import parts_of, tokens
from memory.knowledge.reflection.stance import base_of
from memory.language.detect import HAN
from memory.language.words import ALL_STOP_WORDS, alternatives

MAX_JOBS, MAX_DEBTS = 3, 8
"""So many are shown."""

MAX_OWN_FACTS = 64
"""Facts with the words of any language for one's own name or home, among which the newest is looked for."""

_NAME = (
    r"(?:[A-ZÀ-ÞА-ЯЁ]|(?<! me )(?<!called )(?<!mich )(?<!moi )(?<!llámame )[a-zß-ÿа-яё]+[.!]?$"
    rf"|(?![了他她它你人车外])[{HAN}]{{1,4}}(?!\w))"
)
"""A name behind "my name is" has a capital letter, or nothing follows it; "call me tomorrow" tells none."""

_LEARNS = re.compile("|".join(word_list("own_schools")), re.IGNORECASE)

OWED = re.compile("|".join(word_list("owed")), re.IGNORECASE)
"""What tells of a debt."""
_WAYS = [re.compile("|".join(word_list(way)), re.IGNORECASE) for way in ("i_owe", "owed_to_me")]
"""What tells of one's own debts, and of those of others."""
_LENT_OR_OWED = re.compile(f"{OWED.pattern}|{alternatives(word_list('lent'))}", re.IGNORECASE)


async def with_own(turn: Turn, asked: str, found: Recall) -> Recall:
    """Put what is told of who asks in the place of what was found, where a question asks for such a thing."""
    own, question = list[Hit](), without_courtesies(asked)
    if question in word_list("home_questions"):
        newest = (await _own_facts(turn, "own_homes", _begins("own_homes")))[:1]
        own = [hit for hit in newest if not found.answers or hit.noted > found.answers[0].noted]
        own += [hit for hit in found.hits if hit.id not in {one.id for one in own}]
    elif question in word_list("name_questions"):  # no word of it tells which name
        own = (await _own_facts(turn, "own_names", _begins("own_names", then=_NAME)))[:1]
    elif question in word_list("job_questions"):  # nor whose job; of jobs one may have several
        own = (await _own_facts(turn, "own_jobs", _is_own_job))[:MAX_JOBS]
    elif question in word_list("school_questions"):
        own = (await _own_facts(turn, "learning", _LEARNS.match))[:1]
    elif _asks_for_debts(asked):
        debts = await _own_facts(turn, "debts", _LENT_OR_OWED.search)
        own = [hit for hit in debts if not _is_other_way(asked, hit.content)][:MAX_DEBTS]
        found = replace(found, hits=()) if debts else found
    return replace(found, hits=tuple(own)) if own else found


def _begins(said: str, then: str = "") -> Callable[[str], object]:
    """Return what checks that a fact begins as one tells of oneself, and that what follows matches a pattern."""
    return re.compile(rf"(?i:{alternatives(word_list(said))}){then}").match


def _asks_for_debts(question: str) -> bool:
    """Return whether a question asks for all that is owed or lent: "do I still owe anybody money"."""
    words = alternatives(word_list("debts") | word_list("of_debts"))
    parts = [part.casefold() for token in tokens(question) for part in parts_of(token) or [token]]
    said = [part for part in parts if part not in ALL_STOP_WORDS]
    are_general = not any(asked_about(question)) and all(re.fullmatch(f"(?:{words})+", part) for part in said)
    return are_general and any(one in part for part in said for one in word_list("debts"))


def _is_other_way(question: str, debt: str) -> bool:
    """Return whether a question asks who owes something to whom, and a debt is to the one who asked for theirs."""
    asked, told = ([bool(way.search(text)) for way in _WAYS] for text in (question, debt))
    return True in asked and asked == told[::-1] and asked != told


def _is_own_job(text: str) -> bool:
    base = base_of(text)
    return base is not None and base.is_job and not base.whose and grammar_patterns().first.match(text) is not None


async def _own_facts(turn: Turn, said: str, tells: Callable[[str], object]) -> list[Hit]:
    """Return the facts that `tells` of who asks, newest first, found by the words in which such a thing is `said`."""
    words = sorted({word for one in word_list(said) for word in one.split()})
    query, memory = " ".join(words), turn.agent.memory
    named = await memory.recall(query, scope=turn.scope, limit=MAX_OWN_FACTS, by_words=True)
    given = [hit for hit in named.hits if tells(hit.content) and hit.until in {None, "", hit.since}]
    given = [hit for hit in given if hit.origin is not Origin.GUEST or turn.origin is Origin.GUEST]
    own = [hit for hit in given if not without_negation(CLAUSE_END.split(hit.content, maxsplit=1)[0])[0]]
    return [replace(hit, relevance=1.0) for hit in sorted(own, key=lambda hit: hit.noted, reverse=True)]
