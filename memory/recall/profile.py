"""What belongs into the profile that is always loaded: standing instructions and preferences, found by rule.

They are wanted at every turn, whatever is asked, and share few words with the question: so they are offered for
`USER.md`, where search plays no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory.index.sql import Index
from memory.language.guidance import TextFlags, guiding_sentences, text_flags
from memory.types import Citation, Filter, Kind, Origin, Scope

LOADED = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md", "memory.md")
"""Files that are always loaded already: nothing in them is offered again."""
MAX_SENTENCE_CHARS = 300
"""Longer sentences are not offered."""
BUDGET = 2000
"""Characters of a profile, unless another budget is asked for."""

_MIN_FIRST_PERSON_SHARE = 0.5  # of the speaker who speaks most of himself
OWN_ORIGINS = frozenset({Origin.OWNER, Origin.AGENT})
_FOREIGN = "extra/"
_MAX_UNITS = 6000


@dataclass(frozen=True, slots=True)
class ProfileSuggestion:
    """One sentence that guides, as it was said: a standing instruction, else a preference.

    Its time is an ISO day or instant, None if unknown; the id is that of the fact or passage.
    """

    text: str
    standing: bool
    time: str | None
    source: Citation
    id: str


@dataclass(frozen=True, slots=True)
class ProfileSuggestions:
    """What is offered for the profile: standing instructions, then preferences, each newest first.

    Each a bullet of its own, they take up so many characters of the budget; for those that are `left` there was no
    room.
    """

    guides: tuple[ProfileSuggestion, ...]
    characters: int
    budget: int
    left: int


def offer(index: Index, *, scope: Scope, budget: int = BUDGET) -> ProfileSuggestions:
    """Choose guidance that is not always loaded already, as much of it as the budget holds."""
    guides = sorted(_find_guidance(index, scope), key=lambda guide: guide.time or "", reverse=True)
    guides.sort(key=lambda guide: not guide.standing)
    known = _loaded_sentences(index, scope)
    taken: list[ProfileSuggestion] = []
    room, left = budget, 0
    for guide in guides:
        plain = _plain(guide.text)
        if plain in known:
            continue
        known.add(plain)
        size = len(f"- {guide.text}\n")
        if size > room:
            left += 1
            continue
        room -= size
        taken.append(guide)
    return ProfileSuggestions(tuple(taken), budget - room, budget, left)


def _find_guidance(index: Index, scope: Scope) -> Iterator[ProfileSuggestion]:
    """Yield the sentences that guide and that the owner may have said, from files that are not always loaded."""
    voices = index.voices(scope=scope)
    shares = {who: voice.first_person / voice.units for who, voice in voices.items()}
    # Speakers who, beside others, hardly speak of themselves: an assistant, a newsreader.
    least = _MIN_FIRST_PERSON_SHARE * max(shares.values(), default=0.0)
    strangers = {who for who, share in shares.items() if share < least}
    for stored in index.stored(index.guiding(scope=scope), scope=scope):
        unit = stored.unit
        if stored.path in LOADED or stored.path.startswith(_FOREIGN):
            continue
        if unit.origin not in OWN_ORIGINS or unit.speaker in strangers:
            continue
        whole = unit.kind is not Kind.NOTE
        for sentence in [unit.statement] if whole else guiding_sentences(unit.body):
            if len(sentence) <= MAX_SENTENCE_CHARS:
                flags = unit.marks if whole else text_flags(sentence)
                yield ProfileSuggestion(
                    text=" ".join(sentence.split()),
                    standing=bool(flags & TextFlags.STANDING),
                    time=unit.time,
                    source=stored.place,
                    id=unit.name,
                )


def _loaded_sentences(index: Index, scope: Scope) -> set[str]:
    """Return the sentences and lines of the files that are always loaded."""
    ids = index.newest(scope=scope, where=Filter(under=LOADED), limit=_MAX_UNITS)
    units = (stored.unit for stored in index.stored(ids, scope=scope))
    lines = (line for unit in units for line in (*unit.body.split("\n"), unit.statement))
    return {_plain(sentence) for line in lines for sentence in (line, *guiding_sentences(line))}


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" -*.!").split())
