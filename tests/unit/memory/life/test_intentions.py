"""Intentions: which facts say when, and whose they have to be."""

from __future__ import annotations

from pathlib import Path

from memory import OWNER, Memory, Origin, Scope
from memory.life.intentions import find_intention, intentions, triggered
from memory.types import chat_scope

GROUP = chat_scope("telegram.1:-5")


async def remember(memory: Memory, text: str, origin: Origin = Origin.OWNER, scope: Scope = OWNER) -> str:
    written = await memory.remember(text, origin=origin, scope=scope, op_id=f"{origin}{text}", actor="a")
    return written.fact.id or ""


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
