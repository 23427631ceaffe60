"""Other stores filled with a folder of Markdown notes and asked in words, each as its manual says.

Those that cut Markdown themselves do that: memsearch into sections of about 1,500 characters, ReMe of at most 10,000
bytes. LanceDB, Chroma and milvus-lite get what Scrubjay indexes, its units, with the same vectors. FTS5 gets windows:
each paragraph with its two neighbours; so does `lancedb-windows`. All embed with the same model, and none has a
language model.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

from benchmarks.shared_embedder import NAME, SharedEmbedder
from memory.files.journal import JournalState
from memory.index.owners import Owners
from memory.index.units import chunk
from memory.ports import Purpose, Vectors

PASSAGES = 60
_AT_ONCE = 5000  # rows that go into a store in one call
_KEY = "none"  # of the endpoint

STOP_WORDS = frozenset(
    "a about an and any are as at be been but by can could did do does for from had has have he her here his how "
    "i if in is it its just may me might my no not of on or our she should so some than that the their then there "
    "these they this those to very was we were what when where which who whom why will with would you your".split()
)


@dataclass(frozen=True, slots=True)
class Hit:
    """What a store hands over: lines of a file, from 1, both included, in so many characters."""

    file: str
    start: int
    end: int
    chars: int


Search = Callable[[str, Vectors], Awaitable[list[Hit]]]
"""Ask in words, with the vector of the question: the best passages, at most 60, best first."""

Opening = Callable[[Path, Path, SharedEmbedder], AbstractAsyncContextManager[Search]]
"""Fill a store with the notes of the first folder; the second, which is empty, is its own."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A row of a store: the text that is searched and handed over, what of it is embedded, and where it stands."""

    text: str
    meant: str
    hit: Hit


Cutting = Callable[[Path], list[Passage]]
"""The rows for all notes of a folder."""


def units(notes: Path) -> list[Passage]:
    """What Scrubjay indexes: a paragraph or speaker's turn, or a part of a long one, of 160 tokens at most."""
    found = []
    for file in sorted(notes.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        for unit in chunk(f"memory/{file.name}", text, owners=Owners(JournalState())).units:
            hit = Hit(file.name, unit.start, unit.end, len(unit.text))
            found.append(Passage(unit.text, unit.meant, hit))
    return found


def windows(notes: Path) -> list[Passage]:
    """Every paragraph, what lies between empty lines, with the one before and the one behind it."""
    found = []
    for file in sorted(notes.glob("*.md")):
        blocks = list(_paragraphs(file.read_text(encoding="utf-8")))
        for number in range(len(blocks)):
            near = blocks[max(0, number - 1) : number + 2]
            text = "\n".join(block[2] for block in near)
            found.append(Passage(text, text, Hit(file.name, near[0][0], near[-1][1], len(text))))
    return found


def _paragraphs(text: str) -> Iterator[tuple[int, int, str]]:
    block: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), number - 1, "\n".join(block)
            block = []


@asynccontextmanager
async def fts5(notes: Path, _folder: Path, _embedder: SharedEmbedder) -> AsyncIterator[Search]:
    """SQLite's FTS5 with the Porter stemmer: any of the question's words but stop words, ordered by BM25."""
    rows = windows(notes)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='porter unicode61')")
        db.executemany(
            "INSERT INTO passages(rowid, text) VALUES(?, ?)", [(at, row.text) for at, row in enumerate(rows)]
        )

        async def search(question: str, _vector: Vectors) -> list[Hit]:
            words = re.findall(r"\w+", question.lower())
            asked = " OR ".join(f'"{word}"' for word in [word for word in words if word not in STOP_WORDS] or words)
            found = db.execute(
                "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages) LIMIT ?", (asked, PASSAGES)
            )
            return [rows[at].hit for (at,) in found]

        yield search


