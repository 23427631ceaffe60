from __future__ import annotations

import pytest

from memory import Line
from memory.errors import NotUndoable
from memory.files.undo import Undone
from memory.files.verify import verify
from memory.model import OWNER, Scope, Written, chat_scope
from tests.unit.memory.files.conftest import Desk

GUEST = chat_scope("telegram.1:-100")
LOG = "memory/2026-11-21.md"


def undo(desk: Desk, op_id: str, count: int = 1, scope: Scope = OWNER) -> tuple[Undone, ...]:
    return desk.scribe.undo(count, op_id=op_id, scope=scope, actor="owner")


def forget(desk: Desk, op_id: str, *written: Written) -> None:
    lines = [Line(one.fact.id or "", one.at.path, one.at.start, one.text) for one in written]
    desk.scribe.forget(lines, op_id=op_id, scope=OWNER, actor="owner")


def test_a_file_that_was_made_vanishes_with_the_fact_it_was_made_for(desk: Desk) -> None:
    written = desk.remember("x", "1")
    (undone,) = undo(desk, "2")
    assert undone == Undone("remember", LOG, written.text, "", "2026-11-21T09:30:00.000Z")
    assert not (desk.root / LOG).exists()
    assert verify(desk.workspace) == []


@pytest.mark.parametrize("page", ["# Day", "# Day\n\n## Retain\n- mine\n", "# Day\r\n- a\r\n", "torn ## Retain"])
def test_a_log_is_put_back_to_the_byte(desk: Desk, page: str) -> None:
    (desk.root / "memory").mkdir()
    (desk.root / LOG).write_bytes(page.encode())
    desk.remember("x", "1")
    undo(desk, "2")
    assert (desk.root / LOG).read_bytes() == page.encode()


def test_a_fact_with_something_after_it_is_taken_out_as_a_line(desk: Desk) -> None:
    desk.remember("x", "1")
    desk.write(desk.text() + "- by hand\n")
    undo(desk, "2")
    assert desk.text() == "# 2026-11-21\n\n## Retain\n- by hand\n"


def test_a_fact_that_was_edited_since_is_left_alone(desk: Desk) -> None:
    written = desk.remember("x", "1")
    edited = desk.text().replace(written.text, f"- S: better ^{written.fact.id}")
    desk.write(edited)
    with pytest.raises(NotUndoable, match="edited") as refused:
        undo(desk, "2")
    assert refused.value.hint
    assert desk.text() == edited
    assert desk.journal.ledger.last == 1


def test_a_log_that_was_removed_by_hand_cannot_be_undone(desk: Desk) -> None:
    desk.remember("x", "1")
    (desk.root / LOG).unlink()
    with pytest.raises(NotUndoable):
        undo(desk, "2")


def test_undoing_goes_back_one_operation_at_a_time_and_ends(desk: Desk) -> None:
    for n in range(3):
        desk.remember(f"fact {n}", str(n))
    assert [undone.removed.split(" ^")[0] for undone in undo(desk, "u1", 2)] == ["- S: fact 2", "- S: fact 1"]
    assert [undone.removed.split(" ^")[0] for undone in undo(desk, "u2", 5)] == ["- S: fact 0"]
    with pytest.raises(NotUndoable, match="nothing"):
        undo(desk, "u3")


def test_more_than_can_be_undone_is_undone_as_far_as_it_goes(desk: Desk) -> None:
    first = desk.remember("first", "1")
    desk.remember("second", "2")
    desk.write(desk.text().replace(first.text, "- edited"))
    assert len(undo(desk, "3", 2)) == 1


def test_a_known_undo_does_nothing_and_says_again_what_it_did(desk: Desk) -> None:
    for n in range(3):
        desk.remember(f"fact {n}", str(n))
    assert undo(desk, "u", 2) == undo(desk, "u", 2)
    assert "fact 0" in desk.text()


def test_each_scope_undoes_its_own(desk: Desk) -> None:
    desk.remember("of the owner", "1")
    desk.remember("of a guest", "2", GUEST)
    assert undo(desk, "u1", scope=GUEST)[0].path == "memory/guests/2026-11-21.md"
    with pytest.raises(NotUndoable):
        undo(desk, "u2", scope=GUEST)
    with pytest.raises(NotUndoable):
        undo(desk, "u3", scope=chat_scope("other"))
    assert "of the owner" in desk.text()


def test_forgetting_several_lines_is_one_operation_that_is_undone_as_one(desk: Desk) -> None:
    facts = [desk.remember(f"fact {n}", str(n)) for n in range(3)]
    before = desk.text()
    forget(desk, "f", *facts)
    restored = undo(desk, "u")
    assert [undone.restored for undone in restored] == [fact.text for fact in reversed(facts)]
    assert {undone.removed for undone in restored} == {""}
    assert desk.text() == before


def test_a_line_is_put_back_within_a_day_and_not_after(desk: Desk) -> None:
    fact = desk.remember("x", "1")
    forget(desk, "2", fact)
    desk.clock.advance(hours=24)
    undo(desk, "3")
    assert fact.text in desk.text()
    forget(desk, "4", fact)
    desk.clock.advance(hours=24, seconds=1)
    with pytest.raises(NotUndoable):
        undo(desk, "5")
    assert fact.text not in desk.text()


def test_a_forgotten_fact_whose_mark_was_removed_by_hand_cannot_be_put_back(desk: Desk) -> None:
    fact = desk.remember("x", "1")
    forget(desk, "2", fact)
    desk.write("# mine\n")
    with pytest.raises(NotUndoable, match="edited"):
        undo(desk, "3")
    assert desk.text() == "# mine\n"
