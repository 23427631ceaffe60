"""Which vector store this machine gets: the fastest that can be had, or the one that was asked for."""

from __future__ import annotations

from pathlib import Path

from memory.errors import LinkUnavailable
from memory.index.lowmem import DiskVectors
from memory.index.nearest import VectorStore
from memory.index.vectors import ExactVectors
from memory.model import Link

IN_MEMORY = (Link.SIMSIMD, Link.NUMPY)
ON_DISK = (Link.VEC_APSW, Link.VEC_SQLITE3, Link.VEC_CTYPES)


def open_store(dims: int, *, low_memory: Path | None = None, link: Link | None = None) -> VectorStore:
    """The first link of the chain that holds.

    Args:
        dims: numbers in a vector.
        low_memory: where to keep the vectors on disk; without it they are searched in memory.
        link: this one or none. One on disk needs `low_memory`.

    Raises:
        LinkUnavailable: `link` cannot be had here.
    """
    chain = IN_MEMORY if low_memory is None else ON_DISK + IN_MEMORY
    if link is not None:
        return _open(link, dims, low_memory)
    for candidate in chain[:-1]:
        try:
            return _open(candidate, dims, low_memory)
        except LinkUnavailable:
            continue  # the store's `link` tells how far down the chain it went
    return _open(chain[-1], dims, low_memory)


def _open(link: Link, dims: int, low_memory: Path | None) -> VectorStore:
    if link in IN_MEMORY:
        return ExactVectors(dims, link=link)
    if low_memory is None:
        raise LinkUnavailable(f"{link} needs a file.", hint="Name one as `low_memory`.")
    return DiskVectors(low_memory, dims, link=link)
