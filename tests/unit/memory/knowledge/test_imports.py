from __future__ import annotations

from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Memory, Origin
from memory.errors import Conflict
from memory.files.workspace import digest
from memory.journal.records import Operation
from memory.knowledge.imports import remove_files, write_files
from tests.support.factories import NOON

PAGE = "---\norigin: import\ndate: 2024-03-07\n---\n\n- Repairs clocks.\n"
ONE = "memory/imports/claw/bank/entities/Miriam.md"
TWO = "memory/imports/claw/facts-1.md"
FACT = "---\norigin: import\n---\n\n## 2024-03-08\n\n### Retain\n\n- W: Plays the cello. ^xy17wmgspkkm\n"
OPERATION = Operation("import:a:0", "owner", Origin.IMPORT, OWNER)
DETAILS = {"facts": {TWO: ["xy17wmgspkkm"], "odd.md": 3}}


async def opened(at: Path) -> Memory:
    return await Memory.open(at / "workspace", index=at / "index.sqlite", clock=FrozenClock(NOON))


async def test_files_are_written_below_one_record_and_dated_by_what_they_say(tmp_path: Path) -> None:
    async with await opened(tmp_path) as memory:
        await memory.run(write_files, {ONE: PAGE, TWO: FACT}, OPERATION, id="a", details=DETAILS)
        clocks = (await memory.recall("clocks", scope=OWNER)).hits[0]
        cello = await memory.find("^xy17wmgspkkm", scope=OWNER)

    assert (clocks.time, clocks.origin, clocks.kind, clocks.entities) == (
        "2024-03-07",
        Origin.IMPORT,
        "observation",
        ("Miriam",),
    )
    assert (cello.time, cello.origin, cello.known) == ("2024-03-08", Origin.IMPORT, "2026-11-21T12:00:00.000Z")
    assert cello.strength
    assert cello.strength.retrievability == 1
    journal = (tmp_path / "workspace" / ".memory" / "journal" / "2026-11.jsonl").read_text(encoding="utf-8")
    assert journal.count("\n") == 1
    assert "cello" not in journal


async def test_a_file_that_stands_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "workspace" / TWO).parent.mkdir(parents=True)
    (tmp_path / "workspace" / TWO).write_text("mine\n", encoding="utf-8")
    async with await opened(tmp_path) as memory:
        with pytest.raises(Conflict):
            await memory.run(write_files, {TWO: FACT}, OPERATION, id="a", details={})

    assert (tmp_path / "workspace" / TWO).read_text(encoding="utf-8") == "mine\n"


async def test_files_go_with_the_folders_that_are_empty_then_and_edited_ones_stay(tmp_path: Path) -> None:
    states = {ONE: digest(PAGE), TWO: digest(FACT)}
    async with await opened(tmp_path) as memory:
        await memory.run(write_files, {ONE: PAGE, TWO: FACT}, OPERATION, id="a", details=DETAILS)
        (tmp_path / "workspace" / TWO).write_text(f"{FACT}more\n", encoding="utf-8")
        leftover = tmp_path / "workspace" / "memory" / "imports" / "claw" / "bank" / "entities" / ".scrubjay-abc"
        leftover.touch()
        undo = Operation("undo:a", "owner", Origin.IMPORT, OWNER)

        kept = await memory.run(remove_files, states, undo, undoes=1)
        gone = await memory.recall("clocks", scope=OWNER)

    assert kept == (TWO,)
    assert gone.hits == ()
    imports = tmp_path / "workspace" / "memory" / "imports"
    assert sorted(path.name for path in imports.rglob("*")) == ["claw", "facts-1.md"]


async def test_the_journal_is_read_whatever_the_details_of_an_import_are(tmp_path: Path) -> None:
    async with await opened(tmp_path) as memory:
        odd: tuple[object, ...] = (None, [], "x", {"a": None}, {"b": [1, {}]})
        for number, facts in enumerate(odd):
            operation = Operation(f"import:b:{number}", "owner", Origin.IMPORT, OWNER)
            await memory.run(write_files, {}, operation, id="b", details={"facts": facts})
    async with await opened(tmp_path) as memory:
        assert await memory.problems() == ()
