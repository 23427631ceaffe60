"""A question to what is looked for: words with all their terms, names, days."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from memory.index.entities import LONGEST_NAME
from memory.index.terms import fold, token_terms
from memory.index.tokens import PARTS, tokens
from memory.language.detect import HAN, HANGUL, KANA, UNSPACED, language
from memory.language.normalize import script_of_language
from memory.language.words import ENDINGS, PHRASES, QUESTION_WORDS, STOP_WORDS, WEAK
from memory.recall import dates
from memory.recall.dates import When
from memory.recall.dates_european import is_calendar_word

LONGEST_QUESTION = 4000
"""Characters that are read; what follows in a longer text is not looked for."""

_LANGUAGES = 4
_RUN = re.compile(rf"[{HAN}{KANA}{HANGUL}{UNSPACED}]")
_LONGEST_RUN_NAME = 6


@dataclass(frozen=True, slots=True)
class Word:
    """One thing to look for.

    Attributes:
        text: as it was asked.
        terms: that stand for it: its stem in each language that the notes are in, or all terms with a beginning (`*`).
    """

    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """What a question asks for.

    Attributes:
        text: the question.
        language: ISO 639-1, the likeliest.
        words: content words in order, each once; if there are only stop words, those, unless it names days.
        dropped: stop words that were left out.
        names: what may be the name of an entity, folded; up to four words each.
        when: the days it names.
    """

    text: str
    language: str
    words: tuple[Word, ...]
    dropped: tuple[str, ...]
    names: tuple[str, ...]
    when: tuple[When, ...]

    @property
    def is_common(self) -> bool:
        """Whether nothing but stop words is left to look for."""
        return bool(self.words) and {word.text for word in self.words} <= set(self.dropped)


def parse(text: str, *, languages: Sequence[str], today: date) -> Query:
    """Read a question.

    Args:
        text: anything; no text makes it raise.
        languages: of the notes, commonest first: a word is looked for under its stem in each.
        today: what `yesterday` is counted from.
    """
    read = text[:LONGEST_QUESTION]
    code = language(read, languages[0] if languages else "")
    times = dates.find(read, today)
    asked = tokens(_without_phrases(_without_times(read, times), code))
    content = [token for token in asked if not _is_stop(token, code)]
    attempts = [(content, False), (content, True)]
    if not times:
        attempts.append((tokens(read), True))
    words = next((words for found, keep in attempts if (words := tuple(_words(found, code, languages, keep=keep)))), ())
    return Query(
        text=text,
        language=code,
        words=words,
        dropped=tuple(dict.fromkeys(token for token in tokens(read) if _is_stop(token, code))),
        names=tuple(_names(tokens(read))),
        when=times,
    )


def _without_times(text: str, found: Iterable[When]) -> str:
    """The question without expressions of time but for what a note may say as well: a month, a weekday, a number."""
    for one in reversed(tuple(found)):
        kept = (token for token in tokens(text[one.start : one.end]) if is_calendar_word(token))
        text = f"{text[: one.start]} {' '.join(kept)} {text[one.end :]}"
    return text


def _without_phrases(text: str, code: str) -> str:
    return _phrases(code).sub(" ", text) if code in PHRASES else text


def _phrases(code: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, PHRASES[code])))


def _is_stop(token: str, code: str) -> bool:
    """Whether a token is made of function words and question words only."""
    stops = STOP_WORDS.get(code, frozenset()) | QUESTION_WORDS.get(code, frozenset())
    lower = token.lower().replace("’", "'")
    return (
        lower in stops or lower.replace("'", "") in stops or all(part in stops for part in PARTS.findall(lower) or [""])
    )


def _words(found: Iterable[str], code: str, languages: Sequence[str], *, keep: bool = False) -> Iterator[Word]:
    """The words of tokens, each set of terms once; `keep` keeps pieces of grammar, too."""
    seen: set[tuple[str, ...]] = set()
    for token in found:
        for word in _of_run(token, code, keep=keep) if _RUN.match(token) else _of_token(token, code, languages):
            if word.terms not in seen:
                seen.add(word.terms)
                yield word


def _of_token(token: str, code: str, languages: Sequence[str]) -> Iterator[Word]:
    stops = STOP_WORDS.get(code, frozenset())
    by_language = [token_terms(token, one) for one in _tried(code, languages)]
    length = len(by_language[0])
    for place, term in enumerate(by_language[0]):
        if length > 1 and term in stops:
            continue
        others = [terms[place] for terms in by_language if len(terms) == length]
        yield Word(token if length == 1 else term, tuple(dict.fromkeys([term, *others])))


def _tried(code: str, languages: Sequence[str]) -> list[str]:
    """The question's language, and those of the notes that use the same script."""
    same = [one for one in languages[:_LANGUAGES] if script_of_language(one) == script_of_language(code)]
    return list(dict.fromkeys([code, *same]))


def _of_run(run: str, code: str, *, keep: bool) -> Iterator[Word]:
    """Pairs or triples of characters; one character alone stands for all that begins with it."""
    bare = (ENDINGS.sub("", run) or run) if code == "ko" else run
    terms = list(dict.fromkeys(token_terms(bare, code)))
    if len(bare) == 1:
        yield Word(bare, (f"{bare}*",))
        return
    terms = [term for term in terms if len(term) > 1 or code == "ja"]
    weak = WEAK.get(code, frozenset())
    test = any if code == "zh" else all
    strong = [term for term in terms if not test(character in weak for character in term)]
    yield from (Word(term, (term,)) for term in (terms if keep else strong))


def _names(found: Sequence[str]) -> Iterator[str]:
    """What may be a name: up to four words that follow one another, or a part of a run of characters."""
    words: list[str] = []
    for token in found:
        if _RUN.match(token):
            lengths = range(2, _LONGEST_RUN_NAME + 1)
            yield from (fold(token[i : i + n]) for n in lengths for i in range(min(100, len(token) - n + 1)))
        words += map(fold, PARTS.findall(token))
    for size in range(1, LONGEST_NAME + 1):
        yield from (" ".join(words[i : i + size]) for i in range(min(200, len(words) - size + 1)))
