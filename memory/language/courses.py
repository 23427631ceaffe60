"""Questions whose answer is a course of events: in which order things came up, or a summary of how something went.

They share hardly any words with what answers them, so they are recognised by their wording: by the phrases of
`lexicon/courses.toml`.
"""

from __future__ import annotations

import re
from functools import cache

from memory.language.words import Phrases, read_lists

MAX_QUESTION_CHARS = 1000
"""A longer text tells something, and asks for no course."""

_SPACES = re.compile(r"\s+")
_EDGES = " ,;:.?!¿¡？。，、"


def course_subject(question: str) -> str | None:
    """Return whose course a question asks for, in its own words; None if it asks for something else.

    The subject may be empty: "sum up what happened so far".
    """
    if (
        len(question) > MAX_QUESTION_CHARS
        or not _phrases("asks").are_in(question)
        or _phrases("other").are_in(question)
    ):
        return None
    for name in ("frame", "asks"):
        question = _phrases(name).pattern.sub(lambda match: f" {' '.join(filter(None, match.groups()))} ", question)
    return _SPACES.sub(" ", question).strip(_EDGES)


@cache
def _phrases(name: str) -> Phrases:
    """Return a list; those of `<name>_unspaced` count inside a run of letters, too."""
    lists = read_lists("memory.language", "lexicon", "courses.toml")
    return Phrases(rf"(?<!\w)(?:{'|'.join(lists[name])})(?!\w)", *lists[f"{name}_unspaced"])
