"""What a text shows besides its words: standing instructions, preferences, who speaks and who is spoken to.

A sentence that says how something should always be done, or what the speaker likes, shares few words with the request
that it is meant for, so it is told by how it is put: by the phrases of `lexicon/guidance.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from enum import IntFlag
from functools import cache
from importlib.resources import files


class TextFlags(IntFlag):
    """What a text shows besides its words."""

    NONE = 0
    STANDING = 1
    """A sentence says how something should always, or never, be done."""
    PREFERENCE = 2
    """A sentence says what the speaker prefers, likes or avoids."""
    FIRST_PERSON = 4
    """The speaker speaks of themself."""


GUIDING = TextFlags.STANDING | TextFlags.PREFERENCE


@cache
def _lists() -> dict[str, list[str]]:
    return tomllib.loads(files("memory.language").joinpath("lexicon", "guidance.toml").read_text(encoding="utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compile the alternatives of a list; those of `<name>_unspaced` count inside a run of letters, too."""
    lists = _lists()
    words = "|".join(lists[name])
    if name in _WHOLE_WORDS:
        return re.compile("|".join([rf"(?<!\w)(?:{words})\b", *lists[f"{name}_unspaced"]]))
    return re.compile(rf"(?<!\w)(?:{words})" if name == "preference" else words)


class _Openings(dict[str, int]):
    """Word to the flags of the phrases that may begin with it or, if standing, hold it; filled as words are met."""

    def __missing__(self, word: str) -> int:
        found = TextFlags.NONE
        if _pattern("preference_opening").fullmatch(word):
            found |= TextFlags.PREFERENCE
        if _pattern("first_person_opening").fullmatch(word):
            found |= TextFlags.FIRST_PERSON
        if _pattern("standing_word").fullmatch(word):
            found |= TextFlags.STANDING
        if len(self) >= _CACHED_WORDS:
            self.clear()
        self[word] = found.value
        return found.value


_STANDING, _PREFERRING, _SPEAKING = (
    frozenset(flags for flags in range(8) if flags & one)
    for one in (TextFlags.STANDING, TextFlags.PREFERENCE, TextFlags.FIRST_PERSON)
)
"""The values of `_Openings` that have a flag."""
_CACHED_WORDS = 100_000
_OPENINGS = _Openings()
_WORD = re.compile(r"\w+")
_WHOLE_WORDS = frozenset({"first_person", "turns_to_agent"})
# (It begins with a set, not a choice: the engine then passes over most places at once.)
_SENTENCE_END = re.compile(r"[.!?؟。！？\n](?:(?<=\n)|(?<=[.!?؟])(?=\s)|(?<=[。！？])[。！？]*)")
_LABEL = re.compile(r"(?:[-*+>#]+\s+)*(?:\*\*|__)?[^\W\d_][^:：\n.!?]{0,39}[:：](?:\*\*|__)?\s*")
_EDGES = " -*_>#\t\n\"'“”„«»「」（("


def text_flags(text: str) -> TextFlags:
    """Return what a text shows; labels such as `Anna:` before a line are passed over."""
    lower = text.lower()
    # Most words begin no such phrase, and most texts have none that does: these need not be searched.
    may = {*map(_OPENINGS.__getitem__, _WORD.findall(lower))}
    found = TextFlags.NONE
    if (not may.isdisjoint(_SPEAKING) and _pattern("first_person").search(lower)) or _unspaced("first_person", lower):
        found = TextFlags.FIRST_PERSON
    if (not may.isdisjoint(_PREFERRING) and _pattern("preference").search(lower)) or _unspaced("preference", lower):
        found |= TextFlags.PREFERENCE
    if (not may.isdisjoint(_STANDING) or not lower.isascii()) and any(
        map(_pattern("standing").match, _sentences(lower))
    ):
        found |= TextFlags.STANDING
    return found


def guiding_sentences(text: str) -> list[str]:
    """Return the sentences of a text that are guidance, in order."""
    return [one for one in _sentences(text) if _pattern("standing").match(one.lower()) or _says_preference(one.lower())]


def _says_preference(lower: str) -> bool:
    return bool(_pattern("preference").search(lower)) or _unspaced("preference", lower)


def _unspaced(name: str, lower: str) -> bool:
    """Check for the phrases of a list that count inside a run of letters."""
    return not lower.isascii() and _pattern(f"{name}_unspaced").search(lower) is not None


def _sentences(text: str) -> Iterator[str]:
    start = 0
    is_labelled = ":" in text or "：" in text
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end].strip(_EDGES)
        start = end
        label = _LABEL.match(sentence) if is_labelled else None
        if bare := sentence[label.end() :] if label else sentence:
            yield bare


def is_first_person(text: str) -> bool:
    """Check whether somebody speaks of themself."""
    return _pattern("first_person").search(text.lower()) is not None


def turns_to_agent(question: str) -> bool:
    """Check whether a question addresses whoever answers it, or asks for advice: then it matters how the asker likes
    it.
    """
    return _pattern("turns_to_agent").search(question.lower()) is not None
