"""Text to vector with the built-in model: tokens in windows, one text at a time, on one core."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memory.embed.e5 import WINDOW, WINDOWS
from memory.embed.tokenizer import Tokenizer
from memory.embed.weights import Weights
from memory.errors import EmbedderBroken, EmbedderUnavailable
from memory.ports import Purpose, Vectors
from memory.vector import unit

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_PREFIX = {Purpose.QUERY: "query: ", Purpose.PASSAGE: "passage: "}


class Encoder:
    """The model in memory, about 80 MB. Calls take 3 ms for a question and 0.1 s for 300 words, and hold one core."""

    def __init__(self, weights: Weights, model: Path) -> None:
        """Load the converted model.

        Raises:
            EmbedderUnavailable: no onnxruntime, or a model file that it cannot load.
        """
        self._weights = weights
        self._session = _session(model)
        self._vocabulary = weights.vocabulary
        self._tokenizer = Tokenizer(weights.vocabulary)
        self._most_characters = WINDOWS * WINDOW * self._tokenizer.longest
        hidden = weights.shape.hidden
        self._positions: Vectors = weights.vector("emb.pos").reshape(-1, hidden) + weights.vector("emb.type")[:hidden]

    @property
    def dims(self) -> int:
        """Numbers in a vector."""
        return self._weights.shape.hidden

    def encode(self, text: str, purpose: Purpose) -> Vectors:
        """The vector of one text, shape (dims,), length 1: the mean over the tokens of all its windows."""
        written = _PREFIX[purpose] + text[: self._most_characters]
        ids = self._tokenizer.encode(written, limit=WINDOWS * WINDOW)
        windows = (ids[start : start + WINDOW] for start in range(0, len(ids), WINDOW))
        sums = [len(window) * self._mean(window) for window in windows]
        vector: Vectors = unit(np.sum(sums, axis=0, keepdims=True), dims=self.dims)[0]
        return vector

    def _mean(self, ids: list[int]) -> Vectors:
        marked = [self._vocabulary.begin, *ids, self._vocabulary.end]
        tokens = self._weights.words(marked) + self._positions[: len(marked)]
        try:
            mean: Vectors = self._session.run(None, {"tokens": tokens[None]})[0][0]
        except _failures() as error:
            raise EmbedderBroken(
                "The built-in model failed as it ran.", hint="Delete it from the cache folder."
            ) from error
        return mean

    def close(self) -> None:
        """Let go of the weight file."""
        self._weights.close()


def _session(model: Path) -> InferenceSession:
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedderUnavailable(
            f"onnxruntime cannot be imported: {error}.",
            hint="Reinstall Scrubjay; until then memory is searched by words.",
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # two are slower for one question, and the chat wants the other core
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # keeps 40 MB that only the longest text needs
    # The graph is fused as it is written. The next level's SkipLayerNormalization is slower than its parts by 15 %.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except _failures() as error:
        raise EmbedderUnavailable(f"{model} cannot be loaded.", hint="Delete that file; it is made anew.") from error


def _failures() -> tuple[type[Exception], ...]:
    """What onnxruntime raises for a model that it cannot use; the classes have no parent of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as native

    return (
        native.Fail,
        native.InvalidArgument,
        native.InvalidGraph,
        native.InvalidProtobuf,
        native.NoSuchFile,
        native.NotImplemented,
        native.RuntimeException,
    )
