"""Orders about plans: to have one called off, or put off by some time."""

from __future__ import annotations

import re

from memory.capture.corrections import without_negation
from memory.capture.sentences import fold
from memory.capture.wishes.phrases import Message, candidate_codes, cut_closing, skip_opening, trim, wish_phrases
from memory.capture.wishes.wishes import MAX_WISH_CHARS

_AFTER = {"en": "in {}", "de": "in {}", "es": "en {}", "fr": "dans {}", "ru": "через {}", "zh": "{}后"}
"""How the time is told by which something is put off, so that it can be read."""


def read_calling_off(text: str) -> str:
    """Return the plan that a message orders to be called off, as it names it; empty for any other message.

    Whether there is one is another question: "delete the old photos" may be a task.
    """
    found = _read(text, "call_off")
    return found[0] if found else ""


def read_putting_off(text: str) -> tuple[str, str] | None:
    """Return the plan that is to come later, and after which time: "the dentist", "in a week"; None if none is."""
    found = _read(text, "put_off")
    return (found[0], _AFTER[found[2]].format(found[1]["span"])) if found and found[2] in _AFTER else None


def _read(text: str, name: str) -> tuple[str, re.Match[str], str] | None:
    """Return what an order of a list is about, how it was matched, and in which language."""
    if len(text) > MAX_WISH_CHARS or without_negation(text)[0]:
        return None
    message = Message(text, fold(text))
    for code in candidate_codes(message.simple):
        words = wish_phrases(code)
        at, _ = skip_opening(message.simple, 0, len(message.simple), words)
        end = trim(message, at, cut_closing(message.simple, at, len(message.simple), words))[1]
        if found := words.fit(name, message.simple, (at, end)):
            start, end = trim(message, *found.span("what"))
            return text[start:end], found, code
    return None
