"""Which languages a message is read in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from itertools import filterfalse

from memory.capture.lexicon import LISTED, LanguagePatterns, SmallTalk, language_patterns, latin_words
from memory.language.detect import BY_SCRIPT, first_words, of_words, script
from memory.language.words import STOP_WORDS

_OTHER = ""
"""The code that stands for every language without phrase lists of its own."""
_BY_SCRIPT = {name: code for name, code in BY_SCRIPT.items() if code in {*LISTED, "zh"}}
"""The language that a script is read in."""
_IN_LATIN = ("en", "de", "es", "fr", _OTHER)
_LAUGHS_IN_DIGITS = ("zh", "th")
_UNLISTED = ("it", "pt", "nl")
_NEIGHBOURS = ("en", "de", "es", "fr", *_UNLISTED)
"""Languages in Latin letters whose commonest words are counted against each other."""
_NEAR = 0.75
"""A language that has this share of the words that the first has may be meant as well."""
_TELLING = 0.15
"""A word that two languages share tells nothing between them, but sets them apart from the others."""
_FAINT = 0.3
"""Of English and German, one that has not this share of the other's words is not meant."""
_CLEAR = 1.2
"""Words of its own that a text needs to be clearly in a language."""
_LETTERS = {"de": "äöüß", "es": "ñ¿¡áíóú", "fr": "çœêèàùâîô", "pt": "ãõçáíóúâêô", "it": "àèìòù"}
"""Letters, and marks, that show a language in Latin letters."""
_AS_WORD = "·{}".format
"""Makes a letter an entry of its own, which is no word of one letter."""
_FOREIGN = re.compile("[іїєґјћђџљњ]|[پچژگ].*[پچژگ]")
"""Letters of Ukrainian, Serbian and Persian."""

CHINESE = re.compile("[是吗你我们这哪呢吧啊]")
"""Characters of Chinese grammar that Japanese does not write."""

_WORD = re.compile(r"[^\W\d_]+")
_MAX_SCRIPT_CHARS = 400
"""Characters that show which script a text is in."""
_HEAVY = frozenset({"han", "kana", "hangul"})
_LETTERS_IN_ONE = 3
"""A Han character or a syllable of Korean says as much as so many letters."""


def languages_for(text: str) -> tuple[LanguagePatterns, ...]:
    """Return the languages that a folded text may be in, likeliest first."""
    return tuple(map(language_patterns, codes_for(text)))


def compile_latin() -> None:
    """Compile the phrases of all languages in Latin letters: a message in one of them is compared with all."""
    for code in _IN_LATIN:
        language_patterns(code).compile()


def small_talk_beside(text: str) -> tuple[SmallTalk, ...]:
    """Return the small talk of all languages in the scripts of a folded text: people greet and thank in any."""
    return _small_talk_in(frozenset(map(script, text[:_MAX_SCRIPT_CHARS])))


def small_talk_of(text: str, languages: Sequence[LanguagePatterns]) -> tuple[SmallTalk, ...]:
    """Return the small talk of the languages that a folded text may be nothing but courtesies and chatter of."""
    # Of the languages that its message may be in, one alone, in Latin letters, was told by its words.
    own = [known.small_talk for known in languages]
    if len(own) == 1 and set(map(script, text[:_MAX_SCRIPT_CHARS])) <= {"latin", ""}:
        return tuple(own)
    beside = small_talk_beside(text)
    return (*(talk for talk in own if talk not in beside), *beside)


@lru_cache(maxsize=64)
def _small_talk_in(scripts: frozenset[str]) -> tuple[SmallTalk, ...]:
    found = [_BY_SCRIPT[name] for name in sorted(scripts) if name in _BY_SCRIPT]
    if "han" in scripts:
        found.append("ja")
    if "latin" in scripts:
        found += _IN_LATIN
    if not any(scripts):
        found += _LAUGHS_IN_DIGITS
    codes = dict.fromkeys([*found, _OTHER])
    return tuple(language_patterns(code).small_talk for code in codes)


@lru_cache(maxsize=64)  # a message is asked about by whoever reads it
def codes_for(text: str) -> tuple[str, ...]:
    """Return the codes of these languages: several if the words do not tell them apart, or if it mixes scripts."""
    beginning = text[:_MAX_SCRIPT_CHARS]
    scripts = Counter(map(script, beginning))
    del scripts[""]
    for name in _HEAVY & scripts.keys():
        scripts[name] *= _LETTERS_IN_ONE
    # No other language uses kana, but for a name now and then.
    kana, both = scripts["kana"], scripts["kana"] + scripts["han"]
    if kana * 10 >= both and (kana * 3 >= both or not CHINESE.search(beginning)):
        scripts["kana"] += scripts.pop("han", 0)
    scripts += Counter()
    if not scripts:
        return _alphabetic(beginning)
    # On a draw Latin comes last: it is in every text.
    likeliest, *others = sorted(scripts, key=lambda name: (-scripts[name], name == "latin"))
    if likeliest == "latin":
        latin = _alphabetic(beginning)
        return (*latin, "zh") if "han" in others else latin
    return (_OTHER if _FOREIGN.search(beginning) else _BY_SCRIPT.get(likeliest, _OTHER),)


def _alphabetic(text: str) -> tuple[str, ...]:
    """Return the languages of a text in Latin letters; English and German, too, where little tells."""
    counts = _shares({*_WORD.findall(text), *map(_AS_WORD, filterfalse(str.isascii, text))})
    most = max(counts.values())
    # Those that about as many of the words belong to as to any other.
    listed = tuple(code for code in LISTED if counts.get(code, 0) >= _NEAR * most) if most >= _TELLING else ()
    # "I was in Porto, Ben" has more words of Dutch than of English.
    is_unlisted = most > max(count for code, count in counts.items() if code not in _UNLISTED)
    if is_unlisted and max(counts["en"], counts["de"]) < most / 2:
        listed = (*listed, _OTHER)
    if any(listed) and max(counts["en"], counts["de"]) < _NEAR * most:
        return listed
    # With a language as default it takes more than one word of another to be told from it.
    words = first_words(text)
    likely = dict.fromkeys(of_words(words, text, default=default) for default in ("en", "de"))
    either = [code for code in likely if code in {"en", "de"}]
    if len(either) > 1:
        most = max(counts["en"], counts["de"])
        either = [code for code in either if counts[code] >= _FAINT * most or most < _CLEAR]
    return (*either, *listed) or (_OTHER,)


def _shares(words: Collection[str]) -> dict[str, float]:
    """Map languages to how many of these words are common in it; one that several have is shared out among them."""
    common = _common_words()
    counts = dict.fromkeys(common, 0.0)
    for word in sorted(words):  # a sum of fractions differs in its last digits with their order
        having = [code for code, known in common.items() if word in known]
        for code in having:
            counts[code] += 1 / len(having)
    return counts


@cache
def _common_words() -> dict[str, frozenset[str]]:
    """Map languages to its commonest words in Latin letters, and letters that few others use, in lower case."""
    common = {code: set(STOP_WORDS[code]) for code in _NEIGHBOURS}
    for code in LISTED:
        if words := latin_words(code):
            common.setdefault(code, set()).update(words)
    for code, letters in _LETTERS.items():
        common[code].update(map(_AS_WORD, letters))
    return {code: frozenset(words) for code, words in common.items()}
