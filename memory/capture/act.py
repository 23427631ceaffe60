"""What a message does: tell something, ask something, order something, or pass the time of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from memory.capture.cues import Cues, Language
from memory.capture.languages import every, languages_for
from memory.capture.notation import is_notation
from memory.capture.opening import Opening, is_idle, opening
from memory.capture.sentences import Sentence, ends_of, folded, sentences


class Act(StrEnum):
    """What is to be done about a message: a note is kept, a question is answered from memory, the rest is neither.

    A request is an order that takes a doer ("write me a poem"); to look something up is a question.
    """

    NOTE = "note"
    QUESTION = "question"
    GREETING = "greeting"
    THANKS = "thanks"
    SMALL_TALK = "small_talk"
    REQUEST = "request"


COURTESIES = (Act.THANKS, Act.GREETING, Act.SMALL_TALK)
"""What is neither kept nor answered nor done; the first of them outweighs the others."""

_QUOTED = re.compile(r'"[^"]*"')


def act_of(text: str) -> Act:
    """What a message does. A question outweighs a statement beside it, and both outweigh courtesies."""
    if is_notation(text):
        return Act.NOTE
    message = folded(ends_of(text))
    languages = languages_for(message)
    acts = [act_of_sentence(sentence, languages) for sentence in sentences(message)]
    if Act.QUESTION in acts:
        return Act.QUESTION
    # What follows a request is its material: "Write a card for her. She turns 60."
    matter = next((act for act in acts if act not in COURTESIES), None)
    return matter or next((act for act in COURTESIES if act in acts), Act.SMALL_TALK)


def act_of_sentence(sentence: Sentence, languages: Sequence[Language]) -> Act:
    """What one sentence does, in the languages that it may be in."""
    begun = opening(sentence.text, languages)
    rest = sentence.text[begun.end :]
    if not rest or any(is_idle(text, known.manners) for known in every() for text in (sentence.text, rest)):
        return _courtesy(begun)
    told = [_told(sentence, begun, language.cues) for language in languages]
    return next((act for act in (Act.QUESTION, Act.REQUEST) if act in told), Act.NOTE)


def _courtesy(begun: Opening) -> Act:
    if begun.thanks:
        return Act.THANKS
    return Act.GREETING if begun.greeting else Act.SMALL_TALK


def _told(sentence: Sentence, begun: Opening, cues: Cues) -> Act:
    """Whether what follows the courtesies is a note, a question or a request."""
    if _asks_to_keep(sentence.text, cues):
        return Act.NOTE
    ordered = _ordered(sentence, begun, cues)
    if ordered:
        return ordered
    if sentence.asked:
        return Act.QUESTION
    text = sentence.text[begun.end :]
    if sentence.exclaimed or cues.no_question.match(text):
        return Act.NOTE
    return Act.QUESTION if cues.question.match(text) or cues.asks.search(_QUOTED.sub("", text)) else Act.NOTE


def _ordered(sentence: Sentence, begun: Opening, cues: Cues) -> Act | None:
    """What an order asks for; None if the sentence is no order."""
    text = sentence.text[begun.order :]
    # A question mark makes a question of what has the form of an order, unless "can you" or "..., ok?" say otherwise.
    plain = begun.polite or not sentence.asked or cues.tag.search(text) is not None
    orders = (
        (cues.keep, Act.NOTE, True),
        (cues.keep_bare, Act.NOTE, not sentence.asked),
        (cues.look_up, Act.QUESTION, True),
        (cues.reminder, Act.NOTE, True),
        (cues.errand, Act.NOTE, plain and not begun.polite and not begun.please),
        (cues.rule, Act.NOTE, plain),
        (cues.request, Act.REQUEST, plain),
    )
    act = next((act for pattern, act, applies in orders if applies and pattern.match(text)), None)
    if act or not begun.polite:
        return act
    return Act.QUESTION if cues.clause.search(text) else Act.REQUEST


def _asks_to_keep(text: str, cues: Cues) -> bool:
    """Whether a folded sentence ends by asking to remember it: "..., can you remember that"."""
    clause = max(text.rfind(mark) for mark in ",;:–")
    return clause > 0 and cues.kept.fullmatch(text[clause + 1 :].lstrip()) is not None
