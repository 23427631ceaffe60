"""How `scrubjay memory` shows what it found: as text for people, and as the values of its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot import receipts
from bot.cli.terminal import Terminal
from bot.formatting import plural, truncate
from memory import Hit, Line, ProfileSuggestions, Recall, RecallForm, Stats, Status, Synced, Undone, Written

if TYPE_CHECKING:
    from memory.life.stats import LifeStats

MAX_ENTITIES = 20
"""Names in the table of `memory stats`."""
MAX_BAR = 30
"""Characters of the longest bar of its chart."""


def recall_json(found: Recall) -> dict[str, Any]:
    """The documented form of a recall."""
    return {
        "query": found.query,
        "mode": found.mode,
        "form": found.form.value,
        "reason": found.remark,
        "ms": found.ms,
        "hits": [hit_json(hit) for hit in found.hits],
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    """The documented form of a hit."""
    return {
        "id": hit.id,
        "kind": hit.kind.value,
        "time": hit.time,
        "entities": list(hit.entities),
        "content": hit.content,
        "source": str(hit.source),
        "scope": hit.scope,
        "score": hit.score,
        "parts": hit.parts,
        "relevance": hit.relevance,
        "grounds": hit.grounds,
        **receipts.carried(hit),
        **({"strength": asdict(hit.strength)} if hit.strength else {}),
    }


def profile_json(offered: ProfileSuggestions) -> dict[str, Any]:
    """The documented form of suggestions for the profile."""
    return {
        "guides": [
            {
                "text": guide.text,
                "kind": "standing" if guide.standing else "preference",
                "time": guide.time,
                "source": str(guide.source),
            }
            for guide in offered.guides
        ],
        "characters": offered.characters,
        "budget": offered.budget,
        "left": offered.left,
    }


def receipt_json(receipt: Written) -> dict[str, Any]:
    """The documented form of a receipt."""
    fact = receipt.fact
    return {
        "id": fact.id,
        "kind": fact.kind.value,
        "entities": list(fact.entities),
        "category": fact.category,
        "text": fact.text,
        "source": str(receipt.at),
        "repeated": receipt.repeated,
    }


def print_recall(terminal: Terminal, found: Recall) -> None:
    """Print numbered passages, each with one line on why it was found; a timeline day by day."""
    if found.form is RecallForm.TIMELINE:
        from bot.agent.timeline import by_day

        for line in by_day(found.hits):
            terminal.out(line)
    else:
        print_facts(terminal, found.hits)
    noun = "event" if found.form is RecallForm.TIMELINE else "passage"
    terminal.err(f"{plural(len(found.hits), noun)} in {found.ms:.0f} ms. {found.remark}")


def print_facts(terminal: Terminal, hits: Sequence[Hit]) -> None:
    """Print numbered facts or passages, each with its place, its id and what it is about."""
    for number, hit in enumerate(hits, 1):
        terminal.out(f"{number}  {hit.source}  ^{hit.id.lstrip('^')}", style="bold")
        for line in hit.content.splitlines():
            terminal.out(f"   {line}")
        named = (f"@{name}" for name in hit.entities)
        parts = (hit.kind.value, hit.time, *named, *receipts.described(hit), receipts.period(hit))
        about = " · ".join(filter(None, parts))
        terminal.out(f"   {about} · {receipts.scored(hit)}" if hit.parts else f"   {about}", style="dim")
        terminal.out()


def print_receipt(terminal: Terminal, receipt: Written) -> None:
    """Print where a fact was written, and what was understood."""
    terminal.out(receipts.noted(receipt))


def print_lines(terminal: Terminal, found: Sequence[Line]) -> None:
    """Print the lines that would be forgotten, with their places."""
    for number, line in enumerate(found, 1):
        terminal.out(f"{number}  {line.path}:{line.number}")
        terminal.out(f"   {line.text}")


def print_undone(terminal: Terminal, taken_back: Sequence[Undone]) -> None:
    """Print the changes that were undone, newest first."""
    for one in taken_back:
        terminal.out(f"Undone: {one.action}, {one.path or f'^{one.id}'} ({one.at})")
        if one.removed:
            terminal.out(f"  gone again:  {one.removed}")
        if one.restored:
            terminal.out(f"  there again: {one.restored}")


def print_explanation(terminal: Terminal, found: Recall) -> None:
    """Print the parts of every score, then those of the passages that came close."""
    terminal.out(found.remark)
    _print_scores(terminal, "Found", found.hits)
    _print_scores(terminal, "Came close", found.near)


def print_entry(terminal: Terminal, hit: Hit, *, json: bool) -> None:
    """Print everything about one passage."""
    if json:
        terminal.json(hit_json(hit))
        return
    terminal.out(hit.content)
    facts = (
        ("id", f"^{hit.id.lstrip('^')}"),
        ("kind", hit.kind.value),
        ("time", hit.time or "unknown"),
        ("about", ", ".join(hit.entities) or "nobody by name"),
        ("title", hit.title),
        ("carries", " · ".join(receipts.described(hit))),
        ("holds", receipts.period(hit)),
        ("written", hit.known),
        ("strength", receipts.strength(hit).removeprefix("strength ")),
        ("came from", hit.fact_source),
        ("source", str(hit.source)),
        ("scope", hit.scope),
    )
    terminal.table([(name, str(value)) for name, value in facts if value], heads=("", ""))


def print_profile(terminal: Terminal, offered: ProfileSuggestions) -> None:
    """Print bullets to copy, each with its source, and how much of the budget they take."""
    for title, standing in (("Standing instructions", True), ("Preferences", False)):
        guides = [guide for guide in offered.guides if guide.standing is standing]
        if guides:
            terminal.out(title, style="bold")
        for guide in guides:
            terminal.out(f"- {guide.text}")
            terminal.out(f"  {guide.source}", style="dim")
    terminal.out(receipts.offered(offered), style="dim")


def print_stats(terminal: Terminal, counted: Stats) -> None:
    """Print totals, then one table per way of counting."""
    first, last = counted.first_day, counted.last_day
    days = "" if first is None else f", of {first}" if first == last else f", from {first} to {last}"
    of = f"{plural(counted.units, 'passage')} in {plural(counted.files, 'file')}"
    terminal.out(f"{plural(counted.facts, 'fact')} among {of}{days}.")
    _print_counts(terminal, "kind", counted.by_kind)
    _print_counts(terminal, "category", counted.by_category)
    _print_counts(terminal, "about", dict(counted.entities[:MAX_ENTITIES]))


def print_life(terminal: Terminal, life: LifeStats) -> None:
    """Print stores, strength as a bar chart, and what else is known of how the facts live on."""
    _print_counts(terminal, "store", dict(life.stores))
    most = max(life.strength.values(), default=0)
    if most:
        terminal.out()
        rows = [
            (tenth, f"{'█' * -(-MAX_BAR * count // most)} {count:,}".strip())
            for tenth, count in reversed([*life.strength.items()])
        ]
        terminal.table(rows, heads=("strength", ""))
    counts = {"fade within 30 days": life.due, "faded": life.faded, "pinned": life.pinned, "merged": life.merged}
    _print_counts(terminal, "facts that", counts | {"are linked": life.linked, "links": life.links})
    _print_counts(terminal, "observations", dict(life.gate))
    _print_counts(terminal, "reviews", dict(life.reviews))


def print_status(terminal: Terminal, state: Status) -> None:
    """Print the state of the index, and the reason if it is not ready."""
    terminal.out(f"The index is {state.state}. {state.reason}".rstrip())
    rows = (
        ("files", str(state.files)),
        ("passages", str(state.units)),
        ("facts", str(state.facts)),
        ("files changed since", str(state.pending)),
        ("searched by", receipts.mode(state.mode)),
        ("embedded", f"{state.embedded:,}"),
        ("to be embedded", f"{state.unembedded:,}"),
        ("embedder", state.embedder or "none"),
        ("vectors searched by", state.link or "nothing"),
        ("size", f"{state.bytes / 1024:.0f} KB"),
        ("file", state.path),
    )
    terminal.table(rows, heads=("", ""))
    if state.mode_reason:
        terminal.err(state.mode_reason)


def print_synced(terminal: Terminal, done: Synced) -> None:
    """Print what one synchronisation with the files changed."""
    terminal.out(
        f"{plural(done.files, 'file')} with {plural(done.units, 'passage')} indexed in {done.ms / 1000:.1f} s: "
        f"{done.changed} changed, {done.removed} removed."
    )


def _print_scores(terminal: Terminal, title: str, hits: Sequence[Hit]) -> None:
    if not hits:
        return
    names = list(dict.fromkeys(name for hit in hits for name in hit.parts))
    rows = [
        (
            str(number),
            str(hit.source),
            f"{hit.score:.3f}",
            f"{hit.relevance:.3f}",
            *(f"{hit.parts.get(name, 0):.3f}" for name in names),
        )
        for number, hit in enumerate(hits, 1)
    ]
    terminal.out()
    terminal.table(rows, heads=(title, "source", "score", "relevance", *names))
    terminal.out()
    for number, hit in enumerate(hits, 1):
        terminal.out(f"{number}  {truncate(hit.content, 100)}")
        if hit.strength:
            terminal.out(f"   {receipts.strength(hit)}", style="dim")


def _print_counts(terminal: Terminal, title: str, counts: dict[str, int]) -> None:
    if counts:
        terminal.out()
        terminal.table([(name, f"{number:,}") for name, number in counts.items()], heads=(title, ""))
