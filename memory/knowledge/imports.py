"""Files that are made of what another program knew: many written at once, and taken out again."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from memory.files import atomic
from memory.files.paths import DAILY_LOGS, admit
from memory.files.workspace import Workspace, opened, state
from memory.journal.edits import encode
from memory.journal.records import Action, Operation
from memory.knowledge.context import KnowledgeContext

FOLDER = f"{DAILY_LOGS}/imports"


def write_files(
    context: KnowledgeContext, texts: Mapping[str, str], operation: Operation, *, id: str, details: Mapping[str, Any]
) -> None:
    """Write new files by their paths, below one record of the journal; all are on the disk when it returns.

    The facts in them, which `details` names by file (`{"facts": {path: [id]}}`), are the operation's. A process that is
    killed within leaves a record of files that are not all there: whoever goes on writes those that are missing. Raises
    `Conflict` if a file stands where one is to come; those before it are written.
    """
    contents = {path: encode(text) for path, text in texts.items()}
    ahead = context.writer.ahead
    begun = operation.record(Action.IMPORT, context.clock.now())
    with ahead.hold(), Workspace(context.workspace.root, create=False, fsync=lambda _: None) as unflushed:
        ahead.note(replace(begun, target=id, details=details))
        for names in {admit(path)[:-1] for path in contents}:  # what a process left that was killed within
            atomic.remove_leftovers(unflushed, (*names, ""))
        for path, content in contents.items():
            atomic.replace(unflushed, admit(path), content, expected=None)
        for path in contents:  # one after the other when all are written: the system then has most on the disk already
            names = admit(path)
            with context.workspace.writing(names) as parent, opened(parent, names[-1], os.O_RDONLY) as handle:
                context.workspace.fsync(handle)
        _flush_folders(context.workspace, contents)
    context.index_manager.refresh([*contents], contents)


def remove_files(
    context: KnowledgeContext, states: Mapping[str, str], operation: Operation, *, undoes: int
) -> tuple[str, ...]:
    """Remove files that are as they were written (`memory.files.workspace.state`), and folders that this leaves empty.

    That they are gone is written down when they are, as the undoing of this record; whoever is killed does it again.
    Returns the paths of those that were edited since, and stay.
    """
    ahead = context.writer.ahead
    kept = []
    with ahead.hold(), Workspace(context.workspace.root, create=False, fsync=lambda _: None) as unflushed:
        for path, expected in states.items():
            present = state(context.workspace.content_at(admit(path)))
            if present == expected:
                atomic.remove(unflushed, admit(path), expected=expected)
            elif present:
                kept.append(path)
        for names in {admit(path)[:-1] for path in states}:
            atomic.remove_leftovers(unflushed, (*names, ""))
        for names in sorted(_folders(states), key=len, reverse=True):
            with suppress(OSError), context.workspace.folder(names[:-1]) as parent:  # not empty, or gone
                os.rmdir(names[-1], dir_fd=parent)
        _flush_folders(context.workspace, [f"{FOLDER}/"])
        ahead.note(operation.undo(context.journal.record(undoes), context.clock.now()))
    context.index_manager.refresh([*states])
    return tuple(kept)


def _folders(paths: Collection[str]) -> set[tuple[str, ...]]:
    """Return the folders of these files, and those between them and the first."""
    parents = {tuple(path.split("/")[:-1]) for path in paths}
    return {names[:depth] for names in parents for depth in range(FOLDER.count("/") + 1, len(names) + 1)}


def _flush_folders(workspace: Workspace, paths: Iterable[str]) -> None:
    for names in {*_folders([*paths]), (DAILY_LOGS,)}:
        with suppress(FileNotFoundError), workspace.folder(names) as handle:
            workspace.fsync(handle)
