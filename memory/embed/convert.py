"""Weights to model file, once, in a process of its own: `python -m memory.embed.convert TARGET`."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from pathlib import Path

from memory.embed.e5 import VERSION
from memory.embed.weights import SHA256, Weights, find_weights
from memory.errors import EmbedderUnavailable

Say = Callable[[str], None]
"""Told in one line, for a person, what takes a while."""

_DEADLINE_S = 300
_HINT = "Until it works, memory is searched by words."
_REPOSITORY = Path(__file__).resolve().parents[2]


def model_file(cache: Path) -> Path:
    """Where the model for these weights and this converter belongs."""
    return cache / f"e5-small-{SHA256[:12]}-{VERSION}.onnx"


async def ensure_model(cache: Path, *, say: Say) -> Path:
    """The model file, made now if it is not there yet.

    Raises:
        EmbedderUnavailable: it cannot be made: no weights, no space, no `onnx`.
    """
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
    """Write the model beside its place and move it there: readers see all of it or nothing.

    Processes that come at the same time wait for the first and take what it has made.
    """
    from filelock import FileLock

    from memory.embed.graph import build

    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_suffix(".lock")):
        if target.exists():
            return
        with Weights(weights) as source:
            model = build(source)
        fresh = target.with_suffix(".part")
        with fresh.open("wb") as file:
            file.write(model)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)


if __name__ == "__main__":
    convert(find_weights(), Path(sys.argv[1]))
