"""Text to tokens: words, identifiers, numbers, runs of Chinese, Japanese, Korean or Thai, and emoji."""

from __future__ import annotations

import re

from memory.language.detect import COMBINING, HAN, HANGUL, KANA, UNSPACED
from memory.language.normalize import normalize

_RUNS = HAN + KANA + HANGUL + UNSPACED
WORD = rf"[^\W_{_RUNS}]+(?:[{COMBINING}]+[^\W_{_RUNS}]*)*"
"""Letters and digits of scripts that put spaces between words."""


def _identifier(word: str) -> str:
    joined = rf"(?:(?:[_.\-@'’&/:\\]|://|::|,(?=\d{{3}}(?!\d))){word})*"
    return rf"#?{word}{joined}(?:\+\+|#(?!\w))?"


# A number to call begins with + or 0 and goes on over spaces. (It begins with a set, not an assertion: a branch that
# can be ruled out by its first character costs nothing.)
_GROUP = r"[ \-/()]{1,2}\d{2,8}"
_PHONE = rf"[+0](?<!\w[+0])(?:(?<=\+)\d{{1,4}}(?:{_GROUP}){{2,5}}|(?<=0)\d{{1,5}}(?:{_GROUP}){{1,5}})(?!\w|[.:/\-]\d)"
_EMOJI = "[\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff\u2600-\u27bf\u2b50\u2b55]"
_ASCII = re.compile(rf"{_PHONE}|{_identifier('[A-Za-z0-9]+')}")
_TOKEN = re.compile(rf"{_PHONE}|{_identifier(WORD)}|[{HAN}{KANA}]+|[{HANGUL}]+|[{UNSPACED}]+|{_EMOJI}")
PARTS = re.compile(WORD)
"""The words inside a token."""

_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")


def tokens(text: str) -> list[str]:
    """The tokens of a text as written (after NFKC), in order. Never raises."""
    if text.isascii():
        return _ASCII.findall(text)
    return _TOKEN.findall(normalize("NFKC", _INVISIBLE.sub("", text)))
