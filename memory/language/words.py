"""Words without content by language, and phrases that say which time is asked about, read from the lexicon.

Stop words show which language a text is in, and a question loses them before it is searched.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from typing import Any


def read_lists(package: str, *path: str) -> dict[str, Any]:
    """Return a TOML file of a package, as it is written."""
    return tomllib.loads(files(package).joinpath(*path).read_text(encoding="utf-8"))


def alternatives(words: Iterable[str]) -> str:
    """Return the words as the alternatives of a regular expression, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_LISTS: dict[str, dict[str, str]] = read_lists("memory.language", "lexicon", "stopwords.toml")

STOP_WORDS = {code: frozenset(words.split()) for code, words in _LISTS["stop_words"].items()}
"""Function words, closed classes only."""
QUESTION_WORDS = {code: frozenset(words.split()) for code, words in _LISTS["question_words"].items()}
"""Words that open or make a question; Chinese, Japanese, Korean and Thai have theirs in `PHRASES`."""
PHRASES = {code: tuple(sorted(phrases.split(), key=len, reverse=True)) for code, phrases in _LISTS["particles"].items()}
"""Question words, pronouns and endings, longest first: cut out of a question before it is split into pieces."""
WEAK = {code: frozenset(characters) for code, characters in _LISTS["weak_characters"].items()}
"""Characters of grammar: pieces made of them are left out of a question that has others."""
ENDINGS = re.compile(
    "(?:에서는|에서의|에서|에게서|에게|한테|으로|로|까지|부터|처럼|보다|이라고|라고|이랑|하고|은|는|이|가|을|를|에|의|와|과|도|만)$"
)
"""Korean particles that end a noun."""


_FILTERS: dict[str, list[str]] = read_lists("memory.language", "lexicon", "filters.toml")


def _phrases(name: str) -> re.Pattern[str]:
    return re.compile("|".join(_FILTERS[name]), re.IGNORECASE)


VALID = _phrases("valid")
"""Asks what held at some time."""
KNOWN = _phrases("known")
"""Asks what had been known at some time."""
PRESENT = _phrases("now")
"""Asks how things are now."""
CONFIDENCE = _phrases("sure")
"""Asks how sure the answer is."""
