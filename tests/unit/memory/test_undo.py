"""What is taken back comes back whole, and what a person wrote beside it stays: files edited by hand meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Memory, Origin, chat_scope
from memory.errors import NotUndoable
from memory.knowledge.reflection.reflect import reflect
from tests.support.factories import NOON

LOG = "memory/2026-11-21.md"
KEY = "The spare key is under the blue pot."
ANA = ("lives in Lisbon", "has a red bicycle", "works for the harbour", "plays the cello")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
async def memory(tmp_path: Path, clock: FrozenClock) -> AsyncIterator[Memory]:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i", clock=clock) as opened:
        yield opened


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "w" / LOG


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "w" / "bank" / "world.md"
    path.parent.mkdir(parents=True)
    return path


async def tell(memory: Memory, text: str, op: str) -> str:
    told = await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=op, actor="a")
    assert told.fact.id
    return told.fact.id


async def forget(memory: Memory, place: str, op: str) -> None:
    token = (await memory.preview_forget(place, scope=OWNER, actor="a")).token
    await memory.forget(token, op_id=op, scope=OWNER, actor="a")


async def test_a_line_that_was_pasted_back_is_forgotten_again_and_can_be_put_back(memory: Memory, log: Path) -> None:
    name = await tell(memory, KEY, "1")
    line = log.read_text().splitlines()[-1]
    await memory.forget_facts([name], op_id="2", scope=OWNER, actor="a")
    log.write_text(f"{log.read_text()}{line}\n")
    await memory.sync()

    await memory.forget_facts([name], op_id="3", scope=OWNER, actor="a")
    assert line not in log.read_text()

    await memory.undo(op_id="4", scope=OWNER, actor="a")
    assert line in log.read_text()


async def test_of_two_equal_lines_each_is_forgotten_and_what_they_say_put_back(memory: Memory, page: Path) -> None:
    page.write_text("- Buy oat milk.\n- The pump is in the cellar.\n- Buy oat milk.\n")
    await memory.sync()
    await forget(memory, "bank/world.md:1", "1")
    await forget(memory, "bank/world.md:3", "2")
    assert "oat" not in page.read_text()

    await memory.undo(2, op_id="3", scope=OWNER, actor="a")
    assert "- Buy oat milk." in page.read_text()


async def test_a_fact_whose_line_was_copied_is_put_back(memory: Memory, log: Path) -> None:
    name = await tell(memory, KEY, "1")
    line = log.read_text().splitlines()[-1]
    log.write_text(f"{log.read_text()}\nNotes.\n\n## Retain\n{line}\n")
    await memory.sync()
    await memory.forget_facts([name], op_id="2", scope=OWNER, actor="a")

    await memory.undo(op_id="3", scope=OWNER, actor="a")
    assert (await memory.recall("spare key", scope=OWNER)).hits


async def test_two_writes_taken_back_are_the_forgetting_and_the_fact_and_nothing_older(
    memory: Memory, log: Path
) -> None:
    await tell(memory, KEY, "1")
    name = await tell(memory, "The plumber is called Otto.", "2")
    await memory.forget_facts([name], op_id="3", scope=OWNER, actor="a")

    undone = await memory.undo(2, op_id="4", scope=OWNER, actor="a")

    assert [bool(one.restored) for one in undone] == [True, False]
    assert "Otto" not in log.read_text()
    assert KEY in log.read_text()


async def test_undo_leaves_a_persons_own_copy(memory: Memory, log: Path) -> None:
    await tell(memory, KEY, "1")
    line = log.read_text().splitlines()[-1]
    log.write_text(f"## Retain\n{line}\n\n{log.read_text()}")

    await memory.undo(op_id="2", scope=OWNER, actor="a")
    assert log.read_text().count(KEY) == 1


async def test_a_correction_of_yesterday_is_not_half_undone(memory: Memory, log: Path, clock: FrozenClock) -> None:
    old = await tell(memory, "Marta has the number 030 1111111.", "1")
    new = "Marta has the number 030 2222222."
    await memory.supersede(old, new, origin=Origin.OWNER, scope=OWNER, op_id="2", actor="a")
    clock.advance(hours=25)

    with pytest.raises(NotUndoable):
        await memory.undo(op_id="3", scope=OWNER, actor="a")
    assert new in log.read_text()


async def test_a_persons_lines_in_a_generated_part_stay_after_the_journal_was_blanked(
    memory: Memory, clock: FrozenClock, tmp_path: Path
) -> None:
    names = [await tell(memory, f"W @Ana: Ana {what}.", f"t{number}") for number, what in enumerate(ANA)]
    await memory.run(reflect, op_id="1", actor="a")
    await memory.forget_facts(names[:1], op_id="2", scope=OWNER, actor="a")
    clock.advance(hours=25)
    await memory.purge()
    entity, own = tmp_path / "w" / "bank" / "entities" / "Ana.md", "- Wants my old cello [[2026-11-20]]"
    entity.write_text(entity.read_text().replace("<!-- scrubjay:end", f"{own}\n<!-- scrubjay:end"))
    await memory.sync()

    await memory.run(reflect, op_id="3", actor="a")
    assert own in entity.read_text()
    journals = (tmp_path / "w" / ".memory" / "journal").iterdir()
    assert not any(ANA[0] in path.read_text() for path in journals)


async def test_the_first_line_of_a_page_with_a_byte_order_mark_is_forgotten_and_put_back(
    memory: Memory, page: Path
) -> None:
    before = b"\xef\xbb\xbf- W: The pump is in the cellar.\r\n- W: The cat is Mimi.\r\n"
    page.write_bytes(before)
    await memory.sync()
    await forget(memory, "bank/world.md:1", "1")
    assert b"pump" not in page.read_bytes()

    await memory.undo(op_id="2", scope=OWNER, actor="a")
    assert page.read_bytes() == before


async def test_what_is_forgotten_an_hour_ago_is_put_back_though_a_list_with_the_same_line_was_blanked(
    memory: Memory, log: Path, clock: FrozenClock
) -> None:
    shopping = await tell(memory, "Shopping for Saturday:\n- oat milk\n- eggs", "1")
    recipe = await tell(memory, "Pancakes:\n- flour\n- oat milk\n- salt", "2")
    await memory.forget_facts([shopping], op_id="3", scope=OWNER, actor="a")
    clock.advance(hours=24)
    await memory.forget_facts([recipe], op_id="4", scope=OWNER, actor="a")
    clock.advance(hours=1)
    await memory.purge()

    await memory.undo(op_id="5", scope=OWNER, actor="a")
    assert "- flour" in log.read_text()
    journals = (log.parent.parent / ".memory" / "journal").iterdir()
    assert not any("Saturday" in path.read_text() for path in journals)


async def test_what_a_person_wrote_below_a_fact_never_becomes_the_fact_of_another_chat(
    memory: Memory, log: Path
) -> None:
    page = log.parent / "guests" / log.name
    for number, text in enumerate(("Group two likes lions.", "Group one keeps a zebra.")):
        scope = chat_scope(f"telegram:{number}")
        await memory.remember(text, origin=Origin.GUEST, scope=scope, op_id=f"t{number}", actor="a")
    page.write_text(f"{page.read_text()}  The zebra lives in box 7.\n")
    await memory.sync()

    with pytest.raises(NotUndoable):
        await memory.undo(op_id="1", scope=chat_scope("telegram:1"), actor="a")
    assert not (await memory.recall("zebra box", scope=chat_scope("telegram:0"))).hits
    assert (await memory.recall("zebra box", scope=chat_scope("telegram:1"))).hits


@pytest.mark.parametrize(("before", "after"), [("2222222", "3333333"), ("<!-- scrubjay:forgotten", "<!-- gone")])
async def test_a_correction_that_was_edited_is_not_half_undone(
    memory: Memory, log: Path, before: str, after: str
) -> None:
    old = await tell(memory, "Marta has the number 030 1111111.", "1")
    new = "Marta has the number 030 2222222."
    await memory.supersede(old, new, origin=Origin.OWNER, scope=OWNER, op_id="2", actor="a")
    log.write_text(edited := log.read_text().replace(before, after))

    with pytest.raises(NotUndoable):
        await memory.undo(op_id="3", scope=OWNER, actor="a")
    assert log.read_text() == edited


async def test_a_line_that_is_no_utf_8_is_forgotten_and_put_back(memory: Memory, page: Path) -> None:
    before = b"- W: The caf\xe9 is open.\r\n- W: The cat is Mimi.\r\n"
    page.write_bytes(before)
    await memory.sync()
    await forget(memory, "bank/world.md:1", "1")
    assert b"open" not in page.read_bytes()

    await memory.undo(op_id="2", scope=OWNER, actor="a")
    assert page.read_bytes() == before
