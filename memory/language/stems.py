"""Word stems by Snowball's algorithms, loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from memory.language.scripts import script

ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_SCRIPTS = {
    "ar": "arabic", "fa": "arabic", "el": "greek", "ru": "cyrillic", "uk": "cyrillic", "sr": "cyrillic",
    "hi": "devanagari", "ne": "devanagari", "hy": "armenian", "ta": "tamil", "he": "hebrew", "th": "thai",
    "zh": "han", "ja": "han", "ko": "hangul",
}  # fmt: skip
_BY_SCRIPT = {
    "latin": "en", "cyrillic": "ru", "greek": "el", "arabic": "ar", "devanagari": "hi", "armenian": "hy", "tamil": "ta",
}  # fmt: skip


LONGEST_WORD = 100
"""Letters. What is longer is no word of any language, and taking it apart would take long."""


def stem(word: str, language: str) -> str:
    """The stem of one lower-case word; one longer than `LONGEST_WORD` stays as it is.

    A word in another script than its text's language (a Latin name in Russian) goes by the commonest language of its
    own script. A language without an algorithm leaves words as they are.
    """
    if len(word) > LONGEST_WORD:
        return word
    of_word = script(word[:1])
    if of_word != script_of_language(language):
        language = _BY_SCRIPT.get(of_word, "")
    stemmer = _stemmer(language)
    return (stemmer(word) or word) if stemmer else word


def script_of_language(code: str) -> str:
    """The script that a language is written in; `latin` unless we know better."""
    return _SCRIPTS.get(code, "latin")


@cache
def _stemmer(language: str) -> Callable[[str], str] | None:
    if language not in ALGORITHMS:
        return None
    import snowballstemmer

    found: Callable[[str], str] = snowballstemmer.stemmer(ALGORITHMS[language]).stemWord
    return found
