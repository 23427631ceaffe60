"""What a message does: tell something, ask something, order something, or pass the time of day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memory.capture.grammar import values
from memory.capture.languages import languages_for, small_talk_beside, small_talk_of
from memory.capture.lexicon import LanguagePatterns, Questions, SmallTalk
from memory.capture.sentences import Sentence, ends_of, fold, is_notation, sentences, simplify
from memory.language.detect import COMBINING, HAN, HANGUL, KANA, UNSPACED
from memory.language.patterns import Pattern


class Act(StrEnum):
    """What is to be done about a message: a note is kept, a question is answered from memory, the rest is neither.

    A request is an order that takes a doer ("write me a poem"); to look something up is a question.
    """

    NOTE = "note"
    QUESTION = "question"
    GREETING = "greeting"
    FAREWELL = "farewell"
    THANKS = "thanks"
    SMALL_TALK = "small_talk"
    REQUEST = "request"


COURTESIES = (Act.THANKS, Act.FAREWELL, Act.GREETING, Act.SMALL_TALK)
"""What is neither kept nor answered nor done; the first of them outweighs the others."""

_LISTED = Pattern(r"(?:^|\n) *(?:[-*•・]|\d{1,2}[.)]) *\w[^\n]*\n *(?:[-*•・]|\d{1,2}[.)]) *\w")
"""Two lines of a list: however short they are, they are more than small talk."""

_CLAUSE_SPACE = Pattern(rf"(?<=[{HAN}]{{3}}) (?=[{HAN}]{{3}})")
"""Where many who write Chinese begin another sentence: they type a space for the full stop."""


def act_of(text: str) -> Act:
    """Classify a message. A question outweighs a statement beside it, and both outweigh courtesies."""
    return Act.NOTE if is_notation(text) else _act_of(fold(simplify(ends_of(text))))


@lru_cache(maxsize=128)  # a message is asked about when it is answered, and when its conversation is written down
def _act_of(message: str) -> Act:
    acts = [act for _, act in _classify(message)]
    if Act.QUESTION in acts:
        return Act.QUESTION
    # What follows a request is its material: "Write a card for her. She turns 60."
    matter = next((act for act in acts if act not in COURTESIES), None)
    if matter is None and _LISTED.search(message):
        return Act.NOTE
    return matter or next((act for act in COURTESIES if act in acts), Act.SMALL_TALK)


def _classify(message: str) -> list[tuple[Sentence, Act]]:
    """Classify each sentence of a folded message; a question that announces what follows it belongs to that."""
    languages = languages_for(message)
    acts = []
    for one in sentences(message):
        prefix = read_prefix(one.text, languages)
        start = one.start + prefix.end
        announces = one.asked and any(language.questions.announces.match(message, start) for language in languages)
        acts.append((one, Act.NOTE if announces else classify_sentence(one, prefix, languages)))
    return acts


def parts_of(text: str) -> tuple[str, str, bool]:
    """Part a message into what it tells and what it asks, each as it stands there; nothing or all of it is asked.

    A question before a statement belongs to it: "Do you know Ute? She lives in Kassel. She has a dog." Last comes
    whether what is told stands by itself: in more than one sentence, or in one on a line of its own that gives a name,
    a time or a number. Any other may but lead up, or be pasted ("I lost the code. What is it?", "From: Ana").
    """
    acts = _classify(_CLAUSE_SPACE.sub("。", fold(text)))
    asking = [sentence for sentence, act in acts if act is Act.QUESTION]
    telling = [sentence for sentence, act in acts if act is Act.NOTE]
    statement = text[: telling[-1].end].strip() if asking and telling else ""
    question = " ".join(text[sentence.start : sentence.end].strip() for sentence in asking) or text
    is_line = bool(statement) and "\n" in text[telling[-1].start : asking[0].start]
    is_fact = is_line and statement.endswith((".", "!", "。", "！")) and bool(values(statement))  # nor "I wonder."
    return statement, question, is_fact or (bool(statement) and len(telling) > 1)


def is_asked(text: str) -> bool:
    """Check whether a message has the form of a question, be it small talk or not: "who are you"."""
    languages = languages_for(message := fold(simplify(ends_of(text))))
    prefixed = ((sentence, read_prefix(sentence.text, languages)) for sentence in sentences(message))
    return any(_asks(sentence, prefix, language) for sentence, prefix in prefixed for language in languages)


def is_courtesy(text: str) -> bool:
    """Check whether a message is courtesies and chatter: "thanks", "never mind"; a word that names a thing is not."""
    message = fold(simplify(ends_of(text)))
    rest = message[read_prefix(message, languages_for(message)).end :]
    talks = small_talk_of(message, languages_for(message))
    return not rest or any(read_small_talk(spelled, talk) for talk in talks for spelled in _spellings(message, rest))


_DRAWN_OUT = re.compile(r"([^\W\d])\1{2,}")
_QUOTED = re.compile(r'"[^"]*"')
_SAYS_SOMETHING = Pattern(
    rf"[\w{COMBINING}](?!\w)[^\w{COMBINING}]+\w|\d|[{HAN}]{{3}}|[{HAN}]{{2}}[a-z]+[{HAN}]|[a-z]{{3}}[{HAN}]了|[{HAN}{KANA}{HANGUL}]{{4}}|[{UNSPACED}]{{8}}"
)
"""Two words, a number, or as many letters as two words have in a script that puts no spaces between them."""
_BY_WEIGHT = (Act.QUESTION, Act.REQUEST, Act.NOTE, Act.SMALL_TALK)
"""If a sentence may be in several languages and they see different things in it, the first of these."""


def classify_sentence(sentence: Sentence, prefix: PolitePrefix, languages: Sequence[LanguagePatterns]) -> Act:
    """Classify one sentence in the languages that it may be in."""
    rest = sentence.text[prefix.end :]
    if not rest:
        return _courtesy(prefix)
    for talk in small_talk_of(sentence.text, languages):
        if act := next(filter(None, (read_small_talk(text, talk) for text in _spellings(sentence.text, rest))), None):
            return Act.FAREWELL if act is Act.FAREWELL and not prefix.thanks else _courtesy(prefix)
    if _asks_to_keep(rest, languages):
        return Act.SMALL_TALK
    pause = max(sentence.text.rfind(mark) for mark in ",;:–.、¿")
    if _asks_to_keep(sentence.text[pause + 1 :].lstrip(_PAUSE) if pause > 0 else "", languages):
        return Act.NOTE
    acts = [classify_statement(sentence, prefix, language) for language in languages]
    return next(act for act in _BY_WEIGHT if act in acts)


def _spellings(*texts: str) -> Iterator[str]:
    """Yield texts as they are, and, if a letter is drawn out, with it once and twice: "sooo", "jaaa"."""
    for text in texts:
        yield text
        if _DRAWN_OUT.search(text):
            yield _DRAWN_OUT.sub(r"\1", text)
            yield _DRAWN_OUT.sub(r"\1\1", text)


def _asks_to_keep(clause: str, languages: Sequence[LanguagePatterns]) -> bool:
    """Check whether a folded clause asks to remember what was said before it: "can you remember that"."""
    return any(language.imperatives.kept.fullmatch(clause) for language in languages)


def _courtesy(prefix: PolitePrefix) -> Act:
    if prefix.thanks:
        return Act.THANKS
    if prefix.farewell:
        return Act.FAREWELL
    return Act.GREETING if prefix.greeting else Act.SMALL_TALK


def classify_statement(sentence: Sentence, prefix: PolitePrefix, language: LanguagePatterns) -> Act:
    """Classify what follows the courtesies, in one language: a note, a question, a request or small talk."""
    if act := classify_imperative(sentence, prefix, language):
        return act
    if _asks(sentence, prefix, language):
        return Act.QUESTION
    return Act.NOTE if _SAYS_SOMETHING.search(sentence.text, prefix.end) else Act.SMALL_TALK


def _asks(sentence: Sentence, prefix: PolitePrefix, language: LanguagePatterns) -> bool:
    """Check whether what follows the courtesies asks something, with a question mark or without one."""
    text, questions = sentence.text[prefix.end :], language.questions
    if sentence.asked or sentence.exclaimed or questions.no_question.match(text):
        return sentence.asked
    # "Crazy, how fast she grows" wonders at something that it knows.
    return (not prefix.chatter and questions.question.match(text) is not None) or _asks_within(text, questions)


def classify_imperative(sentence: Sentence, prefix: PolitePrefix, language: LanguagePatterns) -> Act | None:
    """Classify an order; None if the sentence is none."""
    orders, text = language.imperatives, sentence.text[prefix.order :]
    # A question mark makes a question of what has the form of an order, unless "can you" or "..., ok?" say otherwise.
    tag = orders.tag.search(text)
    plain = prefix.polite or tag is not None or not sentence.asked
    to_oneself = plain and not _asks_within(text[: tag.start()] if tag else text, language.questions)
    alternatives = (
        (orders.keep, Act.NOTE, True),
        (orders.keep_bare, Act.NOTE, not sentence.asked),
        (orders.standing, Act.NOTE, to_oneself),
        (language.questions.look_up, Act.QUESTION, True),
        (orders.reminder, Act.NOTE, True),
        (orders.errand, Act.NOTE, to_oneself and not (prefix.polite or prefix.please)),
        (orders.rule, Act.NOTE, to_oneself),
        (orders.request, Act.REQUEST, plain),
    )
    act = next((act for pattern, act, applies in alternatives if applies and pattern.match(text)), None)
    if act or not prefix.polite:
        return act
    return Act.QUESTION if orders.clause.search(text) else Act.REQUEST


def _asks_within(text: str, questions: Questions) -> bool:
    """Check whether a folded text asks something, wherever in it; what it quotes does not count."""
    return questions.asks.search(_QUOTED.sub("", text)) is not None


_PAUSE = " ,.!?:;…~〜–—-、。¿¡"
_ADDRESSEE = re.compile(
    r" *,? *(?:(?:my|dear|old|mein[er]?|liebe[rs]?|alter?|mi|mon|ma|cher|chère|querid[oa]|мо[йяё]|дорог(?:ой|ая)) )*"
    r"(?:[a-zà-öø-ÿœ]{1,20}|(?<=[ ,])[ά-ώа-яё]{1,20})(?= *[,!:;–—]| *$)"
)
_CLAUSE_END = re.compile("[,.!?:;…]")
_MAX_COURTESIES = 8
"""Courtesies that are read before a sentence; nobody says more."""


@dataclass(slots=True)
class PolitePrefix:
    """What comes before the matter of a sentence: greeting, thanks, "ok", "please", "can you".

    Attributes:
        end: where the matter begins.
        order: where the matter begins without "can you", which may belong to it.
        greeting, farewell, thanks, please, polite: what was found; a farewell counts as a greeting, too, and `polite`
            is "can you".
        chatter: whether the last thing before the matter was chatter: "crazy, how fast she grows" is no question.
    """

    end: int = 0
    order: int = 0
    greeting: bool = False
    farewell: bool = False
    thanks: bool = False
    please: bool = False
    polite: bool = False
    chatter: bool = False


def read_prefix(text: str, languages: Sequence[LanguagePatterns]) -> PolitePrefix:
    """Read the courtesies that a folded sentence begins with; greetings and thanks may be in any language."""
    prefix = PolitePrefix()
    for _ in range(_MAX_COURTESIES):
        if prefix.end == len(text) or not _read_courtesy(text, prefix, languages):
            break
    prefix.order = prefix.end
    if prefix.end < len(text):
        polite = _longest((language.imperatives.polite for language in languages), text, prefix.end)
        prefix.polite = polite > prefix.end
        prefix.order = _skip_pause(text, polite)
    return prefix


def _read_courtesy(text: str, prefix: PolitePrefix, languages: Sequence[LanguagePatterns]) -> bool:
    """Read one more courtesy; whether there was one."""
    start = prefix.end
    own = [language.small_talk for language in languages]
    parted = greeted = thanked = start
    # The likeliest language first: one that understands the whole text spares the others from being compiled.
    for talk in sorted(small_talk_beside(text), key=lambda talk: talk not in own):
        parted = max(parted, _longest((talk.farewell,), text, start))
        greeted = max(parted, greeted, _longest((talk.greeting,), text, start))
        thanked = max(thanked, _longest((talk.thanks,), text, start))
        if max(greeted, thanked) == len(text):
            own = []
            break
    pleased = _longest((talk.please for talk in own), text, start)
    filled = _longest((talk.filler for talk in own), text, start)
    chatted = _before_pause(text, _longest((talk.chatter for talk in own), text, start))
    end = max(greeted, thanked, pleased, filled, chatted)
    prefix.greeting |= start < greeted == end
    prefix.farewell |= start < parted == end
    prefix.thanks |= start < thanked == end
    prefix.please |= start < pleased == end
    if start < end:
        prefix.chatter = end == chatted and end not in {greeted, thanked, pleased, filled}
        if end in {greeted, thanked} and (addressed := _ADDRESSEE.match(text, end)):
            end = addressed.end()
    prefix.end = _skip_pause(text, end)
    return end > start


def read_small_talk(text: str, talk: SmallTalk) -> Act | None:
    """Classify a folded sentence of nothing but one language's courtesies and chatter; None if it says more."""
    if talk.about_agent.fullmatch(text):
        return Act.SMALL_TALK
    at, farewell = 0, False
    for _ in range(2 * _MAX_COURTESIES):
        parted = _longest((talk.farewell,), text, at)
        end = max(parted, _longest((talk.chatter, talk.thanks), text, at))
        if at == 0 or text[at - 1] in _PAUSE:
            end = max(end, _longest((talk.greeting,), text, at))
        clause_end = stop.start() if (stop := _CLAUSE_END.search(text, at)) else len(text)
        if talk.about_agent.fullmatch(text, at, clause_end):
            end = max(end, clause_end)
        end = max(end, _before_pause(text, _longest((talk.filler,), text, at)))
        if end == at:
            return None
        farewell |= end == parted
        at = _skip_pause(text, end)
        if at == len(text):
            return Act.FAREWELL if farewell else Act.SMALL_TALK
    return None


def _longest(patterns: Iterable[Pattern], text: str, start: int) -> int:
    """Find where the longest match of any of the patterns at `start` ends; `start` if there is none."""
    return max((match.end() for pattern in patterns if (match := pattern.match(text, start))), default=start)


def _skip_pause(text: str, at: int) -> int:
    """Return the next place that is neither a space nor a pause."""
    return len(text) - len(text[at:].lstrip(_PAUSE))


def _before_pause(text: str, end: int) -> int:
    """Return `end` if the sentence pauses there; else 0."""
    return end if text[end : end + 1] in tuple(",.!;:…") else 0
