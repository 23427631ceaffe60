"""Check: in which ways vectors can be searched on this machine, each tried, and which one is taken."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bot.doctor.base import REINSTALL, Check, CheckContext, Finding, Severity
from bot.errors import distribution
from bot.texts.catalogue import mark, tr
from memory.errors import BackendUnavailable

if TYPE_CHECKING:
    from memory import VectorBackend
    from memory.ports import Vectors

SAMPLE = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Every backend, then what the agents get."""
    try:
        import numpy as np
    except ImportError as error:
        is_wanted = distribution() == "scrubjay"  # `scrubjay-words` does without on purpose
        severity, hint = (Severity.ERROR, tr(REINSTALL)) if is_wanted else (Severity.NOTE, "")
        yield Finding("vectors.absent", severity, "numpy", tr("it cannot be loaded: {why}", why=error), hint)
        return
    from memory.vectors.collection import IN_MEMORY, ON_DISK, open_store

    options = [context.config().memory_of(name) for name in context.config().agents]
    with TemporaryDirectory(prefix="scrubjay-") as folder:
        for number, backend in enumerate(IN_MEMORY + ON_DISK):
            yield _tried(backend, Path(folder, f"{number}.sqlite"), np.array(SAMPLE, np.float32))
        for low_memory in sorted({memory.low_memory for memory in options}):
            store = open_store(len(SAMPLE[0]), low_memory=Path(folder, "taken.sqlite") if low_memory else None)
            backend = store.backend
            store.close()
            if low_memory and backend in IN_MEMORY:
                message = tr("low_memory is set, but no file of vectors can be searched here: they are kept in memory")
                yield Finding("vectors.memory", Severity.WARNING, backend, message, tr(REINSTALL))
            else:
                message = tr("searches the vectors on disk") if low_memory else tr("searches the vectors in memory")
                yield Finding("vectors.taken", Severity.NOTE, backend, message)


def _tried(backend: VectorBackend, file: Path, rows: Vectors) -> Finding:
    """Put two rows in and find one of them."""
    import apsw

    from memory.vectors.collection import open_store
    from memory.vectors.store import Packed

    try:
        store = open_store(rows.shape[1], low_memory=file, backend=backend)
    except BackendUnavailable as error:
        message = tr("not on this machine. {why}", why=error.message)
        return Finding("vectors.unavailable", Severity.NOTE, backend, message)
    except apsw.Error as error:
        message = tr("it cannot be tried, for {folder} takes no files: {why}", folder=file.parent.parent, why=error)
        hint = tr("Is the disk for temporary files full, or read-only?")
        return Finding("vectors.untried", Severity.WARNING, str(file.parent.parent), message, hint)
    store.add(range(len(rows)), Packed.of(rows))
    nearest = store.search(rows[1], 1)
    store.close()
    if [near.id for near in nearest] != [1]:
        return Finding("vectors.wrong", Severity.ERROR, backend, tr("it does not find what was put in"), tr(REINSTALL))
    return Finding("vectors.works", Severity.NOTE, backend, tr("works"))


CHECK = Check(
    mark("vectors"),
    detect,
    {
        "absent": "numpy is not installed, or not for this machine, so nothing can be searched by meaning.",
        "memory": "`low_memory` is set and cannot be kept: what searches vectors in a file is not installed.",
        "taken": "Which way of searching vectors the agents get.",
        "untried": "The folder for temporary files (`TMPDIR`) takes no files, so this cannot be tried.",
        "unavailable": "A way of searching vectors that is not on this machine; another one is taken.",
        "wrong": "A way of searching vectors did not find what was put in. Install Scrubjay again.",
        "works": "A way of searching vectors that could be taken.",
    },
)
