"""Which languages a message is read in."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import import_module

from memory.capture.cues import Language
from memory.language.detect import language
from memory.language.scripts import script

_FOLDERS = {"en": "english", "de": "german", "zh": "chinese", "": "other"}
"""Language code to folder; the empty code stands for every other language."""

_READ = 400
"""Characters that show which script a text is in."""


@cache
def language_of(code: str) -> Language:
    """What is known about one language; its patterns are compiled when a message first needs them."""
    known = import_module(f"memory.capture.{_FOLDERS[code]}").LANGUAGE
    assert isinstance(known, Language)
    return known


@cache
def every() -> tuple[Language, ...]:
    """All languages: people greet and thank in any."""
    return tuple(map(language_of, _FOLDERS))


def languages_for(text: str) -> tuple[Language, ...]:
    """The languages that a folded text may be in, likeliest first."""
    return tuple(map(language_of, codes_for(text)))


def codes_for(text: str) -> tuple[str, ...]:
    """The codes of these languages.

    More than one when the text's words do not tell them apart, or when it mixes scripts.
    """
    beginning = text[:_READ]
    scripts = Counter(map(script, beginning))
    han = scripts["han"]
    if han <= scripts["kana"]:
        return _alphabetic(text)
    latin = sum(character.isascii() and character.isalpha() for character in beginning)
    # A Han character says as much as three letters.
    return ("zh",) if han * 3 >= latin else (*_alphabetic(text), "zh")


def _alphabetic(text: str) -> tuple[str, ...]:
    # With a language as default it takes more than one word of another to be told from it.
    found = dict.fromkeys(language(text, default) for default in ("en", "de"))
    return tuple(code for code in found if code in {"en", "de"}) or ("",)
