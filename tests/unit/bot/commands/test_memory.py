from __future__ import annotations

from pathlib import Path

from tests.rooms import Room


async def test_an_empty_memory_says_how_to_fill_it(here: Room) -> None:
    assert "nothing here yet" in await here.say("/memory")


async def test_facts_notes_names_and_the_newest_are_told(here: Room) -> None:
    await here.say("/remember W @Ada: Ada was born in London.")
    here.clock.advance(hours=24)
    await here.say("/remember W @Ada: Ada likes tea.")

    lines = (await here.say("/memory")).splitlines()

    assert lines[0].startswith("2 facts (2 world), and ")
    assert lines[1] == "From 2026-11-21 to 2026-11-22."
    assert "Ada (2)" in lines[2]
    assert [line.partition(" (")[0] for line in lines[4:]] == ["- Ada likes tea.", "- Ada was born in London."]


async def test_one_of_each_is_not_told_in_the_plural(here: Room) -> None:
    await here.say("/remember W: Water is wet.")

    first, second, *_ = (await here.say("/memory")).splitlines()

    assert "1 fact (1 world)" in first
    assert "in 1 file." in first
    assert second == "All from 2026-11-21."


async def test_files_without_facts_are_no_facts(here: Room, tmp_path: Path) -> None:
    (tmp_path / "personal" / "notes.md").write_text("# Garden\n\nThe roses want water.\n", encoding="utf-8")
    await here.agents["personal"].memory.sync()

    assert (await here.say("/memory")).startswith("No facts yet, and ")
