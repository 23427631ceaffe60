from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.port import Receipt
from bot.access.pairing import Pairings
from bot.errors import Missing, Refused, Unreachable, UsageError
from bot.service import control
from bot.service.control import MOST, AdminApi, Health, Supervisor
from bot.storage.sqlite import SqliteCoordinator
from bot.texts.catalogue import in_language
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.factories import HOME, NOON, effects, envelope, inbound, outbound


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[SqliteCoordinator, AdminApi]]:
    clock = FrozenClock(NOON)
    async with SqliteCoordinator.open(folder / "s", clock=clock) as core:
        pairings = Pairings(core.register, clock=clock, draw=lambda: "ACDEFGHJ")
        accounts, troubles = {"telegram.1": "running"}, {"state file": "full"}
        yield core, AdminApi(core.register, pairings, core.dead_letters, lambda: accounts, troubles=lambda: troubles)


async def test_people_are_approved_listed_and_put_out_through_the_socket(tmp_path: Path) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api):
        await api.pairings.ask(inbound("hello", update="1", sender="9"))
        (waiting,) = (await control.ask(card, "people"))["waiting"]
        approved = await control.ask(card, "approve", code="acdefghj", role="guest")
        people = (await control.ask(card, "people"))["people"]

        assert (waiting["code"], waiting["who"]) == ("ACDEFGHJ", "terminal:9")
        assert approved == {"who": "terminal:9", "role": "guest", "name": "9"}
        assert [person["who"] for person in people] == ["terminal:9"]
        assert await control.ask(card, "accounts") == {"accounts": {"telegram.1": "running", "state file": "full"}}
        assert await control.ask(card, "invite") == {"invitations": [{"account": "telegram.1", "code": "ACDEFGHJ"}]}
        await control.ask(card, "revoke", who="terminal:9")
        with pytest.raises(Missing, match="pair list"):
            await control.ask(card, "revoke", who="terminal:9")


async def test_what_makes_no_sense_is_refused_and_the_service_goes_on(tmp_path: Path) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api):
        told = json.loads(card.read_text())
        with pytest.raises(UsageError):
            await control.ask(card, "dance")
        with pytest.raises(UsageError):
            await control.ask(card, "approve", cod="x")
        card.write_text(json.dumps(told | {"key": "guessed"}))
        with pytest.raises(Refused):
            await control.ask(card, "people")
        card.write_text(json.dumps(told))
        assert await control.ask(card, "people") == {"waiting": [], "people": []}


@pytest.mark.parametrize(
    ("language", "said"), [("de", "Niemand wurde"), ("zh", "没有人"), ("en", "Nobody was"), ("xx/..", "Nobody was")]
)
async def test_what_is_refused_is_said_in_the_language_of_whoever_asks(
    tmp_path: Path, language: str, said: str
) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api):
        with in_language(language), pytest.raises(Missing) as refused:
            await control.ask(card, "revoke", who="terminal:9")

        assert said.casefold() in refused.value.message.casefold()


async def test_only_the_owner_of_the_files_can_read_the_key(tmp_path: Path) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api):
        assert card.stat().st_mode & 0o777 == 0o600

    assert not card.exists()


async def test_a_service_that_has_gone_is_said_to_be(tmp_path: Path) -> None:
    card = tmp_path / "card"
    with pytest.raises(Unreachable):
        await control.ask(card, "people")
    card.write_text('{"port": 1, "key": "k"}')
    with pytest.raises(Unreachable):
        await control.ask(card, "people")


