"""A message as the rules read it: folded letter by letter, and cut into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import category
from unicodedata import normalize as unicode_form

from memory.language.normalize import SIMPLIFIED, normalize

MAX_END_CHARS = 2_000
"""Characters at either end of a message that the rules read; what lies between is kept unread."""
MAX_SENTENCE_CHARS = 600
"""Characters of one sentence that the rules read."""

_QUOTES = {"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"'}
_STOPS = {
    "؟": "?", "⸮": "?", "፧": "?", "‽": "?", "⁇": "?", "⁈": "?", "⁉": "?", "،": ",", "؛": ",", "·": ",",
    "।": "。", "॥": "。", "۔": "。", "።": "。", "։": "。",
}  # fmt: skip
"""Punctuation of other scripts, as that of this one; a Greek middle dot and an Arabic semicolon only pause."""
_SPELLED = {"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه", "ё": "е", "ँ": "ं"}
"""Letters that many people do not tell apart when they type: hamza, dotted letters, nasal signs."""
_SIMPLER = SIMPLIFIED | _QUOTES | _STOPS | _SPELLED
_TO_SPELLED = str.maketrans(SIMPLIFIED | _SPELLED)
_UNSPOKEN = re.compile(r"[\u064b-\u0652\u0670\u0640\u093c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Vowel signs and lengthening of Arabic, dots under Hindi letters, and marks that only direct or join."""
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms prof st jr sr hr fr ing dipl no nr str tel z.b d.h u.a a.m p.m e.g i.e ca bzw usw etc evtl".split()
)
"""Words whose full stop does not end a sentence."""
_END = re.compile(r"""[.!?…]+[)"'»]*(?=\s|$|[^\x00-\u024f])|[。！？；][)"'»」』]*|;(?=\s)|\n""")
_EMOTICON = re.compile(r"(?<!\w)(?:[:;=]-?[)(dpo/|*]+|<3+|\^_*\^|-_-|t_t|xd+)(?!\w)")
_ORDINAL = re.compile(r"\d{1,2}(?:\.(?:0?[1-9]|1[0-2]))?")
"""Before the full stop of a day and a month: "the 1.", "1.12."."""
_BEGINS = re.compile(
    r" +(?:i|we|you|s?he|it|can|could|what|when|where|which|who|why|how|do|does|did|is|are|please|thanks?|and|but|so"
    r"|ich|wir|du|er|sie|es|kannst|könntest|was|welches?|wann|wo|wer|wie|warum|bitte|danke|und|aber|has?t|ist|merk)(?!\w)"
)
"""A word after a number and a full stop that shows that the number was no ordinal."""
_AROUND = " \t\n-*•>¿¡"
_CLOSING = " .!?…。;,~"
_ASKS_INSIDE = re.compile("[¿՞]")
_GREEK = re.compile("[α-ωά-ώ]")
_LAST_WORD = re.compile(r"[\w.]{0,12}$")

_LETTERED = re.compile(r"\s*(?:[-*+] +)?[WBOSPT](?:\([^()\n]{0,200}\))?(?: +(?:@\w|\[\[)|\s*[:：]\s)")
_SILENT = frozenset({"So", "Cf", "Cc"})
"""Unicode categories of characters that are read as a space: emoji, joiners, controls."""
_LOOSE = re.compile("[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff]")
"""Loose accents, variation selectors, skin tones: they are read as a space; the vowel signs of a script are not."""
_JAMO = re.compile("[\u3131-\u318e]")
"""Letters of Korean syllables on their own, as laughter is typed; they have other code points in normal form."""


@lru_cache(maxsize=8192)
def _fold(character: str) -> str:
    if character in "\n°" or _JAMO.match(character):
        return character
    folded = unicode_form("NFKC", _STOPS.get(character, character)).lower()
    if len(folded) != 1:
        return character if character.isalpha() else " "
    if folded.isspace() or category(folded) in _SILENT or _LOOSE.match(folded):
        return " "
    return _SIMPLER.get(folded, folded)


def fold(text: str) -> str:
    """Return the text in lower case, plain apostrophes and narrow punctuation, emoji as spaces; as long as it was."""
    return _EMOTICON.sub(lambda found: " " * len(found[0]), "".join(map(_fold, text)))


def simplify(text: str) -> str:
    """Return a text in NFC with its letters as `fold` has them, but for their case, without what is not pronounced."""
    return _UNSPOKEN.sub("", text).translate(_TO_SPELLED)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a folded text, without its closing marks.

    Attributes:
        text: at most `MAX_SENTENCE_CHARS` characters of it.
        asked: whether it ends in a question mark.
        exclaimed: whether it ends in an exclamation mark and no question mark.
        start, end: where it stands in the folded text, with its closing marks.
    """

    text: str
    asked: bool
    exclaimed: bool
    start: int
    end: int


def sentences(text: str) -> Iterator[Sentence]:
    """Return the sentences of a folded text, in order."""
    start = 0
    for end in (*_ends(text), len(text)):
        if sentence := _sentence(text, start, end):
            yield sentence
        start = end


def _ends(text: str) -> Iterator[int]:
    for mark in _END.finditer(text):
        word = _LAST_WORD.search(text, max(0, mark.start() - 12), mark.start())
        last = word[0] if word else ""
        is_initial, is_ordinal = len(last) == 1 and last.isalpha(), _ORDINAL.fullmatch(last)
        is_part = mark[0] == "." and (last in _ABBREVIATIONS or is_initial or is_ordinal)
        if is_part and not _BEGINS.match(text, mark.end()):
            continue
        if mark[0][-1] in "\"')»" and text[mark.end() : mark.end() + 2].strip()[:1].islower():
            continue
        yield mark.end()


def _sentence(text: str, start: int, end: int) -> Sentence | None:
    whole = text[start:end]
    body = whole.strip(_AROUND)
    if not (bare := body.rstrip(_CLOSING)):
        return None
    at = start + len(whole) - len(whole.lstrip(_AROUND))
    last = len(body)
    while last and not body[last - 1].isalnum():
        last -= 1
    closing = body[last:]
    is_greek = len(_GREEK.findall(bare)) * 2 > sum(map(str.isalpha, bare))
    asked = "?" in closing or bool(_ASKS_INSIDE.search(whole)) or (is_greek and ";" in closing and "+" not in closing)
    if len(bare) > MAX_SENTENCE_CHARS:
        bare = f"{bare[: MAX_SENTENCE_CHARS // 2]} {bare[-MAX_SENTENCE_CHARS // 2 :]}"
    return Sentence(bare, asked, "!" in closing and not asked, at, end)


def ends_of(text: str) -> str:
    """Return the beginning and the end of a long text, NFC; a short text as it is."""
    if len(text) > 2 * MAX_END_CHARS:
        text = f"{text[:MAX_END_CHARS]}\n{text[-MAX_END_CHARS:]}"
    return normalize("NFC", text)


def is_notation(text: str) -> bool:
    """Check whether a text begins like a fact in the Retain notation: `O(c=0.9) @Peter: ...`, `- W: ...`."""
    return _LETTERED.match(text) is not None
