"""What the journal says of how a fact lives on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory import OWNER, Memory, Origin
from memory.errors import NotUndoable
from memory.files.workspace import Workspace
from memory.journal.journal import Journal
from memory.journal.maintenance import verify
from memory.journal.records import Action, Operation, read_record
from memory.journal.state import LifeEvent
from memory.knowledge.context import KnowledgeContext
from tests.support.factories import NOON


def note(context: KnowledgeContext, /, target: str, op_id: str, action: Action, text: str = "", **details: Any) -> None:
    """Write one record about a fact."""
    operation = Operation(op_id, "owner", Origin.OWNER, OWNER)
    context.writer.note({target: text}, operation, action, {target: details})
    context.index_manager.refresh([])


def events(workspace: Path, target: str) -> list[LifeEvent]:
    """What a process that opens the workspace anew reads of a fact."""
    with Workspace(workspace, create=False) as files:
        journal = Journal(files)
        journal.refresh()
        assert verify(files) == []
        return journal.state.lives.get(target, [])


async def test_what_is_noted_about_a_fact_is_folded_and_outlives_the_process(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path, index=tmp_path / "i.sqlite") as memory:
        await memory.run(note, "abcd1234", "1", Action.REVIEW, rating="good", reason="cited")
        await memory.run(note, "abcd1234", "2", Action.LINK, links={"efgh5678": 0.83})
        await memory.run(note, "abcd1234", "2", Action.LINK, links={"efgh5678": 0.1})  # a known operation
    found = events(tmp_path, "abcd1234")
    assert [(one.action, one.details) for one in found] == [
        ("review", {"rating": "good", "reason": "cited"}),
        ("link", {"links": {"efgh5678": 0.83}}),
    ]


async def test_undo_takes_a_merge_out_of_the_fold(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path, index=tmp_path / "i.sqlite") as memory:
        await memory.run(note, "abcd1234", "1", Action.MERGE, into="efgh5678")
        undone = await memory.undo(op_id="2", scope=OWNER, actor="owner")
        assert [(one.action, one.id, one.path) for one in undone] == [("merge", "abcd1234", "")]
        with pytest.raises(NotUndoable):
            await memory.undo(op_id="3", scope=OWNER, actor="owner")
    assert events(tmp_path, "abcd1234") == []


async def test_undo_of_a_restatement_writes_what_was_only_counted(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path, index=tmp_path / "i.sqlite") as memory:
        written = await memory.remember(
            "Ana lives in Graz.", origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner"
        )
        name = written.fact.id or ""
        await memory.run(note, name, "2", Action.RESTATE, "Ana has her home in Graz.", similarity=0.93)
        first = await memory.undo(op_id="3", scope=OWNER, actor="owner")
        assert [(one.action, one.restored) for one in first] == [("restate", "Ana has her home in Graz.")]
        assert await memory.undo(op_id="3", scope=OWNER, actor="owner") == first  # after a crash
        found = await memory.recent(scope=OWNER)
        assert [hit.content for hit in found] == ["Ana has her home in Graz.", "Ana lives in Graz."]
    assert events(tmp_path, name) == []


async def test_a_purge_takes_the_words_of_a_restatement_too(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path, index=tmp_path / "i.sqlite") as memory:
        written = await memory.remember(
            "Ana lives in Graz.", origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner"
        )
        await memory.run(note, written.fact.id or "", "2", Action.RESTATE, "Her home is in Styria.", similarity=0.9)
        await memory.forget_facts([written.fact.id or ""], op_id="3", scope=OWNER, actor="owner")
        await memory.purge(at_once=True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Styria" in path.read_bytes()]


@pytest.mark.parametrize("value", ['"\\ud83d"', '["\\udc00", {"\\ud83d": 1}]'])
def test_half_a_character_in_what_a_newer_version_added_is_kept_as_it_is(value: str) -> None:
    operation = Operation("1", "owner", Origin.OWNER, OWNER)
    line = operation.record(Action.APPEND, NOON).sealed(1, "").line().decode()
    odd = line.replace('"v":1', f'"v":1,"mood":{value}').encode()
    assert json.loads(read_record(odd).line()) == json.loads(odd)
