"""What comes closest: passages that tell of somebody else than a question asks about, or of something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from bot.texts.catalogue import tr
from memory import Hit, Recall
from memory.capture.draft import names_in
from memory.language.patterns import Pattern
from memory.language.words import QUESTION_WORDS, read_lists

FAR, HELD = 0.065, 0.75
"""A passage that is less near in meaning, and has a smaller share of what the question tells, is of something else.

Of 100 questions about what was told, 4 are answered by such a passage alone: it is shown all the same.
"""
_SHORTEST = 3
"""Letters of a name that stay the same in all of its forms."""
_NAME = Pattern(r"(?:(?<=[а-яёά-ώ] )|(?<=[а-яёά-ώ], ))[А-ЯЁΆ-Ώ][а-яёά-ώ]+")
"""A name in Cyrillic or Greek letters, with a capital that no sentence begins with."""
_RELATIONS = [
    Pattern("|".join(words), re.IGNORECASE)
    for words in zip(*read_lists("bot.agent.offline", "words.toml")["relations"].values(), strict=True)
]
"""What mothers, fathers and so on are called, in all languages."""


def heading(found: Recall, shown: Sequence[Hit]) -> str:
    """Return what an answer begins with: whether the passages that are shown may answer the question at all."""
    asked = [*asked_about(found.query)]
    told = [hit for hit in found.hits if any(one.search(hit.content) for _, one in asked)]
    known = {name for hit in told for name in hit.entities}  # "Mum is called Ruth", of what is told of Ruth
    if asked and not any(hit in told or not known.isdisjoint(hit.entities) for hit in shown):
        who = ", ".join(name for name, _ in asked)
        return tr("I know nothing like that about {who}. What comes closest:", who=who)
    if all(hit.grounds.get("near", FAR) < FAR and hit.grounds.get("held", 0) < HELD for hit in shown):
        return tr("I know nothing certain about that. What comes closest:")
    return tr("From memory:")


def asked_about(question: str) -> Iterator[tuple[str, re.Pattern[str] | Pattern]]:
    """Yield the names in a question, and who is called by what they are to somebody, each with what finds it."""
    asking = frozenset(chain.from_iterable(QUESTION_WORDS.values()))
    for name in (*names_in(question), *(match[0] for match in _NAME.finditer(question))):
        if name.casefold() not in asking:
            first = name.split()[0]
            stem = first[: max(_SHORTEST, len(first) - (1 if first.isascii() else 2))]
            yield name, re.compile(re.escape(stem), re.IGNORECASE)
    for relation in _RELATIONS:
        if said := relation.search(question):
            yield said[0], relation
