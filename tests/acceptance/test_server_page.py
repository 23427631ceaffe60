"""What docs/server.md says works, command by command."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.server_page import commands_of, follow


async def test_every_command_of_the_page_works_and_the_bot_answers(tmp_path: Path) -> None:
    outcome = await follow(tmp_path, quick=True)

    assert outcome.failed == []
    assert outcome.answered
    assert outcome.commands <= 10
    assert outcome.left == []
    assert outcome.notes_stay
    assert outcome.judged == []


def test_the_page_has_a_way_in_and_a_way_out() -> None:
    assert all(commands_of(title) for title in ("First answer", "Look after it", "Upgrade", "Roll back", "Uninstall"))
