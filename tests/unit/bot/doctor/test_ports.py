from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from bot.doctor.ports import CHECK
from bot.paths import Home, put
from bot.service.probes import HealthEndpoint
from bot.system import instance
from memory import FrozenClock
from tests.unit.bot.doctor.conftest import Look, wrong


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which another program listens."""
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        yield other.getsockname()[1]


def free() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_where_no_port_is_wanted_there_is_nothing_to_say(look: Look) -> None:
    assert await look(CHECK) == []


async def test_a_port_that_another_program_has_is_told(look: Look, home: Home, taken: int) -> None:
    put(home.config, f"health:\n  port: {taken}\n")

    (finding,) = await look(CHECK)

    assert (finding.id, finding.place) == ("ports.taken", f"127.0.0.1:{taken}")
    assert "health.port" in finding.hint


async def test_a_free_port_is_a_note_and_so_is_the_webhooks(look: Look, home: Home) -> None:
    put(
        home.config,
        f"health:\n  port: {free()}\ntelegram:\n  token: 7000000001:test-token-of-the-scrubjay-bot\n"
        f"  webhook: {{url: 'https://bot.example.org', port: {free()}}}\n",
    )

    assert [finding.id for finding in await look(CHECK)] == ["ports.free", "ports.free"]


async def test_while_the_service_runs_its_own_answer_is_asked_for(
    look: Look, home: Home, clock: FrozenClock, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def touch() -> None:
        """The state file takes everything."""

    monkeypatch.setattr("bot.doctor.ports.PATIENCE_S", 0.05)
    home.prepare()
    port = free()
    with instance.hold(home, command="run", clock=clock):
        put(home.config, f"health:\n  port: {port}\n")
        async with HealthEndpoint(dict, touch).answering(port):
            own = await look(CHECK)
        put(home.config, f"health:\n  port: {taken}\n")
        others = await look(CHECK)

    assert own == []
    assert [finding.id for finding in wrong(others)] == ["ports.not_ours"]
