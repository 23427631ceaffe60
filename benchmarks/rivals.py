"""Other vector stores, used as their manuals say, behind one small port; what is not installed is left out."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from memory.ports import Vectors

_AT_ONCE = 5000  # what each of them takes in one call


class Rival(Protocol):
    """A store that holds rows of length 1 under the numbers 0, 1, 2 ..."""

    name: str

    def nearest(self, question: Vectors, limit: int) -> list[int]:
        """The numbers of the nearest rows, best first."""
        ...


class LanceFlat:
    """LanceDB without an index: exact."""

    name = "lancedb, flat"

    def __init__(self, rows: Vectors, folder: Path) -> None:
        import lancedb

        data = [{"id": number, "vector": row} for number, row in enumerate(rows)]
        self._table: Any = lancedb.connect(str(folder / "lance")).create_table("rows", data=data)

    def nearest(self, question: Vectors, limit: int) -> list[int]:
        found = self._table.search(question).metric("cosine").limit(limit).select(["id", "_distance"]).to_arrow()
        numbers: list[int] = found["id"].to_pylist()
        return numbers


class MilvusLite:
    """milvus-lite with the index that it chooses itself."""

    name = "milvus-lite"

    def __init__(self, rows: Vectors, folder: Path) -> None:
        from pymilvus import MilvusClient

        self._client: Any = MilvusClient(str(folder / "milvus.db"))
        self._client.create_collection("rows", dimension=rows.shape[1], metric_type="COSINE")
        for start in range(0, len(rows), _AT_ONCE):
            some = enumerate(rows[start : start + _AT_ONCE], start)
            self._client.insert("rows", [{"id": number, "vector": row.tolist()} for number, row in some])

    def nearest(self, question: Vectors, limit: int) -> list[int]:
        found = self._client.search("rows", data=[question.tolist()], limit=limit)
        return [hit["id"] for hit in found[0]]


class Chroma:
    """chromadb with its graph (HNSW) as it comes."""

    name = "chromadb"

    def __init__(self, rows: Vectors, folder: Path) -> None:
        import chromadb

        client: Any = chromadb.PersistentClient(str(folder / "chroma"))
        self._rows = client.create_collection("rows", metadata={"hnsw:space": "cosine"})
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            self._rows.add(ids=[str(number) for number in range(start, start + len(some))], embeddings=some)

    def nearest(self, question: Vectors, limit: int) -> list[int]:
        found = self._rows.query(query_embeddings=[question], n_results=limit, include=[])
        return [int(number) for number in found["ids"][0]]


def rivals(rows: Vectors, folder: Path) -> Iterator[Rival]:
    """Those that are installed (`pip install --group bench`), filled one after the other."""
    for package, kind in (("lancedb", LanceFlat), ("pymilvus", MilvusLite), ("chromadb", Chroma)):
        if find_spec(package):
            yield kind(rows, folder)
