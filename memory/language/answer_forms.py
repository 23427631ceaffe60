"""Forms of answer that questions ask for: a time, a number, a name, which a text has or lacks; or a course of events.

They are read by patterns, as good as the languages that are in them: a form that is not recognised is asked for by no
question, and a script without capitals may always hold a name.
"""

from __future__ import annotations

import re
from datetime import date
from enum import Enum
from functools import cache

from memory.language.time import dates
from memory.language.words import STOP_WORDS, Phrases, read_lists

MAX_COURSE_CHARS = 1000
"""Characters of a question for a course of events; a longer text tells something, and asks for none."""


class Form(Enum):
    """Forms of answer that patterns recognise; the first that a question has a cue for counts."""

    TIME = "a time"
    CALL = "a number to call"
    AMOUNT = "an amount"
    NUMBER = "a number"
    NAME = "a name"


@cache  # patterns that only some questions need are compiled by the first of these
def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_LISTS = read_lists("memory.language", "lexicon", "answer_forms.toml")
_CUES = {form: Phrases(*_LISTS["cues"][form.name.lower()]) for form in Form}
_NUMBER_WORDS, _TIME_OF_DAY, _CALENDAR, _KIN = (
    tuple[str, ...](_LISTS["answers"][name]) for name in ("number_words", "time_of_day", "calendar", "kin")
)
_PHONE_NUMBER = re.compile(r"\d(?:[ /\-]?\d){4,}")
_DIGIT = re.compile(r"\d")
_SHORT_NUMBER = re.compile(r"\b\d{1,2}(?:st|nd|rd|th|\.)?(?!\d|\w)")
_TIMES = (_TIME_OF_DAY, _CALENDAR, _NUMBER_WORDS)
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DATE_OR_CLOCK = re.compile(YEAR.pattern + r"|\d{1,2}:\d\d|[\d一二三四五六七八九十两半]+[月号日点點時时年]")
_LETTER_WITH_CASE = re.compile(r"[A-Za-zÀ-ɏΑ-ωА-яЁё]")
_CAPITALISED = re.compile(r"[^\W\d_]*[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ][^\W\d_]+")
_EDGES = " ,;:.?!¿¡？。，、"
_OPENING_WORDS = frozenset().union(*(STOP_WORDS[code] for code in ("en", "de", "es", "fr", "ru", "el")))


class AnswerForm:
    """The `form` of answer that one question asks for; None if it asks for none."""

    def __init__(self, question: str, today: date) -> None:
        """Look for cues; `today` is what expressions of time in a text are counted from."""
        self.form = next((form for form, cues in _CUES.items() if cues.are_in(question)), None)
        self._question = question.casefold()
        self._today = today

    def is_missing(self, text: str) -> bool:
        """Return whether the question asks for a form that nothing in this text has."""
        match self.form:
            case None:
                return False
            case Form.CALL:
                return not _PHONE_NUMBER.search(text)
            case Form.NAME:
                return not self._has_name(text)
            case Form.TIME:
                has_time = _SHORT_NUMBER.search(text) or any(_pattern(*parts).search(text) for parts in _TIMES)
                return not (has_time or dates.find(text, self._today))
            case Form.NUMBER if YEAR.search(text):
                return False
            case _:
                return not self._has_number(text)

    def _has_number(self, text: str) -> bool:
        """Return whether the text has a number that is no date and no time of day."""
        if not (_DIGIT.search(text) or spells_number(text)):  # spares most texts the look for expressions of time
            return False
        bare = _DATE_OR_CLOCK.sub(" ", dates.without_times(text, self._today))
        return bool(_DIGIT.search(bare)) or spells_number(bare)

    def _has_name(self, text: str) -> bool:
        """Return whether the text has a name that the question has not; true for scripts without capitals."""
        relations = (match[0].casefold() for match in _pattern(*_KIN).finditer(text))
        if not _LETTER_WITH_CASE.search(text) or any(word not in self._question for word in relations):
            return True
        words = [word.casefold() for word in _CAPITALISED.findall(_pattern(*_CALENDAR).sub(" ", text))]
        first = words[:1] if words and words[0] not in _OPENING_WORDS else []
        return any(word not in self._question for word in (*first, *words[1:]))


def time_cue(question: str) -> str:
    """Return the words of a question that ask for a time, and tell nothing of what it is about; empty without any."""
    cue = _CUES[Form.TIME].find_in(question)
    return cue[0] if cue else ""


def spells_number(text: str) -> bool:
    """Return whether there is a number in words in a text."""
    return _pattern(*_NUMBER_WORDS).search(text) is not None


def course_subject(question: str) -> str | None:
    """Return whose course of events a question asks for, in its own words; None if it asks for something else.

    That is in which order things came up, or a summary of how something went. Such a question shares hardly any words
    with what answers it, so it is recognised by its wording. The subject may be empty: "sum up what happened so far".
    """
    frame, asks, other = map(_course_phrases, ("frame", "asks", "other"))
    if len(question) > MAX_COURSE_CHARS or not asks.are_in(question) or other.are_in(question):
        return None
    for phrases in (frame, asks):
        question = phrases.pattern.sub(lambda match: f" {' '.join(filter(None, match.groups()))} ", question)
    return " ".join(question.split()).strip(_EDGES)


def days_asked_of(question: str, today: date) -> tuple[str, bool] | None:
    """Return the days of which a question asks what was done or told on them, in its own words, and whether told.

    None if it names no day, or asks for something else besides: "what did I tell you yesterday about the kitchen?".
    """
    if len(question) > MAX_COURSE_CHARS or not (times := dates.find(question, today)):
        return None
    rest = " ".join(dates.without_times(question, today).split()).strip(_EDGES)
    done, told = (_course_phrases(name).pattern.fullmatch(rest) for name in ("done_on", "told_on"))
    return (" ".join(question[one.start : one.end] for one in times), bool(told)) if done or told else None


@cache
def _course_phrases(name: str) -> Phrases:
    """Return a list of `lexicon/courses.toml`; those of `<name>_unspaced` count inside a run of letters, too."""
    lists = read_lists("memory.language", "lexicon", "courses.toml")
    return Phrases(rf"(?<!\w)(?:{'|'.join(lists[name])})(?!\w)", *lists[f"{name}_unspaced"])
