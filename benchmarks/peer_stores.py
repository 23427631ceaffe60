"""Other stores filled with a folder of Markdown notes and asked in words.

Those that cut Markdown themselves do that: memsearch into sections of about 1,500 characters, ReMe of at most 10,000
bytes. The others cut nothing. FTS5 gets windows: each paragraph with its two neighbours. LanceDB, Chroma and
milvus-lite are filled twice: with what Scrubjay indexes, its units, and with windows. All embed with the same model,
and none has a language model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

from benchmarks.rivals import KINDS, Making, PlainFts5
from benchmarks.shared_embedder import NAME, SharedEmbedder
from memory.index.owners import Owners
from memory.index.units import chunk
from memory.journal.state import JournalState
from memory.ports import Purpose, Vectors

PASSAGES = 60
_KEY = "none"  # of the endpoint


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
    """Words alone, over windows."""
    rows = windows(notes)
    with closing(PlainFts5([row.text for row in rows])) as store:

        async def search(question: str, _vector: Vectors) -> list[Hit]:
            return [rows[number].hit for number in store.search(question, PASSAGES)]

        yield search


def filled(make: Making, cut: Cutting) -> Opening:
    """A store that cuts nothing itself."""

    @asynccontextmanager
    async def opening(notes: Path, folder: Path, embedder: SharedEmbedder) -> AsyncIterator[Search]:
        rows = cut(notes)
        vectors = await embedder.passages([row.meant for row in rows])
        with closing(make([row.text for row in rows], vectors, folder)) as store:

            async def search(question: str, vector: Vectors) -> list[Hit]:
                return [rows[number].hit for number in store.search(question, vector, PASSAGES)]

            yield search

    return opening


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


PACKAGES = {"chroma": "chromadb"}
"""What has to be installed, where that has another name."""

PEERS: Mapping[str, tuple[str, Opening]] = {
    "fts5": ("", fts5),
    "memsearch": ("memsearch", memsearch),
    "reme": ("reme-ai", reme(by_meaning=False)),
    "reme-hybrid": ("reme-ai", reme(by_meaning=True)),
    **{name: (PACKAGES.get(name, name), filled(make, units)) for name, make in KINDS.items()},
    **{f"{name}-windows": (PACKAGES.get(name, name), filled(make, windows)) for name, make in KINDS.items()},
}
"""By name: what has to be installed for it, and how it is opened."""
