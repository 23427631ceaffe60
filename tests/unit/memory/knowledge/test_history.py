"""What the journal says of one fact, and what the fact is linked to."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Memory, Origin, chat_scope
from memory.errors import PathRefused
from memory.journal.journal import Journal
from memory.journal.records import Action, Operation, Record
from memory.knowledge.history import changes, fact_record, linked_facts, whole_fact
from memory.life.reviews import pin
from tests.support.factories import NOON

CHAT = chat_scope("x.y:1")


async def remember(memory: Memory, text: str) -> str:
    """Note a fact of the owner and return its id."""
    done = await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="ada")
    return done.fact.id or ""


async def test_a_fact_that_took_the_place_of_another_names_it_and_is_named_by_it(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i", clock=FrozenClock(NOON)) as memory:
        old = await remember(memory, "Tea is in the tin.")
        await memory.run(pin, old, Operation("pin", "ada", Origin.OWNER, OWNER))
        done = await memory.supersede(
            old, "Tea is in the jar.", origin=Origin.OWNER, scope=OWNER, op_id="2", actor="bo"
        )
        new = done.written.fact.id or ""

        before, after = [await memory.run(fact_record, f"^{name}", scope=OWNER) for name in (old, new)]

        assert before.written is not None
        assert before.written.actor == "ada"
        assert before.forgotten is not None
        assert (before.forgotten.actor, before.replaced_by) == ("bo", new)
        assert [one.action for one in before.events] == [Action.PIN]
        assert [(one.id, "Tea is in the tin." in one.before) for one in after.replaces] == [(old, True)]

        await memory.undo(op_id="3", scope=OWNER, actor="ada")
        back, gone = [await memory.run(fact_record, name, scope=OWNER) for name in (old, new)]
        assert (back.forgotten, back.replaced_by, gone.replaces) == (None, "", ())
        assert gone.written is not None
        assert gone.written.is_undone


async def test_nothing_is_told_of_what_is_unknown_or_of_another_scope(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i", clock=FrozenClock(NOON)) as memory:
        name = await remember(memory, "Tea is in the tin.")
        for one, scope in ((name, CHAT), ("zzzzzzzz", OWNER)):
            found = await memory.run(fact_record, one, scope=scope)
            assert (found.written, found.forgotten, found.events, found.replaces) == (None, None, (), ())
            assert await memory.run(whole_fact, one, scope=scope) is None
            assert await memory.run(linked_facts, one, scope=scope) == ()


async def test_a_fact_is_linked_to_what_names_the_same_and_whole_however_long(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i", clock=FrozenClock(NOON)) as memory:
        text = f"@Ana lives in Graz. {'She bakes. ' * 300}".strip()
        ana = await remember(memory, text)
        bread = await remember(memory, "W @Ana: Ana sells bread.")

        (linked,) = await memory.run(linked_facts, ana, scope=OWNER)
        whole = await memory.run(whole_fact, ana, scope=OWNER)

        assert (linked.fact.id, linked.kind) == (bread, "entity")
        assert whole is not None
        assert (whole.id, whole.text) == (ana, text)


async def test_what_is_only_read_is_not_superseded_and_nothing_is_written(tmp_path: Path) -> None:
    extra = tmp_path / "notes"
    extra.mkdir()
    (extra / "tea.md").write_text("## Retain\n- W: Tea is in the tin. ^tin00001\n")
    async with await Memory.open(
        tmp_path / "w", index=tmp_path / "i", clock=FrozenClock(NOON), extra={"notes": extra}, extra_trusted=["notes"]
    ) as memory:
        with pytest.raises(PathRefused):
            await memory.supersede("tin00001", "In the jar.", origin=Origin.OWNER, scope=OWNER, op_id="1", actor="a")
        assert len(await memory.recent(scope=OWNER)) == 1


async def test_what_was_done_about_one_fact_or_file_is_told_without_reading_the_other_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = Journal.record

    def noting(journal: Journal, seq: int) -> Record:
        reads.append(seq)
        return read(journal, seq)

    async with await Memory.open(tmp_path / "w", index=tmp_path / "i", clock=FrozenClock(NOON)) as memory:
        ids = [await remember(memory, f"Tea is in tin {number}.") for number in range(12)]
        await memory.run(pin, ids[3], Operation("pin", "ada", Origin.OWNER, OWNER))
        monkeypatch.setattr(Journal, "record", noting)

        found = await memory.run(changes, limit=10, scope=OWNER, about=f"^{ids[3]}")

        assert [one.action for one in found] == [Action.PIN, Action.REMEMBER]
        assert len(reads) == 2
        assert await memory.run(changes, limit=10, scope=OWNER, about="Kunming") == ()
        assert len(reads) == 2
        in_file = await memory.run(changes, limit=50, scope=OWNER, about=found[1].path)
        assert [one.id for one in in_file] == ids[::-1]
