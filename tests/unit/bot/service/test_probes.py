from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.service.control import MAX_CONNECTIONS
from bot.service.probes import HealthEndpoint, Supervisor
from bot.waiting import InstantPause


async def well() -> None:
    pass


async def stuck() -> None:
    raise TimeoutError


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
    assert isinstance(number, int)
    return number


async def get(port: int, path: str) -> tuple[int, str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split(" ")[1]), body


async def test_a_service_that_takes_messages_is_alive_and_ready(port: int) -> None:
    async with HealthEndpoint(lambda: {"telegram.1": "running", "discord.2": "ended"}, well).answering(port):
        assert await get(port, "/livez") == (200, '{"status": "alive"}')
        assert await get(port, "/readyz") == (200, '{"status": "ready"}')
        assert (await get(port, "/"))[0] == 404


async def test_one_account_that_is_refused_makes_it_unready_and_does_not_have_it_restarted(port: int) -> None:
    health = HealthEndpoint(lambda: {"telegram.1": "running", "discord.2": "refused since noon: secret"}, well)
    async with health.answering(port):
        status, body = await get(port, "/readyz")

    assert status == 503
    assert "1 of 2 bot accounts" in body
    assert "secret" not in body
    assert await health.failure() == ""


@pytest.mark.parametrize(("state", "touch"), [("The token was revoked: 123:secret", well), ("running", stuck)])
async def test_one_that_cannot_is_alive_and_not_ready_and_tells_no_secret(port: int, state: str, touch: object) -> None:
    assert callable(touch)
    async with HealthEndpoint(lambda: {"telegram.1": state}, touch).answering(port):
        assert (await get(port, "/livez"))[0] == 200
        status, body = await get(port, "/readyz")

    assert status == 503
    assert "problem" in body
    assert "secret" not in body
    assert "telegram.1" not in body


async def test_what_is_no_request_ends_the_connection_and_nothing_else(port: int) -> None:
    async with HealthEndpoint(lambda: {"telegram.1": "running"}, well).answering(port):
        for nonsense in (b"\r\n\r\n", b"\xff\xff\r\n\r\n", b"x" * 20_000):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(nonsense)
            writer.write_eof()
            await asyncio.gather(reader.read(), return_exceptions=True)
            writer.close()
        assert (await get(port, "/livez"))[0] == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\r\n\r\n", 400),
        (b"GET /livez\r\n\r\n", 400),
        (b"\xff\xfe\x00\r\n\r\n", 400),
        (b"GET /livez HTTP/1.1\r\nX: " + b"a" * 9000 + b"\r\n\r\n", 431),
    ],
)
async def test_what_is_no_request_is_refused_in_plain_words_and_not_in_the_log(
    port: int, sent: bytes, status: int
) -> None:
    unhandled: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))

    async with HealthEndpoint(lambda: {"telegram.1": "running"}, well).answering(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        answer = await reader.read()
        writer.close()

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert unhandled == []


async def test_so_many_connections_are_held_and_further_ones_closed_at_once(port: int) -> None:
    async with HealthEndpoint(lambda: {"telegram.1": "running"}, well).answering(port):
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MAX_CONNECTIONS)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        assert await reader.read() == b""
        for _, other in [*silent, (reader, writer)]:
            other.close()


async def test_a_port_that_is_taken_is_no_reason_not_to_start(port: int) -> None:
    health = HealthEndpoint(lambda: {"telegram.1": "running"}, well)

    async with health.answering(port), health.answering(port):
        assert (await get(port, "/livez"))[0] == 200


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    monkeypatch.chdir(tmp_path)  # a socket's address is short
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
        wire.bind("notify")
        wire.setblocking(False)
        yield wire


def test_a_supervisor_hears_of_it_and_one_that_is_not_there_does_no_harm(systemd: socket.socket) -> None:
    Supervisor("notify").tell("READY=1")
    Supervisor("nobody").tell("READY=1")
    Supervisor("").tell("READY=1")

    assert systemd.recv(100) == b"READY=1"


async def test_the_watchdog_hears_something_only_while_the_service_is_ready(systemd: socket.socket) -> None:
    answers = iter([well, stuck])

    async def touch() -> None:
        await next(answers)()

    class Enough(Exception):
        pass

    class Twice(InstantPause):
        async def __call__(self, seconds: float) -> None:
            await super().__call__(seconds)
            if len(self.waited) > 2:
                raise Enough

    pause = Twice()
    with pytest.raises(Enough):
        await Supervisor("notify", watchdog_s=10).reassure(HealthEndpoint(lambda: {"a": "running"}, touch), pause=pause)

    assert pause.waited == [5, 5, 5]
    assert systemd.recv(100) == b"WATCHDOG=1"
    with pytest.raises(BlockingIOError):
        systemd.recv(100)
