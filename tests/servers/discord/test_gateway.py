"""The gateway's frames and close codes, over a bare websocket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.servers.discord.client import Discord

INTENTS = 1 << 0 | 1 << 9 | 1 << 12 | 1 << 15  # guilds, guild messages, direct messages, message content


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as http:
        yield http


class Socket:
    """One connection, after its hello."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def send(self, op: int, data: Any = None) -> None:
        await self.socket.send_str(json.dumps({"op": op, "d": data}))

    async def receive(self, *, op: int = 0, event: str | None = None) -> dict[str, Any]:
        """The next frame of that kind; others are passed over."""
        while True:
            frame: dict[str, Any] = json.loads(await self.socket.receive_str(timeout=5))
            if frame["op"] == op and event in {None, frame["t"]}:
                return frame

    async def close_code(self) -> int | None:
        while (await self.socket.receive(timeout=5)).type is aiohttp.WSMsgType.TEXT:
            pass
        return self.socket.close_code


async def connect(server: Discord, http: aiohttp.ClientSession) -> Socket:
    socket = Socket(await http.ws_connect(server.gateway_url))
    assert (await socket.receive(op=10))["d"]["heartbeat_interval"] == 41250
    return socket


async def identified(server: Discord, http: aiohttp.ClientSession, intents: int = INTENTS) -> tuple[Socket, Any]:
    socket = await connect(server, http)
    await socket.send(2, {"token": server.token, "intents": intents})
    return socket, (await socket.receive(event="READY"))["d"]


async def test_heartbeats_are_acknowledged_until_they_are_not(server: Discord, http: aiohttp.ClientSession) -> None:
    socket = await connect(server, http)
    await socket.send(1)
    await socket.receive(op=11)
    server.call("stop_acknowledging")
    await socket.send(1)

    with pytest.raises(TimeoutError):
        await socket.socket.receive(timeout=0.05)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("not json", 4002),
        ("[]", 4002),
        ('{"op": 99}', 4001),
        ('{"op": 3, "d": {}}', 4003),
        ('{"op": 2, "d": {"token": "stolen", "intents": 1}}', 4004),
        ('{"op": 6, "d": {"token": "stolen", "session_id": "x", "seq": 1}}', 4004),
    ],
)
async def test_wrong_frames_close_the_connection(
    server: Discord, http: aiohttp.ClientSession, frame: str, code: int
) -> None:
    socket = await connect(server, http)
    await socket.socket.send_str(frame)

    assert await socket.close_code() == code


async def test_identifying_twice_closes_the_connection(server: Discord, http: aiohttp.ClientSession) -> None:
    socket, _ = await identified(server, http)
    await socket.send(2, {"token": server.token, "intents": INTENTS})

    assert await socket.close_code() == 4005


async def test_a_resumed_session_gets_what_it_missed_once(server: Discord, http: aiohttp.ClientSession) -> None:
    alice = server.user("alice")
    room = server.guild("Team", [alice]).channel("general")
    first, ready = await identified(server, http)
    alice.says(room, "heard")
    seen = await first.receive(event="MESSAGE_CREATE")
    await first.socket.close()
    alice.says(room, "missed")

    second = await connect(server, http)
    await second.send(6, {"token": server.token, "session_id": ready["session_id"], "seq": seen["s"]})

    assert (await second.receive(event="MESSAGE_CREATE"))["d"]["content"] == "missed"
    await second.receive(event="RESUMED")


async def test_a_resume_that_cannot_be_is_an_invalid_session(server: Discord, http: aiohttp.ClientSession) -> None:
    _, ready = await identified(server, http)
    server.call("refuse_next", resumable=True)
    socket = await connect(server, http)
    resume = {"token": server.token, "session_id": ready["session_id"], "seq": 1}

    await socket.send(6, resume)
    assert (await socket.receive(op=9))["d"] is True
    await socket.send(6, {**resume, "session_id": "unknown"})
    assert (await socket.receive(op=9))["d"] is False
    await socket.send(6, {**resume, "seq": 10_000})
    assert (await socket.receive(op=9))["d"] is False


async def test_levers_reach_open_connections(server: Discord, http: aiohttp.ClientSession) -> None:
    socket, _ = await identified(server, http)

    assert server.call("drop", reconnect=True) == 1
    await socket.receive(op=7)
    server.call("invalidate")
    assert (await socket.receive(op=9))["d"] is False


async def test_content_is_hidden_without_the_intent_unless_the_bot_is_addressed(
    server: Discord, http: aiohttp.ClientSession
) -> None:
    alice = server.user("alice")
    room = server.guild("Team", [alice]).channel("general")
    socket, _ = await identified(server, http, INTENTS & ~(1 << 15))
    alice.says(room, "secret")
    alice.says(room, f"hello {server.mention}")
    alice.says(alice.direct, "between us")

    texts = [(await socket.receive(event="MESSAGE_CREATE"))["d"]["content"] for _ in range(3)]

    assert texts == ["", f"hello {server.mention}", "between us"]


async def test_sessions_of_clients_that_are_gone_do_not_pile_up(server: Discord, http: aiohttp.ClientSession) -> None:
    names = []
    for _ in range(7):
        socket, ready = await identified(server, http)
        names.append(ready["session_id"])
        await socket.socket.close()
    last, _ = await identified(server, http)

    for name, is_known in ((names[0], False), (names[-1], True)):
        socket = await connect(server, http)
        await socket.send(6, {"token": server.token, "session_id": name, "seq": 1})
        await (socket.receive(event="RESUMED") if is_known else socket.receive(op=9))
    await last.socket.close()


async def test_members_are_sent_on_request(server: Discord, http: aiohttp.ClientSession) -> None:
    alice = server.user("alice")
    guild = server.guild("Team", [alice])
    socket, _ = await identified(server, http)

    await socket.send(8, {"guild_id": str(guild.id), "user_ids": [str(alice.id)], "nonce": "n"})

    chunk = (await socket.receive(event="GUILD_MEMBERS_CHUNK"))["d"]
    assert [member["user"]["username"] for member in chunk["members"]] == ["alice"]
    assert chunk["nonce"] == "n"
