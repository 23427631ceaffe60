"""Which script and which language a text is in: by its letters, its function words, and rare letters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice

from memory.language.patterns import Pattern
from memory.language.words import LETTERS, STOP_WORDS, read_lists

_LISTS = read_lists("memory.language", "lexicon", "scripts.toml")
_FIRST, _SCRIPTS = zip(*_LISTS["starts"], strict=True)

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U00031fff"
HAN_SIGN = Pattern(f"[{HAN}]")
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
UNSPACED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u0f40-\u0fbc\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
"""Thai, Lao, Tibetan, Myanmar and Khmer: alphabets that are written without spaces between words."""
RUNS = HAN + KANA + HANGUL + UNSPACED
"""Letters that may stand beside those of another word without a space."""
COMBINING = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962-\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a51"
    "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c56"
    "\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0ddf\u200c-\u200d"
)
"""Signs inside words that a regular expression does not count as word characters: vowel signs, accents, joiners."""
DROPPABLE_COMBINING = frozenset("latin greek cyrillic hebrew arabic".split())
"""Scripts whose combining marks may be dropped without changing which word it is."""

BY_SCRIPT: Mapping[str, str] = _LISTS["languages"]
"""The language that a script stands for when its words do not say more."""
WORDS_READ = 80
"""A language shows in so many words."""
_ENOUGH = 1.2
"""One word, however often, is not enough: `door` is a word of Dutch grammar, and no rare one in English."""
_AHEAD = 1.15
_SENTENCE = 3
"""Different words from which a text says something, unlike "ok" or "super, thanks"."""
_BEGINS = 0.75
"""Of a word: `Was hat Tom gemacht?` shares words with English, and has one that English has not."""
_WORD = re.compile(r"(?<![\w^])[^\W\d_]+(?!\w)")
"""Not the letters of an id such as `^z7ypes3x`: a lone z is Polish."""
_INSIDE = re.compile(r"[^\W\d_],? $")
"""Before a word that does not begin a sentence: four characters, if a line ends there."""
_ONE_EACH = frozenset("han kana hangul greek hebrew tamil thai armenian".split())
"""Scripts with one language worth telling."""
_SEEN = re.compile("[" + "".join(LETTERS) + "]")


@lru_cache(maxsize=8192)
def script(character: str) -> str:
    """Return the script of one character, for example `latin` or `han`; empty for what is not a letter."""
    if not character.isalpha():
        return ""
    return str(_SCRIPTS[bisect_right(_FIRST, ord(character)) - 1])


def main_script(text: str) -> str:
    """Return the script that most letters of a text are in, judged on about 120 characters spread over it.

    Japanese counts as `kana` as soon as a tenth of its characters are: no other language uses them.
    """
    if text.isascii():
        return "latin" if any(map(str.isalpha, text)) else ""
    seen = Counter(map(script, text[:: max(1, len(text) // 120)]))
    seen.pop("", None)
    if not seen:
        return ""
    if seen["kana"] * 10 >= seen["kana"] + seen["han"] > seen.total() / 4:
        return "kana"
    # A Han character says as much as two or three letters.
    seen["han"] *= 2
    seen["hangul"] *= 2
    return max(seen, key=seen.__getitem__)


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return function words with the languages that have them, and rare letters with those that use them."""
    words: dict[str, tuple[str, ...]] = {}
    for code, stops in STOP_WORDS.items():
        for word in stops:
            words[word] = (*words.get(word, ()), code)
    return words, {letter: tuple(codes.split()) for letter, codes in LETTERS.items()}


@cache
def _others(language: str) -> frozenset[str]:
    """Return the function words that a language has not, small, with a capital and in capitals."""
    words = [word for word, codes in _tables()[0].items() if language not in codes]
    return frozenset(form for word in words for form in (word, word.capitalize(), word.upper()))


def stop_words(text: str) -> frozenset[str]:
    """Return the function words of English and of a text's language."""
    return STOP_WORDS["en"] | STOP_WORDS.get(language(text), frozenset())


def language(text: str, default: str = "") -> str:
    """Return the ISO 639-1 code of a text's language; `default` (else the script's commonest) if its words do not tell.

    Empty for a text without letters and without a default.
    """
    return of_words(first_words(text), text, default=default)


def clear_language(text: str) -> str:
    """Return the language of a text that shows it clearly; empty for any other."""
    return _clearest(first_words(text), text, "") if main_script(text) == "latin" else language(text)


def likeliest_language(text: str, among: Collection[str]) -> str:
    """Return the one of some languages that most function words of a sentence are in; empty if there are several."""
    words, known = {*first_words(text)}, _tables()[0]
    counts = Counter(code for word in words for code in known.get(word, ()) if code in among)
    likely = [code for code, count in counts.items() if count == max(counts.values())]
    return likely[0] if len(likely) == 1 and len(words) >= _SENTENCE else ""


def first_words(text: str) -> list[str]:
    """Return the first words of a text in lower case, without names inside a sentence.

    "Tom", "Mia" and "Kim" are function words of other languages, which write them small; German alone has "Sie".
    """
    words = []
    for match in islice(_WORD.finditer(text[:2000]), WORDS_READ):
        written = match[0]
        word, at = written.casefold(), match.start()
        is_name = written.istitle() and len(word) > 1 and _INSIDE.search(text, max(0, at - 4), at)
        if not is_name or word in STOP_WORDS["de"]:
            words.append(word)
    return words


def of_words(words: Sequence[str], text: str, *, default: str = "") -> str:
    """Return the same for a text whose first words, `WORDS_READ` of them, are at hand, as they are written."""
    if text.isascii() and default and _written_in(default, "latin") and _others(default).isdisjoint(words):
        return default
    script = main_script(text)
    by_script = BY_SCRIPT.get(script, "")
    if script in _ONE_EACH or not script:
        return by_script or default
    if default and not _written_in(default, script):
        default = ""
    return _clearest([*map(str.lower, words)], text, default) or default or by_script


def _clearest(words: Sequence[str], text: str, default: str) -> str:
    """Return the language with most evidence, if it leads; `default` starts a little ahead of the others."""
    known, letters = _tables()
    if default and _others(default).isdisjoint(words) and (text.isascii() or not _SEEN.search(text)):
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
        score[default] = score.get(default, 0.0) + _BEGINS
    first, *others = sorted(score, key=lambda code: (-score[code], code))
    second = score[others[0]] if others else 0.0
    return first if score[first] >= _ENOUGH and score[first] >= _AHEAD * second else ""


@cache
def _written_in(code: str, script: str) -> bool:
    """Check whether a language uses a script; judged by its own function words."""
    return main_script(" ".join(sorted(STOP_WORDS.get(code, ())))) == script
