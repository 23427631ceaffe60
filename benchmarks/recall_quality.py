"""How good recall is on recorded conversations, whose questions come with the lines that answer them.

    python -m benchmarks.recall_quality CORPUS OUT.jsonl [--config metric=no,feedback=0] [--words] [--cache FOLDER]
    python -m benchmarks.recall_quality CORPUS OUT.jsonl --ablate

CORPUS holds one folder of Markdown files per conversation and `questions.json`: [{conv, i, q, cat, gold: [{file,
start, end}]}], lines from 1. Every folder becomes the dated notes of one agent; what `Memory.recall` hands over, at
most 60 passages or as many as `--passages` tells, is written to OUT: {conv, i, ms, hits: [{file, start, end, chars}]},
one line per question. The corpus is not changed.

`--config` sets weights of `memory.RankingWeights`, or takes a profile's by `profile=openclaw`; `--chunks 400/80` cuts
notes as OpenClaw does. `--words` searches without an embedder. `--only` takes some of the conversations, `--undated`
the days from the names of files, `--timeless` from their titles, too. `--cache` keeps the converted model and computed
vectors between runs. `--ablate` runs once more without each mechanism, and prints a table.

Printed are, in per cent: fR@k, the gold files among the first k distinct files; NDCG@10 over files; eR@10, the gold
passages that the first 10 hits overlap; eR@8k, the same within the first 8,000 characters handed over; then the
milliseconds of a search, without the question's embedding.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import figures
from memory import OWNER, ChunkSize, Embedding, FrozenClock, Memory, Options, RankingProfile, RankingWeights, Recall
from memory.embed.lazy import builtin
from memory.postgresql.store import SharedIndex
from memory.recall.scoring import weights_of

PASSAGES = 60
BUDGET = 8000
MEASURES = ("fR@1", "fR@5", "fR@10", "NDCG@10", "eR@10", "eR@8k")
EVERYTHING = 10**7
"""Characters: more than 60 passages have."""

WITHOUT: Mapping[str, str] = {
    "meaning": "",
    "words": "words=0",
    "the collection's metric": "metric=no",
    "neighbours": "beside=0",
    "trust in words": "certain=0",
    "feedback": "feedback=0",
    "time": "time=0",
    "standing instructions": "standing=0",
    "preferences": "preference=0",
    "who asks": "asker=0",
    "all three of them": "standing=0,preference=0,asker=0",
    "waiting of the same turn": "again=0",
    "free widening of the first": "widened=0",
}
"""What each row of the ablation table switches off, as for `--config`; nothing stands for `--words`."""

WEIGHTS: Mapping[str, Callable[[str], float | bool]] = {
    name: (lambda value: value == "yes") if isinstance(default, bool) else type(default)
    for name, default in asdict(RankingWeights()).items()
}
"""How each weight of a recipe is read."""

_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?")

Question = dict[str, Any]
Run = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Setting:
    """How to search: weights, where vectors are kept, whether by words alone, where days are taken away, when.

    Attributes:
        then: whether it is the day after the last session, and not today.
        passages: so many are handed over at most.
        chunks: how notes are cut, as in `memory.Options`.
        index: where the index of a home is.
    """

    recipe: RankingWeights
    cache: Path
    words: bool = False
    undated: bool = False
    timeless: bool = False
    then: bool = False
    passages: int = PASSAGES
    chunks: ChunkSize | None = None
    index: Callable[[Path], Path | SharedIndex] = lambda home: home / "index.sqlite"

    def without(self, name: str) -> Setting:
        """The same with one mechanism off."""
        if not WITHOUT[name]:
            return replace(self, words=True)
        return replace(self, recipe=weighed(self.recipe, WITHOUT[name]))


class Corpus:
    """Conversations with questions."""

    def __init__(self, folder: Path, only: Sequence[str] = ()) -> None:
        told: list[Question] = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
        self.folder = folder
        self.questions: dict[str, list[Question]] = defaultdict(list)
        for question in told:
            if not only or question["conv"] in only:
                self.questions[question["conv"]].append(question)

    async def run(self, setting: Setting) -> Run:
        """Ask all questions, conversation by conversation."""
        found: Run = []
        for conversation, questions in self.questions.items():
            with tempfile.TemporaryDirectory(prefix="scrubjay-quality-") as name:
                names = self._copied(conversation, Path(name) / "notes" / "memory", setting)
                found += [_line(*one, names) async for one in _asked(Path(name), questions, setting)]
        return found

    def _copied(self, conversation: str, notes: Path, setting: Setting) -> dict[str, str]:
        """Copy a conversation in; the new names with the old ones."""
        notes.mkdir(parents=True)
        names = {}
        for number, file in enumerate(sorted((self.folder / conversation).glob("*.md"))):
            name = f"session-{number:03}.md" if setting.undated or setting.timeless else file.name
            names[name] = file.name
            text = file.read_text(encoding="utf-8")
            (notes / name).write_text(_timeless(text) if setting.timeless else text, encoding="utf-8")
        return names


def measured(run: Run, corpus: Corpus) -> dict[str, dict[str, float]]:
    """Means of all measures by category, and of `all`."""
    gold = {(one["conv"], one["i"]): one for many in corpus.questions.values() for one in many}
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    for line in run:
        question = gold[line["conv"], line["i"]]
        scored = _measures(line["hits"], question["gold"])
        groups["all"].append(scored)
        groups[str(question["cat"])].append(scored)
    return {
        name: {"n": float(len(many))} | {key: statistics.fmean(one[key] for one in many) for key in MEASURES}
        for name, many in sorted(groups.items())
    }


async def _asked(home: Path, questions: Sequence[Question], setting: Setting) -> AsyncIterator[tuple[Question, Recall]]:
    options = Options(ranking=setting.recipe, chunks=setting.chunks)
    if setting.then:
        days = sorted(
            found[0] for file in (home / "notes" / "memory").iterdir() for found in [_DAY.search(file.name)] if found
        )
        options["clock"] = FrozenClock(datetime.fromisoformat(days[-1][:10]).replace(tzinfo=UTC) + timedelta(days=1))
    embedder = builtin(setting.cache)
    if not setting.words:
        options["embedding"] = Embedding(embedder, setting.cache / "vectors.sqlite")
    async with await Memory.open(home / "notes", index=setting.index(home), **options) as memory:
        await memory.take_over()
        if not setting.words:
            await memory.embed()
        for question in questions:
            yield (
                question,
                await memory.recall(question["q"], scope=OWNER, limit=setting.passages, budget_chars=EVERYTHING),
            )
    await embedder.close()


def _line(question: Question, found: Recall, names: Mapping[str, str]) -> dict[str, Any]:
    hits = [
        {
            "file": names[Path(hit.source.path).name],
            "start": hit.source.start,
            "end": hit.source.end,
            "chars": len(hit.content),
        }
        for hit in found.hits
    ]
    return {"conv": question["conv"], "i": question["i"], "ms": found.ms, "hits": hits}


def _timeless(text: str) -> str:
    """The text without days in its titles."""
    lines = (_DAY.sub("", line) if line.startswith("#") else line for line in text.split("\n"))
    return "\n".join(lines)


def _overlaps(hit: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    return bool(hit["file"] == gold["file"] and hit["start"] <= gold["end"] and gold["start"] <= hit["end"])


def _measures(hits: Sequence[Mapping[str, Any]], gold: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    wanted = {one["file"] for one in gold}
    files = list(dict.fromkeys(hit["file"] for hit in hits))
    found = {f"fR@{k}": len(wanted & set(files[:k])) / len(wanted) for k in (1, 5, 10)}
    gain = sum(1 / math.log2(rank + 2) for rank, file in enumerate(files[:10]) if file in wanted)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(wanted))))
    return found | {
        "NDCG@10": gain / ideal,
        "eR@10": _covered(hits[:10], gold),
        "eR@8k": _covered(list(_within(hits, BUDGET)), gold),
    }


def _within(hits: Iterable[Mapping[str, Any]], budget: int) -> Iterator[Mapping[str, Any]]:
    """Hits in order until one crosses the budget."""
    for hit in hits:
        budget -= hit["chars"]
        if budget < 0:
            return
        yield hit


def _covered(hits: Sequence[Mapping[str, Any]], gold: Sequence[Mapping[str, Any]]) -> float:
    return sum(any(_overlaps(hit, one) for hit in hits) for one in gold) / len(gold)


def weighed(recipe: RankingWeights, config: str) -> RankingWeights:
    """A recipe with some weights of its own, `name=value,...`; `profile=openclaw` takes all of a profile's."""
    for name, value in (part.split("=", 1) for part in config.split(",") if part):
        if name == "profile":
            recipe = weights_of(RankingProfile(value))
        elif name in WEIGHTS:
            read: dict[str, Any] = {name: WEIGHTS[name](value)}
            recipe = replace(recipe, **read)
        else:
            raise SystemExit(f"--config: no such weight: {name}. There are: {', '.join(WEIGHTS)}.")
    return recipe


