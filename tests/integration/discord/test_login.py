"""The way in: what can be made good is tried again, what cannot is said once."""

from __future__ import annotations

import asyncio
import logging
import re
from base64 import b64encode
from pathlib import Path
from random import Random
from typing import Any

import pytest

from adapters.discord.adapter import DiscordAdapter, DiscordOptions
from adapters.in_memory import InMemoryState
from adapters.port import Address, ChatKind, LoginRefused, NotSent, Outbound
from tests.chaos.discord_events import frame as odd_event
from tests.integration.discord.stage import BriefTime, Clock, Listener, account, offering_menu, online, reply
from tests.servers.discord.client import Discord, Person
from tests.servers.ledger import Entry
from tests.support.proxy import Proxy
from tests.support.service import Everybody

ANYWHERE = Address("discord", "1", "1", ChatKind.PRIVATE)


def stranger(server: Discord) -> DiscordAdapter:
    """An account with a token that Discord does not know."""
    token = server.token[:-3] + "abc"
    return DiscordAdapter(
        DiscordOptions(token), audience=Everybody(), state=InMemoryState(), now=Clock(), pause=BriefTime().pause
    )


async def test_a_wrong_token_is_refused_once_and_for_all(server: Discord) -> None:
    adapter = stranger(server)
    with pytest.raises(LoginRefused, match=r"401.*developer portal"):
        await adapter.run(Listener())
    with pytest.raises(NotSent, match="401"):
        await adapter.send(Outbound("o1", ANYWHERE, "hello"))

    assert len([entry for entry in server.entries("answer") if entry["name"] == "GET /users/@me"]) == 1


async def test_a_token_that_is_reset_while_the_bot_is_online_ends_the_account(server: Discord) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(_refused(account(server)))
        await server.until(lambda entry: entry["kind"] == "identify")
        server.call("revoke_token")
        server.call("close", code=4004)
        refusal = await running

    assert "4004" in refusal
    assert len(server.entries("identify")) == 1


async def _refused(adapter: DiscordAdapter) -> str:
    with pytest.raises(LoginRefused) as caught:
        await adapter.run(Listener())
    return str(caught.value)


async def test_without_the_privileged_intent_it_goes_on_and_says_so(
    server: Discord, alice: Person, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    server.call("approve", message_content=False)
    async with online(server, account(server)) as door:
        alice.says(room, f"{server.mention} hello")
        await door.until(1)

    assert door.texts == ["hello"]
    assert [entry["code"] for entry in server.entries("gateway_closed")] == [4014]
    assert caplog.text.count("turn on Message Content Intent") == 1


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "reset", "times": 2},
        {"kind": "status", "status": 503, "times": 2},
        {"kind": "status", "status": 403},
        {"kind": "status", "status": 429, "seconds": 0},
    ],
    ids=str,
)
async def test_a_login_that_fails_for_other_reasons_is_tried_again(
    server: Discord, alice: Person, fault: dict[str, Any]
) -> None:
    server.fault("GET /users/@me", **fault)
    async with online(server, account(server)) as door:
        alice.says(alice.direct, "hello")
        await door.until(1)

    assert server.call("unused_faults") == []


