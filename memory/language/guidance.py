"""What a text shows besides its words: standing instructions, preferences, who speaks and who is spoken to.

A sentence that says how something should always be done, or what the speaker likes, shares few words with the request
that it is meant for, so it is recognised by its wording: by the phrases of `lexicon/guidance.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import IntFlag
from functools import cache

from memory.language.words import read_lists


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
_FILE = ("memory.language", "lexicon", "guidance.toml")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compile the alternatives of a list; those of `<name>_unspaced` count inside a run of letters, too."""
    lists = read_lists(*_FILE)
    words = "|".join(lists[name])
    if name in _WHOLE_WORDS:
        return re.compile("|".join([rf"(?<!\w)(?:{words})\b", *lists[f"{name}_unspaced"]]))
    return re.compile(rf"(?<!\w)(?:{words})" if name == "preference" else words)


class _Openings(dict[str, int]):
    """Words to the flags of the phrases that may begin with one or, if standing, hold one; filled as they are met."""

    def __missing__(self, token: str) -> int:
        lower = token.lower()
        found = self[lower] if lower != token else _opened_by(token)
        if len(self) >= _CACHED_WORDS:
            self.clear()
        self[token] = found
        return found


_OPENING = {
    "preference_opening": TextFlags.PREFERENCE.value,
    "first_person_opening": TextFlags.FIRST_PERSON.value,
    "standing_word": TextFlags.STANDING.value,
}


@cache
def _opening() -> re.Pattern[str]:
    return re.compile("|".join(alternative for name in _OPENING for alternative in read_lists(*_FILE)[name]))


def _opened_by(token: str) -> int:
    flags = 0
    for word in [token] if token.isalnum() else _WORD.findall(token):
        if _opening().fullmatch(word):
            flags |= sum(flag for name, flag in _OPENING.items() if _pattern(name).fullmatch(word))
    return flags


_STANDING, _PREFERRING, _SPEAKING = (
    frozenset(flags for flags in range(8) if flags & one)
    for one in (TextFlags.STANDING, TextFlags.PREFERENCE, TextFlags.FIRST_PERSON)
)
"""The values of `_Openings` that have a flag."""
_NONE = TextFlags.NONE  # a look into an enumeration takes as long as one into a dictionary of all words
_CACHED_WORDS = 100_000
_OPENINGS = _Openings()
_NOTHING = frozenset({_NONE.value})
_WORD = re.compile(r"\w+")
_WHOLE_WORDS = frozenset({"first_person", "turns_to_agent"})
# (It begins with a set, not a choice: the engine then passes over most places at once.)
_SENTENCE_END = re.compile(r"[.!?؟。！？\n](?:(?<=\n)|(?<=[.!?؟])(?=\s)|(?<=[。！？])[。！？]*)")
_LABEL = re.compile(r"(?:[-*+>#]+\s+)*(?:\[[^]]*\] ?)?(?:\*\*|__)?[^\W\d_][^:：\n.!?]{0,39}[:：](?:\*\*|__)?\s*")
_EDGES = " -*_>#\t\n\"'“”„«»「」（("


def text_flags(text: str, words: Collection[str] = ()) -> TextFlags:
    """Return what a text shows; labels such as `Anna:` before a line are passed over.

    `words` are all of its words, in any case, if they are at hand; others may be among them, and several be joined.
    """
    # Most words begin no such phrase, and most texts have none that does: these need not be searched.
    is_plain = text.isascii()
    may = {*map(_OPENINGS.__getitem__, words if words and is_plain and "_" not in text else _WORD.findall(text))}
    if is_plain and may <= _NOTHING:
        return _NONE
    lower = text.lower()
    flags = _NONE
    if (not may.isdisjoint(_SPEAKING) and _pattern("first_person").search(lower)) or _unspaced("first_person", lower):
        flags = TextFlags.FIRST_PERSON
    if (not may.isdisjoint(_PREFERRING) and _pattern("preference").search(lower)) or _unspaced("preference", lower):
        flags |= TextFlags.PREFERENCE
    if (not is_plain or not may.isdisjoint(_STANDING)) and any(map(_pattern("standing").match, _sentences(lower))):
        flags |= TextFlags.STANDING
    return flags


def guiding_sentences(text: str) -> list[str]:
    """Return the sentences of a text that are guidance, in order."""
    standing, preference = _pattern("standing"), _pattern("preference")
    return [
        sentence
        for sentence in _sentences(text)
        if standing.match(lower := sentence.lower()) or preference.search(lower) or _unspaced("preference", lower)
    ]


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
    """Check whether a question addresses its answerer, or asks for advice: then it matters how the asker likes it."""
    return _pattern("turns_to_agent").search(question.lower()) is not None
