"""`scrubjay chat` before there is a conversation; what comes then is in tests/acceptance and tests/integration."""

from __future__ import annotations

from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay


def test_an_agent_that_does_not_exist_is_code_4(scrubjay: Scrubjay) -> None:
    assert scrubjay("chat", "--agent", "nobody").code == 4


def test_state_that_others_can_write_to_is_code_7(scrubjay: Scrubjay, home: Home) -> None:
    home.prepare()
    home.state.chmod(0o777)

    result = scrubjay("chat")

    assert result.code == 7
    assert "chmod 700" in result.err
