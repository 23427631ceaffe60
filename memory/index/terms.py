"""Tokens and terms of a text, as the index and every question use them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from memory.language.detect import COMBINING, DROPPABLE_COMBINING, HAN, HANGUL, KANA, RUNS, UNSPACED, script
from memory.language.normalize import normalize, stem

WORD = rf"[^\W_{RUNS}]+(?:[{COMBINING}]+[^\W_{RUNS}]*)*"
"""Letters and digits of scripts that put spaces between words."""
VERSION = 4
"""Raised with every change of the terms that a text gives: an index of another version is rebuilt."""
MAX_TERM_CHARS = 64
"""Characters of one term; more are cut off."""
COMPOUND_LANGUAGES = frozenset("da de fi hu nl no sv".split())
"""Languages that write compounds in one."""
MIN_COMPOUND_LETTERS = 9
"""Letters of a term that may be a compound."""
MIN_PART_LETTERS = 4
"""Letters of a word that is looked for in compounds."""
MAX_NAME_WORDS = 4
"""Words of a name that is looked for in a question."""


def _identifier_tokens(word: str) -> str:
    joined = rf"(?:(?:[_.\-@'’&/:\\]|://|::|,(?=\d{{3}}(?!\d))){word})*(?:\+\+|#(?!\w))?"
    # Behind most words is a space: a look at it takes less time than to find that none of these is there.
    return rf"{word}(?:(?! ){joined}|)|#{word}{joined}"


# A number to call begins with + or 0 and goes on over spaces; a zero in brackets is dialled at home alone. (It begins
# with a set, not an assertion: a branch that can be ruled out by its first character costs nothing.)
_GROUP = r"[ \-/()]{1,2}\d{2,8}"
_FAR = r"(?! / 0)[ \-/()]{1,3}\d{2,8}"
_AFTER_ZERO = rf"[ \-]?\(0\)[ \-]?\d{{1,11}}(?:{_FAR}){{0,5}}"
_BEHIND_CODE = rf"(?: \d)?(?:{_FAR}){{2,5}}|(?:\.\d{{1,8}}){{2,5}}|[ \-/]?\d{{7,11}}|{_AFTER_ZERO}"
_ABROAD = rf"(?:(?<=\+)|0)\d{{1,5}}(?:{_BEHIND_CODE})"
_NO_DATE = r"(?!\d[\-/]\d\d?[\-/]\d{4}(?!\d))"
_HOME = rf"(?<=0){_NO_DATE}(?:\d{{2,5}} / \d{{2,8}}(?:{_GROUP}){{0,5}}|\d{{1,5}}(?:{_GROUP}){{1,5}})"
_PHONE = rf"[+0](?<!\w[+0])(?:{_ABROAD}|{_HOME})(?!\w|[.:/\-]\d)"
# With spaces or a prefix; else no date has as many digits, and hardly a card's number begins with 0.
_CALLED = re.compile(r"\+.*|.*[ (].*|00?[1-9](?:[./\-]?\d){7,13}")
_EMOJI = "[\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff\u2600-\u27bf\u2b50\u2b55]"
_ASCII = re.compile(rf"{_PHONE}|{_identifier_tokens('[A-Za-z0-9]+')}")
_ASCII_PARTS = re.compile("[A-Za-z0-9]+")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")


def tokens(text: str) -> list[str]:
    """Return the tokens of a text as written (after NFKC), in order. Never raises."""
    if text.isascii():
        return _ASCII.findall(text)
    return _patterns().token.findall(normalize("NFKC", _INVISIBLE.sub("", text)))


def parts_of(token: str) -> list[str]:
    """Return the words inside a token."""
    return (_ASCII_PARTS if token.isascii() else _patterns().part).findall(token)


class _Patterns(NamedTuple):
    """Patterns that take 20 ms to compile, and that text in ASCII does without."""

    token: re.Pattern[str]
    part: re.Pattern[str]
    paired: re.Pattern[str]
    tripled: re.Pattern[str]
    lone_han: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    return _Patterns(
        re.compile(rf"{_PHONE}|{_identifier_tokens(WORD)}|[{HAN}{KANA}]+|[{HANGUL}]+|[{UNSPACED}]+|{_EMOJI}"),
        re.compile(WORD),
        re.compile(rf"[{HAN}{KANA}{HANGUL}]"),
        re.compile(rf"[{UNSPACED}]"),
        re.compile(rf"(?<![{HAN}])[{HAN}](?![{HAN}])"),
    )


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*")
_CLITICS = frozenset("s t d m ll re ve".split())
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
    | {"ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك", "ـ": "", "ي": "ي"}
)
_CACHED_TOKENS = 200_000


def terms(text: str, language: str) -> list[str]:
    """Return the terms of a text, stemmed as words of a language (ISO 639-1), in order, with repetitions."""
    return terms_of(tokens(text), language).split()


def terms_of(tokens: Iterable[str], language: str) -> str:
    """Return the terms of these tokens, with spaces between them: the form that full-text search takes."""
    return " ".join(map(_lexicon(language).__getitem__, tokens))


_TWICE = re.compile(r"( [^ ]++)(?=\1 )")


def apart(terms: str) -> str:
    """Terms with a space before and one behind each; neighbours share theirs, unless they are the same term.

    So each of them can be counted by its letters and these two spaces.
    """
    spaced = f" {terms} "
    return _TWICE.sub(r"\1 ", spaced) if _TWICE.search(spaced) else spaced  # most have no such neighbours


def needle_of(term: str) -> str:
    """Return what stands for a term in what `apart` writes: itself with its spaces, or the beginning before a `*`."""
    return f" {term[:-1]}" if term.endswith("*") else f" {term} "


def token_terms(token: str, language: str) -> tuple[str, ...]:
    """Return the terms of one token."""
    return tuple(_lexicon(language)[token].split())


def fold(word: str) -> str:
    """Return a word without case, accents and spelling variants of the same letter."""
    word = word.casefold()
    if word.isascii():
        return word
    word = word.translate(_LETTERS)
    if script(word[:1]) not in DROPPABLE_COMBINING:
        return word
    bare = normalize("NFD", word)
    return "".join(c for c in bare if unicodedata.category(c) != "Mn").translate(_LETTERS)


class _Lexicon(dict[str, str]):
    """Token to its terms in one language; filled as tokens are met."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, token: str) -> str:
        lower = token.lower()
        if not (token.isascii() and token.isalpha()) or (lower != token and _CAMEL.search(token)):
            terms = " ".join(term[:MAX_TERM_CHARS] for term in _expand(token, self._language) if term)
        else:
            terms = stem(token, self._language)[:MAX_TERM_CHARS] if lower == token else self[lower]
        if len(token) <= MAX_TERM_CHARS:
            if len(self) >= _CACHED_TOKENS:
                self.clear()
            self[token] = terms
        return terms


