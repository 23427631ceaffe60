"""The built-in embedder: multilingual-e5-small in onnxruntime."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import sys
from collections import deque
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from memory.embed import checks
from memory.embed.checks import unit
from memory.embed.e5 import DIMS, IDENTITY, TESTED, WINDOW, WINDOWS
from memory.embed.heap import give_back
from memory.embed.model_file import Checked, Say, Weights, check_weights, ensure_model, find_weights
from memory.embed.tokenizer import Tokenizer
from memory.errors import EmbedderBroken, EmbedderUnavailable
from memory.ports import Purpose, Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

TOLERANCE = 0.005
"""How much the cosine to the float model's vector of a known text, in `golden.json`, may fall short of 1.

Eight bits cost .001. Where a processor adds in another order, its vectors differ from ours by as much again.
"""
PASSAGES_AT_ONCE = 2
"""Passages that are embedded side by side, each on one core; a question has a thread of its own.

Two threads for one passage would be slower. A vector is the same whatever is embedded beside it.
"""
_GOLDEN = Path(__file__).with_name("golden.json")


class Encoder:
    """The model in memory, about 60 MB. Several threads may call it at once.

    A call takes 3 ms for a question and 0.1 s for 300 words, and holds one core.
    """

    def __init__(self, weights: Weights, model: Path) -> None:
        """Load the converted model; raises `EmbedderUnavailable` without onnxruntime, or if it cannot load the file."""
        self._weights = weights
        self._session = _open_session(model)
        self._vocabulary = weights.vocabulary
        self._tokenizer = Tokenizer(weights.vocabulary)
        self._most_characters = WINDOWS * WINDOW * self._tokenizer.longest
        hidden = weights.shape.hidden
        self._positions: Vectors = weights.vector("emb.pos").reshape(-1, hidden) + weights.vector("emb.type")[:hidden]

    def encode(self, text: str, purpose: Purpose) -> Vectors:
        """Embed one text: a vector of shape (dims,) and length 1, the mean over the tokens of all its windows."""
        written = f"{purpose}: {text[: self._most_characters]}"  # as the texts that the model was trained on begin
        ids = self._tokenizer.encode(written, limit=WINDOWS * WINDOW)
        sums: list[Vectors] = []
        for start in range(0, len(ids), WINDOW):
            window = ids[start : start + WINDOW]
            marked = [self._vocabulary.begin, *window, self._vocabulary.end]
            tokens = self._weights.words(marked) + self._positions[: len(marked)]
            try:
                mean: Vectors = self._session.run(None, {"tokens": tokens[None]})[0][0]
            except _failures() as error:
                message = "The built-in model failed as it ran."
                raise EmbedderBroken(message, hint="Delete it from the cache folder.") from error
            sums.append(len(window) * mean)
        vector: Vectors = unit(np.sum(sums, axis=0, keepdims=True), dims=self._weights.shape.hidden)[0]
        return vector

    def close(self) -> None:
        """Close the weight file and free the memory; nothing can be encoded any more."""
        self._weights.close()
        del self._session, self._tokenizer, self._vocabulary, self._weights
        give_back()


def _open_session(model: Path) -> InferenceSession:
    os.putenv("ORT_DISABLE_TELEMETRY", "1")  # else it reports to Microsoft; it looks here when it is first imported
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
    # The graph is fused as it is written: what the levels above find takes time and wins nothing; the highest one's
    # SkipLayerNormalization is slower than its parts by 15 %.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
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


class LocalEmbedder:
    """One text a call: a question waits for no passage.

    >>> async def example(cache: Path) -> None:
    ...     embedder = await LocalEmbedder.open(cache)
    ...     vector = await embedder.embed_query("where is the spare key?")
    ...     await embedder.close()
    """

    identity = IDENTITY
    dims = DIMS

    def __init__(self, encoder: Encoder, worker: ThreadPoolExecutor, *, tested: Checked | None = None) -> None:
        """Take over what was opened. The worker has one thread, for questions; a test passed is noted in `tested`."""
        self._encoder = encoder
        self._worker = worker
        self._tested = tested
        self._passages = ThreadPoolExecutor(PASSAGES_AT_ONCE, thread_name_prefix="embed-passages")

    @classmethod
    async def open(cls, cache: Path, *, say: Say = lambda _: None) -> Self:
        """Find the weights, convert them if that has not been done, and load the model.

        The converted model (22 MB) is kept in the folder `cache`, which is made if it does not exist; `say` is told in
        one line when the first conversion starts. Raises `EmbedderUnavailable`, whose message says what is missing,
        changed or unreadable.
        """
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embed")
        with ExitStack() as undo:
            undo.callback(worker.shutdown, wait=False)
            weights = find_weights()
            await asyncio.get_running_loop().run_in_executor(worker, _check_weights, weights, cache)
            model = await ensure_model(cache, say=say)
            try:
                encoder = await _load(worker, weights, model)
            except EmbedderUnavailable:
                # The model file may have been damaged on disk: it is derived, so it is made once more.
                model.unlink(missing_ok=True)
                encoder = await _load(worker, weights, await ensure_model(cache, say=say))
            undo.pop_all()
        return cls(encoder, worker, tested=Checked(cache / TESTED, model, _depends_on()))

    async def probe(self) -> None:
        """See `Embedder.probe`; five texts must also have the vectors that the float model gives them.

        What was passed before by this very model file with these libraries on this machine is not asked again.
        """
        loop = asyncio.get_running_loop()
        if self._tested:
            with suppress(OSError):  # what cannot be looked up is tested
                if await loop.run_in_executor(self._worker, self._tested.is_known):
                    return
        await checks.check(self)
        for text, purpose, numbers in json.loads(_GOLDEN.read_text(encoding="utf-8")):
            vector = await loop.run_in_executor(self._worker, self._encoder.encode, text, Purpose(purpose))
            distance = 1 - float(vector @ np.array(numbers, np.float32))
            if not abs(distance) <= TOLERANCE:
                raise EmbedderBroken(
                    f'{self.identity} failed its self-test: "{text}" is off by {distance:.3f}.',
                    hint="Delete the model in the cache folder: it is made anew. Until then words are searched.",
                )
        if self._tested:
            with suppress(OSError):  # it is tested again by the next process, then
                await loop.run_in_executor(self._worker, self._tested.note)

    async def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`; every text has a vector."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self._encoder.encode, text, Purpose.QUERY)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """See `Embedder.embed_passages`; blocks have one row.

        While whoever asked is busy with one, another is embedded, and no further one is begun.
        """
        loop, under_way = asyncio.get_running_loop(), deque[asyncio.Future[Vectors]]()
        try:
            for text in texts:
                under_way.append(loop.run_in_executor(self._passages, self._encoder.encode, text, Purpose.PASSAGE))
                if len(under_way) == PASSAGES_AT_ONCE:
                    yield (await under_way.popleft())[None]
            while under_way:
                yield (await under_way.popleft())[None]
            await loop.run_in_executor(self._passages, give_back)  # 13 MB for each that was long
        finally:
            for encoding in under_way:
                encoding.cancel()

    async def close(self) -> None:
        """Finish the texts in work and free the memory."""
        for end in (self._worker.shutdown, self._passages.shutdown, self._encoder.close):
            await asyncio.to_thread(end)


def _depends_on() -> tuple[str, ...]:
    """Return what the model's vectors depend on beside its file, and what the self-test compares them with."""
    import onnxruntime

    known = hashlib.sha256(_GOLDEN.read_bytes() + repr(checks.CASES).encode()).hexdigest()
    return onnxruntime.__version__, np.__version__, sys.version, platform.machine(), platform.node(), known


def _check_weights(weights: Path, cache: Path) -> None:
    """Make the cache folder and check the weights; the result is recorded in the folder."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{cache} cannot be made: {error}."
        raise EmbedderUnavailable(message, hint="Name a cache folder to write to.") from error
    check_weights(weights, record=cache / "e5-small.checked.json")


async def _load(worker: ThreadPoolExecutor, weights: Path, model: Path) -> Encoder:
    """Load the encoder on the worker's thread. If the caller is cancelled, it is closed as soon as it is loaded."""

    def load() -> Encoder:
        source = Weights(weights)
        try:
            encoder = Encoder(source, model)
        except EmbedderUnavailable:
            source.close()
            raise
        give_back()  # what reading the model took, a third of what is left
        return encoder

    def close(loading: Future[Encoder]) -> None:
        if not loading.cancelled() and not loading.exception():
            loading.result().close()

    loading = worker.submit(load)
    with ExitStack() as undo:
        undo.callback(loading.add_done_callback, close)
        encoder = await asyncio.wrap_future(loading)
        undo.pop_all()
    return encoder
