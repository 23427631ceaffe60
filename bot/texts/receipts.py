"""How facts, hits and the state of search are shown to a person."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime, tzinfo
from difflib import ndiff
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from unicodedata import category

from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import local_day, truncate
from bot.texts.memory import of_memory
from memory import Decision, Hit, Kind, Observed, ProfileSuggestions, Recall, Status, SurprisingFact, Undone, Written

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from memory.knowledge.history import JournalEntry
    from memory.knowledge.proposals import Change
    from memory.life.reviews import Due

VISIBLE = 0.005
"""A part of a score that is smaller is nothing to look at."""

MARK = "▸"
"""Begins every line that code puts under a model's words; the model's own words cannot hold it."""

NOT_CODE = mark("(the model's words)")
"""Is put before the words of a line in which a model confirms a write as only code may."""

MAX_CHANGED_LINES = 6
MAX_LINE_CHARS = 160
MAX_UNDONE_CHARS = 500
"""Of a text that is taken back or restored, in an answer; a saved conversation has thousands."""

INDEX_STATES = {"ready": mark("ready"), "building": mark("building"), "missing": mark("missing")}
"""`Status.state` in words."""

_DONE = {
    "remember": mark("noted"),
    "forget": mark("forgotten"),
    "append": mark("added"),
    "replace": mark("edited"),
    "undo": mark("taken back"),
    "propose": mark("proposed"),
    "accept": mark("proposal accepted"),
    "reject": mark("proposal rejected"),
    "review": mark("reviewed"),
    "restate": mark("said again"),
    "link": mark("linked"),
    "merge": mark("merged"),
    "pin": mark("pinned"),
    "unpin": mark("unpinned"),
    "gate": mark("observed"),
    "promote": mark("promoted"),
    "consolidate": mark("consolidation planned"),
    "import": mark("imported"),
}
_MODES = {"hybrid": mark("words and meaning"), "words": mark("words")}

_LIKE_MARK = re.compile("[▸▹►▻▶▷‣⁃⏵➤➢➣❯]")
_PLACE = re.compile(r"\.md`?:`?\d")
_LEAD = re.compile(r"\A(?:\s|>|(?:[-+*]|\d+[.)]|#{1,6})[ \t]|\|)*")
"""What makes a line a quote, an item, a heading or a row: of a row, it stays one only if it begins with it."""
_CONFIRMS = re.compile(
    r"\W*(?:(?:noted|written|saved|stored|remembered|forgotten|edited|added|rewrote|replaced|it replaces|back in"
    r"|taken out|notiert|gemerkt|gesichert|gespeichert|vergessen|bearbeitet|hinzugefügt|geschrieben|ersetzt"
    r"|es ersetzt|wieder in|zurückgenommen|aus\b(?=.*\bgenommen))\b"
    r"|已(?:记|保存|忘|放回|从|移除|添加|编辑|替换|撤销)|它替换)"
    r".*(?:\.md\b|\^[0-9a-z]{8}\b)",
    re.IGNORECASE,
)


def marked(line: str) -> str:
    """A line that code says, set apart from the model's words above it."""
    return "\n".join(f"{MARK} {part}" for part in line.split("\n"))


def own_words(text: str) -> str:
    """A model's answer in which nothing passes for a receipt: what looks like one is called the model's words."""
    lines = [_LIKE_MARK.sub("-", line) for line in text.split("\n")]
    for number, line in enumerate(lines):
        visible = line if line.isascii() else "".join(sign for sign in line if category(sign) != "Cf")
        if _PLACE.search(visible) or _CONFIRMS.match(visible):
            lines[number] = _LEAD.sub(lambda lead: f"{lead[0]}{tr(NOT_CODE)} ", line)
    return "\n".join(lines)


def noted(written: Written) -> str:
    """`Noted in memory/2026-11-21.md:12 — ^k3f9a2mq`, then how the statement was read."""
    fact = written.fact
    reading = [
        fact.kind.value,
        *(f"@{name}" for name in fact.entities),
        *([f"#{fact.category}"] if fact.category else []),
    ]
    place = tr("Noted in {place} — ^{id}", place=f"{written.at.path}:{written.at.start}", id=fact.id)
    return f"{place}\n{' · '.join(reading)}"


def quoted(hit: Hit, number: int) -> str:
    """A numbered passage: the words, then where they stand, from when, and what else a fact carries."""
    when = f" · {hit.time.replace('T', ' ')}" if hit.time else ""
    besides = "".join(f" · {part}" for part in (*described(hit), period(hit)) if part)
    return f"{number}. {indented(hit.content).lstrip()}\n   `{hit.source}`{when}{besides} · `^{hit.id}`"


