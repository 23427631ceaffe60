"""Questions for all that is remembered of somebody: "what do you know about me?", "tell me about Alice"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from memory.capture.lexicon import read_toml
from memory.capture.sentences import fold

ME = ""
"""The subject of a question that somebody asks about themself."""
MAX_CHARS = 120
"""Characters of a message that can be such a question."""
MAX_NAME_WORDS = 4

_CLOSING = " .!?。！？，,"


def subject_of(text: str) -> str | None:
    """Return whom a question for all that is remembered is about, as it is written there.

    `ME` if it is the person who asks, None for any other message. Whether anything is known of them is not looked up.
    """
    bare = text.strip().rstrip(_CLOSING)
    if not bare or len(bare) > MAX_CHARS or "\n" in bare:
        return None
    simple = fold(bare)
    for selves, asks in _phrases():
        for pattern in asks:
            question = pattern.fullmatch(simple)
            if question is None:
                continue
            if question["who"] in selves:
                return ME
            name = bare[question.start("who") : question.end("who")].strip(" \"'“”„‘’«»")
            if 0 < len(name.split()) <= MAX_NAME_WORDS:
                return name
    return None


@cache
def _phrases() -> tuple[tuple[frozenset[str], tuple[re.Pattern[str], ...]], ...]:
    """Return, for each language, how one names oneself, and the patterns of the questions."""
    phrases = []
    for table in read_toml("subjects").values():
        if isinstance(table, Mapping):
            selves = str(table["self"])
            asks = (str(question).replace("{who}", "(?P<who>.{1,60}?)") for question in table["asks"])
            phrases.append((frozenset(selves.split("|")), tuple(map(re.compile, asks))))
    return tuple(phrases)
