"""What comes before the matter of a sentence: greeting, thanks, "ok", "please", "can you"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.capture.act import Act
from memory.capture.cues import Language, Manners
from memory.capture.languages import manners_beside
from memory.capture.phrases import Pattern

_PAUSE = " ,.!?:;…~〜–—-、。¿¡"
_ADDRESSEE = re.compile(
    r" *,? *(?:(?:my|dear|old|mein[er]?|liebe[rs]?|alter?) )*(?:[a-zà-öø-ÿ]|(?<=[ ,])[ά-ώа-я]){1,20}(?= *[,!:;–—]| *$)"
)
_CLAUSE_END = re.compile("[,.!?:;…]")
_ROUNDS = 8
"""Courtesies that are read before a sentence; nobody says more."""


@dataclass(slots=True)
class Opening:
    """How far the courtesies at the beginning of a sentence reach, and which they were.

    Attributes:
        end: where the matter begins.
        courteous: where the last greeting, goodbye or thanks end.
        order: where the matter begins without "can you", which may belong to it.
        greeting, farewell, thanks, please, polite: what was found; a farewell counts as a greeting, too, and `polite`
            is "can you".
        chatter: whether the last thing before the matter was chatter: "crazy, how fast she grows" is no question.
    """

    end: int = 0
    courteous: int = 0
    order: int = 0
    greeting: bool = False
    farewell: bool = False
    thanks: bool = False
    please: bool = False
    polite: bool = False
    chatter: bool = False


def opening(text: str, languages: Sequence[Language]) -> Opening:
    """Read the courtesies that a folded sentence begins with; greetings and thanks may be in any language."""
    found = Opening()
    for _ in range(_ROUNDS):
        if found.end == len(text) or not _read_on(text, found, languages):
            break
    polite = longest((language.orders.polite for language in languages), text, found.end)
    found.polite = polite > found.end
    found.order = skip(text, polite)
    return found


def _read_on(text: str, found: Opening, languages: Sequence[Language]) -> bool:
    """Read one more courtesy; whether there was one."""
    start = found.end
    own = [language.manners for language in languages]
    others = manners_beside(text)
    parted = longest((manners.farewell for manners in others), text, start)
    greeted = max(parted, longest((manners.greeting for manners in others), text, start))
    thanked = longest((manners.thanks for manners in others), text, start)
    if max(greeted, thanked) == len(text) > start:
        own = []
    pleased = longest((manners.please for manners in own), text, start)
    filled = longest((manners.filler for manners in own), text, start)
    chatted = _before_pause(text, longest((manners.chatter for manners in own), text, start))
    end = max(greeted, thanked, pleased, filled, chatted)
    found.greeting |= start < greeted == end
    found.farewell |= start < parted == end
    found.thanks |= start < thanked == end
    found.please |= start < pleased == end
    if start < end:
        found.chatter = end == chatted and end not in {greeted, thanked, pleased, filled}
    if start < end and end in {greeted, thanked}:
        addressed = _ADDRESSEE.match(text, end)
        end = addressed.end() if addressed else end
        found.courteous = skip(text, end)
    found.end = skip(text, end)
    return end > start


def idle(text: str, manners: Manners) -> Act | None:
    """What a folded sentence of nothing but one language's courtesies and chatter does; None if it says more."""
    if manners.about_agent.fullmatch(text):
        return Act.SMALL_TALK
    at, farewell = 0, False
    for _ in range(2 * _ROUNDS):
        parted = longest((manners.farewell,), text, at)
        end = max(parted, longest((manners.chatter, manners.thanks), text, at))
        if at == 0 or text[at - 1] in _PAUSE:
            end = max(end, longest((manners.greeting,), text, at))
        pause = _pause_after(text, at)
        if manners.about_agent.fullmatch(text, at, pause):
            end = max(end, pause)
        end = max(end, _before_pause(text, longest((manners.filler,), text, at)))
        if end == at:
            return None
        farewell |= end == parted
        at = skip(text, end)
        if at == len(text):
            return Act.FAREWELL if farewell else Act.SMALL_TALK
    return None


def longest(patterns: Iterable[Pattern], text: str, start: int) -> int:
    """Where the longest match of any of the patterns at `start` ends; `start` if there is none."""
    return max((match.end() for pattern in patterns if (match := pattern.match(text, start))), default=start)


def skip(text: str, at: int) -> int:
    """The next place that is neither a space nor a pause."""
    while at < len(text) and text[at] in _PAUSE:
        at += 1
    return at


def _pause_after(text: str, at: int) -> int:
    """Where the clause that begins at `at` ends."""
    pause = _CLAUSE_END.search(text, at)
    return pause.start() if pause else len(text)


def _before_pause(text: str, end: int) -> int:
    """`end` if the sentence pauses there; else 0."""
    return end if text[end : end + 1] in tuple(",.!;:…") else 0
