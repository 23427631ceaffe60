"""What the cosines of one embedder mean: learnt once, from questions and texts of the repository's own.

A cosine of .85 is near for one question and far for another: some texts are near to all questions, and a language's
texts to each other. Two regressions tell how high a question's cosines are with texts that it has nothing to do with,
and a text's with such questions; the cosine is measured from there, as scores are normalised against a cohort in
speaker verification (Auckenthaler et al. 2000, "Score normalization for text-independent speaker verification
systems").

Two projections show what kind of thing is asked for and told, whatever it is about: the canonical correlations
(Hotelling 1936) of questions and texts about the same things that differ in what they ask and tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Self

import numpy as np

from memory.embed import e5
from memory.ports import Vectors

_MIN_LENGTH = 1e-9
_BUILTIN = Path(__file__).with_name("e5_gauge.npz")


@dataclass(frozen=True, slots=True)
class Side:
    """What is known of one side's vectors, questions or texts.

    Attributes:
        slope: shape (dims,).
        offset: with `slope`, half of the highest cosine to be expected without any relation: `slope . v + offset`.
        centre: the mean vector, shape (dims,).
        kinds: to the space where kinds of answers lie apart, shape (dims, kinds).
    """

    slope: Vectors
    offset: float
    centre: Vectors
    kinds: Vectors

    def expected(self, vector: Vectors) -> float:
        """Return the highest cosine to be expected without any relation."""
        return float(self.slope @ vector) + self.offset

    def kind(self, vector: Vectors) -> Vectors:
        """Return the kind of answer, as a vector of length 1."""
        projected = (vector - self.centre) @ self.kinds
        turned: Vectors = (projected / max(sqrt(float(projected @ projected)), _MIN_LENGTH)).astype(np.float32)
        return turned


@dataclass(frozen=True, slots=True)
class Calibration:
    """Both sides of one embedder."""

    questions: Side
    texts: Side

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file that `benchmarks/answerable.py --fit` wrote."""
        with np.load(path) as arrays:
            sides = [
                Side(
                    arrays[f"{side}_slope"].astype(np.float32),
                    float(arrays[f"{side}_offset"]),
                    arrays[f"{side}_centre"].astype(np.float32),
                    arrays[f"{side}_kinds"].astype(np.float32),
                )
                for side in ("questions", "texts")
            ]
        return cls(*sides)

    def for_question(self, question: Vectors) -> QuestionGauge:
        """Return what texts are compared with for one question, a vector of shape (dims,)."""
        return QuestionGauge(question, self.questions.expected(question), self.questions.kind(question), self.texts)


@dataclass(frozen=True, slots=True)
class QuestionGauge:
    """What the cosines of one question mean: how high they are by chance, and the kind of its answer."""

    question: Vectors
    expected: float
    kind: Vectors
    texts: Side

    def measured(self, text: Vectors) -> tuple[float, float]:
        """Return how much nearer a text, shape (dims,), is to the question than expected, and how alike in kind."""
        near = 2 * float(self.question @ text) - self.expected - self.texts.expected(text)
        return near, float(self.kind @ self.texts.kind(text))


@cache
def gauge_of(identity: str) -> Calibration | None:
    """Return the gauge of an embedder; None if it has not been calibrated."""
    return Calibration.read(_BUILTIN) if identity == e5.IDENTITY else None
