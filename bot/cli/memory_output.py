"""How `scrubjay memory` shows what it found: as text for people, and as the values of its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot import receipts
from bot import receipts as meaning
from bot.cli.terminal import Terminal
from memory import Hit, Line, ProfileSuggestions, Recall, Stats, Status, Synced, Undone, Written

MOST_ENTITIES = 20


def recall_json(found: Recall) -> dict[str, Any]:
    """The documented form of a recall."""
    return {
        "query": found.query,
        "mode": found.mode,
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
    }


def offer_json(offered: ProfileSuggestions) -> dict[str, Any]:
    """The documented form of what is offered for the profile."""
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


def written_json(receipt: Written) -> dict[str, Any]:
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


def recall(terminal: Terminal, found: Recall) -> None:
    """Numbered passages, best first, each with one line on why it was found."""
    for number, hit in enumerate(found.hits, 1):
        terminal.out(f"{number}  {hit.source}  ^{hit.id.lstrip('^')}", style="bold")
        for line in hit.content.splitlines():
            terminal.out(f"   {line}")
        terminal.out(f"   {_why(hit)}", style="dim")
        terminal.out()
    terminal.err(f"{count(len(found.hits), 'passage')} in {found.ms:.0f} ms. {found.remark}")


def noted(terminal: Terminal, receipt: Written) -> None:
    """Where it was written, and what was understood."""
    terminal.out(receipts.noted(receipt))


def lines(terminal: Terminal, found: Sequence[Line]) -> None:
    """The lines that would go, with their places."""
    for number, line in enumerate(found, 1):
        terminal.out(f"{number}  {line.path}:{line.number}")
        terminal.out(f"   {line.text}")


def undone(terminal: Terminal, taken_back: Sequence[Undone]) -> None:
    """What was taken back, newest first."""
    for one in taken_back:
        terminal.out(f"Undone: {one.action}, {one.path} ({one.at})")
        if one.removed:
            terminal.out(f"  gone again:  {one.removed}")
        if one.restored:
            terminal.out(f"  there again: {one.restored}")


def explanation(terminal: Terminal, found: Recall) -> None:
    """The parts of every score, then those of what came close."""
    terminal.out(found.remark)
    _scores(terminal, "Found", found.hits)
    _scores(terminal, "Came close", found.near)


def entry(terminal: Terminal, hit: Hit, *, json: bool) -> None:
    """Everything about one entry."""
    if json:
        terminal.json(hit_json(hit))
        return
    terminal.out(hit.content)
    facts = (
        ("id", f"^{hit.id.lstrip('^')}"),
        ("kind", hit.kind.value),
        ("time", hit.time or "unknown"),
        ("about", ", ".join(hit.entities) or "nobody by name"),
        ("source", str(hit.source)),
        ("scope", hit.scope),
    )
    terminal.table([*facts], heads=("", ""))


def offer(terminal: Terminal, offered: ProfileSuggestions) -> None:
    """Bullets to copy, each with its source, and how much of the budget they take."""
    for title, standing in (("Standing instructions", True), ("Preferences", False)):
        guides = [guide for guide in offered.guides if guide.standing is standing]
        if guides:
            terminal.out(title, style="bold")
        for guide in guides:
            terminal.out(f"- {guide.text}")
            terminal.out(f"  {guide.source}", style="dim")
    terminal.out(receipts.offered(offered), style="dim")


def stats(terminal: Terminal, counted: Stats) -> None:
    """Totals, then one table per way of counting."""
    first, last = counted.first_day, counted.last_day
    days = "" if first is None else f", of {first}" if first == last else f", from {first} to {last}"
    of = f"{count(counted.units, 'passage')} in {count(counted.files, 'file')}"
    terminal.out(f"{count(counted.facts, 'fact')} among {of}{days}.")
    _counts(terminal, "kind", counted.by_kind)
    _counts(terminal, "category", counted.by_category)
    _counts(terminal, "about", dict(counted.entities[:MOST_ENTITIES]))


def status(terminal: Terminal, stands: Status) -> None:
    """The state of the index, and the reason if it is not ready."""
    terminal.out(f"The index is {stands.state}. {stands.reason}".rstrip())
    rows = (
        ("files", str(stands.files)),
        ("passages", str(stands.units)),
        ("facts", str(stands.facts)),
        ("files changed since", str(stands.pending)),
        ("searched by", meaning.mode(stands.mode)),
        ("embedded", f"{stands.embedded:,}"),
        ("to be embedded", f"{stands.unembedded:,}"),
        ("embedder", stands.embedder or "none"),
        ("vectors searched by", stands.link or "nothing"),
        ("size", f"{stands.bytes / 1024:.0f} KB"),
        ("file", stands.path),
    )
    terminal.table(rows, heads=("", ""))
    if stands.mode_reason:
        terminal.err(stands.mode_reason)


def synced(terminal: Terminal, done: Synced) -> None:
    """What one look at the files changed."""
    terminal.out(
        f"{count(done.files, 'file')} with {count(done.units, 'passage')} indexed in {done.ms / 1000:.1f} s: "
        f"{done.changed} changed, {done.removed} removed."
    )


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 line`, `3 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _why(hit: Hit) -> str:
    about = " · ".join(filter(None, (hit.kind.value, hit.time, *(f"@{name}" for name in hit.entities))))
    return f"{about} · {receipts.scored(hit)}" if hit.parts else about


def _scores(terminal: Terminal, title: str, hits: Sequence[Hit]) -> None:
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
        terminal.out(f"{number}  {_first(hit.content)}")


def _counts(terminal: Terminal, title: str, counts: dict[str, int]) -> None:
    if counts:
        terminal.out()
        terminal.table([(name, f"{number:,}") for name, number in counts.items()], heads=(title, ""))


def _first(content: str, longest: int = 100) -> str:
    line = " ".join(content.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
