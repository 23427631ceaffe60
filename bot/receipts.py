"""How facts, hits and the state of search are shown to a person."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime
from difflib import ndiff
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from unicodedata import category

from bot.formatting import plural, truncate
from memory import (
    Decision,
    Hit,
    Kind,
    Observed,
    ProfileSuggestions,
    Recall,
    Status,
    SurprisingFact,
    Undone,
    Written,
)

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from memory.knowledge.history import JournalEntry
    from memory.knowledge.proposals import Change
    from memory.life.reviews import Due

VISIBLE = 0.005
"""A part of a score that is smaller is nothing to look at."""

MARK = "▸"
"""Begins every line that code puts under a model's words; the model's own words cannot hold it."""

NOT_CODE = "(the model's words)"
"""Is put before a line in which a model confirms a write as only code may."""

_LIKE_MARK = re.compile("[▸▹►▻▶▷‣⁃⏵➤➢➣❯]")
_PLACE = re.compile(r"\.md`?:`?\d")
_CONFIRMS = re.compile(
    r"\W*(?:noted|written|saved|stored|remembered|forgotten|edited|added|rewrote|replaced|it replaces|back in"
    r"|taken out)\b.*(?:\.md\b|\^[0-9a-z]{8}\b)",
    re.IGNORECASE,
)


def marked(line: str) -> str:
    """A line that code says, set apart from the model's words above it."""
    return "\n".join(f"{MARK} {part}" for part in line.split("\n"))


def own_words(text: str) -> str:
    """A model's answer in which nothing passes for a receipt: what looks like one is called the model's words."""
    lines = [_LIKE_MARK.sub("-", line) for line in text.split("\n")]
    for number, line in enumerate(lines):
        visible = "".join(character for character in line if category(character) != "Cf")
        if _PLACE.search(visible) or _CONFIRMS.match(visible):
            lines[number] = f"{NOT_CODE} {line}"
    return "\n".join(lines)


def noted(written: Written) -> str:
    """`Noted in memory/2026-11-21.md:12 — ^k3f9a2mq`, then how the statement was read."""
    fact = written.fact
    reading = [
        fact.kind.value,
        *(f"@{name}" for name in fact.entities),
        *([f"#{fact.category}"] if fact.category else []),
    ]
    return f"Noted in {written.at.path}:{written.at.start} — ^{fact.id}\n{' · '.join(reading)}"


def quoted(hit: Hit, number: int) -> str:
    """A numbered passage: the words, then where they stand, from when, and what else a fact carries."""
    when = f" · {hit.time}" if hit.time else ""
    besides = "".join(f" · {part}" for part in (*described(hit), period(hit)) if part)
    return f"{number}. {indented(hit.content).lstrip()}\n   `{hit.source}`{when}{besides} · `^{hit.id}`"


def described(hit: Hit) -> list[str]:
    """An opinion's confidence and evidence, a fact's category and tags, in a few words each; `#fact` says nothing."""
    confidence = dict(hit.attributes).get("c")
    found = [f"{hit.kind.letter} {float(confidence):.2f}"] if confidence and hit.kind is Kind.OPINION else []
    if hit.evidence:
        against = sum(1 for one in hit.evidence if one.step < 0)
        found.append(f"{len(hit.evidence) - against} for, {against} against")
    return [*found, *(f"#{tag}" for tag in (hit.category, *hit.tags) if tag and tag != "fact")]


def period(hit: Hit) -> str:
    """The days in which a fact holds, where they say more than its own day: `2025-11-27 to 2025-12-01`, `until ...`."""
    day = (hit.time or "")[:10]
    if hit.kind is Kind.NOTE or (hit.since in {None, day} and hit.until in {None, day}):
        return ""
    if hit.until is None:
        return f"since {hit.since}"
    return f"{hit.since} to {hit.until}" if hit.since else f"until {hit.until}"


def strength(hit: Hit) -> str:
    """How strong a fact is, when it was reviewed, how often it was used, and when it fades; empty for a note."""
    found = hit.strength
    if found is None:
        return ""
    parts = [f"strength {found.retrievability:.2f}"]
    if found.merged_into:
        parts.append(f"merged into ^{found.merged_into}")
    if found.pinned:
        parts.append("pinned")
    if found.reviewed:
        parts.append(f"last reviewed {found.reviewed[:10]}")
    if found.uses:
        parts.append(f"used {plural(found.uses, 'time')}")
    if found.restated:
        parts.append(f"told again {plural(found.restated, 'time')}")
    parts.append(f"fades on {found.due}" if found.due else "does not fade")
    return ", ".join(parts)


def pinned(hit: Hit) -> str:
    """A fact that was pinned or unpinned, in one line, with what that means."""
    return f"{listed(hit)}\n{strength(hit).capitalize()}."


def due_summary(found: Due, days: int) -> str:
    """How many facts fade within some days, have faded, and are pinned."""
    soon = plural(len(found.facts), "fact")
    return f"{soon} to fade within {plural(days, 'day')}; {found.faded:,} faded, {found.pinned:,} pinned."


def carried(hit: Hit) -> dict[str, Any]:
    """What a fact carries besides its words, as JSON; of a note nothing but its kind."""
    found = {
        "kind": hit.kind.value,
        "title": hit.title,
        "category": hit.category,
        "tags": list(hit.tags),
        "attributes": dict(hit.attributes),
        "since": hit.since,
        "until": hit.until,
        "known": hit.known,
        "fact_source": hit.fact_source,
        "evidence": [asdict(one) for one in hit.evidence],
    }
    return found if hit.fact_source else {"kind": found["kind"]}