async def test_a_server_that_cannot_be_reached_is_tried_again_more_and_more_slowly(
    server: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    import discord

    waited: list[float] = []
    reachable = discord.http.Route.BASE

    async def pause(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 8:
            monkeypatch.setattr(discord.http.Route, "BASE", reachable)

    monkeypatch.setattr(discord.http.Route, "BASE", "http://127.0.0.1:9/api/v10")
    adapter = DiscordAdapter(
        DiscordOptions(server.token),
        audience=Everybody(),
        state=InMemoryState(),
        now=Clock(),
        pause=pause,
        monotonic=lambda: sum(waited),
    )
    async with online(server, adapter):
        pass

    assert waited == [2, 4, 8, 16, 20, 20, 20, 20]


async def test_an_event_that_the_library_cannot_read_is_left_out(
    server: Discord, alice: Person, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with online(server, account(server)) as door:
        alice.says(room, "before")
        await door.until(1)
        damaged = {"id": "7", "channel_id": str(room), "author": {"id": str(alice.id)}, "content": "../../etc"}
        server.call("emit", event="MESSAGE_CREATE", payload=damaged)
        server.call("emit", event="MESSAGE_UPDATE", payload=damaged | {"id": "../../x"})
        server.call("emit", event="GUILD_CREATE", payload={"id": []})
        server.call("emit", event="INTERACTION_CREATE", payload={"id": "9", "token": "unknown"})
        alice.says(room, "after")
        await door.until(2)
        await server.until(lambda entry: entry.get("name") == "POST /interactions/9/unknown/callback")

    assert door.texts == ["before", "after"]
    assert caplog.text.count("cannot read") == 4
    assert [(unread.update, unread.sender) for unread in door.unread[:1]] == [("7", str(alice.id))]
    assert re.fullmatch(r"[0-9a-f]{64}", door.unread[1].update), "an update's id names a file"
    assert len(server.entries("identify")) == 1


async def test_hundreds_of_odd_events_cost_no_login_and_hide_no_message(
    server: Discord, alice: Person, room: int
) -> None:
    chance = Random(1)
    frames = [odd_event(number, chance, person=alice.id, room=room) for number in range(400)]
    async with online(server, account(server)) as door:
        alice.says(room, "before")
        await door.until(1)
        server.call("emit_all", frames=frames)
        alice.says(room, "after")
        await door.until_text("after")

    assert len(server.entries("identify")) == 1


async def test_sessions_that_end_at_once_begin_more_and_more_slowly(server: Discord, alice: Person) -> None:
    time, waited = BriefTime(), list[float]()

    async def pause(seconds: float) -> None:
        waited.append(round(seconds))
        await time.pause(seconds)

    adapter = DiscordAdapter(
        DiscordOptions(server.token, settle_s=0.05),
        audience=Everybody(),
        state=InMemoryState(),
        now=Clock(),
        pause=pause,
        monotonic=time.monotonic,
    )
    server.call("spoil_sessions", count=5)
    async with online(server, adapter) as door:
        await server.until(lambda entry: entry["kind"] == "identify" and len(server.entries("identify")) == 6)
        alice.says(alice.direct, "hello")
        await door.until(1)

    assert [seconds for seconds in waited if seconds >= 4] == [4, 8, 16, 32]


async def test_before_the_sessions_of_a_day_are_spent_it_stays_away_and_says_why(
    server: Discord, alice: Person, caplog: pytest.LogCaptureFixture
) -> None:
    server.call("leave_sessions", count=200)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(account(server).run(Listener()))
        addressed = await server.until(is_gateway_answer)
        await server.until(is_gateway_answer, since=addressed["n"])
        server.call("leave_sessions", count=1000)
        await server.until(lambda entry: entry["kind"] == "identify")
        running.cancel()

    assert "Of the 1000 sessions that a bot may begin in a day, 200 are left" in caplog.text
    assert "in 1.0 hours. The next attempt is in 3600 s." in caplog.text


def is_gateway_answer(entry: Entry) -> bool:
    """Whether the bot was told the gateway's address, and how many sessions are left; it asks once for each."""
    return entry.get("name") == "GET /gateway/bot" and entry["kind"] == "answer"


async def test_a_bot_in_too_many_servers_is_told_what_can_be_done(server: Discord) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(_refused(account(server)))
        await server.until(lambda entry: entry["kind"] == "identify")
        server.call("close", code=4011)
        refusal = await running

    assert "more servers than one connection may serve" in refusal
    assert "discord.more_tokens" in refusal


async def test_neither_the_token_nor_what_people_say_is_in_the_log(
    server: Discord, alice: Person, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    adapter = account(server)
    async with online(server, adapter) as door:
        alice.says(room, "a secret")
        (asked,) = await door.until(1)
        server.fault("POST /channels/*/messages", "status", status=403)
        with pytest.raises(Exception, match="403"):
            await adapter.send(reply(asked, "another secret"))
        await offering_menu(server)
        server.call("slash", user=alice.id, channel=room, command="help", options={})
        await door.until(2)
        server.fault("PATCH /webhooks/*", "status", status=429, seconds=0.1)
        await adapter.send(reply(door.heard[1], "the third secret"))
    with pytest.raises(LoginRefused):
        await stranger(server).run(Listener())

    written = caplog.text + repr(DiscordOptions(server.token))
    assert "webhooks" in written
    assert server.token not in written
    assert "secret" not in written
    assert "interaction_" not in written


async def test_it_ends_when_it_is_cancelled_also_while_nobody_answers(server: Discord) -> None:
    server.fault("GET /users/@me", "hang")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(account(server).run(Listener()))
        await server.until(lambda entry: entry["kind"] == "fault")
        running.cancel()
        await asyncio.wait([running])

    assert running.cancelled()


async def test_a_bot_with_an_api_server_of_its_own_says_what_it_is_there_for(
    server: Discord, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    import discord
    import yarl

    nowhere = "http://127.0.0.1:9"
    monkeypatch.setattr(discord.http.Route, "BASE", nowhere)
    monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(nowhere))
    async with online(server, account(server, api=server.url, presence="asks its memory")) as door:
        alice.says(alice.direct, "hello")
        await door.until(1)

    (identify,) = server.entries("identify")
    activity = identify["presence"]["game"]
    assert (activity["type"], activity["state"]) == (4, "asks its memory")
    assert [entry["name"] for entry in server.entries("request")].count("GET /gateway/bot") == 1


async def test_everything_goes_through_a_proxy_that_is_named(
    server: Discord, alice: Person, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    proxy = Proxy()
    async with await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        adapter = account(server, api=server.url, proxy=f"http://me:hush@127.0.0.1:{port}")
        async with online(server, adapter) as door:
            alice.says(alice.direct, "hello", files=[("plan.txt", b"dig")])
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "hello"))
            await adapter.fetch(asked.attachments[0], tmp_path / "plan.txt", limit=100)

    assert "GET /api/v10/users/@me" in proxy.asked
    assert "GET /gateway" in {asked.rstrip("/") for asked in proxy.asked}
    assert f"POST /api/v10/channels/{alice.direct}/messages" in proxy.asked
    assert any(asked.startswith("GET /cdn/") for asked in proxy.asked)
    assert proxy.greetings == {"Basic " + b64encode(b"me:hush").decode()}
    assert "hush" not in caplog.text + repr(adapter._account.options)
