"""English stems by Snowball's algorithm, written for this one language: the same stems in a fifth of the time.

M. F. Porter (2002), "The English (Porter2) stemming algorithm", as Snowball 3.1 has it, whose steps are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_WHOLE = {
    **{word: word for word in "andes atlas bias cosmos howe news sky".split()},
    "early": "earli", "gently": "gentl", "idly": "idl", "only": "onli", "singly": "singl", "skies": "sky",
    "skis": "ski", "ugly": "ugli",
}  # fmt: skip
"""Words with a stem of their own."""
_SHORTEST = 3
"""Letters of a word that may lose some."""

_VOWELS = frozenset("aeiouy")
_NOT_AFTER_SHORT = _VOWELS | frozenset("wxY")
_VOWEL_Y = re.compile("[aeiouy]y")
_REGION = re.compile("[^aeiouy]*[aeiouy]+[^aeiouy]")
_BEGINNING = re.compile("arsen|commun|emerg|gener|inter|later|organ|past|univers")

_POSSESSIVES = ("'s'", "'s", "'")
_PAST = ("eedly", "ingly", "edly", "eed", "ing", "ed")
_WITH_EED = frozenset("exc proc succ".split())
_WITH_ING = frozenset("cann earr even herr inn out".split())
_DOUBLES = frozenset("bb dd ff gg mm nn pp rr tt".split())

_Endings = Mapping[str, list[tuple[str, str]]]


def _by_last_letters(endings: Mapping[str, str]) -> _Endings:
    """Order endings and what stands in their place by their last two letters, the longest first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for ending in sorted(endings, key=len, reverse=True):
        found.setdefault(ending[-2:], []).append((ending, endings[ending]))
    return found


_STEP_2 = _by_last_letters({
    "abli": "able", "alism": "al", "aliti": "al", "alli": "al", "anci": "ance", "ation": "ate", "ational": "ate",
    "ator": "ate", "biliti": "ble", "bli": "ble", "enci": "ence", "entli": "ent", "fulli": "ful", "fulness": "ful",
    "iveness": "ive", "iviti": "ive", "ization": "ize", "izer": "ize", "lessli": "less", "li": "", "ogi": "og",
    "ogist": "og", "ousli": "ous", "ousness": "ous", "tional": "tion",
})  # fmt: skip
_STEP_3 = _by_last_letters({
    "alize": "al", "ational": "ate", "ative": "", "ful": "", "icate": "ic", "ical": "ic", "iciti": "ic", "ness": "",
    "tional": "tion",
})  # fmt: skip
_STEP_4 = _by_last_letters(
    dict.fromkeys("able al ance ant ate ement ence ent er ible ic ion ism iti ive ize ment ous".split(), "")
)
_BEHIND = {"ion": frozenset("st"), "li": frozenset("cdeghkmnrt"), "ogi": frozenset("l")}
"""Endings that count behind these letters only."""


def english(word: str) -> str:
    """Return the stem of a word in lower case."""
    whole = _WHOLE.get(word)
    if whole or len(word) < _SHORTEST:
        return whole or word
    word = bare = word.removeprefix("'")
    if "y" in word:  # a Y is a consonant
        word = _VOWEL_Y.sub(lambda found: f"{found[0][0]}Y", f"Y{word[1:]}" if word[0] == "y" else word)
    is_marked = word != bare
    region = _BEGINNING.match(word) or _REGION.match(word)
    first = region.end() if region else len(word)
    region = _REGION.match(word, first)
    second = region.end() if region else len(word)
    word = _without_plural(word)
    if word[-1:] in "dgy":
        word = _without_past(word, first)
    if word[-1:] in "yY" and len(word) >= _SHORTEST and word[-2] not in _VOWELS:
        word = f"{word[:-1]}i"
    if len(word) > first:
        word = _replaced(word, _STEP_2, first)
        word = _replaced(word, _STEP_3, second if word.endswith("ative") else first)
        word = _replaced(word, _STEP_4, second)
        word = _without_last(word, first, second)
    return word.replace("Y", "y") if is_marked else word


def _without_plural(word: str) -> str:
    if "'" in word:
        word = word.removesuffix(next(filter(word.endswith, _POSSESSIVES), ""))
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > len("ties") else word[:-1]
    if not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    if word.endswith("sses"):
        return word[:-2]
    return word if _VOWELS.isdisjoint(word[:-2]) else word[:-1]


def _without_past(word: str, first: int) -> str:
    ending = next(filter(word.endswith, _PAST), "")
    if not ending:
        return word
    stem = word.removesuffix(ending)
    if ending.startswith("ee"):
        return f"{stem}ee" if len(stem) >= first and stem not in _WITH_EED else word
    if ending == "ing" and len(stem) == len("dy") and stem[1] == "y" and stem[0] not in _VOWELS:
        return f"{stem[0]}ie"
    if _VOWELS.isdisjoint(stem) or (ending == "ing" and stem in _WITH_ING):
        return word
    if stem[-2:] in _DOUBLES:
        return stem if len(stem) == len("add") and stem[0] in "aeo" else stem[:-1]
    return f"{stem}e" if stem.endswith(("at", "bl", "iz")) or (len(stem) == first and _is_short(stem)) else stem


def _replaced(word: str, endings: _Endings, region: int) -> str:
    """Put something else in the place of the longest ending that a word has, if that begins within the region."""
    for ending, instead in endings.get(word[-2:], ()):
        if word.endswith(ending):
            at = len(word) - len(ending)
            is_meant = at >= region and (ending not in _BEHIND or word[at - 1] in _BEHIND[ending])
            return f"{word[:at]}{instead}" if is_meant else word
    return word


def _without_last(word: str, first: int, second: int) -> str:
    at = len(word) - 1
    if word.endswith("e"):
        return word[:-1] if at >= second or (at >= first and not _is_short(word[:-1])) else word
    return word[:-1] if word.endswith("ll") and at >= second else word


def _is_short(word: str) -> bool:
    """Whether the last syllable is short."""
    if len(word) < _SHORTEST:
        return len(word) == _SHORTEST - 1 and word[0] in _VOWELS and word[1] not in _VOWELS
    is_short = word[-1] not in _NOT_AFTER_SHORT and word[-2] in _VOWELS and word[-3] not in _VOWELS
    return is_short or word.endswith("past")
