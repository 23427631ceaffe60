"""Which language a text is in: its script, its function words, and letters that few languages use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from memory.language.scripts import main_script
from memory.language.stopwords import STOP_WORDS

BY_SCRIPT = {
    "han": "zh",
    "kana": "ja",
    "hangul": "ko",
    "greek": "el",
    "cyrillic": "ru",
    "arabic": "ar",
    "hebrew": "he",
    "devanagari": "hi",
    "armenian": "hy",
    "tamil": "ta",
    "thai": "th",
    "latin": "en",
}
"""The language that a script stands for when its words do not say more."""

_WORD = re.compile(r"[^\W\d_]+")
_ONE_EACH = frozenset("han kana hangul greek hebrew tamil thai armenian".split())
"""Scripts with one language worth telling."""
_LETTERS = {
    "ß": "de", "ä": "de sv fi et", "ö": "de sv fi et hu tr", "ü": "de et hu tr es", "ñ": "es", "¿": "es", "¡": "es",
    "ã": "pt", "õ": "pt et", "ç": "fr pt tr ca", "œ": "fr", "è": "fr it ca", "ê": "fr pt vi",
    "ø": "da no", "å": "sv da no",
    "ł": "pl", "ż": "pl", "ś": "pl", "ř": "cs", "ě": "cs", "ů": "cs", "ő": "hu", "ű": "hu", "ğ": "tr", "ı": "tr",
    "ş": "tr ro", "ș": "ro", "ț": "ro", "ă": "ro vi", "đ": "vi", "ư": "vi", "ė": "lt", "ų": "lt", "ĉ": "eo", "ŝ": "eo",
    "ы": "ru", "ё": "ru", "э": "ru", "і": "uk", "ї": "uk", "є": "uk", "ґ": "uk", "ј": "sr", "ћ": "sr", "ђ": "sr",
    "پ": "fa", "چ": "fa", "ژ": "fa", "گ": "fa", "ی": "fa",
}  # fmt: skip
_SEEN = re.compile("[" + "".join(_LETTERS) + "]")
_WORDS_READ = 80
_ENOUGH = 1.2
"""One word, however often, is not enough: `door` is a word of Dutch grammar, and no rare one in English."""
_AHEAD = 1.15


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Function word -> languages that have it; rare letter -> languages that use it."""
    words: dict[str, tuple[str, ...]] = {}
    for code, stops in STOP_WORDS.items():
        for word in stops:
            words[word] = (*words.get(word, ()), code)
    return words, {letter: tuple(codes.split()) for letter, codes in _LETTERS.items()}


def language(text: str, default: str = "") -> str:
    """The ISO 639-1 code of a text's language; `default` (else the script's commonest) when its words do not tell.

    Empty for a text without letters and without a default.
    """
    return of_words(_WORD.findall(text[:2000].casefold()), text, default=default)


def clear_language(text: str) -> str:
    """The language of a text that shows it clearly; empty for any other."""
    script = main_script(text)
    if script != "latin":
        return language(text)
    return _clearest(_WORD.findall(text[:2000].casefold())[:_WORDS_READ], text, "")


def of_words(words: Iterable[str], text: str, *, default: str = "") -> str:
    """The same for a text whose words are at hand; those in lower case count."""
    script = main_script(text)
    by_script = BY_SCRIPT.get(script, "")
    if script in _ONE_EACH or not script:
        return by_script or default
    if default and not _written_in(default, script):
        default = ""
    return _clearest(list(words)[:_WORDS_READ], text, default) or default or by_script


def _clearest(words: list[str], text: str, default: str) -> str:
    """The language with most evidence, if it leads; `default` starts one word ahead of the others."""
    known, letters = _tables()
    if default and not _SEEN.search(text) and all(default in known.get(word, (default,)) for word in words):
        return default
    score: dict[str, float] = {}
    for codes, count in Counter(known[word] for word in set(words) if word in known).items():
        for code in codes:
            score[code] = score.get(code, 0.0) + count / len(codes)
    if not text.isascii():
        for letter in set(_SEEN.findall(text[:400].lower())):
            for code in letters[letter]:
                score[code] = score.get(code, 0.0) + 0.8 / len(letters[letter])
    if not score:
        return ""
    if default:
        score[default] = score.get(default, 0.0) + 1.0
    first, *others = sorted(score, key=lambda code: (-score[code], code))
    second = score[others[0]] if others else 0.0
    return first if score[first] >= _ENOUGH and score[first] >= _AHEAD * second else ""


@cache
def _written_in(code: str, script: str) -> bool:
    """Whether a language uses a script; judged by its own function words."""
    return main_script(" ".join(sorted(STOP_WORDS.get(code, ())))) == script
