"""Lives reach the index from the journal: step by step as from zero."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import OWNER, Memory, Origin
from memory.index.types import FactLife, FactLink
from memory.journal.records import Action, Operation, Record
from memory.knowledge.context import KnowledgeContext
from tests.unit.memory.index.conftest import Desk


def note(context: KnowledgeContext, /, op_id: str, action: Action, target: str, **details: Any) -> None:
    context.writer.note({target: ""}, Operation(op_id, "owner", Origin.OWNER, OWNER), action, {target: details})
    context.index_manager.refresh([])


def facts(context: KnowledgeContext) -> dict[str, FactLife]:
    found = context.index_manager.ask(lambda index: index.lives.facts(scope=OWNER))
    return {fact.name: fact for fact in found}


async def test_a_record_that_changes_no_file_reaches_the_index_at_once_and_outlives_it(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path, index=tmp_path / "i.sqlite") as memory:
        remember = partial(memory.remember, origin=Origin.OWNER, scope=OWNER, actor="owner")
        key, pot = [(await remember(text, op_id=text)).fact.id or "" for text in ("A key.", "A pot.")]
        await memory.run(note, "1", Action.REVIEW, key, rating="easy", reason="approved")
        await memory.run(note, "2", Action.RESTATE, key)
        await memory.run(note, "3", Action.PIN, pot)
        await memory.run(note, "4", Action.LINK, key, links={pot: 0.7})
        before = await memory.run(facts)
        assert (before[key].uses, before[key].restated, before[pot].pinned) == (1, 1, 1)
        await memory.undo(op_id="5", scope=OWNER, actor="owner")
        before = await memory.run(facts)
        assert not before[pot].pinned
    (tmp_path / "i.sqlite").unlink()
    async with await Memory.open(tmp_path, index=tmp_path / "i.sqlite") as memory:
        after = await memory.run(facts)
        assert [life[1:] for life in after.values()] == [life[1:] for life in before.values()]


def test_a_journal_that_says_something_else_is_folded_anew(desk: Desk) -> None:
    desk.write("a.md", "## Retain\n- A key. ^k1\n- A pot. ^p1\n")
    operation = Operation("1", "owner", Origin.OWNER, OWNER)
    written = desk.journal.append(_about("k1", operation))
    desk.sync()
    assert [fact.pinned for fact in desk.index.lives.facts(scope=OWNER)] == [1, 0]
    desk.journal.retract(written)
    desk.journal.append(_about("p1", operation))
    desk.sync()
    assert [fact.pinned for fact in desk.index.lives.facts(scope=OWNER)] == [0, 1]


def _linked(desk: Desk) -> list[FactLink]:
    units = [fact.id for fact in desk.index.lives.facts(scope=OWNER)]
    return desk.index.links.neighbours(units, scope=OWNER)


def _about(target: str, operation: Operation, action: Action = Action.PIN, **details: Any) -> Record:
    return replace(operation.record(action, datetime(2026, 3, 2, tzinfo=UTC)), target=target, details=details)


DETAILS = st.dictionaries(
    st.sampled_from(["rating", "reason", "links", "into"]),
    st.one_of(
        st.sampled_from(["good", "again", "cited", "k1", "p1", "\ud800", ""]),
        st.none(),
        st.integers(),
        st.dictionaries(st.sampled_from(["k1", "p1", "ü"]), st.one_of(st.none(), st.floats(allow_nan=False))),
    ),
)
RECORDS = st.lists(
    st.tuples(st.sampled_from(["k1", "p1"]), st.sampled_from([*Action][8:]), DETAILS, st.booleans()), max_size=8
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(records=RECORDS)
def test_step_by_step_the_index_says_what_it_says_from_zero(
    desk: Desk, records: list[tuple[str, Action, dict[str, Any], bool]]
) -> None:
    """Whatever stands in the details: other programs write there, too."""
    desk.write("a.md", "## Retain\n- A key. ^k1\n- A pot. ^p1\n")
    for number, (target, action, details, is_synced) in enumerate(records):
        desk.journal.append(_about(target, Operation(str(number), "", Origin.OWNER, OWNER), action, **details))
        if is_synced:
            desk.sync()
    desk.sync()
    before = desk.index.lives.facts(scope=OWNER), _linked(desk)
    desk.index.lives.write([], anew=True, notes={"lived": "", "journal": ""})
    desk.sync()
    assert (desk.index.lives.facts(scope=OWNER), _linked(desk)) == before
