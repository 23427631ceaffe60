from __future__ import annotations

from typing import Any

import pytest

from memory.files.ledger import Ledger, Provenance
from memory.model import OWNER, Origin, chat_scope

GUEST = chat_scope("telegram.1:-100")


def fields(seq: int, action: str, target: str = "", **more: Any) -> dict[str, Any]:
    plain = {
        "op_id": f"t:{seq}",
        "actor": "owner",
        "origin": "owner",
        "scope": OWNER,
        "at": f"2026-11-21T00:00:{seq:02}Z",
    }
    return {"seq": seq, "action": action, "target": target, "before": "x", "undoes": 0, **plain, **more}


def ledger(*records: dict[str, Any]) -> Ledger:
    ledger = Ledger()
    for record in records:
        ledger.take(record)
    return ledger


def test_a_fact_comes_from_the_record_that_wrote_it() -> None:
    taken = ledger(fields(1, "remember", "a"), fields(2, "remember", "b", origin="guest", scope=GUEST, actor="Eve"))
    assert taken.provenance["b"] == Provenance(Origin.GUEST, GUEST, "2026-11-21T00:00:02Z", "Eve", "t:2")
    assert taken.provenance["a"].scope == OWNER
    assert taken.last == 2


def test_records_of_one_operation_are_kept_together() -> None:
    taken = ledger(fields(1, "forget", "a", op_id="t"), fields(2, "forget", "b", op_id="t"), fields(3, "remember", "c"))
    assert taken.operations == {"t": (1, 2), "t:3": (3,)}


def test_only_what_has_not_been_undone_can_be_undone_newest_first_in_its_scope() -> None:
    taken = ledger(
        fields(1, "remember", "a"),
        fields(2, "remember", "b", scope=GUEST),
        fields(3, "append"),
        fields(4, "replace"),
        fields(5, "undo", undoes=4),
        fields(6, "review", "a"),
    )
    assert list(taken.undoable(OWNER)) == [3, 1]
    assert list(taken.undoable(GUEST)) == [2]
    assert list(taken.undoable(chat_scope("nobody"))) == []


def test_a_forgotten_fact_is_put_back_before_it_can_be_undone() -> None:
    records = [fields(1, "remember", "a"), fields(2, "forget", "a")]
    assert list(ledger(*records).undoable(OWNER)) == [2]
    restored = ledger(*records, fields(3, "undo", "a", undoes=2))
    assert list(restored.undoable(OWNER)) == [1]
    assert restored.forgotten == {}


def test_undoing_something_else_of_a_forgotten_fact_does_not_put_it_back() -> None:
    taken = ledger(fields(1, "remember", "a"), fields(2, "forget", "a"), fields(3, "undo", "a", undoes=1))
    assert taken.forgotten["a"].seq == 2
    assert not taken.forgotten["a"].blanked


@pytest.mark.parametrize("bad", [{}, {**fields(1, "remember", "a"), "origin": "nobody"}])
def test_what_is_no_record_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError)):
        ledger(bad)
