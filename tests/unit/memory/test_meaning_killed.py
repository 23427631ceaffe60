"""A process that is killed while it embeds loses the last few vectors at most, and the next one goes on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from signal import SIGKILL

import pytest

from memory import OWNER, Embedding, FrozenClock, Memory
from memory.embedding_queue import KEPT_EVERY
from memory.ports import Vectors
from tests.fakes.embedder import LetterEmbedder
from tests.house.tree import ROOT
from tests.support.factories import NOON

NOTES = 100


class Stuck(LetterEmbedder):
    """Embeds some texts, says so, and never answers again."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        async for rows in super().embed_passages(texts):
            if len(self.asked) > self._after:
                print("stuck", flush=True)
                await asyncio.Event().wait()
            yield rows


async def opened(folder: Path, embedder: LetterEmbedder) -> Memory:
    embedding = Embedding(embedder, folder / "cache.sqlite")
    return await Memory.open(
        folder / "workspace", index=folder / "index.sqlite", clock=FrozenClock(NOON), embedding=embedding
    )


async def embed(folder: Path, embedder: LetterEmbedder) -> list[tuple[str, float]]:
    """Embed everything; what a question then finds."""
    async with await opened(folder, embedder) as memory:
        await memory.embed()
        stands = await memory.status()
        assert (stands.embedded, stands.unembedded) == (NOTES, 0)
        found = await memory.recall("gardenz 42nd", scope=OWNER, limit=20)
        return [(hit.content, hit.score) for hit in found.hits]


def write_notes(folder: Path) -> None:
    (folder / "workspace").mkdir(parents=True)
    notes = (f"The {number}th note, about the garden." for number in range(NOTES))
    (folder / "workspace" / "garden.md").write_text("\n\n".join(notes))


@pytest.mark.parametrize("after", [1, 16, 57])
def test_embedding_goes_on_after_a_kill(tmp_path: Path, after: int) -> None:
    write_notes(tmp_path / "killed")
    write_notes(tmp_path / "whole")
    code = (
        "import asyncio, sys; from pathlib import Path; from tests.unit.memory import test_meaning_killed as t; "
        "asyncio.run(t.embed(Path(sys.argv[1]), t.Stuck(int(sys.argv[2]))))"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "killed"), str(after)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"stuck\n"
        process.kill()
    assert process.returncode == -SIGKILL

    again = LetterEmbedder()
    found = asyncio.run(embed(tmp_path / "killed", again))

    assert len(again.asked) == NOTES - after // KEPT_EVERY * KEPT_EVERY
    assert found == asyncio.run(embed(tmp_path / "whole", LetterEmbedder()))
