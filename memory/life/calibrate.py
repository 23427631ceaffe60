"""What the similarities of one embedder mean: measured on pairs of sentences, kept as bands.

Each embedder has its own numbers, and each language: with the built-in one, texts that have nothing to do with each
other have a cosine of .78 in English and .87 in Chinese. So cosines are mapped to a scale on which the gate's bounds
are the same for all: unrelated texts are at 0, the link band begins at .5, the merge band at .85, equal texts are at 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain, pairwise
from math import fsum, isfinite
from pathlib import Path
from typing import NamedTuple

from memory.errors import EmbedderBroken, WriteFailed
from memory.language.detect import language
from memory.language.words import read_lists
from memory.life.wording import overlap
from memory.ports import Embedder, Vectors

LINK, MERGE = 0.5, 0.85
"""Where the bands begin on the common scale: the bounds of "Cortex on Firestore"."""
LINKED = {False: 0.97, True: 0.85}
"""The share of a language's paraphrases that the link band is to hold; less by words alone (True): unrelated sentences
share words, too."""
MISTAKEN = 0.05
"""The share of unrelated pairs in the link band from which an embedder tells too little to be used."""
WORDS = "words"
"""The name of the bands for similarity by words alone."""
KEPT = "bands.json"
"""The file beside the cache of vectors in which measured bands are kept, by the embedder's identity."""


class Pair(NamedTuple):
    """A statement, the same in other words, and one that shares most words with it and says something else."""

    text: str
    paraphrase: str
    near_miss: str


@dataclass(frozen=True, slots=True)
class Bands:
    """What one measure of similarity gives unrelated texts on average, and where its bands begin."""

    unrelated: float
    link: float
    merge: float

    def __post_init__(self) -> None:
        """Refuse what is no scale; raises `ValueError`."""
        if not (isfinite(self.unrelated) and self.unrelated < self.link <= self.merge <= 1):
            raise ValueError(f"not bands: {self}")

    def similarity(self, measured: float) -> float:
        """Return what a measured value is on the common scale, from 0 to 1; linear between the four known points."""
        known = ((self.unrelated, 0.0), (self.link, LINK), (self.merge, MERGE), (1.0, 1.0))
        for (low, at), (high, end) in pairwise(known):
            if measured < high:
                return max(0.0, at + (end - at) * (measured - low) / (high - low))
        return 1.0


