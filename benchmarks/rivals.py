"""Other stores, used as their manuals say, behind one small port; what is not installed is left out."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from memory.ports import Vectors

_AT_ONCE = 5000  # rows that go into a store in one call

STOP_WORDS = frozenset(
    "a about an and any are as at be been but by can could did do does for from had has have he her here his "
    "how i if in is it its just may me might my no not of on or our she should so some than that the their then "
    "there these they this those to very was we were what when where which who whom why will with would you "
    "your".split()
)


class Rival(Protocol):
    """A store of texts and rows of length 1 under the numbers 0, 1, 2 ...

    Attributes:
        ranks_words: whether it ranks by words, too, and not by vectors alone.
    """

    ranks_words: bool

    def nearest(self, vector: Vectors, limit: int) -> list[int]:
        """The numbers of the nearest rows, best first."""
        ...

    def search(self, question: str, vector: Vectors, limit: int) -> list[int]:
        """The numbers of what it ranks highest by all means that it has, best first."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


class PlainFts5:
    """SQLite's FTS5 with the Porter stemmer: any of the question's words but stop words, ordered by BM25."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE rows USING fts5(text, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO rows(rowid, text) VALUES(?, ?)", enumerate(texts))

    def search(self, question: str, limit: int) -> list[int]:
        """The numbers of the best rows, best first."""
        words = re.findall(r"\w+", question.lower())
        asked = " OR ".join(f'"{word}"' for word in [word for word in words if word not in STOP_WORDS] or words)
        best = "SELECT rowid FROM rows WHERE rows MATCH ? ORDER BY bm25(rows) LIMIT ?"
        return [number for (number,) in self._db.execute(best, (asked, limit))]

    def close(self) -> None:
        self._db.close()


class Lance:
    """LanceDB: vectors without an index, so exact; an index of words as it comes (English stems); reciprocal ranks."""

    ranks_words = True

    def __init__(self, texts: Sequence[str], rows: Vectors, folder: Path) -> None:
        import lancedb
        from lancedb.index import FTS

        pairs = enumerate(zip(texts, rows, strict=True))
        data = [{"id": number, "text": text, "vector": row} for number, (text, row) in pairs]
        self._table: Any = lancedb.connect(str(folder / "lance")).create_table("rows", data=data)
        self._table.create_index("text", config=FTS())

    def nearest(self, vector: Vectors, limit: int) -> list[int]:
        return self._numbers(self._table.search(vector), limit)

    def search(self, question: str, vector: Vectors, limit: int) -> list[int]:
        asked = self._table.search(query_type="hybrid", fts_columns="text")
        return self._numbers(asked.vector(vector).text(question), limit)

    def _numbers(self, asked: Any, limit: int) -> list[int]:
        numbers: list[int] = asked.distance_type("cosine").limit(limit).to_arrow()["id"].to_pylist()
        return numbers

    def close(self) -> None:
        """Nothing is held open."""


class MilvusLite:
    """milvus-lite: exact vectors; BM25 as it comes, which knows neither stems nor stop words; reciprocal ranks."""

    ranks_words = True

    def __init__(self, texts: Sequence[str], rows: Vectors, folder: Path) -> None:
        from pymilvus import DataType, Function, FunctionType, MilvusClient

        client: Any = MilvusClient(str(folder / "milvus.db"))
        schema = client.create_schema()
        schema.add_field("id", DataType.INT64, is_primary=True)
        schema.add_field("text", DataType.VARCHAR, max_length=65_535, enable_analyzer=True)
        schema.add_field("row", DataType.FLOAT_VECTOR, dim=rows.shape[1])
        schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
        bm25 = Function("bm25", FunctionType.BM25, input_field_names=["text"], output_field_names=["words"])
        schema.add_function(bm25)
        indexes = client.prepare_index_params()
        indexes.add_index("row", index_type="FLAT", metric_type="COSINE")
        indexes.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
        client.create_collection("rows", schema=schema, index_params=indexes)
        for start in range(0, len(rows), _AT_ONCE):
            some = range(start, min(start + _AT_ONCE, len(rows)))
            client.insert("rows", [{"id": at, "text": texts[at], "row": rows[at].tolist()} for at in some])
        self._client = client

    def nearest(self, vector: Vectors, limit: int) -> list[int]:
        found = self._client.search("rows", data=[vector.tolist()], anns_field="row", limit=limit)
        return [hit["id"] for hit in found[0]]

    def search(self, question: str, vector: Vectors, limit: int) -> list[int]:
        from pymilvus import AnnSearchRequest, RRFRanker

        asked = [
            AnnSearchRequest(data=[vector.tolist()], anns_field="row", param={"metric_type": "COSINE"}, limit=limit),
            AnnSearchRequest(data=[question], anns_field="words", param={"metric_type": "BM25"}, limit=limit),
        ]
        found = self._client.hybrid_search("rows", reqs=asked, ranker=RRFRanker(), limit=limit)
        return [hit["id"] for hit in found[0]]

    def close(self) -> None:
        self._client.close()


class Chroma:
    """chromadb with its graph (HNSW) as it comes; on one's own machine it ranks by vectors alone."""

    ranks_words = False

    def __init__(self, texts: Sequence[str], rows: Vectors, folder: Path) -> None:
        import chromadb

        self._client: Any = chromadb.PersistentClient(str(folder / "chroma"))
        self._rows = self._client.create_collection("rows", metadata={"hnsw:space": "cosine"})
        for start in range(0, len(rows), _AT_ONCE):
            some = range(start, min(start + _AT_ONCE, len(rows)))
            documents = list(texts[start : some.stop])
            self._rows.add(ids=list(map(str, some)), embeddings=rows[start : some.stop], documents=documents)

    def nearest(self, vector: Vectors, limit: int) -> list[int]:
        found = self._rows.query(query_embeddings=[vector], n_results=min(limit, self._rows.count()), include=[])
        return [int(number) for number in found["ids"][0]]

    def search(self, _question: str, vector: Vectors, limit: int) -> list[int]:
        return self.nearest(vector, limit)

    def close(self) -> None:
        self._client.close()


class Making(Protocol):
    """Makes a store that has these texts with these rows, in a folder of its own."""

    def __call__(self, texts: Sequence[str], rows: Vectors, folder: Path) -> Rival: ...


KINDS: Mapping[str, Making] = {"lancedb": Lance, "milvus-lite": MilvusLite, "chroma": Chroma}
_MODULES = {"milvus-lite": "pymilvus", "chroma": "chromadb"}


def rivals(
    texts: Sequence[str], rows: Vectors, folder: Path, names: Sequence[str] = tuple(KINDS)
) -> Iterator[tuple[str, Rival]]:
    """Those of the named ones that are installed (`pip install --group bench`), filled one after the other."""
    for name in names:
        if find_spec(_MODULES.get(name, name)):
            rival = KINDS[name](texts, rows, folder)
            yield name, rival
            rival.close()
