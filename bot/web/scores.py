"""What the score of a hit is made of, in a few named parts, and why another one lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.texts.catalogue import mark, tr
from bot.texts.receipts import VISIBLE
from memory import Hit, Recall, RecallForm

TEXT, MEANING = "text", "meaning"

LEGEND: Mapping[str, str] = {
    TEXT: mark("it has words of the question, or the lines beside it have"),
    MEANING: mark("it is near to the question in meaning"),
    "entity": mark("it is about somebody or something that the question names"),
    "time": mark("it is about the days that were asked for, or close to them"),
    "present": mark("you ask how things are now, and nothing newer replaces it"),
    "fact": mark("it was noted as a fact, not said in passing"),
    "standing": mark("it is an instruction for everything to come"),
    "preference": mark("it says what somebody prefers"),
    "asker": mark("you ask about yourself, and it was said by somebody who speaks of themself"),
    "spread": mark("a hit above it is linked to it"),
    "strength": mark("how well it is kept"),
    "recency": mark("how new it is"),
    "access": mark("how often it was used"),
    "again": mark("taken off: another piece of the same turn stands above it"),
}
"""The parts in the order of their colours, each with what it stands for."""

COLOURS = {name: place for place, name in enumerate(LEGEND)}
"""The number of each part's colour."""

FAR = 0.05
"""A hit with less than this share of the best one's relevance, and without a word of the question, is a near miss."""

_WHOLE = {"near": TEXT, "feedback": MEANING}


@dataclass(frozen=True, slots=True)
class Score:
    """What a hit has of each part; `parts` add up to `total`, `details` are the summands one by one."""

    total: float
    parts: dict[str, float]
    details: dict[str, float]

    @property
    def sum(self) -> str:
        """The score as a sum: `0.71 = text 0.24 + meaning 0.38`."""
        named = " + ".join(f"{name} {value:.2f}" for name, value in self.parts.items() if abs(value) >= VISIBLE)
        return f"{self.total:.2f} = {named or '0'}"


def score_of(hit: Hit) -> Score:
    """Return what the score of a hit is made of; words of the question are one part, and so is all of the meaning."""
    sums = dict.fromkeys(LEGEND, 0.0)
    for name, value in hit.parts.items():
        part = TEXT if name.startswith("word:") else _WHOLE.get(name, name)
        sums[part] = sums.get(part, 0.0) + value
    return Score(hit.score, {name: round(value, 4) for name, value in sums.items() if value}, dict(hit.parts))


def split_hits(recalled: Recall, count: int) -> tuple[list[Hit], list[tuple[Hit, str]]]:
    """Return the hits that may answer a question, and the near misses, each with why it lost.

    A hit may answer if it has a word of the question, or is not far less likely to than the likeliest.
    """
    likely = max((hit.relevance for hit in recalled.hits), default=0.0) * FAR
    hits = [hit for hit in recalled.hits if hit.relevance > likely or "text" in score_of(hit).parts]
    hits = ([*recalled.hits] if recalled.form is RecallForm.TIMELINE else hits)[:count]
    shown = {id(hit) for hit in hits}
    near = [hit for hit in (*recalled.hits, *recalled.near) if id(hit) not in shown]
    return hits, [(hit, _why_lost(hit, hits)) for hit in near]


def _why_lost(hit: Hit, hits: Sequence[Hit]) -> str:
    """Return why a near miss is not among the hits, in a sentence: by which part it falls behind the last of them."""
    if any(hit.content in other.content for other in hits):
        return tr("A hit above says the same.")
    last = min(hits, key=lambda other: other.score, default=None)
    if last is None:
        return tr("It has too little to do with the question.")
    parts, last_parts = score_of(hit).parts, score_of(last).parts
    behind = {name: last_parts.get(name, 0.0) - parts.get(name, 0.0) for name in {*parts, *last_parts}}
    worst = max(behind, key=lambda name: (behind[name], name), default="")
    if hit.score >= last.score or not worst:
        return tr("There was no room for it.")
    return tr(
        "{gap:.2f} behind the last hit; of {part} it has {mine:.2f}, that one {other:.2f}.",
        gap=last.score - hit.score,
        part=worst,
        mine=parts.get(worst, 0.0),
        other=last_parts.get(worst, 0.0),
    )