@asynccontextmanager
async def memsearch(notes: Path, folder: Path, embedder: SharedEmbedder) -> AsyncIterator[Search]:
    """Its own hybrid search: BM25 and vectors in milvus-lite, fused by reciprocal ranks."""
    from memsearch import MemSearch

    memory: Any = MemSearch(
        [notes],
        embedding_provider="openai",
        embedding_model=NAME,
        embedding_base_url=embedder.url,
        embedding_api_key=_KEY,
        milvus_uri=str(folder / "milvus.db"),
    )
    await memory.index()
    embedder.purpose = Purpose.QUERY

    async def search(question: str, _vector: Vectors) -> list[Hit]:
        return [
            Hit(Path(hit["source"]).name, hit["start_line"], hit["end_line"], len(hit["content"]))
            for hit in await memory.search(question, top_k=PASSAGES)
        ]

    yield search
    memory.close()


def reme(*, by_meaning: bool) -> Opening:
    """ReMe by BM25 and links, which is how it comes; or with vectors, too, which it fuses by reciprocal ranks."""

    @asynccontextmanager
    async def opening(notes: Path, folder: Path, embedder: SharedEmbedder) -> AsyncIterator[Search]:
        from reme.reme import ReMe

        copytree(notes, folder / "daily")
        application: Any = ReMe(**_reme_config(folder, embedder if by_meaning else None))
        await application.start()
        await application.run_job("index")
        embedder.purpose = Purpose.QUERY

        async def search(question: str, _vector: Vectors) -> list[Hit]:
            response = await application.run_job("search", query=question, limit=PASSAGES)
            return [
                Hit(Path(hit["path"]).name, hit["start_line"], hit["end_line"], len(hit["text"]))
                for hit in response.metadata["results"]
            ]

        yield search
        await application.close()

    return opening


def _reme_config(folder: Path, embedder: SharedEmbedder | None) -> Mapping[str, Any]:
    """Its own configuration without what watches, dreams or asks a language model, all of which is not searched."""
    from reme.config import resolve_app_config

    config: dict[str, Any] = resolve_app_config(workspace_dir=str(folder), log_config=False)
    first = config["jobs"]["index_update_loop"]["steps"][0]  # what it does at the start: take in all files
    indexing = {"backend": "base", "watch_dirs": ["daily_dir"], "watch_suffixes": ["md"], "steps": [first]}
    components = config["components"]
    for name in ("as_llm", "agent_wrapper"):
        del components[name]
    if embedder:
        components["as_embedding"] = {
            "default": {
                "backend": "openai",
                "model": NAME,
                "dimensions": embedder.dims,
                "credential": {"api_key": _KEY, "base_url": embedder.url},
            }
        }
        components["embedding_store"] = {"default": {"backend": "local", "as_embedding": "default"}}
        components["file_store"]["default"]["embedding_store"] = "default"
    return config | {
        "jobs": {"index": indexing, "search": config["jobs"]["search"]},
        "log_to_console": False,
        "log_to_file": False,
        "enable_logo": False,
    }


def lancedb(cut: Cutting) -> Opening:
    """Its hybrid search: an index of words as it comes (English stems), exact vectors, fused by reciprocal ranks."""

    @asynccontextmanager
    async def opening(notes: Path, folder: Path, embedder: SharedEmbedder) -> AsyncIterator[Search]:
        import lancedb as library
        from lancedb.index import FTS

        rows = cut(notes)
        vectors = await embedder.passages([row.meant for row in rows])
        pairs = enumerate(zip(rows, vectors, strict=True))
        data = [{"id": at, "text": row.text, "vector": vector} for at, (row, vector) in pairs]
        table: Any = library.connect(str(folder)).create_table("passages", data=data)
        table.create_index("text", config=FTS())

        async def search(question: str, vector: Vectors) -> list[Hit]:
            asked = table.search(query_type="hybrid", fts_columns="text").vector(vector).text(question)
            found = asked.distance_type("cosine").limit(PASSAGES).to_arrow()
            return [rows[number].hit for number in found["id"].to_pylist()]

        yield search

    return opening


