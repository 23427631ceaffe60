"""How the constants of relevance are found: `python -m benchmarks.answerable --fit` prints them.

The gauge of an embedder is learnt from `data/kinds.json`, questions and texts about the same persons, things, events,
services and projects that differ in what is asked and told; the weights from the `fit` half of `data/answerable.jsonl`.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.homes import DATA, FEW, MANY, SOME, Home, Question, Ungauged, asked, fillers, homes, is_of, parted, read
from memory import Embedder, Embedding
from memory.embed.lazy import builtin
from memory.ports import Vectors
from memory.vectors import calibration as gauges
from memory.vectors.calibration import Calibration, Side

KINDS = DATA / "kinds.json"
FLOORS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
STRANGERS = 20
"""The highest cosine to be expected without any relation is the mean of so many of the highest."""
SAME = 0.985
"""Above this cosine two sentences are taken to be about the same."""
SPACE = 16
"""Dimensions of the space of kinds. 8 to 32 did the same."""
RIDGE = 10.0
"""Multiples of the mean variance, added to every direction's, before kinds are compared. 1 to 10 did the same."""
ACROSS = 4
"""How much a kind's mean in one language beside that in another counts, against two sentences about the same."""
SLACK = 0.01
"""How strongly weights are held back, for each hit."""

Wide: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, slots=True)
class Group:
    """What is asked and told of one person or thing in one language.

    Attributes:
        language, of: ISO code, and what sort of thing it is.
        kinds: what is asked and told, in order.
        questions, texts: shape (kinds, 2, dims).
    """

    language: str
    of: str
    kinds: tuple[str, ...]
    questions: Wide
    texts: Wide


@dataclass(frozen=True, slots=True)
class Seen:
    """A question to a home of a size, and the measures of its hits with whether each is the answer."""

    size: int
    question: Question
    hits: tuple[tuple[Mapping[str, float], bool], ...]


async def fit(cache: Path, *, write: bool) -> None:
    """Print the weights that the `fit` half gives, and what comes of other floors; `write` keeps the gauge first."""
    embedder = builtin(cache)
    if write:
        gauged = gauge(await groups(embedder))
        with Path(gauges.__file__).with_name("e5_gauge.npz").open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays(gauged))
    known, unknown = parted(read(DATA / "answerable.jsonl", "fit"))
    known = [one for one in known if not one.kind]  # what is asked in another language would pull all weights its way
    made = [*homes(known, unknown, fillers(DATA / "fillers.json", MANY, 3))]
    vectors = cache / "vectors.sqlite"
    for name, embedding, names in (
        ("GAUGED", Embedding(embedder, vectors), ("held", "near", "kind", "missing")),
        ("SPREAD", Embedding(Ungauged(embedder), vectors), ("held", "out", "missing")),
        ("BY_WORDS", None, ("held", "missing")),
    ):
        seen = [one async for one in _seen(made, embedding)]
        rows = [hit for one in seen for hit in one.hits]
        weights = fitted([measures for measures, _ in rows], [is_right for _, is_right in rows], names)
        print(f"{name} = Weights({', '.join(f'{key}={value:.3g}' for key, value in weights.items())})")
        for floor in FLOORS:
            cells = (
                _cell(size, [one for one in seen if one.size == size], weights, floor) for size in (FEW, SOME, MANY)
            )
            print(f"  floor {floor:.2f}  {'  '.join(cells)}")
    await embedder.close()


async def _seen(made: Sequence[tuple[int, Home]], embedding: Embedding | None) -> AsyncIterator[Seen]:
    for size, home in made:
        async for question, recall in asked(home, embedding):
            hits = (
                (
                    {**hit.grounds, "kind": hit.grounds.get("kind", 0.0) * hit.grounds.get("near", 0.0)},
                    bool(question.fact) and is_of(question.fact, hit.content),
                )
                for hit in recall.hits
            )
            yield Seen(size, question, tuple(hits))