class LanguageBands(dict[str, Bands]):
    """Bands by language (ISO 639-1); those of languages that were not measured under the empty key."""

    def of(self, text: str) -> Bands | None:
        """Return the bands for a text; None for a language in which the same cannot be told from the unrelated."""
        code = language(text)
        return self.get(code if code in pairs() else "")


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured; shares have three decimals.

    Attributes:
        measure: the embedder's identity, or `words`.
        bands: of the languages in which the same is told from the unrelated; None if there is none.
        linked: the share of paraphrases in the link band or above, by language.
        mistaken: the share of unrelated pairs there, by language.
        near: the share of near misses that reach the merge band, which is why words decide as well.
    """

    measure: str
    bands: LanguageBands | None
    linked: dict[str, float]
    mistaken: dict[str, float]
    near: float


@cache
def pairs() -> dict[str, list[Pair]]:
    """Return the pairs to measure on, by language; those of one language are about as many different things."""
    read = read_lists("memory.life", "pairs.toml")
    return {code: [Pair(*texts) for texts in listed] for code, listed in read.items()}


@cache
def _shipped() -> dict[str, LanguageBands]:
    return _read_bands(read_lists("memory.life", "bands.toml"))


def words_bands() -> LanguageBands:
    """Return the bands of `wording.overlap`."""
    return _shipped()[WORDS]


def bands_of(identity: str, cache_file: Path) -> LanguageBands | None:
    """Return the bands of an embedder: as kept beside its cache of vectors, or as shipped; None if never measured."""
    return _kept(cache_file.with_name(KEPT)).get(identity) or _shipped().get(identity)


def keep(identity: str, bands: LanguageBands, cache_file: Path) -> Path:
    """Keep an embedder's bands beside its cache of vectors; says in which file. Raises `WriteFailed`."""
    path = cache_file.with_name(KEPT)
    known = {**_kept(path), identity: bands}
    written = {name: {code: asdict(limits) for code, limits in held.items()} for name, held in known.items()}
    temporary = path.with_name(f"{path.name}.new")
    try:
        temporary.write_text(json.dumps(written, indent=1), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        message = f"The bands cannot be kept in {path}: {error.strerror}."
        raise WriteFailed(message, hint="Check the disk's space and the rights.") from error
    return path


def _kept(path: Path) -> dict[str, LanguageBands]:
    """Return what was measured here; a file that is missing or damaged holds nothing, for it can be measured again."""
    try:
        return _read_bands(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _read_bands(read: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, LanguageBands]:
    return {name: LanguageBands({code: Bands(**band) for code, band in held.items()}) for name, held in read.items()}


async def measure(embedder: Embedder) -> Calibration:
    """Measure an embedder by the cosines of the shipped pairs; raises as embedding does.

    Raises `EmbedderBroken`, too, if it does not give a usable vector for each text.
    """
    texts = list(dict.fromkeys(text for listed in pairs().values() for pair in listed for text in pair))
    rows = [row async for block in embedder.embed_passages(texts) for row in block]
    if len(rows) != len(texts):
        raise EmbedderBroken(f"{embedder.identity} gave {len(rows)} vectors for {len(texts)} texts.")
    known: dict[str, Vectors] = dict(zip(texts, rows, strict=True))
    return measured(embedder.identity, lambda one, other: float(known[one] @ known[other]))


def measured(measure: str = WORDS, similarity: Callable[[str, str], float] = overlap) -> Calibration:
    """Measure a similarity of two texts, 1 for the same, on the shipped pairs; by default that by words alone."""
    samples = {code: _Sample.of(listed, similarity) for code, listed in pairs().items()}
    linked = LINKED[measure == WORDS]
    links = {code: sample.link(linked) for code, sample in samples.items()}
    mistaken = {code: _share(sample.unrelated, links[code]) for code, sample in samples.items()}
    usable = {code: one for code, one in samples.items() if mistaken[code] < MISTAKEN and one.mean < links[code]}
    bands = LanguageBands({code: sample.bands(linked) for code, sample in usable.items()})
    if len(usable) > 1:
        every = _Sample(*(tuple(chain(*column)) for column in zip(*usable.values(), strict=True)))
        bands[""] = every.bands(linked)
    near = [_share(sample.near_misses, bands[code].merge) for code, sample in usable.items()] or [1.0]
    shares = {code: _share(sample.paraphrases, links[code]) for code, sample in samples.items()}
    return Calibration(measure, bands or None, shares, mistaken, round(fsum(near) / len(near), 3))


class _Sample(NamedTuple):
    """The similarities of one language's pairs; each text is compared with the other paraphrases as unrelated."""

    paraphrases: Sequence[float]
    near_misses: Sequence[float]
    unrelated: Sequence[float]

    @classmethod
    def of(cls, listed: Sequence[Pair], similarity: Callable[[str, str], float]) -> _Sample:
        return cls(
            [similarity(pair.text, pair.paraphrase) for pair in listed],
            [similarity(pair.text, pair.near_miss) for pair in listed],
            [similarity(pair.text, other.paraphrase) for pair in listed for other in listed if pair is not other],
        )

    @property
    def mean(self) -> float:
        """The mean similarity of unrelated texts."""
        return fsum(self.unrelated) / len(self.unrelated)

    def link(self, linked: float) -> float:
        """Return the highest value that this share of the paraphrases reaches."""
        return sorted(self.paraphrases)[int((1 - linked) * len(self.paraphrases))]

    def bands(self, linked: float) -> Bands:
        """Return where the bands begin: that of merging where half of the paraphrases are."""
        merge = sorted(self.paraphrases)[len(self.paraphrases) // 2]
        return Bands(round(self.mean, 4), round(self.link(linked), 4), round(merge, 4))


def _share(values: Sequence[float], least: float) -> float:
    return round(sum(value >= least for value in values) / len(values), 3)