@cache
def _lexicon(language: str) -> _Lexicon:
    return _Lexicon(language)


def _expand(token: str, language: str) -> Iterable[str]:
    """Return the terms of a token that is more than one word of ASCII letters."""
    if not token.isascii():
        if _patterns().paired.match(token):
            # In Japanese a Han character between kana is a word of its own.
            lone = [match[0] for match in _patterns().lone_han.finditer(token) if match.end() < len(token)]
            return [*(token[i : i + 2] for i in range(len(token) - 1)), *lone, token[-1]]
        if _patterns().tripled.match(token):
            return [token[i : i + 3] for i in range(max(1, len(token) - 2))]
    if _CALLED.fullmatch(token):
        # The groups of a number; of one that may be a phone's also all digits, and the last eight without a prefix.
        groups = parts_of(token.replace("(0)", " "))
        digits = "".join(groups)
        return [digits, digits[-8:], *(group for group in groups if group != digits)] if len(digits) >= 7 else groups
    return dict.fromkeys(_identifier(token.replace("’", "'"), language))


def _identifier(token: str, language: str) -> list[str]:
    parts = parts_of(token)[:MAX_TERM_CHARS]
    if not parts:  # an emoji
        return [token]
    if "'" in token:
        terms, parts = _contraction(token, parts)
    else:
        terms = [] if token == parts[0] else [_whole(token)]
    for part in parts:
        if any(map(str.isdigit, part)):
            terms.append(fold(part))
            continue
        pieces = _CAMEL.split(part)
        terms += [] if len(pieces) == 1 else [fold(part)]
        terms += [fold(stem(piece.casefold(), language)) for piece in pieces]
    return terms


def _contraction(token: str, parts: list[str]) -> tuple[list[str], list[str]]:
    """Split at apostrophes into (terms, parts that count): `don't` is a word, `Jon's` Jon, `O'Brien` also obrien."""
    if token.casefold().endswith("n't"):
        return [fold(token.replace("'", ""))], []
    if len(parts) > 1 and parts[-1].casefold() in _CLITICS:
        parts = parts[:-1]
    joined = [fold("".join(parts))] if len(parts) > 1 else []
    return joined, [part for part in parts if len(part) > 1] or parts


def _whole(token: str) -> str:
    """Return an identifier as one term: `e-mail` is email, `1,250` is 1250, anything else stays as it is."""
    if _GROUPED.fullmatch(token):
        return re.sub(r"\D", "", token)
    if any(map(str.isalpha, token)) and not re.search(r"[^\w\-]|_", token):
        return fold(token.replace("-", ""))
    return fold(token)


_BACKWARDS = "~"


def backwards(terms: str) -> str:
    """Return the long words among these terms, which have spaces between them, from their ends."""
    long = (term for term in terms.split(" ") if len(term) >= MIN_COMPOUND_LETTERS and term.isalpha())
    return " ".join(_BACKWARDS + term[::-1] for term in dict.fromkeys(long))


def compound_forms(word: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Terms, each for all that begin like it, of compounds that begin or end with a word; `stems` are its terms."""
    if not word.isalpha() or len(word) < MIN_PART_LETTERS:
        return ()
    ends = (f"{_BACKWARDS}{stem[::-1]}*" for stem in stems if len(stem) >= MIN_PART_LETTERS)
    return (f"{fold(word)}*", *ends)


_PARTS = re.compile(rf"[^\W_]+(?:[{COMBINING}]+[^\W_]*)*")


def entity_key(name: str) -> str:
    """Return the parts of a name without case, accents and punctuation, with spaces between them; empty for none."""
    return " ".join(map(fold, _PARTS.findall(name)))