def scored(hit: Hit) -> str:
    """A score and the parts that make it up, and how likely the hit answers the question."""
    parts = " + ".join(f"{name} {value:.2f}" for name, value in hit.parts.items() if abs(value) >= VISIBLE)
    return f"{hit.score:.2f} = {parts or 'nothing'}; relevance {hit.relevance:.2f}"


def incomplete(found: Recall) -> str:
    """A paragraph that says why an answer may be incomplete; empty if nothing is amiss."""
    return f"\n\n({found.notice})" if found.notice else ""


def listed(hit: Hit) -> str:
    """A fact in one line, with its place."""
    return f"- {' '.join(hit.content.split())} (`{hit.unit}` · `^{hit.id}`)"


def indented(text: str) -> str:
    """Lines of a file as a quotation inside a numbered list."""
    return "\n".join(f"   > {line}".rstrip() for line in text.strip().splitlines())


_DONE = {
    "remember": "noted",
    "forget": "forgotten",
    "append": "added",
    "replace": "edited",
    "undo": "taken back",
    "propose": "proposed",
    "accept": "proposal accepted",
    "reject": "proposal rejected",
    "review": "reviewed",
    "restate": "said again",
    "link": "linked",
    "merge": "merged",
    "pin": "pinned",
    "unpin": "unpinned",
    "gate": "observed",
    "promote": "promoted",
    "consolidate": "consolidation planned",
}
MAX_CHANGED_LINES = 6
MAX_LINE_CHARS = 160


def changed(change: JournalEntry, zone: ZoneInfo) -> str:
    """A change of memory: when, what, by whom, where, then the lines that went (`-`) and came (`+`), shortened."""
    when = datetime.fromisoformat(change.at).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    named = "^" + change.id if change.id else ""
    head = " · ".join(filter(None, (_DONE.get(change.action, change.action), change.path, named, f"by {change.actor}")))
    pairs = zip_longest((change.before or "").splitlines(), (change.after or "").splitlines())
    if change.action == "replace":
        compared = ndiff((change.before or "").splitlines(), (change.after or "").splitlines())
        lines = [line for line in compared if line[:2] in {"- ", "+ "}]
    elif change.action == "propose":
        lines = []
    else:
        lines = [f"{sign} {line}" for pair in pairs for sign, line in zip("-+", pair, strict=True) if line]
    shown = [truncate(line, MAX_LINE_CHARS) for line in lines[:MAX_CHANGED_LINES]]
    more = [f"  … {len(lines) - len(shown)} more lines"] if len(lines) > len(shown) else []
    return "\n".join([f"{when} · {head}{' (taken back)' if change.is_undone else ''}", *shown, *more])


def taken_back(one: Undone) -> str:
    """What an undone write comes to, in a line."""
    if one.restored:
        return f"Back in `{one.path}`: {one.restored}" if one.path else f"It stands by itself again: {one.restored}"
    if one.path:
        return f"Taken out of `{one.path}`: {one.removed}"
    return f"No longer {_DONE.get(one.action, one.action)}: `^{one.id}`"


def judged(one: Observed) -> str:
    """What became of an observation, in a line."""
    measured = f"(similarity {one.similarity:.2f}, salience {one.salience:.2f})"
    place = f" in `{one.at}` as `^{one.fact_id}`" if one.at else ""
    told = {
        Decision.MERGE: f"Known already: counted, and not written again. It stands{place}",
        Decision.LINK: f"Noted{place}, beside something like it",
        Decision.NOVEL: f"New, and noted{place}",
        Decision.SENSORY: "Kept for a day, and not noted: nothing like it is known, and it does not seem to matter",
    }
    surprise = f" It contradicts `^{one.nearest}`." if one.surprise and one.decision is Decision.LINK else ""
    return f"{told[one.decision]} {measured}.{surprise}"


def unexpected(one: SurprisingFact) -> str:
    """A fact that was a surprise, in one or two lines."""
    against = f"\n  but known was: {one.against}" if one.against else ""
    return f"- {one.text} (`{one.source}`, `^{one.fact_id}`){against}"


def diff(change: Change) -> str:
    """A change of one line as a diff."""
    removed = [f"- {change.before}"] if change.before else []
    return "\n".join([*removed, *([f"+ {change.after}"] if change.after else [])])


def offered(offer: ProfileSuggestions) -> str:
    """How much of the budget an offer for the profile takes, and what to do with it."""
    if not offer.guides and not offer.left:
        return "The notes hold no standing instructions or preferences that USER.md does not have."
    more = f" {offer.left} more did not fit." if offer.left else ""
    return f"{offer.characters:,} of {offer.budget:,} characters.{more} Copy what is right into USER.md."


_MODES = {"hybrid": "words and meaning", "words": "words"}


def mode(name: str) -> str:
    """What a question is searched by, from `Status.mode` or `Recall.mode`."""
    return _MODES.get(name, name)


def told(stands: Status) -> str:
    """How a memory is searched, and why if it is by words alone."""
    if stands.mode == "words":
        return stands.mode_reason or "Words are searched alone."
    total = stands.embedded + stands.unembedded
    share = f" {stands.embedded:,} of {total:,} passages are embedded." if total else ""
    return f"Searched by {mode(stands.mode)}.{share} {stands.mode_reason}".rstrip()