def described(hit: Hit) -> list[str]:
    """An opinion's confidence and evidence, a fact's category and tags, in a few words each; `#fact` says nothing."""
    confidence = dict(hit.attributes).get("c")
    found = [f"{hit.kind.letter} {float(confidence):.2f}"] if confidence and hit.kind is Kind.OPINION else []
    if hit.evidence:
        against = sum(1 for one in hit.evidence if one.step < 0)
        found.append(tr("{pro} for, {contra} against", pro=len(hit.evidence) - against, contra=against))
    return [*found, *(f"#{tag}" for tag in (hit.category, *hit.tags) if tag and tag != "fact")]


def period(hit: Hit) -> str:
    """The days in which a fact holds, where they say more than its own day: `2025-11-27 to 2025-12-01`, `until ...`.

    Those of an intention, from its telling until the day on which it is due, say no more.
    """
    day = (hit.time or "")[:10]
    is_due = hit.kind is Kind.INTENTION and hit.until == day
    if is_due or hit.kind is Kind.NOTE or (hit.since in {None, day} and hit.until in {None, day}):
        return ""
    if hit.until is None:
        return tr("since {day}", day=hit.since)
    if hit.since:
        return tr("{first} to {last}", first=hit.since, last=hit.until)
    return tr("until {day}", day=hit.until)


def strength(hit: Hit, zone: tzinfo) -> str:
    """How strong a fact is, when it was reviewed, how often it was used, and when it fades; empty for a note."""
    state = hit.strength
    if state is None:
        return ""
    parts = [tr("strength {strength:.2f}", strength=state.retrievability)]
    if state.merged_into:
        parts.append(tr("merged into ^{merged_into}", merged_into=state.merged_into))
    if state.pinned:
        parts.append(tr("pinned"))
    if state.reviewed:
        parts.append(tr("last reviewed {day}", day=local_day(state.reviewed, zone)))
    if state.uses:
        parts.append(trn("used {count:,} time", "used {count:,} times", state.uses))
    if state.restated:
        parts.append(trn("told again {count:,} time", "told again {count:,} times", state.restated))
    parts.append(tr("fades on {due}", due=state.due) if state.due else tr("does not fade"))
    return ", ".join(parts)


def pinned(hit: Hit, zone: tzinfo) -> str:
    """A fact that was pinned or unpinned, in one line, with what that means."""
    return f"{listed(hit)}\n{strength(hit, zone).capitalize()}."


def fading(found: Due) -> list[str]:
    """The facts that fade next, each in one line with its day."""
    return [
        tr("{listed} fades on {due}", listed=listed(hit), due=hit.strength.due) for hit in found.facts if hit.strength
    ]


def due_summary(found: Due, days: int) -> str:
    """How many facts fade within some days, have faded, and are pinned."""
    within = trn("within {count:,} day", "within {count:,} days", days)
    return trn(
        "{count:,} fact to fade {within}; {faded:,} faded, {pinned:,} pinned.",
        "{count:,} facts to fade {within}; {faded:,} faded, {pinned:,} pinned.",
        found.soon,
        within=within,
        faded=found.faded,
        pinned=found.pinned,
    )


def searched(recalled: Recall) -> dict[str, str | None]:
    """How a recall searched, as JSON: its mode and, None by words alone, what gave the vectors, as `Embedder.identity`.

    Of that, the provider and the model are told apart; a model's name may have a colon.
    """
    provider, _, rest = recalled.embedder.partition(":")
    model = rest.rsplit(":", 4 if provider == "builtin" else 2)[0]
    names = {"provider": provider, "model": model, "embedder": recalled.embedder}
    return {"mode": recalled.mode, **{name: value or None for name, value in names.items()}}


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
    """A score and the parts that make it up, and how likely the hit answers the question; a list has none of them."""
    if not hit.score:
        return tr("listed")
    parts = " + ".join(f"{name} {value:.2f}" for name, value in hit.parts.items() if abs(value) >= VISIBLE)
    return f"{hit.score:.2f} = {parts or 'nothing'}; relevance {hit.relevance:.2f}"


def remark(found: Recall) -> str:
    """Why an answer is what it is, for whoever wants to know."""
    return of_memory(found.remark)


def incomplete(found: Recall) -> str:
    """A paragraph that says why an answer may be incomplete; empty if nothing is amiss."""
    return f"\n\n({of_memory(found.notice)})" if found.notice else ""


def listed(hit: Hit) -> str:
    """A fact in one line, with its place."""
    return f"- {' '.join(hit.content.split())} (`{hit.unit}` · `^{hit.id}`)"


