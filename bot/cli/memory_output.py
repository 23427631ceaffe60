"""How `scrubjay memory` shows what it found: as text for people, and as the values of its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from bot.cli.terminal import Terminal
from bot.texts import receipts
from bot.texts.catalogue import localized, tr, trn
from bot.texts.formatting import local_day, truncate, with_weekday
from bot.texts.memory import of_memory
from memory import Hit, Line, ProfileSuggestions, Recall, RecallForm, Stats, Status, Synced, Undone, Written

if TYPE_CHECKING:
    from memory.life.overview import LifeStats

MAX_ENTITIES = 20
"""Names in the table of `memory stats`."""
MAX_BAR = 30
"""Characters of the longest bar of its chart."""


def recall_json(recalled: Recall) -> dict[str, Any]:
    """The documented form of a recall."""
    return {
        "query": recalled.query,
        **receipts.searched(recalled),
        "form": recalled.form.value,
        "reason": recalled.remark,
        "ms": recalled.ms,
        "hits": [hit_json(hit) for hit in recalled.hits],
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


def profile_json(suggestions: ProfileSuggestions) -> dict[str, Any]:
    """The documented form of suggestions for the profile."""
    guides = [
        {
            "text": guide.text,
            "kind": "standing" if guide.standing else "preference",
            "time": guide.time,
            "source": str(guide.source),
        }
        for guide in suggestions.guides
    ]
    return asdict(suggestions) | {"guides": guides}


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


def print_recall(terminal: Terminal, recalled: Recall) -> None:
    """Print numbered passages, each with one line on why it was found; a timeline day by day."""
    count = len(recalled.hits)
    if recalled.form is RecallForm.TIMELINE:
        from bot.agent.offline.timeline import by_day

        for line in by_day(recalled.hits):
            terminal.out(line)
        told = trn("{count:,} event in {ms:.0f} ms.", "{count:,} events in {ms:.0f} ms.", count, ms=recalled.ms)
    else:
        print_facts(terminal, recalled.hits)
        told = trn("{count:,} passage in {ms:.0f} ms.", "{count:,} passages in {ms:.0f} ms.", count, ms=recalled.ms)
    terminal.note(f"{told} {receipts.remark(recalled)}")


def print_facts(terminal: Terminal, hits: Sequence[Hit]) -> None:
    """Print numbered facts or passages, each with its place, its id and what it is about."""
    for number, hit in enumerate(hits, 1):
        terminal.out(f"{number}  {hit.source}  ^{hit.id.lstrip('^')}", style="bold")
        for line in hit.content.splitlines():
            terminal.out(f"   {line}")
        named = (f"@{name}" for name in hit.entities)
        parts = (tr(hit.kind.value), hit.time, *named, *receipts.described(hit), receipts.period(hit))
        about = " · ".join(filter(None, parts))
        terminal.out(f"   {about} · {receipts.scored(hit)}" if hit.parts else f"   {about}", style="dim")
        terminal.out()


def print_lines(terminal: Terminal, lines: Sequence[Line]) -> None:
    """Print the lines that would be forgotten, with their places."""
    for number, line in enumerate(lines, 1):
        terminal.out(f"{number}  {line.path}:{line.number}")
        terminal.out(f"   {line.text}")


def print_undone(terminal: Terminal, taken_back: Sequence[Undone], zone: tzinfo) -> None:
    """Print the changes that were undone, newest first."""
    for change in taken_back:
        place = change.path or f"^{change.id}"
        at = with_weekday(change.at, zone)
        terminal.out(tr("Undone: {done}, {place} ({at})", done=tr(change.action), place=place, at=at))
        if change.removed:
            terminal.out(tr("  gone again:  {text}", text=change.removed))
        if change.restored:
            terminal.out(tr("  there again: {text}", text=change.restored))


def print_explanation(terminal: Terminal, recalled: Recall, zone: tzinfo) -> None:
    """Print the parts of every score, then those of the passages that came close."""
    terminal.out(receipts.remark(recalled))
    _print_scores(terminal, tr("Found"), recalled.hits, zone)
    _print_scores(terminal, tr("Came close"), recalled.near, zone)


def print_entry(terminal: Terminal, hit: Hit, zone: tzinfo) -> None:
    """Print everything about one passage."""
    terminal.out(hit.content)
    facts = (
        (tr("id"), f"^{hit.id.lstrip('^')}"),
        (tr("kind"), tr(hit.kind.value)),
        (tr("time"), hit.time or tr("unknown")),
        (tr("about"), ", ".join(hit.entities) or tr("nobody by name")),
        (tr("title"), hit.title),
        (tr("carries"), " · ".join(receipts.described(hit))),
        (tr("holds"), receipts.period(hit)),
        (tr("written"), local_day(hit.known, zone) if hit.known else ""),
        (tr("strength"), receipts.strength(hit, zone).removeprefix(f"{tr('strength')} ")),
        (tr("came from"), tr(hit.fact_source or "")),
        (tr("source"), str(hit.source)),
        (tr("scope"), hit.scope),
    )
    terminal.table([(name, str(value)) for name, value in facts if value], heads=("", ""))


def print_profile(terminal: Terminal, suggestions: ProfileSuggestions) -> None:
    """Print bullets to copy, each with its source, and how much of the budget they take."""
    for title, standing in ((tr("Standing instructions"), True), (tr("Preferences"), False)):
        guides = [guide for guide in suggestions.guides if guide.standing is standing]
        if guides:
            terminal.out(title, style="bold")
        for guide in guides:
            terminal.out(f"- {guide.text}")
            terminal.out(f"  {guide.source}", style="dim")
    terminal.out(receipts.offered(suggestions), style="dim")


def print_stats(terminal: Terminal, stats: Stats) -> None:
    """Print totals, then one table per way of counting."""
    first, last = stats.first_day, stats.last_day
    one_day = tr(", of {first}", first=first) if first else ""
    days = one_day if first == last else tr(", from {first} to {last}", first=first, last=last)
    terminal.out(
        tr(
            "{facts} among {passages} in {files}{days}.",
            facts=trn("{count:,} fact", "{count:,} facts", stats.facts),
            passages=trn("{count:,} passage", "{count:,} passages", stats.units),
            files=trn("{count:,} file", "{count:,} files", stats.files),
            days=days,
        )
    )
    _print_counts(terminal, tr("kind"), {tr(name): count for name, count in stats.by_kind.items()})
    _print_counts(terminal, tr("category"), {tr(name): count for name, count in stats.by_category.items()})
    _print_counts(terminal, tr("about"), dict(stats.entities[:MAX_ENTITIES]))


def print_life(terminal: Terminal, life: LifeStats) -> None:
    """Print stores, strength as a bar chart, and what else is known of how the facts live on."""
    _print_counts(terminal, tr("store"), {tr(name): count for name, count in life.stores.items()})
    most = max(life.strength.values(), default=0)
    if most:
        terminal.out()
        rows = [
            (tenth, f"{'█' * -(-MAX_BAR * count // most)} {localized(count, ',')}".strip())
            for tenth, count in reversed([*life.strength.items()])
        ]
        terminal.table(rows, heads=(tr("strength"), ""))
    counts = {
        tr("fade within 30 days"): life.due,
        tr("faded"): life.faded,
        tr("pinned"): life.pinned,
        tr("merged"): life.merged,
        tr("are linked"): life.linked,
        tr("links"): life.links,
    }
    _print_counts(terminal, tr("facts that"), counts)
    _print_counts(terminal, tr("observations"), {tr(name): count for name, count in life.gate.items()})
    _print_counts(terminal, tr("reviews"), {tr(name): count for name, count in life.reviews.items()})


def print_status(terminal: Terminal, state: Status) -> None:
    """Print the state of the index, and the reason if it is not ready."""
    stands = tr(receipts.INDEX_STATES.get(state.state, state.state))
    terminal.out(f"{tr('The index is {state}.', state=stands)} {of_memory(state.reason)}".rstrip())
    rows = (
        (tr("files"), str(state.files)),
        (tr("passages"), str(state.units)),
        (tr("facts"), str(state.facts)),
        (tr("files changed since"), str(state.pending)),
        (tr("searched by"), receipts.mode(state.mode)),
        (tr("embedded"), localized(state.embedded, ",")),
        (tr("to be embedded"), localized(state.unembedded, ",")),
        (tr("embedder"), state.embedder or tr("none")),
        (tr("vectors searched by"), state.link or tr("nothing")),
        (tr("size"), f"{state.bytes / 1024:.0f} KB"),
        (tr("file"), state.path),
    )
    terminal.table(rows, heads=("", ""))
    if state.mode_reason:
        terminal.note(of_memory(state.mode_reason))


def print_synced(terminal: Terminal, done: Synced) -> None:
    """Print what one synchronisation with the files changed."""
    terminal.out(
        tr(
            "{files} with {passages} indexed in {seconds:.1f} s: {changed} changed, {removed} removed.",
            files=trn("{count:,} file", "{count:,} files", done.files),
            passages=trn("{count:,} passage", "{count:,} passages", done.units),
            seconds=done.ms / 1000,
            changed=done.changed,
            removed=done.removed,
        )
    )


def _print_scores(terminal: Terminal, title: str, hits: Sequence[Hit], zone: tzinfo) -> None:
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
    terminal.table(rows, heads=(title, tr("source"), tr("score"), tr("relevance"), *names))
    terminal.out()
    for number, hit in enumerate(hits, 1):
        terminal.out(f"{number}  {truncate(hit.content, 100)}")
        if hit.strength:
            terminal.out(f"   {receipts.strength(hit, zone)}", style="dim")


def _print_counts(terminal: Terminal, title: str, counts: dict[str, int]) -> None:
    if counts:
        terminal.out()
        terminal.table([(name, localized(number, ",")) for name, number in counts.items()], heads=(title, ""))
