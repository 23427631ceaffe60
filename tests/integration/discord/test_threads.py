"""If it is wished, each conversation that begins in a server's channel has a thread of its own."""

from __future__ import annotations

import pytest

from tests.integration.discord.stage import account, online, reply
from tests.servers.discord.client import Discord, Person


async def test_a_conversation_goes_on_in_the_thread_that_it_began(server: Discord, alice: Person, room: int) -> None:
    adapter = account(server, threads=True)
    async with online(server, adapter) as door:
        question = alice.says(room, f"{server.mention} when to sow tomatoes?")
        (asked,) = await door.until(1)
        await adapter.typing(asked.address)
        await adapter.send(reply(asked, "in March", last=False))
        await adapter.send(reply(asked, "indoors", id="o2", part=1))
        alice.says(question, "and beans?")
        _, more = await door.until(2)
        await adapter.send(reply(more, "in May", id="o3"))

    assert (asked.address.chat, asked.address.thread) == (str(room), str(question))
    assert more.address == asked.address
    assert more.addressed
    said = [(message["content"], "message_reference" in message) for message in server.history(question)]
    assert said == [("in March", False), ("indoors", False), ("and beans?", False), ("in May", True)]
    opened = [entry["body"]["name"] for entry in server.entries("request") if entry["name"].endswith("/threads")]
    assert opened == ["when to sow tomatoes?"]
    assert server.violations() == []


async def test_what_does_not_address_the_bot_begins_nothing(server: Discord, alice: Person, room: int) -> None:
    async with online(server, account(server, threads=True)) as door:
        alice.says(room, "just talking")
        (heard,) = await door.until(1)

    assert heard.address.thread is None


async def test_a_thread_that_was_opened_before_a_crash_is_used(server: Discord, alice: Person, room: int) -> None:
    before, after = account(server, threads=True), account(server, threads=True)
    server.fault("POST /channels/*/messages", "status", status=503)
    async with online(server, before) as door:
        question = alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        with pytest.raises(Exception, match="503"):
            await before.send(reply(asked, "hello"))
    async with online(server, after):
        await after.send(reply(asked, "hello", again=True))

    assert [message["content"] for message in server.history(question)] == ["hello"]


async def test_a_thread_that_somebody_opened_meanwhile_is_used(server: Discord, alice: Person, room: int) -> None:
    adapter = account(server, threads=True)
    server.fault("POST /channels/*/messages/*/threads", "status", status=503, effect=True)
    async with online(server, adapter) as door:
        question = alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        with pytest.raises(Exception, match="503"):
            await adapter.send(reply(asked, "hello"))
        await adapter.send(reply(asked, "hello"))

    assert [message["content"] for message in server.history(question)] == ["hello"]


async def test_where_no_thread_may_be_opened_the_answer_stays_in_the_channel(
    server: Discord, alice: Person, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    server.call("denies", channel=room, permissions=["create_public_threads"])
    adapter = account(server, threads=True)
    async with online(server, adapter) as door:
        alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        receipt = await adapter.send(reply(asked, "hel"))
        await adapter.edit(receipt, reply(asked, "hello"))

    (_, answer) = server.history(room)
    assert answer["content"] == "hello"
    assert answer["message_reference"]["message_id"] == asked.message
    assert "let the bot create public threads" in caplog.text