def _cell(size: int, seen: Sequence[Seen], weights: Mapping[str, float], floor: float) -> str:
    """Known questions with the right answer first, by kind / unknown ones told, the mean of their kinds (and each)."""
    known: dict[str, list[bool]] = defaultdict(list)
    unknown: dict[str, list[bool]] = defaultdict(list)
    for one in seen:
        likely = [(_odds(measures, weights), is_right) for measures, is_right in one.hits]
        odds, is_right = max(likely, default=(-np.inf, False))
        is_told = odds >= np.log(floor / (1 - floor))
        if one.question.fact:
            known[one.question.kind or "plain"].append(bool(is_told and is_right))
        else:
            unknown[one.question.kind].append(not is_told)
    each = {kind: 100 * statistics.fmean(told) for kind, told in sorted(unknown.items())}
    shares = " ".join(f"{kind} {share:5.1f}" for kind, share in each.items())
    right = " ".join(f"{kind} {100 * statistics.fmean(told):5.1f}" for kind, told in sorted(known.items()))
    return f"{size}: ({right}) / {statistics.fmean(each.values()):5.1f} ({shares})"


def _odds(measures: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return sum(weight * measures.get(name, 1.0 if name == "bias" else 0.0) for name, weight in weights.items())


async def groups(embedder: Embedder) -> list[Group]:
    """All sentences of `data/kinds.json`, embedded."""
    found = []
    for language, told in json.loads(KINDS.read_text(encoding="utf-8")).items():
        for of, names in told["about"].items():
            rows = [row for row in told["told"] if row["of"] == of]
            for name in names:
                asked = [text.format(about=name) for row in rows for text in row["questions"]]
                said = [text.format(about=name) for row in rows for text in row["texts"]]
                questions = np.array([await embedder.embed_query(text) for text in asked], np.float64)
                blocks = [block async for block in embedder.embed_passages(said)]
                texts = np.concatenate(blocks).astype(np.float64)
                shape = (len(rows), 2, questions.shape[1])
                kinds = tuple(row["kind"] for row in rows)
                found.append(Group(language, of, kinds, questions.reshape(shape), texts.reshape(shape)))
    return found


def gauge(found: Sequence[Group]) -> Calibration:
    """What an embedder's cosines mean."""
    questions = np.concatenate([_flat(group.questions) for group in found])
    texts = np.concatenate([_flat(group.texts) for group in found])
    strange = [_strangers(found, place) for place in range(len(found))]
    known_questions = np.concatenate([one for one, _ in strange])
    known_texts = np.concatenate([one for _, one in strange])
    maps = _kinds(found)
    return Calibration(_side(questions, known_texts, maps[0]), _side(texts, known_questions, maps[1]))


def arrays(gauged: Calibration) -> dict[str, NDArray[np.float16]]:
    """A gauge as the arrays of its file."""
    sides = {"questions": gauged.questions, "texts": gauged.texts}
    return {
        f"{side}_{name}": np.asarray(getattr(values, name), np.float16)
        for side, values in sides.items()
        for name in ("slope", "offset", "centre", "kinds")
    }


def fitted(measures: Sequence[Mapping[str, float]], right: Sequence[bool], names: Sequence[str]) -> dict[str, float]:
    """A logistic regression by Newton's method: the weight of each measure, and `bias`."""
    plain = np.array([[one.get(name, 0.0) for name in names] for one in measures])
    mean, spread = plain.mean(axis=0), plain.std(axis=0) + 1e-9
    rows = np.column_stack([np.ones(len(plain)), (plain - mean) / spread])
    wanted = np.array(right, float)
    held_back = SLACK * len(rows) * np.diag([1e-6, *np.ones(len(names))])
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        told = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (told - wanted) + held_back @ weights
        curve = (rows * (told * (1 - told))[:, None]).T @ rows + held_back
        weights -= np.linalg.solve(curve, slope)
    bare = weights[1:] / spread
    return {"bias": float(weights[0] - bare @ mean)} | dict(zip(names, bare.tolist(), strict=True))


def _flat(block: Wide) -> Wide:
    return block.reshape(-1, block.shape[-1])


def _strangers(found: Sequence[Group], place: int) -> tuple[Wide, Wide]:
    """One question and one text of each kind, of every fifth group: what others are held against."""
    group = found[place]
    chosen = [n for n in range(len(group.kinds)) if (n + place) % 5 == 0]
    return group.questions[chosen, place % 2], group.texts[chosen, place % 2]


def _side(own: Wide, others: Wide, kinds: Wide) -> Side:
    """The regression of the highest cosines without any relation on the vector itself, and the map to the kinds."""
    cosines = np.sort(own @ others.T, axis=1)
    highest = np.array([row[row < SAME][-STRANGERS:].mean() for row in cosines])
    centre = own.mean(axis=0)
    apart = own - centre
    slope = np.linalg.solve(apart.T @ apart + np.eye(len(centre)), apart.T @ (highest - highest.mean()))
    offset = float(highest.mean() - slope @ centre)
    return Side(_short(slope), offset, _short(centre), _short(kinds))


def _kinds(found: Sequence[Group]) -> tuple[Wide, Wide]:
    """Canonical correlations of questions and texts, shape (dims, SPACE) each."""
    dims = found[0].questions.shape[-1]
    asked, told, both = np.zeros((dims, dims)), np.zeros((dims, dims)), np.zeros((dims, dims))
    count = 0
    for group in found:
        questions, texts = group.questions.mean(axis=1), group.texts.mean(axis=1)
        middle = questions.mean(axis=0), texts.mean(axis=0)
        asked += _outer(_flat(group.questions) - middle[0])
        told += _outer(_flat(group.texts) - middle[1])
        both += 2 * (questions - middle[0]).T @ (texts - middle[1])
        count += 2 * len(group.kinds)
    means = _means(found)
    for (_, of), mine in means.items():
        for (_, other), theirs in means.items():
            shared = [kind for kind in mine if kind in theirs] if of == other else []
            if shared:
                questions = np.array([mine[kind][0] for kind in shared])
                texts = np.array([theirs[kind][1] for kind in shared])
                both += ACROSS * (questions - questions.mean(axis=0)).T @ (texts - texts.mean(axis=0))
    left, right = _whitening(asked / count), _whitening(told / count)
    turned, strength, back = np.linalg.svd(left @ (both / count) @ right)
    share = np.sqrt(strength[:SPACE])
    return left @ turned[:, :SPACE] * share, right @ back[:SPACE].T * share


def _means(found: Sequence[Group]) -> dict[tuple[str, str], dict[str, tuple[Wide, Wide]]]:
    """By language and sort: the mean question and the mean text of each kind."""
    gathered: dict[tuple[str, str], dict[str, list[tuple[Wide, Wide]]]] = defaultdict(lambda: defaultdict(list))
    for group in found:
        for n, kind in enumerate(group.kinds):
            pair = group.questions[n].mean(axis=0), group.texts[n].mean(axis=0)
            gathered[group.language, group.of][kind].append(pair)
    return {
        sort: {
            kind: (np.mean([one for one, _ in pairs], axis=0), np.mean([one for _, one in pairs], axis=0))
            for kind, pairs in kinds.items()
        }
        for sort, kinds in gathered.items()
    }


def _outer(rows: Wide) -> Wide:
    product: Wide = rows.T @ rows
    return product


def _whitening(covariance: Wide) -> Wide:
    """The inverse root of a damped covariance."""
    dims = len(covariance)
    values, directions = np.linalg.eigh(covariance + RIDGE * np.trace(covariance) / dims * np.eye(dims))
    root: Wide = (directions * values**-0.5) @ directions.T
    return root


def _short(values: Wide) -> Vectors:
    return values.astype(np.float32)
