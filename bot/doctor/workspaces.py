"""Check: every workspace can be read and written, every file in it is understood, and core files fit."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from bot.agent.context.bootstrap import BYTES_PER_TOKEN, PRIVATE, RULES
from bot.doctor.base import Check, CheckContext, Finding, Severity, misplaced, permission_hint
from bot.llm.tokens import Window
from bot.texts.catalogue import localized, mark, tr
from memory import Error
from memory.knowledge.check import left_by_merges

_OPEN = os.R_OK | os.W_OK | os.X_OK


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Folders, then what the memory library reports about the files in them."""
    config = context.examined.config
    for name in config.agents if config else ():
        folder = context.workspace(name)
        parts = (folder, folder / "memory", folder / ".memory/journal")
        refused = [part for part in parts if os.path.lexists(part) and not os.access(part, _OPEN)]
        if context.config().has_lost(name, context.home):
            message = tr("The workspace {folder} was removed or moved.", folder=folder)
            hint = tr("Put it back there, then start Scrubjay again.")
            yield Finding("workspaces.lost", Severity.ERROR, str(folder), message, hint)
        elif not os.path.lexists(folder):
            message = tr("{agent} has no folder yet", agent=name)
            yield Finding("workspaces.absent", Severity.NOTE, str(folder), message, tr("Run: scrubjay init"))
        elif not folder.is_dir():
            yield misplaced("workspaces.unusable", folder)
        elif refused:
            message = tr("the folder of {agent} cannot be read and written", agent=name)
            yield Finding("workspaces.refused", Severity.ERROR, str(refused[0]), message, permission_hint(refused[0]))
        else:
            async for finding in _check_files(context, name, folder):
                yield finding
            for finding in _check_core(context, name, folder):
                yield finding


async def _check_files(context: CheckContext, name: str, folder: Path) -> AsyncIterator[Finding]:
    try:
        async with context.open_memory(name) as memory:
            problems, left = await memory.problems(), await memory.run(left_by_merges)
    except Error as error:
        yield Finding("workspaces.unusable", Severity.ERROR, str(folder), error.message, error.hint)
        return
    if not (problems or left):
        message = tr("{agent}: every file is understood", agent=name)
        yield Finding("workspaces.understood", Severity.NOTE, str(folder), message)
    for problem in problems:
        path = str(folder / problem.path)
        place = path if problem.line is None else f"{path}:{problem.line}"
        kind = "workspaces.file" if problem.line is None else "workspaces.line"
        if problem.path.startswith(".memory/journal/"):
            kind = "workspaces.journal"
        yield Finding(kind, Severity.WARNING, place, problem.message, problem.hint)
    for finding in left:
        place = f"{folder / finding.path}{f':{finding.line}' if finding.line else ''}"
        yield Finding("workspaces.merge", Severity.WARNING, place, finding.message, finding.hint)


def _check_core(context: CheckContext, name: str, folder: Path) -> Iterator[Finding]:
    here = {path.name: path for path in folder.iterdir() if path.name in (*RULES, *PRIVATE) and path.is_file()}
    if {"MEMORY.md", "memory.md"} <= here.keys() and not here["MEMORY.md"].samefile(here["memory.md"]):
        message = tr("{agent} has both MEMORY.md and memory.md", agent=name)
        hint = tr("Put the contents of the one into the other and delete it: agents write to MEMORY.md.")
        yield Finding("workspaces.two_memories", Severity.WARNING, str(here["memory.md"]), message, hint)
    window = min((model.context_tokens for model in context.config().model_of(name).in_order), default=0)
    most = Window(window).bootstrap_file if window else 0
    for path in here.values() if window else ():
        if (size := path.stat().st_size) > most * BYTES_PER_TOKEN:
            tokens, shown = localized(size // BYTES_PER_TOKEN, ","), localized(most, ",")
            text = mark("about {tokens} tokens, and {agent}'s model is shown the first {most}")
            message = tr(text, tokens=tokens, agent=name, most=shown)
            hint = tr("Move what need not be known in every conversation to a note of its own: it is found when asked.")
            yield Finding("workspaces.core_large", Severity.WARNING, str(path), message, hint)


CHECK = Check(
    mark("workspaces"),
    detect,
    {
        "absent": "An agent's folder does not exist yet. `scrubjay init` makes it, and so does the first start.",
        "lost": "An agent's folder is gone, and its index is there: it was moved, or its disk is not mounted. Put it "
        "back, or restore a backup; `scrubjay init` would begin it anew, and empty.",
        "refused": "The folder of an agent, or one in it, cannot be read and written by the user who runs Scrubjay.",
        "unusable": "The memory of an agent cannot be opened: another process holds it, or a file is in the way.",
        "understood": "Every file of the workspace can be read, and its journal holds together.",
        "journal": "The record of writes in `.memory/journal` was altered or damaged. The notes are not affected, but "
        "undo and provenance may be. Compare it with a backup or with git.",
        "file": "A file is not taken in: it is a link, too large, or has a name that is not admitted.",
        "line": "A line is no UTF-8 text (save the file as UTF-8), or sets out to be a fact (under `## Retain`) and "
        "does not follow the notation, so it is kept as plain text. The message names the column and what is missing.",
        "merge": "Git has left marks of a conflict in a file, of which both versions count; or Syncthing, Dropbox or "
        "their like have put a second version beside one; or two lines have one id, as a merge leaves them: what is "
        "changed or forgotten by that id is the line in the file with the shortest path alone.",
        "two_memories": "OpenClaw's older `memory.md` stands beside `MEMORY.md`. Put them together.",
        "core_large": "A file that is put before every conversation is longer than the model is shown of it. What is "
        "at its end is not seen; move it to a note, where it is found when asked for.",
    },
)