def _row(name: str, figures_: Mapping[str, float]) -> str:
    shown = " ".join(f"{100 * figures_[key]:7.1f}" for key in MEASURES)
    return f"{name:32}{figures_['n']:6.0f} {shown}"


def _told(run: Run, corpus: Corpus) -> str:
    head = f"{'':32}{'n':>6} " + " ".join(f"{key:>7}" for key in MEASURES)
    times = sorted(line["ms"] for line in run)
    rows = [_row(name, found) for name, found in measured(run, corpus).items()]
    speed = f"ms p50 {statistics.median(times):.2f}  p95 {times[int(0.95 * (len(times) - 1))]:.2f}"
    return "\n".join([head, *rows, speed])


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--config", default="", help="weights, as name=value,...")
    parser.add_argument("--words", action="store_true", help="without an embedder")
    parser.add_argument("--undated", action="store_true", help="take the days from file names")
    parser.add_argument("--timeless", action="store_true", help="take the days from file names and titles")
    parser.add_argument("--then", action="store_true", help="ask on the day after the last session")
    parser.add_argument("--passages", type=int, default=PASSAGES, help="so many at most (60)")
    parser.add_argument("--chunks", default="", help="tokens of a chunk and of its overlap, as 400/80")
    parser.add_argument("--only", default="", help="conversations, as a,b,...")
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="folder for model and vectors")
    parser.add_argument("--ablate", action="store_true", help="switch off each mechanism in turn")
    return parser.parse_args()


def main() -> None:
    """Run what the arguments ask for."""
    asked = _parsed()
    asked.cache.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(asked.corpus, [name for name in asked.only.split(",") if name])
    setting = Setting(
        weighed(RankingWeights(), asked.config),
        asked.cache,
        words=asked.words,
        undated=asked.undated,
        timeless=asked.timeless,
        then=asked.then,
        passages=asked.passages,
        chunks=ChunkSize(*map(int, asked.chunks.split("/"))) if asked.chunks else None,
    )
    run = asyncio.run(corpus.run(setting))
    asked.out.write_text("".join(json.dumps(line) + "\n" for line in run), encoding="utf-8")
    print(_told(run, corpus))
    kept: dict[str, object] = {"all": measured(run, corpus)}
    for name in WITHOUT if asked.ablate else ():
        found = measured(asyncio.run(corpus.run(setting.without(name))), corpus)
        kept[f"without {name}"] = found
        print(_row(f"- {name}", found["all"]), flush=True)
    figures.write(f"recall_quality-{asked.corpus.name}", kept, seed=0)


if __name__ == "__main__":
    main()
