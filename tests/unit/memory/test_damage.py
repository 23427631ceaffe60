"""Files and records that nobody wrote in good faith: each is a problem of its own, and everything else goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Memory, Origin
from tests.support.factories import NOON

KEY = "The spare key is under the blue pot."


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Memory]:
    async with await Memory.open(folder / "notes", index=folder / "index.sqlite", clock=FrozenClock(NOON)) as memory:
        yield memory


async def remember(memory: Memory, text: str, op_id: str) -> None:
    await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=op_id, actor="owner")


async def found(memory: Memory, question: str) -> list[str]:
    return [hit.content for hit in (await memory.recall(question, scope=OWNER)).hits]


def journal(folder: Path) -> Path:
    (file,) = (folder / "notes" / ".memory" / "journal").glob("*.jsonl")
    return file


@pytest.mark.parametrize("unit", ["<!--\n", "<!-- note\ntext\n", "~~~\n```\n"])
async def test_a_note_in_which_everything_is_left_open_is_a_note_like_any_other(tmp_path: Path, unit: str) -> None:
    async with opened(tmp_path) as memory:
        (tmp_path / "notes" / "clip.md").write_text(unit * 2000)
        await remember(memory, KEY, "1")

        await memory.sync()

        assert any("blue pot" in hit for hit in await found(memory, "where is the spare key?"))
        assert await memory.problems() == ()


@pytest.fixture
async def damaged(tmp_path: Path) -> AbstractAsyncContextManager[Memory]:
    """A memory of two facts whose last record has one bit that is another."""
    async with opened(tmp_path) as memory:
        await remember(memory, KEY, "1")
        await remember(memory, "The cat is grey.", "2")
    data = bytearray(journal(tmp_path).read_bytes())
    data[data.rfind(b'"undoes"') + 3] ^= 1
    journal(tmp_path).write_bytes(bytes(data))
    return opened(tmp_path)


async def test_a_last_record_that_cannot_be_read_is_told_once_and_stops_neither_questions_nor_notes(
    damaged: AbstractAsyncContextManager[Memory],
) -> None:
    async with damaged as memory:
        first = await memory.recall("where is the spare key?", scope=OWNER)
        await remember(memory, "The dog is brown.", "3")
        second = await memory.recall("which colour is the dog?", scope=OWNER)

        assert "journal cannot be read" in first.notice
        assert any("blue pot" in hit.content for hit in first.hits)
        assert any("brown" in hit.content for hit in second.hits)
        assert second.notice == ""
        assert "journal cannot be read" in (await memory.status()).reason
        assert [(problem.line, bool(problem.hint)) for problem in await memory.problems()] == [(2, True)]


async def test_what_was_done_to_the_end_of_the_journal_can_be_told(
    tmp_path: Path, damaged: AbstractAsyncContextManager[Memory]
) -> None:
    async with damaged as memory:
        await remember(memory, "The dog is brown.", "3")
        head = await memory.head()
        await remember(memory, "The bird is blue.", "4")
        assert await memory.holds(head)
    lines = journal(tmp_path).read_bytes().splitlines(keepends=True)
    journal(tmp_path).write_bytes(b"".join(lines[:2]))
    async with opened(tmp_path) as memory:
        assert not await memory.holds(head)
