from __future__ import annotations

import json

import pytest
import structlog

from bot import instance
from bot.config.model import Config
from bot.paths import Home
from memory import Clock, FrozenClock
from tests.unit.bot.cli.conftest import Scrubjay


@pytest.fixture
def talks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for the conversation itself: notes who talks, and how the house is prepared for it."""
    seen: list[str] = []

    async def run_chat(home: Home, config: Config, agent: str, *, clock: Clock) -> int:
        assert instance.holder(home) is not None
        assert all((home.workspace(name) / "AGENTS.md").is_file() for name in config.agents)
        structlog.get_logger("bot.app").info("chat.started", agent=agent)
        seen.append(agent)
        return 0

    monkeypatch.setattr("bot.app.run_chat", run_chat)
    return seen


def test_a_chat_needs_no_setup(scrubjay: Scrubjay, talks: list[str]) -> None:
    assert scrubjay("chat").code == 0
    assert talks == ["personal"]


def test_another_agent_can_be_named(scrubjay: Scrubjay, talks: list[str]) -> None:
    scrubjay("chat", "--agent", "work")

    assert talks == ["work"]


def test_an_agent_that_does_not_exist_is_code_4(scrubjay: Scrubjay, talks: list[str]) -> None:
    assert scrubjay("chat", "--agent", "nobody").code == 4
    assert talks == []


def test_the_terminal_stays_clean_and_the_log_goes_into_its_file(
    scrubjay: Scrubjay, home: Home, talks: list[str]
) -> None:
    result = scrubjay("chat")

    assert (result.out, result.err) == ("", "")
    event = json.loads(home.log_file.read_text(encoding="utf-8").splitlines()[0])
    assert (event["event"], event["agent"]) == ("chat.started", "personal")


def test_a_second_chat_on_the_same_home_is_code_5_and_says_who_is_first(
    scrubjay: Scrubjay, home: Home, clock: FrozenClock, talks: list[str]
) -> None:
    home.prepare()
    with instance.hold(home, command="chat", clock=clock) as holder:
        result = scrubjay("chat")

    assert result.code == 5
    assert f"process {holder.pid}" in result.err
    assert talks == []


def test_state_that_others_can_write_to_is_code_7(scrubjay: Scrubjay, home: Home, talks: list[str]) -> None:
    home.prepare()
    home.state.chmod(0o777)

    result = scrubjay("chat")

    assert result.code == 7
    assert "chmod 700" in result.err
    assert talks == []


def test_files_of_the_owner_are_never_replaced(scrubjay: Scrubjay, home: Home, talks: list[str]) -> None:
    scrubjay("chat")
    mine = home.workspace("personal") / "AGENTS.md"
    mine.write_text("my own rules")

    scrubjay("chat")

    assert mine.read_text() == "my own rules"