def indented(text: str) -> str:
    """Lines of a file as a quotation inside a numbered list."""
    return "\n".join(f"   > {line}".rstrip() for line in text.strip().splitlines())


def done(action: str) -> str:
    """Return an action of the journal in words; one of a newer version as it is."""
    return tr(_DONE.get(action, action))


def changed(change: JournalEntry, zone: ZoneInfo) -> str:
    """A change of memory: when, what, by whom, where, then the lines that went (`-`) and came (`+`), shortened."""
    when = datetime.fromisoformat(change.at).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    named = "^" + change.id if change.id else ""
    by = tr("by {actor}", actor=change.actor)
    head = " · ".join(filter(None, (done(change.action), change.path, named, by)))
    before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
    if change.action == "replace":
        lines = [line for line in ndiff(before, after) if line[:2] in {"- ", "+ "}]
    elif change.action == "propose":
        lines = []
    else:
        pairs = zip_longest(before, after)
        lines = [f"{sign} {line}" for pair in pairs for sign, line in zip("-+", pair, strict=True) if line]
    shown = [truncate(line, MAX_LINE_CHARS) for line in lines[:MAX_CHANGED_LINES]]
    left_out = len(lines) - len(shown)
    more = [f"  {tr('… {count} more lines', count=left_out)}"] if left_out else []
    undone = f" ({tr('taken back')})" if change.is_undone else ""
    return "\n".join([f"{when} · {head}{undone}", *shown, *more])


def taken_back(one: Undone) -> str:
    """What an undone write comes to; of a long text its beginning."""
    text = one.restored or one.removed
    text = text if len(text) <= MAX_UNDONE_CHARS else truncate(text, MAX_UNDONE_CHARS)
    if one.path and one.restored:
        return tr("Back in `{path}`: {restored}", path=one.path, restored=text)
    if one.path:
        return tr("Taken out of `{path}`: {removed}", path=one.path, removed=text)
    if one.restored:
        return tr("It stands by itself again: {restored}", restored=text)
    return tr("No longer {done}: {id}", done=done(one.action), id=f"`^{one.id}`")


def judged(one: Observed) -> str:
    """What became of an observation, in a line."""
    measured = tr(
        "(similarity {similarity:.2f}, salience {salience:.2f})", similarity=one.similarity, salience=one.salience
    )
    place = " " + tr("in {place} as {id}", place=f"`{one.at}`", id=f"`^{one.fact_id}`") if one.at else ""
    outcomes = {
        Decision.MERGE: tr("Known already: counted, and not written again. It stands{place}", place=place),
        Decision.LINK: tr("Noted{place}, beside something like it", place=place),
        Decision.NOVEL: tr("New, and noted{place}", place=place),
        Decision.SENSORY: tr("Kept for a day, and not noted: nothing like it is known, and it does not seem to matter"),
    }
    text = f"{outcomes[one.decision]} {measured}."
    if one.surprise and one.decision is Decision.LINK:
        text += " " + tr("It contradicts {id}.", id=f"`^{one.nearest}`")
    return text


def unexpected(one: SurprisingFact) -> str:
    """A fact that was a surprise, in one or two lines."""
    against = f"\n  {tr('but known was: {fact}', fact=one.against)}" if one.against else ""
    return f"- {one.text} (`{one.source}`, `^{one.fact_id}`){against}"


def diff(change: Change) -> str:
    """A change of one line as a diff."""
    removed = [f"- {change.before}"] if change.before else []
    return "\n".join([*removed, *([f"+ {change.after}"] if change.after else [])])


def offered(offer: ProfileSuggestions) -> str:
    """How much of the budget an offer for the profile takes, and what to do with it."""
    if not offer.guides and not offer.left:
        return tr("The notes hold no standing instructions or preferences that USER.md does not have.")
    parts = [
        tr("{characters:,} of {budget:,} characters.", characters=offer.characters, budget=offer.budget),
        *([tr("{count} more did not fit.", count=offer.left)] if offer.left else []),
        tr("Copy what is right into USER.md."),
    ]
    return " ".join(parts)


def mode(name: str) -> str:
    """What a question is searched by, from `Status.mode` or `Recall.mode`."""
    return tr(_MODES.get(name, name))


def told(stands: Status) -> str:
    """How a memory is searched, and why if it is by words alone."""
    if stands.mode == "words":
        return of_memory(stands.mode_reason) or tr("Words are searched alone.")
    total = stands.embedded + stands.unembedded
    parts = [tr("Searched by {mode}.", mode=mode(stands.mode))]
    if total:
        parts.append(tr("{embedded:,} of {total:,} passages are embedded.", embedded=stands.embedded, total=total))
    return " ".join([*parts, of_memory(stands.mode_reason)]).rstrip()
