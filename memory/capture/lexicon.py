"""The rules of a language as lists in a file, and their translation into patterns.

A lexicon is a TOML file with a list for each part of `memory.capture.cues` that the language needs, in the notation of
`memory.capture.phrases`. In addition:

- `<name>_end` lists what a sentence ends in, for languages that put the verb last: `look_up_end`, `keep_end`.
- `[parts]` names lists that others use as `<name>`.
- `spaced` says whether the language puts spaces between words; where it does not, phrases count inside words.
- `latin` lists common words, and letters, that show the language in a text in Latin letters.
- An accented Greek, Spanish or French vowel stands for the plain one, too, unless `{1}` follows it: people leave the
  accents out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from unicodedata import normalize

from memory.capture.cues import Language, Manners, Marks, Orders, Questions
from memory.capture.phrases import NOTHING, Pattern, pattern_of, signs
from memory.capture.sentences import simplified
from memory.language.scripts import MARKS
from memory.types import Kind

LISTED = ("ja", "ko", "th", "ar", "hi", "ru", "el", "es", "fr")
"""The languages that have a lexicon; `other` holds what is known about the rest."""

_ENDED = frozenset({"asks", "keep", "keep_bare", "look_up", "reminder", "request", "rule", "errand", "no_question"})
"""The parts that may be told by how a sentence ends."""

_ACCENTED = re.compile(r"([àâçéèêëîïôùûáíóúñάέήίόύώ])(?!\{1\})")
_BEHIND = re.compile(r"\(\?<([!=])([^()]*)\)")
_REPEATED = 8
"""How often a group may follow itself. Without a limit, one that reads words in two ways doubles its time with each."""

_LAUGHTER = r"(?:\W|笑|w|ㅋ|ㅎ|ㅠ|ㅜ|5{3,})*$"
"""What may follow the end of a sentence without being part of it."""

_MARKS = Marks(
    kinds={Kind.WORLD: signs("\\w+\\W+\\w+\\W+\\w+ | \\w{8,}")},
    categories=(("event", signs("\\d{1,2}:\\d\\d | \\d{1,2}[./]\\d{1,2}[./]\\d{2,4} | \\d{1,2} ?h(\\d\\d)?(?!\\w)")),),
    before_name=NOTHING,
    after_name=NOTHING,
)
"""What a statement in any language shows without its words."""


def read_lexicon(code: str) -> Language:
    """What the lexicon of a language says; the empty code stands for the languages without one."""
    lexicon = Lexicon(_read(code or "other"))
    orders = Orders(**{name: lexicon.pattern(name) for name in Orders.__slots__})
    questions = Questions(**{name: lexicon.pattern(name) for name in Questions.__slots__})
    return Language(read_manners(code), orders, questions, _MARKS)


@cache
def read_manners(code: str) -> Manners:
    """The manners alone: of a language that a text is not in, nothing else is needed."""
    lexicon = Lexicon(_read(code or "other"))
    return Manners(**{name: lexicon.pattern(name) for name in Manners.__slots__})


def latin_words(code: str) -> frozenset[str]:
    """The words, and letters, that show a language in a text in Latin letters."""
    return frozenset(str(_read(code).get("latin", "")).split())


@cache
def _read(name: str) -> Mapping[str, object]:
    """A lexicon as it is written."""
    return tomllib.loads(files("memory.capture").joinpath("lexicons", f"{name}.toml").read_text(encoding="utf-8"))


class Lexicon:
    """One file's lists as patterns.

    Args:
        lists: name of a part -> its phrases; `parts`, `spaced` and `latin` as in the file.

    Raises:
        ValueError: a list has a name that no part has.
    """

    def __init__(self, lists: Mapping[str, object]) -> None:
        parts = lists.get("parts", {})
        assert isinstance(parts, dict)
        self._parts = {name: _as_folded(phrases) for name, phrases in parts.items()}
        self._lists = {
            name: _as_folded(phrases) for name, phrases in lists.items() if isinstance(phrases, str) and name != "latin"
        }
        self._spaced = lists.get("spaced") is True
        known = {*Manners.__slots__, *Orders.__slots__, *Questions.__slots__, *(f"{name}_end" for name in _ENDED)}
        unknown = self._lists.keys() - known
        if unknown:
            raise ValueError(f"no part of a language: {', '.join(sorted(unknown))}")

    def pattern(self, name: str) -> Pattern:
        """The pattern of one part: how it begins, or, found by looking ahead, how it ends."""
        begins, ends = self._lists.get(name), self._lists.get(f"{name}_end")
        alternatives = []
        if begins:
            alternatives.append(self._any(begins))
        if ends:
            ahead = "" if name == "asks" else ".*"
            alternatives.append(rf"(?={ahead}(?:{self._any(ends)}){_LAUGHTER})")
        return Pattern("|".join(alternatives), re.DOTALL) if alternatives else NOTHING

    def _any(self, phrases: str) -> str:
        found = _BEHIND.sub(_of_one_width, pattern_of(phrases, self._parts, longest_first=True))
        found = found.replace(")*", f"){{0,{_REPEATED}}}").replace(")+", f"){{1,{_REPEATED}}}")
        return rf"(?<![\w{MARKS}])(?:{found})(?![\w{MARKS}])" if self._spaced else f"(?:{found})"


def _as_folded(phrases: str) -> str:
    """Phrases in the letters that a folded text is written in."""
    return _ACCENTED.sub(lambda found: f"[{found[1]}{_plain(found[1])}]", simplified(normalize("NFC", phrases)))


def _of_one_width(behind: re.Match[str]) -> str:
    """What stands before a place, one alternative at a time, since `re` wants each to have one width."""
    alternatives = [f"(?<{behind[1]}{one})" for one in behind[2].replace(" +", " ").split("|")]
    return "".join(alternatives) if behind[1] == "!" else f"(?:{'|'.join(alternatives)})"


def _plain(letter: str) -> str:
    return normalize("NFD", letter)[0]
