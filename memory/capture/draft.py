"""A message as a fact: what of it is to be kept, its kind, its category and the names in it, by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from memory.capture.languages import languages_for
from memory.capture.lexicon import read_toml
from memory.capture.names import names_in
from memory.capture.sentences import MAX_SENTENCE_CHARS, fold, sentences
from memory.types import Fact, Kind

_KINDS = (Kind.PROCEDURE, Kind.INTENTION, Kind.OPINION, Kind.EXPERIENCE, Kind.WORLD)
"""Of the kinds that a statement shows, the first is meant."""

_USUAL = {
    Kind.INTENTION: "goal",
    Kind.PROCEDURE: "workflow",
    Kind.EXPERIENCE: "event",
    Kind.WORLD: "fact",
}
"""The category of a statement that shows no other."""

_PLAIN = frozenset({Kind.WORLD, Kind.OBSERVATION})
_OF_INTENTIONS = frozenset({"goal", "event", "decision"})
"""What an intention can be; "I would like to" is no preference, and "remind me always" no rule."""


def draft(text: str, *, known: Sequence[str] = ()) -> Fact:
    """Make a fact of a text, to the letter; kind, category and names are guessed from it.

    Args:
        text: what is to be kept.
        known: names of entities in memory, which are recognised in the text.
    """
    simple = " ".join(fold(text[:MAX_SENTENCE_CHARS]).split())
    languages = languages_for(simple)
    orders = [language.imperatives for language in languages]
    if any(own.reminder.match(simple) or own.errand.match(simple) for own in orders):
        kind = Kind.INTENTION
    else:
        patterns = [item for language in languages for item in language.statements.kinds.items()]
        found = {kind for kind, pattern in patterns if pattern.search(simple)}
        kind = next((kind for kind in _KINDS if kind in found), Kind.OBSERVATION)
    categories = (item for language in languages for item in language.statements.categories)
    category = next((category for category, pattern in categories if pattern.search(simple)), None)
    if kind in _PLAIN and category is None and any(own.rule.match(simple) for own in orders):
        kind, category = Kind.OPINION, "rule"
    elif kind is Kind.PROCEDURE or (kind is Kind.INTENTION and category not in _OF_INTENTIONS):
        category = None
    return Fact(text, kind, names_in(text, known), category or _USUAL.get(kind))


MAX_STATEMENT_CHARS = 1_000
"""Characters of a message from which an opening is taken off; a longer one is no single sentence."""


def statement(text: str) -> str:
    """Take an opening order to remember off: "remember that the key is in the shed" gives "the key is in the shed".

    The order is taken off only where it opens a single sentence; any other message comes back as it is.
    """
    if len(text) > MAX_STATEMENT_CHARS or "\n" in text.strip():
        return text
    simple = fold(text)
    found = _keep_order().match(simple)
    if found is None or len(list(sentences(simple[found.end() :]))) != 1:
        return text
    return text[found.end() :]


@cache
def _keep_order() -> re.Pattern[str]:
    return re.compile(rf" *(?:{'|'.join(map(str, read_toml('keep').values()))}) *")
