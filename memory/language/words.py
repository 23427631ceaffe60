"""Words without content by language, and phrases that say which time is asked about, read from the lexicon.

Stop words show which language a text is in, and a question loses them before it is searched.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Any


@cache
def read_lists(package: str, *path: str) -> Mapping[str, Any]:
    """Return a TOML file of a package, as it is written; it is read once, and most files for several lists."""
    return tomllib.loads(files(package).joinpath(*path).read_text(encoding="utf-8"))


def alternatives(words: Iterable[str]) -> str:
    """Return the words as the alternatives of a regular expression, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)).replace(r"\ ", " ")


_LISTS: Mapping[str, dict[str, str]] = read_lists("memory.language", "lexicon", "stopwords.toml")

STOP_WORDS = {code: frozenset(words.split()) for code, words in _LISTS["stop_words"].items()}
"""Function words, closed classes only."""
ALL_STOP_WORDS = frozenset[str]().union(*STOP_WORDS.values())
"""Those of all languages."""
QUESTION_WORDS = {code: frozenset(words.split()) for code, words in _LISTS["question_words"].items()}
"""Words that open or make a question; Chinese, Japanese, Korean and Thai have theirs in `PARTICLES`."""
PARTICLES = {code: alternatives(words.split()) for code, words in _LISTS["particles"].items()}
"""Question words, pronouns and endings, as a regular expression: cut out of a question before it is split."""
WEAK = {code: frozenset(characters) for code, characters in _LISTS["weak_characters"].items()}
"""Characters of grammar: pieces made of them are left out of a question that has others."""
ALL_WEAK = frozenset[str]().union(*WEAK.values())
"""Those of all languages."""
LETTERS = _LISTS["letters"]
"""Letters and signs that few languages have, each with the codes of these."""
ENDINGS = re.compile(
    "(?:에서는|에서의|에서|에게서|에게|한테|으로|로|까지|부터|처럼|보다|이라고|라고|이랑|하고|은|는|이|가|을|를|에|의|와|과|도|만)$"
)
"""Korean particles that end a noun."""


class Phrases:
    r"""Regular expressions in lower case that few questions have, and that are looked for in each.

    `re` passes over a place soonest if it knows the letters that may stand there: if case is not ignored, and what
    begins a word (`\b`) is asked for together.
    """

    def __init__(self, *phrases: str) -> None:
        self._phrases = phrases

    def are_in(self, text: str) -> bool:
        """Return whether a text has one of them, in whatever case."""
        return self._in_lower_case.search(text.lower()) is not None

    def find_in(self, text: str) -> re.Match[str] | None:
        """Find the first one in a text."""
        return self.pattern.search(text) if self.are_in(text) else None

    @cached_property  # together 20 ms, for which a process that is asked nothing need not wait
    def _in_lower_case(self) -> re.Pattern[str]:
        at_word = [phrase.removeprefix(r"\b") for phrase in self._phrases if phrase.startswith(r"\b")]
        words = [rf"\b(?:{'|'.join(at_word)})"] if at_word else []
        return re.compile("|".join([*words, *(each for each in self._phrases if not each.startswith(r"\b"))]))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The same for texts as they are written, to find where one is."""
        return re.compile("|".join(self._phrases), re.IGNORECASE)


_FILTERS: Mapping[str, list[str]] = read_lists("memory.language", "lexicon", "filters.toml")

VALID = Phrases(*_FILTERS["valid"])
"""Asks what held at some time."""
KNOWN = Phrases(*_FILTERS["known"])
"""Asks what had been known at some time."""
PRESENT = Phrases(*_FILTERS["now"])
"""Asks how things are now."""
CONFIDENCE = Phrases(*_FILTERS["sure"])
"""Asks how sure the answer is."""