@asynccontextmanager
async def chroma(notes: Path, folder: Path, embedder: SharedEmbedder) -> AsyncIterator[Search]:
    """Vectors alone, in its graph (HNSW) as it comes: on one's own machine it ranks by nothing else."""
    import chromadb

    rows = units(notes)
    vectors = await embedder.passages([row.meant for row in rows])
    client: Any = chromadb.PersistentClient(str(folder))
    collection = client.create_collection("passages", metadata={"hnsw:space": "cosine"})
    for start in range(0, len(rows), _AT_ONCE):
        some = range(start, min(start + _AT_ONCE, len(rows)))
        texts = [rows[at].text for at in some]
        collection.add(ids=[str(at) for at in some], embeddings=vectors[start : some.stop], documents=texts)

    async def search(_question: str, vector: Vectors) -> list[Hit]:
        found = collection.query(query_embeddings=[vector], n_results=min(PASSAGES, len(rows)), include=[])
        return [rows[int(number)].hit for number in found["ids"][0]]

    yield search


@asynccontextmanager
async def milvus_lite(notes: Path, folder: Path, embedder: SharedEmbedder) -> AsyncIterator[Search]:
    """Its hybrid search: BM25 as it comes (it has no stems), exact vectors, fused by reciprocal ranks."""
    from pymilvus import AnnSearchRequest, RRFRanker

    rows = units(notes)
    vectors = await embedder.passages([row.meant for row in rows])
    client = _milvus_collection(folder, embedder.dims)
    for start in range(0, len(rows), _AT_ONCE):
        some = enumerate(zip(rows[start : start + _AT_ONCE], vectors[start : start + _AT_ONCE], strict=True), start)
        client.insert("passages", [{"id": at, "text": row.text, "dense": row_.tolist()} for at, (row, row_) in some])

    async def search(question: str, vector: Vectors) -> list[Hit]:
        arms: Sequence[tuple[str, object, str]] = (("dense", vector.tolist(), "COSINE"), ("words", question, "BM25"))
        asked = [
            AnnSearchRequest(data=[what], anns_field=field, param={"metric_type": metric}, limit=PASSAGES)
            for field, what, metric in arms
        ]
        found = client.hybrid_search("passages", reqs=asked, ranker=RRFRanker(), limit=PASSAGES)
        return [rows[hit["id"]].hit for hit in found[0]]

    yield search
    client.close()


def _milvus_collection(folder: Path, dims: int) -> Any:
    from pymilvus import DataType, Function, FunctionType, MilvusClient

    client: Any = MilvusClient(str(folder / "milvus.db"))
    schema = client.create_schema()
    schema.add_field("id", DataType.INT64, is_primary=True)
    schema.add_field("text", DataType.VARCHAR, max_length=65_535, enable_analyzer=True)
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dims)
    schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
    bm25 = Function("bm25", FunctionType.BM25, input_field_names=["text"], output_field_names=["words"])
    schema.add_function(bm25)
    indexes = client.prepare_index_params()
    indexes.add_index("dense", index_type="FLAT", metric_type="COSINE")
    indexes.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
    client.create_collection("passages", schema=schema, index_params=indexes)
    return client


PEERS: Mapping[str, tuple[str, Opening]] = {
    "fts5": ("", fts5),
    "memsearch": ("memsearch", memsearch),
    "reme": ("reme-ai", reme(by_meaning=False)),
    "reme-hybrid": ("reme-ai", reme(by_meaning=True)),
    "lancedb": ("lancedb", lancedb(units)),
    "lancedb-windows": ("lancedb", lancedb(windows)),
    "chroma": ("chromadb", chroma),
    "milvus-lite": ("milvus-lite", milvus_lite),
}
"""By name: what has to be installed for it, and how it is opened."""
