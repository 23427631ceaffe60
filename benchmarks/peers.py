"""How well other stores find what is asked in `benchmarks.recall_quality`, with the same embedder and the same scores.

    python -m benchmarks.peers CORPUS FOLDER [--only fts5,lancedb] [--cache FOLDER] [--json]

CORPUS is as `benchmarks.recall_quality` describes it; each conversation is a store of its own. FOLDER gets one file for
each peer, `<corpus>-<peer>.jsonl`, with one line for each question: {conv, i, ms,
cpu_ms, hits: [{file, start, end, chars}]}.

Printed, and kept by corpus in `figures/peers.json`, are the measures of `benchmarks.recall_quality` by category, the
characters of ten hits, and what a search took, by the clock and in CPU time of this process. memsearch and ReMe with
vectors fetch the question's vector over HTTP from this program, which has it at hand by then; that is part of their
time. The others are given it. A peer that is not installed is left out and named (`pip install --group bench`).
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from sqlite3 import sqlite_version
from time import perf_counter, process_time
from typing import Any

from benchmarks import figures
from benchmarks.peer_stores import PEERS, Opening
from benchmarks.recall_quality import MEASURES, Corpus, Run, measured
from benchmarks.shared_embedder import SharedEmbedder
from memory.ports import Purpose

Figures = dict[str, Any]


async def run(corpus: Corpus, opening: Opening, embedder: SharedEmbedder) -> Run:
    """Ask a peer all questions, conversation by conversation."""
    found: Run = []
    for conversation, questions in corpus.questions.items():
        with tempfile.TemporaryDirectory(prefix="scrubjay-peer-") as folder:
            embedder.purpose = Purpose.PASSAGE
            async with opening(corpus.folder / conversation, Path(folder), embedder) as search:
                for question in questions:
                    vector = await embedder.question(question["q"])
                    began, busy = perf_counter(), process_time()
                    hits = [asdict(hit) for hit in await search(question["q"], vector)]
                    took = {"ms": 1000 * (perf_counter() - began), "cpu_ms": 1000 * (process_time() - busy)}
                    found.append({"conv": question["conv"], "i": question["i"], **took, "hits": hits})
    return found


def scored(lines: Run, corpus: Corpus) -> Figures:
    """Measures by category, and what a search costs and hands over."""
    times = sorted(line["ms"] for line in lines)
    characters = statistics.fmean(sum(hit["chars"] for hit in line["hits"][:10]) for line in lines)
    speed = {"p50_ms": statistics.median(times), "p95_ms": times[int(0.95 * (len(times) - 1))]}
    speed["p50_cpu_ms"] = statistics.median(line["cpu_ms"] for line in lines)
    return {**measured(lines, corpus), "characters_of_ten": characters, **speed}


def installed(package: str) -> str:
    """The version of what a peer needs; empty if it is not there. FTS5 comes with Python's SQLite."""
    try:
        return version(package) if package else f"SQLite {sqlite_version}"
    except PackageNotFoundError:
        return ""


def table(found: dict[str, Figures]) -> str:
    """For people: one line for each peer, in per cent."""
    head = f"{'':14}" + "".join(f"{name:>9}" for name in [*MEASURES, "chars", "p50 ms", "cpu ms"])
    rows = [
        f"{name:14}"
        + "".join(f"{100 * one['all'][measure]:9.1f}" for measure in MEASURES)
        + f"{one['characters_of_ten']:9.0f}{one['p50_ms']:9.2f}{one['p50_cpu_ms']:9.2f}"
        for name, one in found.items()
    ]
    return "\n".join([head, *rows])


async def compared(corpus: Corpus, folder: Path, cache: Path, names: Sequence[str]) -> dict[str, Figures]:
    """Ask all the peers that are installed, one after the other."""
    found: dict[str, Figures] = {}
    async with SharedEmbedder.open(cache) as embedder:
        for name in names:
            package, opening = PEERS[name]
            if not (release := installed(package)):
                print(f"{name} is left out: {package} is not installed.", flush=True)
                continue
            lines = await run(corpus, opening, embedder)
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"{corpus.folder.name}-{name}.jsonl").write_text(text, encoding="utf-8")
            found[name] = {"version": release, **scored(lines, corpus)}
            print(table({name: found[name]}), flush=True)
    return found


def main() -> None:
    parser = figures.command_line(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("folder", type=Path, help="for the hits of every question")
    parser.add_argument("--only", default=",".join(PEERS), help="peers, as a,b,...")
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="folder for model and vectors")
    given = parser.parse_args()
    names = given.only.split(",")
    if unknown := [name for name in names if name not in PEERS]:
        parser.error(f"no such peer: {', '.join(unknown)}. There are: {', '.join(PEERS)}.")
    given.folder.mkdir(parents=True, exist_ok=True)
    found = asyncio.run(compared(Corpus(given.corpus), given.folder, given.cache, names))
    print(table(found))
    kept = figures.kept("peers")
    kept[given.corpus.name] = kept.get(given.corpus.name, {}) | found
    figures.write("peers", kept, seed=0)
    if given.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
