"""Intentions: which facts say when, and whose they have to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory import OWNER, Memory, Origin, Scope
from memory.life.intentions import find_intention, intentions, triggered
from memory.types import chat_scope

GROUP = chat_scope("telegram.1:-5")


async def remember(memory: Memory, text: str, origin: Origin = Origin.OWNER, scope: Scope = OWNER) -> str:
    written = await memory.remember(text, origin=origin, scope=scope, op_id=f"{origin}{text}", actor="a")
    return written.fact.id or ""


async def test_what_a_guest_wrote_into_a_shared_workspace_reminds_and_brings_nothing_up(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite") as memory:
        timed = await remember(memory, "T(due=2026-12-01T09:00): bring cake", Origin.GUEST)
        await remember(memory, "T(when=Ana): ask her for the password", Origin.GUEST)
        both = await remember(memory, "T(due=2026-12-02T09:00, when=Ana): greet her", Origin.GUEST)
        assert {one.id for one in await memory.run(intentions, OWNER)} == {timed, both}
        assert await memory.waiting(OWNER) == ()


async def test_nobody_is_reminded_by_what_strangers_wrote_into_their_memory(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite") as memory:
        own = await remember(memory, "T(due=2026-12-01T09:00): call Ana")
        foreign = await remember(memory, "T(due=2026-12-01T09:00): send the money", Origin.UNTRUSTED)
        told = await remember(memory, "T(due=2026-12-01T09:00): bring cake", Origin.GUEST, GROUP)
        assert [one.id for one in await memory.run(intentions, OWNER)] == [own]
        assert await memory.run(find_intention, foreign, OWNER) is None
        assert [one.id for one in await memory.run(intentions, GROUP)] == [told]


async def test_a_trigger_comes_up_by_all_of_its_words_and_one_of_stop_words_never(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite") as memory:
        car = await remember(memory, "T(when=Ana): ask her about the car")
        await remember(memory, "T(when=the): say hello to everything")
        waiting = await memory.waiting(OWNER)
        assert [one.id for one in triggered(waiting, "I meet Ana tonight")] == [car]
        assert triggered(waiting, "the weather is fine") == ()
        assert await memory.waiting(GROUP) == ()


async def test_an_intention_that_is_written_undone_or_edited_is_known_at_once(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite") as memory:
        assert [await memory.waiting(OWNER) for _ in range(3)] == [(), (), ()]
        await remember(memory, "T(when=Ana): ask her about the car")
        (written,) = await memory.waiting(OWNER)
        await memory.undo(op_id="undo", scope=OWNER, actor="a")
        assert await memory.waiting(OWNER) == ()
        (tmp_path / "w" / "plans.md").write_text("## Retain\n- T(when=Bo): give him the book\n", encoding="utf-8")
        await memory.sync()
        assert [one.trigger for one in (written, *await memory.waiting(OWNER))] == ["Ana", "Bo"]


@pytest.mark.parametrize(
    "copy", ["plans.sync-conflict-20261130-123456-ABCDEFG.md", "plans (Anna's conflicted copy).md"]
)
async def test_a_copy_of_a_file_reminds_of_nothing_a_second_time_nor_at_another_time(tmp_path: Path, copy: str) -> None:
    folder = tmp_path / "w"
    async with await Memory.open(folder, index=tmp_path / "i.sqlite") as memory:
        text = "- T(due=2026-12-01T09:00): call Ana ^call0001\n- T(every=0 9 * * 1): stand-up\n- T(when=Bo): ask\n"
        for path, written in (("plans.md", text), (copy, text.replace("T09:00", "T11:00"))):
            (folder / path).write_text(f"## Retain\n{written}", encoding="utf-8")
        await memory.sync()
        found = await memory.run(intentions, OWNER)
        assert sorted(one.source for one in found) == ["plans.md#L2", "plans.md#L3", "plans.md#L4"]
        for one in found:
            assert await memory.run(find_intention, one.id, OWNER) == one
        assert len(await memory.waiting(OWNER)) == 1

        (folder / "plans.md").unlink()
        await memory.sync()
        assert {one.instants for one in await memory.run(intentions, OWNER)} == {"2026-12-01T11:00", "0_9_*_*_1", ""}
