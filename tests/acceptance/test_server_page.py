"""What docs/server.md says works, command by command."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.server_page import WHOLE, commands_of, follow


async def test_the_commands_of_the_page_lead_to_an_answer_and_out_again(tmp_path: Path) -> None:
    outcome = await follow(tmp_path, quick=True, sections=["Uninstall"])

    assert outcome.failed == []
    assert outcome.answered
    assert outcome.commands <= 10
    assert outcome.left == []
    assert outcome.notes_stay
    assert outcome.judged == []


def test_the_page_has_a_way_in_and_a_way_out() -> None:
    assert all(commands_of(title) for title in ("First answer", *WHOLE))
