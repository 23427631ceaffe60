"""Check: in which ways vectors can be searched on this machine, each tried, and which one is taken."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bot.doctor.base import Check, CheckContext, Finding, Severity
from memory import VectorBackend
from memory.errors import LinkUnavailable

if TYPE_CHECKING:
    from memory.ports import Vectors

REINSTALL = "Install the locked dependencies again: make clean, then make chat."
SAMPLE = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Every link of the chain, then what the agents get."""
    try:
        import numpy as np
    except ImportError as error:
        yield Finding("vectors.absent", Severity.ERROR, "numpy", f"it cannot be loaded: {error}", REINSTALL)
        return
    from memory.vectors.collection import open_store

    options = [context.config().memory_of(name) for name in context.config().agents]
    with TemporaryDirectory(prefix="scrubjay-") as folder:
        for number, link in enumerate(VectorBackend):
            yield _tried(link, Path(folder, f"{number}.sqlite"), np.array(SAMPLE, np.float32))
        for low_memory in sorted({one.low_memory for one in options}):
            store = open_store(len(SAMPLE[0]), low_memory=Path(folder, "taken.sqlite") if low_memory else None)
            link = store.link
            store.close()
            if low_memory and link in {VectorBackend.SIMSIMD, VectorBackend.NUMPY}:
                message = "low_memory is set, but no file of vectors can be searched here: they are kept in memory"
                yield Finding("vectors.memory", Severity.WARNING, link, message, REINSTALL)
            else:
                where = "on disk" if low_memory else "in memory"
                yield Finding("vectors.taken", Severity.NOTE, link, f"searches the vectors {where}")


def _tried(link: VectorBackend, file: Path, rows: Vectors) -> Finding:
    """Put two rows in and find one of them."""
    from memory.vectors.collection import open_store
    from memory.vectors.store import Packed

    try:
        store = open_store(rows.shape[1], low_memory=file, link=link)
    except LinkUnavailable as error:
        return Finding("vectors.unavailable", Severity.NOTE, link, f"not on this machine. {error.message}")
    store.add(range(len(rows)), Packed.of(rows))
    nearest = store.search(rows[1], 1)
    store.close()
    if [near.id for near in nearest] != [1]:
        return Finding("vectors.wrong", Severity.ERROR, link, "it does not find what was put in", REINSTALL)
    return Finding("vectors.works", Severity.NOTE, link, "works")


CHECK = Check("vectors", "vectors", detect)