async def test_what_was_given_up_is_listed_and_tried_again_with_its_earlier_attempts_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as (core, api):
        (grant,) = await core.claim("w", ["personal"])
        for number in (1, 2):
            await core.publish(envelope(f"question {number}", update=str(number)))
        one, two = await core.pending(grant, after=0)
        await core.begin(grant, [one.seq], attempt=3)
        await core.commit(grant, effects(one, set_aside="it broke"))
        await core.commit(grant, effects(two, parts=(outbound("p"),)))
        (part,) = await core.outgoing(grant, {HOME.account}, after=0)
        await core.dead(grant, part.seq, "the chat is gone")

        letters = (await api.ask("dead"))["dead"]
        assert [(one["kind"], one["reason"]) for one in letters] == [
            ("message", "it broke"),
            ("part", "the chat is gone"),
        ]
        with pytest.raises(Missing):
            await api.ask("retry", wanted="personal:99")
        assert (await api.ask("retry", wanted="all"))["retried"] == [one["id"] for one in letters]

        (again,) = await core.pending(grant, after=two.seq)
        (part,) = await core.outgoing(grant, {HOME.account}, after=part.seq)
        assert (again.envelope.inbound.text, again.attempts, again.turn) == ("question 1", 3, None)
        assert part.out.id == "p"
        await core.receipt(grant, part.seq, Receipt("m"))
        assert (await api.ask("dead"))["dead"] == []


async def test_what_another_process_has_forgotten_is_cleared_by_the_service(tmp_path: Path) -> None:
    asked = []

    async def clear(agent: str, *, wholly: bool, scope: str, op_id: str) -> int:
        asked.append((agent, wholly, scope, op_id))
        return 3

    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, replace(api, clear=clear)):
        assert await control.ask(card, "forgotten", agent="personal", wholly=False) == {"count": 3}
        await control.ask(card, "forgotten", agent="work", wholly=True, scope="owner", op_id="cli:1")
        with pytest.raises(UsageError):
            await api.ask("forgotten", agent="personal", wholly=False)

    assert asked == [("personal", False, "", ""), ("work", True, "owner", "cli:1")]


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
    async with Health(lambda: {"telegram.1": "running", "discord.2": "ended"}, well).answering(port):
        assert await get(port, "/livez") == (200, '{"status": "alive"}')
        assert await get(port, "/readyz") == (200, '{"status": "ready"}')
        assert (await get(port, "/"))[0] == 404


async def test_one_account_that_is_refused_makes_it_unready_and_does_not_have_it_restarted(port: int) -> None:
    health = Health(lambda: {"telegram.1": "running", "discord.2": "refused since noon: secret"}, well)
    async with health.answering(port):
        status, body = await get(port, "/readyz")

    assert status == 503
    assert "1 of 2 bot accounts" in body
    assert "secret" not in body
    assert await health.failure() == ""


@pytest.mark.parametrize(("state", "touch"), [("The token was revoked: 123:secret", well), ("running", stuck)])
async def test_one_that_cannot_is_alive_and_not_ready_and_tells_no_secret(port: int, state: str, touch: object) -> None:
    assert callable(touch)
    async with Health(lambda: {"telegram.1": state}, touch).answering(port):
        assert (await get(port, "/livez"))[0] == 200
        status, body = await get(port, "/readyz")

    assert status == 503
    assert "problem" in body
    assert "secret" not in body
    assert "telegram.1" not in body


async def test_what_is_no_request_ends_the_connection_and_nothing_else(port: int) -> None:
    async with Health(lambda: {"telegram.1": "running"}, well).answering(port):
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

    async with Health(lambda: {"telegram.1": "running"}, well).answering(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        answer = await reader.read()
        writer.close()

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert unhandled == []


async def test_so_many_connections_are_held_and_further_ones_closed_at_once(port: int) -> None:
    async with Health(lambda: {"telegram.1": "running"}, well).answering(port):
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MOST)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        assert await reader.read() == b""
        for _, other in [*silent, (reader, writer)]:
            other.close()


async def test_a_port_that_is_taken_is_no_reason_not_to_start(port: int) -> None:
    health = Health(lambda: {"telegram.1": "running"}, well)

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
        await Supervisor("notify", watchdog_s=10).reassure(Health(lambda: {"a": "running"}, touch), pause=pause)

    assert pause.waited == [5, 5, 5]
    assert systemd.recv(100) == b"WATCHDOG=1"
    with pytest.raises(BlockingIOError):
        systemd.recv(100)
