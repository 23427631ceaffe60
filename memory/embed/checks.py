"""The self-test of an embedder, with sentences whose nearness is beyond dispute; and vectors scaled to length 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memory.errors import EmbedderBroken, VectorRefused
from memory.ports import Embedder, Vectors

MIN_LENGTH = 1e-12
"""A vector shorter than this has no direction that float32 could hold."""
_HINT = "Its vectors are not used; memory is searched by words. Check the model's name, or reinstall."


@dataclass(frozen=True, slots=True)
class Case:
    """A question, what answers it, and what has nothing to do with it."""

    question: str
    answer: str
    other: str


CASES = (
    Case(
        "How long should replies be?",
        "Peter likes short answers and asks to keep every reply concise.",
        "The ferry to the island leaves at nine from the northern pier.",
    ),
    Case(
        "What does the cat eat?",
        "Our cat gets wet food in the morning and dry food at night.",
        "The invoice for the roof repair was paid by bank transfer.",
    ),
)


async def check(embedder: Embedder) -> None:
    """Embed the cases and compare; raises `EmbeddingFailed` if the embedder cannot be asked.

    Raises `EmbedderBroken` if an answer is not nearer to its question than the unrelated sentence is.
    """
    passages = [text for case in CASES for text in (case.answer, case.other)]
    try:
        questions = unit([await embedder.embed_query(case.question) for case in CASES])
        blocks = [block async for block in embedder.embed_passages(passages)]
        answers = unit(np.concatenate(blocks), dims=questions.shape[1]).reshape(len(CASES), 2, -1)
    except VectorRefused as error:
        raise EmbedderBroken(f"{embedder.identity} failed its self-test: {error.message}", hint=_HINT) from error
    for case, question, (answer, other) in zip(CASES, questions, answers, strict=True):
        if not question @ answer > question @ other:
            raise EmbedderBroken(
                f'{embedder.identity} failed its self-test: "{case.question}" is not nearest to its answer.', hint=_HINT
            )


def unit(rows: ArrayLike, *, dims: int | None = None) -> Vectors:
    """Return rows of numbers, shape (n, dims), scaled to length 1, as a new float32 array; None takes any size.

    Raises `VectorRefused` if they are no numbers, not two-dimensional or of another size, or if one is not finite or
    has no length.
    """
    try:
        wide = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise VectorRefused("What came back are not rows of numbers of one size.") from error
    if wide.ndim != 2 or (dims is not None and wide.shape[1] != dims) or wide.shape[1] == 0:
        wanted = "some" if dims is None else dims
        raise VectorRefused(f"Vectors of shape {wide.shape} came where rows of {wanted} numbers were expected.")
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    bad = ~np.isfinite(length) | (length < MIN_LENGTH)
    if bad.any():
        raise VectorRefused(f"Vector {int(np.argmax(bad))} of {len(wide)} is not finite or has no length.")
    scaled: Vectors = (wide / length).astype(np.float32)
    return scaled
