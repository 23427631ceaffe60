"""What belongs into the profile that is always loaded: standing instructions and preferences, found by rule.

They are wanted at every turn, whatever is asked, and share few words with the question: so they are offered for
`USER.md`, where search plays no part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from memory.index.port import Index, Stored, Voice
from memory.language.guidance import TextFlags, guiding_sentences, text_flags
from memory.types import Citation, Filter, Kind, Origin, Scope

LOADED = ("AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md")
"""Files that are always loaded already: nothing in them is offered again."""
LONGEST = 300
"""Characters of a sentence that is worth offering."""
BUDGET = 2000
"""Characters of a profile, unless another budget is asked for."""

_OWN = 0.5
_SAID_BY = frozenset({Origin.OWNER, Origin.AGENT})
_FOREIGN = "extra/"
_UNITS = 1000


@dataclass(frozen=True, slots=True)
class ProfileSuggestion:
    """One sentence that guides.

    Attributes:
        text: as it was said.
        standing: whether it is a standing instruction; else it is a preference.
        time: ISO day or instant; None if unknown.
        source: where it stands.
    """

    text: str
    standing: bool
    time: str | None
    source: Citation


@dataclass(frozen=True, slots=True)
class ProfileSuggestions:
    """What is offered for the profile.

    Attributes:
        guides: standing instructions, then preferences, each newest first.
        characters: that they take up, each as a bullet of its own.
        budget: characters that they may.
        left: further ones for which there was no room.
    """

    guides: tuple[ProfileSuggestion, ...]
    characters: int
    budget: int
    left: int


def offer(index: Index, *, scope: Scope, budget: int = BUDGET) -> ProfileSuggestions:
    """The guidance in an index that is not always loaded already, as much of it as the budget holds."""
    found = sorted(_guides(index, scope), key=lambda guide: guide.time or "", reverse=True)
    found.sort(key=lambda guide: not guide.standing)
    known = _loaded(index, scope)
    taken: list[ProfileSuggestion] = []
    room, left = budget, 0
    for guide in found:
        plain = _plain(guide.text)
        if plain in known:
            continue
        known.add(plain)
        if _size(guide) > room:
            left += 1
            continue
        room -= _size(guide)
        taken.append(guide)
    return ProfileSuggestions(tuple(taken), budget - room, budget, left)


def _guides(index: Index, scope: Scope) -> Iterator[ProfileSuggestion]:
    strangers = _strangers(index.voices(scope=scope))
    for stored in index.stored(index.guiding(scope=scope), scope=scope):
        if stored.path not in LOADED and not stored.path.startswith(_FOREIGN) and _is_own(stored, strangers):
            yield from _of_unit(stored)


def _is_own(stored: Stored, strangers: Collection[str]) -> bool:
    """Whether the owner may have said it."""
    return stored.unit.origin in _SAID_BY and stored.unit.speaker not in strangers


def _strangers(voices: Mapping[str, Voice]) -> set[str]:
    """Speakers who, beside others, hardly speak of themselves: an assistant, a newsreader."""
    shares = {who: voice.first_person / voice.units for who, voice in voices.items()}
    most = max(shares.values(), default=0.0)
    return {who for who, share in shares.items() if share < _OWN * most}


def _of_unit(stored: Stored) -> Iterator[ProfileSuggestion]:
    unit = stored.unit
    whole = unit.kind is not Kind.NOTE
    for sentence in [unit.statement] if whole else guiding_sentences(unit.body):
        if len(sentence) <= LONGEST:
            shown = unit.marks if whole else text_flags(sentence)
            yield ProfileSuggestion(
                text=" ".join(sentence.split()),
                standing=bool(shown & TextFlags.STANDING),
                time=unit.time,
                source=Citation(stored.path, unit.start, unit.end),
            )


def _loaded(index: Index, scope: Scope) -> set[str]:
    """The sentences and lines of the files that are always loaded."""
    ids = [unit for path in LOADED for unit in index.listed(scope=scope, where=Filter(under=path), limit=_UNITS)]
    units = [stored.unit for stored in index.stored(ids, scope=scope)]
    lines = (line for unit in units for line in (*unit.body.split("\n"), unit.statement))
    return {_plain(sentence) for line in lines for sentence in (line, *guiding_sentences(line))}


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" -*.!").split())


def _size(guide: ProfileSuggestion) -> int:
    return len(f"- {guide.text}\n")
