from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bot.config.model import OwnerOptions
from bot.errors import BotError
from bot.starter import FILES, text, write_templates
from memory import Memory, SystemClock

ROBIN = OwnerOptions(name="Robin", timezone="Europe/Berlin")


@pytest.mark.parametrize("agent", ["personal", "work", "garden"])
def test_a_workspace_gets_four_files_that_are_ready_to_read(tmp_path: Path, agent: str) -> None:
    made = write_templates(tmp_path / agent, agent, about="Seeds.", owner=ROBIN)

    assert made == FILES
    for name in FILES:
        content = (tmp_path / agent / name).read_text(encoding="utf-8")
        assert content.startswith(("# ", "<!--"))
        assert content.endswith("\n")
        assert "$" not in content
    assert stat.S_IMODE((tmp_path / agent).stat().st_mode) == 0o700


def test_each_agent_has_rules_of_its_own() -> None:
    rules = {agent: text(agent, "AGENTS.md", about="Seeds.", owner=ROBIN) for agent in ("personal", "work", "garden")}

    assert len(set(rules.values())) == 3
    assert "birthdays" in rules["personal"]
    assert "deadlines" in rules["work"]
    assert "You are garden" in rules["garden"]
    assert "Seeds." in rules["garden"]


def test_the_person_is_named_with_the_time_zone() -> None:
    page = text("work", "USER.md", about="", owner=ROBIN)

    assert "Name: Robin" in page
    assert "Time zone: Europe/Berlin" in page


def test_a_person_without_a_name_is_addressed_all_the_same() -> None:
    owner = OwnerOptions(timezone="UTC")

    assert "your owner's working life" in text("work", "AGENTS.md", about="", owner=owner)


async def test_a_workspace_that_nothing_was_told_has_nothing_to_find(tmp_path: Path) -> None:
    write_templates(tmp_path / "ws", "personal", about="", owner=OwnerOptions(timezone="UTC"))

    async with await Memory.open(tmp_path / "ws", index=tmp_path / "index.sqlite", clock=SystemClock()) as memory:
        assert (await memory.status()).units == 0


def test_the_core_memory_starts_without_a_single_fact() -> None:
    page = text("personal", "MEMORY.md", about="", owner=ROBIN)

    assert not [line for line in page.splitlines() if line.lstrip().startswith(("- ", "* ", "+ "))]


def test_files_that_exist_are_never_touched(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("mine")
    (tmp_path / "memory.md").write_text("as other programs write it")

    made = write_templates(tmp_path, "personal", about="", owner=ROBIN)

    assert made == ("SOUL.md", "USER.md")
    assert (tmp_path / "AGENTS.md").read_text() == "mine"
    assert write_templates(tmp_path, "personal", about="", owner=ROBIN) == ()


def test_a_workspace_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "personal").write_text("I am a file")

    with pytest.raises(BotError, match="cannot be made"):
        write_templates(tmp_path / "personal", "personal", about="", owner=ROBIN)


def test_no_starter_text_makes_promises_that_only_code_can_keep() -> None:
    for agent in ("personal", "work", "garden"):
        assert "Say that something was remembered. Scrubjay confirms that itself" in text(
            agent, "AGENTS.md", about="", owner=ROBIN
        )
