"""What an import would do, and what it did, as a person reads it and as JSON."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.texts.catalogue import localized, tr, trn
from bot.texts.formatting import truncate

if TYPE_CHECKING:
    from bot.cli.terminal import Terminal
    from bot.imports.plan import Plan
    from bot.imports.runner import ImportReport

EXAMPLE_COLUMNS = 90
MOST_REASONS = 12


def print_formats(terminal: Terminal, *, json: bool) -> None:
    """Print what can be imported, and what of it is on this machine."""
    import bot.importers
    from bot import plugins
    from bot.importers.base import Importer

    importers = plugins.load_all(bot.importers, "IMPORTER", Importer).values()
    sources = bot.importers.find_memories(Path.home())
    if json:
        formats = [{"name": importer.name, "summary": importer.summary} for importer in importers]
        found = [dataclasses.asdict(source) | {"path": str(source.path)} for source in sources]
        terminal.json({"formats": formats, "found": found})
        return
    rows = [(importer.name, importer.summary) for importer in importers]
    terminal.table(rows, heads=(tr("format"), tr("what it is")))
    for source in sources:
        files = trn("{count} file", "{count} files", source.count)
        path = source.path
        terminal.err(
            tr("Found: {path} ({files}). Look at it with: scrubjay import {path} --dry-run", path=path, files=files)
        )


def print_plan(terminal: Terminal, plan: Plan, source: Path, agent: str) -> None:
    """Print what would come of a source."""
    terminal.out(tr("{path}: {summary}", path=source, summary=plan.importer.summary), style="bold")
    for sort, count in plan.counts.items():
        if count:
            terminal.out(f"  {_counted(sort, count)}")
    if plan.first:
        terminal.out(tr("  from {first} to {last}", first=plan.first, last=plan.last))
    if plan.changed:
        terminal.out(
            trn("  {count} changed since it was imported", "  {count} changed since they were imported", plan.changed)
        )
    if plan.known:
        terminal.out(trn("  {count} is here already", "  {count} are here already", plan.known))
    _print_left_out(terminal, plan.left_out)
    for path, words in plan.examples:
        place = path or tr("a fact")
        terminal.out(f"  {place}: {truncate(words, EXAMPLE_COLUMNS)}")
    if plan.settings:
        terminal.out(tr("What would go with it into config.yaml, where nothing was changed:"))
        for setting in plan.settings:
            terminal.out(f"  {setting.option}: {setting.value}  # {setting.theirs}")
    if not plan.due and not plan.settings:
        terminal.err(tr("There is nothing new in it for {agent}.", agent=agent))


def _print_left_out(terminal: Terminal, left_out: dict[str, list[str]]) -> None:
    for why, what in [*left_out.items()][:MOST_REASONS]:
        more = tr(" and {count} more", count=localized(len(what) - 1, ",")) if len(what) > 1 else ""
        name = truncate(what[0], EXAMPLE_COLUMNS)
        terminal.out(tr("  left out: {name}{more}: {why}", name=name, more=more, why=why))
    if len(left_out) > MOST_REASONS:
        count = sum(len(what) for what in [*left_out.values()][MOST_REASONS:])
        terminal.out(trn("  left out: {count} more", "  left out: {count} more", count))


def print_report(terminal: Terminal, report: ImportReport, agent: str | None) -> None:
    """Print what was done, and what can be done next."""
    done = [_counted(sort, count) for sort, count in report.counts.items()]
    if report.replaced:
        done.append(trn("{count} replaced", "{count} replaced", report.replaced))
    terminal.out(tr("Imported: {what}.", what=", ".join(done) or tr("nothing")))
    if report.masked:
        terminal.err(trn("Masked: {count} secret.", "Masked: {count} secrets.", report.masked))
    _print_left_out(terminal, report.left_out)
    terminal.err(
        tr(
            "It can be found by its words now, and by its meaning once that is computed: in the "
            "background while Scrubjay runs, or now with: scrubjay memory index"
        )
    )
    command = f"scrubjay import undo {report.id}{f' --agent {agent}' if agent else ''}"
    terminal.err(tr("Take it out again with: {command}", command=command))


def _counted(sort: str, count: int) -> str:
    if sort == "fact":
        return trn("{count} fact", "{count} facts", count)
    if sort == "conversation":
        return trn("{count} conversation", "{count} conversations", count)
    return trn("{count} note", "{count} notes", count)


def plan_json(plan: Plan) -> dict[str, Any]:
    """Return the documented form of a plan."""
    return {
        "format": plan.importer.name,
        "new": dict(plan.counts),
        "changed": plan.changed,
        "known": plan.known,
        "left_out": {why: len(what) for why, what in plan.left_out.items()},
        "settings": [dataclasses.asdict(setting) for setting in plan.settings],
        "first": plan.first or None,
        "last": plan.last or None,
        "examples": [{"path": path or None, "text": words} for path, words in plan.examples],
    }
