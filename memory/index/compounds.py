"""Words written in one: a note says `Kellerschlüssel`, a question `Keller` or `Schlüssel`.

Nothing is taken apart, which would need a dictionary. A long word is indexed backwards, too, so that both its beginning
and its end can be looked up by prefix; a question does so for words that stand nowhere by themselves.
"""

from __future__ import annotations

from memory.index.terms import fold

LANGUAGES = frozenset("da de fi hu nl no sv".split())
"""Languages that write compounds in one."""
LONG = 9
"""Letters of a term that may be a compound."""
PART = 4
"""Letters of a word that is looked for in compounds."""

_BACKWARDS = "~"


def backwards(terms: str) -> str:
    """The long words among these terms, which have spaces between them, from their ends."""
    long = (term for term in terms.split(" ") if len(term) >= LONG and term.isalpha())
    return " ".join(_BACKWARDS + term[::-1] for term in dict.fromkeys(long))


def forms(word: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Terms, each for all that begin like it, that stand for compounds which begin or end with a word.

    Args:
        word: as it was asked.
        stems: its terms.
    """
    if not word.isalpha() or len(word) < PART:
        return ()
    ends = (f"{_BACKWARDS}{stem[::-1]}*" for stem in stems if len(stem) >= PART)
    return (f"{fold(word)}*", *ends)
