"""What one sentence does, told by how it begins and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory.capture.act import Act
from memory.capture.cues import Language, Questions
from memory.capture.languages import manners_of
from memory.capture.opening import Opening, idle, opening
from memory.capture.sentences import Sentence
from memory.language.scripts import HAN, HANGUL, KANA, MARKS, UNSPACED

_DRAWN_OUT = re.compile(r"([^\W\d])\1{2,}")
_QUOTED = re.compile(r'"[^"]*"')
_SAYS_SOMETHING = re.compile(
    rf"[\w{MARKS}](?!\w)[^\w{MARKS}]+\w|\d|[{HAN}]{{3}}|[{HAN}{KANA}{HANGUL}]{{4}}|[{UNSPACED}]{{8}}"
)
"""Two words, a number, or as many letters as two words have in a script that puts no spaces between them."""

_BY_WEIGHT = (Act.QUESTION, Act.REQUEST, Act.NOTE, Act.SMALL_TALK)
"""If a sentence may be in several languages and they see different things in it, the first of these."""


def act_of_sentence(sentence: Sentence, languages: Sequence[Language]) -> Act:
    """What one sentence does, in the languages that it may be in."""
    begun = opening(sentence.text, languages)
    rest = sentence.text[begun.end :]
    if not rest:
        return _courtesy(begun)
    for manners in manners_of(sentence.text, languages):
        passed = next(filter(None, (idle(text, manners) for text in _spoken(sentence.text, rest))), None)
        if passed:
            return Act.FAREWELL if passed is Act.FAREWELL and not begun.thanks else _courtesy(begun)
    if asks_to_keep(rest, languages):
        return Act.SMALL_TALK
    if asks_to_keep(_last_clause(sentence.text), languages):
        return Act.NOTE
    told = [_told(sentence, begun, language) for language in languages]
    return next(act for act in _BY_WEIGHT if act in told)


def _spoken(*texts: str) -> Iterator[str]:
    """Texts as they are, and, if a letter is drawn out, with it once and twice: "sooo", "jaaa"."""
    for text in texts:
        yield text
        if _DRAWN_OUT.search(text):
            yield _DRAWN_OUT.sub(r"\1", text)
            yield _DRAWN_OUT.sub(r"\1\1", text)


def asks_to_keep(clause: str, languages: Sequence[Language]) -> bool:
    """Whether a folded clause asks to remember what was said before it: "can you remember that"."""
    return any(language.orders.kept.fullmatch(clause) for language in languages)


def _courtesy(begun: Opening) -> Act:
    if begun.thanks:
        return Act.THANKS
    if begun.farewell:
        return Act.FAREWELL
    return Act.GREETING if begun.greeting else Act.SMALL_TALK


def _last_clause(text: str) -> str:
    """What follows the last pause in a folded sentence; empty if it has none."""
    pause = max(text.rfind(mark) for mark in ",;:–.")
    return text[pause + 1 :].lstrip() if pause > 0 else ""


def _told(sentence: Sentence, begun: Opening, language: Language) -> Act:
    """Whether what follows the courtesies is a note, a question or a request."""
    ordered = _ordered(sentence, begun, language)
    if ordered:
        return ordered
    if sentence.asked or _asks_unmarked(sentence, begun, language.questions):
        return Act.QUESTION
    return Act.NOTE if _SAYS_SOMETHING.search(sentence.text, begun.end) else Act.SMALL_TALK


def _ordered(sentence: Sentence, begun: Opening, language: Language) -> Act | None:
    """What an order asks for; None if the sentence is no order."""
    orders, text = language.orders, sentence.text[begun.order :]
    # A question mark makes a question of what has the form of an order, unless "can you" or "..., ok?" say otherwise.
    tag = orders.tag.search(text)
    plain = begun.polite or tag is not None or not sentence.asked
    to_oneself = plain and not _asks_within(text[: tag.start()] if tag else text, language.questions)
    alternatives = (
        (orders.keep, Act.NOTE, True),
        (orders.keep_bare, Act.NOTE, not sentence.asked),
        (orders.standing, Act.NOTE, to_oneself),
        (language.questions.look_up, Act.QUESTION, True),
        (orders.reminder, Act.NOTE, True),
        (orders.errand, Act.NOTE, to_oneself and not (begun.polite or begun.please)),
        (orders.rule, Act.NOTE, to_oneself),
        (orders.request, Act.REQUEST, plain),
    )
    act = next((act for pattern, act, applies in alternatives if applies and pattern.match(text)), None)
    if act or not begun.polite:
        return act
    return Act.QUESTION if orders.clause.search(text) else Act.REQUEST


def _asks_unmarked(sentence: Sentence, begun: Opening, questions: Questions) -> bool:
    """Whether a sentence asks something without a question mark."""
    text = sentence.text[begun.end :]
    if sentence.exclaimed or questions.no_question.match(text):
        return False
    # "Crazy, how fast she grows" wonders at something that it knows.
    begins = not begun.chatter and questions.question.match(text) is not None
    return begins or _asks_within(text, questions)


def _asks_within(text: str, questions: Questions) -> bool:
    """Whether a folded text asks something, wherever in it; what it quotes does not count."""
    return questions.asks.search(_QUOTED.sub("", text)) is not None
