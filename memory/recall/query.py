"""Parses questions: words, names and dates, and what of a question is embedded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from memory.index.terms import MAX_NAME_WORDS, fold, parts_of, token_terms, tokens
from memory.language.answer_forms import course_subject
from memory.language.detect import RUNS, language
from memory.language.normalize import script_of_language
from memory.language.patterns import Pattern
from memory.language.time import dates
from memory.language.time.calendar import Days
from memory.language.time.dates import When
from memory.language.time.dates_european import is_calendar_word
from memory.language.words import ENDINGS, PARTICLES, PRESENT, QUESTION_WORDS, STOP_WORDS, WEAK

MAX_QUESTION_CHARS = 4000
"""Characters that are read; the rest of a longer text is ignored."""

FUNCTION_WORDS = {code: words | QUESTION_WORDS.get(code, frozenset()) for code, words in STOP_WORDS.items()}
"""Function words and question words by language."""
_MAX_LANGUAGES = 4
_MAX_RUN_NAME_CHARS = 6
_RUN = Pattern(f"[{RUNS}]")


@dataclass(frozen=True, slots=True)
class Word:
    """One thing to look for: its `text` as it was asked, and the `terms` that stand for it.

    These are its stem in each language that the notes are in, or all terms with a beginning (`*`).
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
        calendar: words that name them, as they may stand in a note.
        now: the asker's day, if it asks how things are now.
    """

    text: str
    language: str
    words: tuple[Word, ...]
    dropped: tuple[str, ...]
    names: tuple[str, ...]
    when: tuple[When, ...]
    calendar: frozenset[str] = frozenset()
    now: date | None = None

    @property
    def days(self) -> list[Days]:
        """All ranges of days that it may mean."""
        return [days for when in self.when for days in when.days]

    @property
    def is_common(self) -> bool:
        """Whether nothing but stop words is left to look for."""
        return bool(self.words) and {word.text for word in self.words} <= set(self.dropped)


def parse(text: str, *, languages: Sequence[str], today: date) -> Query:
    """Parse a question; no text makes it raise, and `yesterday` is counted from `today`.

    A word is looked for under its stem in each of the languages of the notes, which come commonest first.
    """
    read = text[:MAX_QUESTION_CHARS]
    code = language(read, languages[0] if languages else "")
    times = dates.find(read, today)
    text_left = read
    calendar: set[str] = set()
    for time in reversed(times):
        # Of an expression of time, what a note may say as well is kept: a month, a weekday, a number.
        kept = [token for token in tokens(text_left[time.start : time.end]) if is_calendar_word(token)]
        calendar.update(kept)
        text_left = f"{text_left[: time.start]} {' '.join(kept)} {text_left[time.end :]}"
    if code in PARTICLES:
        text_left = re.sub(PARTICLES[code], " ", text_left)
    asked = tokens(read)
    left = tokens(text_left) if text_left != read else asked
    stops = {token: _is_stop(token, code) for token in {*asked, *left}}
    content = [token for token in left if not stops[token]]
    attempts = [(content, False), (content, True)]
    if not times:
        attempts.append((asked, True))
    script = script_of_language(code)
    same_script = (other for other in languages[:_MAX_LANGUAGES] if script_of_language(other) == script)
    stemmed_in = tuple(dict.fromkeys([code, *same_script]))
    words: dict[tuple[str, ...], Word] = {}
    for attempt, keep in attempts:
        for token in attempt:
            is_run = _RUN.match(token)
            for word in _words_of_run(token, code, keep=keep) if is_run else _words_of_token(token, stemmed_in):
                words.setdefault(word.terms, word)
        if words:
            break
    return Query(
        text=text,
        language=code,
        words=tuple(words.values()),
        dropped=tuple(dict.fromkeys(token for token in asked if stops[token])),
        names=tuple(_names(asked)),
        when=times,
        calendar=frozenset(calendar),
        now=today if not times and PRESENT.are_in(read) else None,
    )


def meaning_of(text: str, speakers: Iterable[str]) -> str:
    """Return what of a question is embedded.

    Of a question for a course it is the subject. The names of speakers are left out: what they said of themselves does
    not have them.
    """
    question = (course_subject(text) or text)[:MAX_QUESTION_CHARS]
    named = [re.escape(name) for name in sorted(speakers, key=len, reverse=True) if name in question]
    if not named:
        return question
    bare = re.sub(rf"(?<![^\W{RUNS}])(?:{'|'.join(named)})(?:['’]s)?(?![^\W{RUNS}])\s?", "", question)
    return bare if bare.strip() else question


def _is_stop(token: str, code: str) -> bool:
    """Return whether a token is made of function words and question words only."""
    stops = FUNCTION_WORDS.get(code, frozenset())
    lower = token.lower().replace("’", "'")
    return lower in stops or lower.replace("'", "") in stops or all(part in stops for part in parts_of(lower) or [""])


def _words_of_token(token: str, languages: Sequence[str]) -> Iterator[Word]:
    """Yield the words of a token, with their stems in each language; the first is the question's own."""
    stops = STOP_WORDS.get(languages[0], frozenset())
    by_language = [token_terms(token, code) for code in languages]
    length = len(by_language[0])
    for place, term in enumerate(by_language[0]):
        if length > 1 and term in stops:
            continue
        others = [terms[place] for terms in by_language if len(terms) == length]
        yield Word(token if length == 1 else term, tuple(dict.fromkeys([term, *others])))


def _words_of_run(run: str, code: str, *, keep: bool) -> Iterator[Word]:
    """Yield pairs or triples of characters of a script without spaces; one character alone is searched as a prefix.

    Pieces that are only grammar are left out, unless they are to be kept.
    """
    bare = (ENDINGS.sub("", run) or run) if code == "ko" else run
    if len(bare) == 1:
        yield Word(bare, (f"{bare}*",))
        return
    terms = [term for term in dict.fromkeys(token_terms(bare, code)) if len(term) > 1 or code == "ja"]
    weak = WEAK.get(code, frozenset())
    test = any if code == "zh" else all
    strong = [term for term in terms if not test(character in weak for character in term)]
    yield from (Word(term, (term,)) for term in (terms if keep else strong))


def _names(question: Sequence[str]) -> Iterator[str]:
    """Yield what may be a name: up to four words that follow one another, or a part of a run of characters."""
    words: list[str] = []
    for token in question:
        if _RUN.match(token):
            run = fold(token)  # letter by letter, in these scripts
            lengths = range(2, _MAX_RUN_NAME_CHARS + 1)
            yield from (run[i : i + n] for n in lengths for i in range(min(100, len(run) - n + 1)))
        words += map(fold, parts_of(token))
    for size in range(1, MAX_NAME_WORDS + 1):
        yield from (" ".join(words[i : i + size]) for i in range(min(200, len(words) - size + 1)))
