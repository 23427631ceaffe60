from __future__ import annotations

from pathlib import Path

from tests.support.conversation import Conversation


async def test_an_empty_memory_says_how_to_fill_it(here: Conversation) -> None:
    assert "nothing here yet" in await here.say("/memory")


async def test_facts_notes_names_and_the_newest_are_told(here: Conversation) -> None:
    await here.say("/remember W @Ada: Ada was born in London.")
    here.clock.advance(hours=24)
    await here.say("/remember W @Ada: Ada likes tea.")

    lines = (await here.say("/memory")).splitlines()

    assert lines[0].startswith("2 facts (2 world), and ")
    assert lines[1] == "From 2026-11-21 to 2026-11-22."
    assert "Ada (2)" in lines[2]
    assert lines[-2:] == ["", "Words are searched alone: searching by meaning is not set up."]
    assert [line.partition(" (")[0] for line in lines[4:-2]] == ["- Ada likes tea.", "- Ada was born in London."]


async def test_one_of_each_is_not_told_in_the_plural(here: Conversation) -> None:
    await here.say("/remember W: Water is wet.")

    first, second, *_ = (await here.say("/memory")).splitlines()

    assert "1 fact (1 world)" in first
    assert "in 1 file." in first
    assert second == "All from 2026-11-21."


async def test_files_without_facts_are_no_facts(here: Conversation, tmp_path: Path) -> None:
    (tmp_path / "personal" / "notes.md").write_text("# Garden\n\nThe roses want water.\n", encoding="utf-8")
    await here.agents["personal"].memory.sync()

    assert (await here.say("/memory")).startswith("No facts yet, and ")


async def test_what_belongs_into_the_profile_is_offered_with_its_source(here: Conversation, tmp_path: Path) -> None:
    notes = tmp_path / "personal" / "memory"
    notes.mkdir(exist_ok=True)
    (notes / "2026-11-20.md").write_text("Always answer in metric units.\n\nIt rained.\n", encoding="utf-8")
    await here.agents["personal"].memory.sync()

    said = await here.say("/memory profile")

    assert said.splitlines()[0] == "- Always answer in metric units. (`memory/2026-11-20.md#L1`)"
    assert said.endswith("33 of 2,000 characters. Copy what is right into USER.md.")


async def test_a_memory_without_guidance_offers_nothing_for_the_profile(here: Conversation) -> None:
    assert (await here.say("/memory Profile")).startswith("The notes hold no standing instructions")


async def test_anything_else_behind_the_command_is_sent_to_the_search(here: Conversation) -> None:
    assert "`/recall blue pot`" in await here.say("/memory blue pot")
