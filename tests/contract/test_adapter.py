"""The laws of every adapter. A further platform joins by one more stage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from adapters.in_memory import PLAIN, InMemoryAdapter
from adapters.port import (
    PLACEHOLDER,
    Adapter,
    AdapterError,
    Address,
    Ambiguous,
    Attachment,
    Capabilities,
    ChatKind,
    Fetches,
    FileRefused,
    Inbound,
    InboundHandler,
    NotSent,
    Outbound,
    SendRefused,
)
from adapters.terminal import HERE, PlainScreen, TerminalAdapter
from bot.errors import StateError
from tests.integration.discord.stage import account
from tests.integration.telegram.stage import opened
from tests.servers.discord.client import Discord, pointed
from tests.servers.discord.client import running as discord_running
from tests.servers.telegram.client import TOKEN, Telegram, running
from tests.support.factories import NOON, chat
from tests.support.service import NoQuarantine
from tests.support.terminal import Pipes, pipes


class Stage(Protocol):
    """A person in front of an adapter."""

    adapter: Adapter
    person: str
    chat: Address

    def says(self, *texts: str) -> None:
        """The person writes these messages and leaves."""
        ...

    async def brings(self, handler: InboundHandler) -> None:
        """The adapter runs until everything that was said has been brought, or it fails."""
        ...

    def sees(self) -> str:
        """Everything that the person has seen so far."""
        ...


class TerminalStage:
    person = "owner"
    chat = HERE

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes
        self.adapter: Adapter = TerminalAdapter(PlainScreen(pipes.stdin, pipes.stdout), run="r", now=lambda: NOON)

    def says(self, *texts: str) -> None:
        self._pipes.type("".join(f"{text}\n" for text in texts).encode())
        self._pipes.hang_up()

    async def brings(self, handler: InboundHandler) -> None:
        await self.adapter.run(handler)

    def sees(self) -> str:
        return self._pipes.seen()


class VolatileStage:
    person = "owner"
    chat = chat("chat")

    def __init__(self, capabilities: Capabilities) -> None:
        self._platform = InMemoryAdapter(now=lambda: NOON, capabilities=capabilities)
        self.adapter: Adapter = self._platform

    def says(self, *texts: str) -> None:
        for text in texts:
            self._platform.say(text)
        self._platform.leave()

    async def brings(self, handler: InboundHandler) -> None:
        await self.adapter.run(handler)

    def sees(self) -> str:
        return "".join(f"{out.text}\n" for out in self._platform.shown)


class TelegramStage:
    person = "7"
    chat = Address("telegram", TOKEN.partition(":")[0], "7", ChatKind.PRIVATE)

    def __init__(self, telegram: Telegram, adapter: Adapter) -> None:
        self._telegram = telegram
        self._alice = telegram.user(7, "Alice")
        self.adapter = adapter

    def says(self, *texts: str) -> None:
        for text in texts:
            self._alice.says(text)

    async def brings(self, handler: InboundHandler) -> None:
        last = self._telegram.call("pending")[-1]["update_id"]
        running = asyncio.ensure_future(self.adapter.run(handler))
        confirmed = asyncio.ensure_future(
            self._telegram.until(lambda entry: last in entry.get("updates", ()) and entry["kind"] == "confirmed")
        )
        await asyncio.wait([running, confirmed], return_when=asyncio.FIRST_COMPLETED)
        for task in (running, confirmed):
            task.cancel()
        await asyncio.wait([running, confirmed])
        if not running.cancelled():
            running.result()

    def sees(self) -> str:
        own = [message["text"] for message in self._telegram.history(7) if message["from"]["is_bot"]]
        return "".join(f"{text}\n" for text in own)


class DiscordStage:
    def __init__(self, server: Discord, adapter: Adapter, running: asyncio.Task[None], relay: Relay) -> None:
        self._server = server
        self._alice = server.user("alice")
        self._running = running
        self._relay = relay
        self._said = 0
        self.adapter = adapter
        self.person = str(self._alice.id)
        self.chat = Address("discord", adapter.bot, str(self._alice.direct), ChatKind.PRIVATE)

    def says(self, *texts: str) -> None:
        for text in texts:
            self._alice.says(self._alice.direct, text)
        self._said += len(texts)

    async def brings(self, handler: InboundHandler) -> None:
        brought = asyncio.ensure_future(self._relay.brings(handler, self._said))
        await asyncio.wait([self._running, brought], return_when=asyncio.FIRST_COMPLETED)
        if self._running.done():
            brought.cancel()
            self._running.result()

    def sees(self) -> str:
        own = [one["content"] for one in self._server.history(self._alice.direct) if one["author"]["bot"]]
        return "".join(f"{text}\n" for text in own)


class Relay(NoQuarantine):
    """A door that is opened to another one when a test has come so far."""

    def __init__(self) -> None:
        self._door: asyncio.Future[InboundHandler] = asyncio.get_running_loop().create_future()
        self._brought = asyncio.Semaphore(0)

    async def receive(self, inbound: Inbound) -> bool:
        taken = await (await self._door).receive(inbound)
        self._brought.release()
        return taken

    async def brings(self, handler: InboundHandler, count: int) -> None:
        self._door.set_result(handler)
        for _ in range(count):
            await self._brought.acquire()


class Listener(NoQuarantine):
    """A door that answers everything at once, or fails."""

    def __init__(self, adapter: Adapter, *, failure: Exception | None = None) -> None:
        self.heard: list[Inbound] = []
        self._adapter = adapter
        self._failure = failure

    async def receive(self, inbound: Inbound) -> bool:
        if self._failure:
            raise self._failure
        self.heard.append(inbound)
        await self._adapter.send(Outbound(f"o{len(self.heard)}", inbound.address, "yes", reply_to=inbound.message))
        return True


@asynccontextmanager
async def terminal(_: Path) -> AsyncIterator[Stage]:
    with pipes() as streams:
        yield TerminalStage(streams)


@asynccontextmanager
async def volatile(_: Path) -> AsyncIterator[Stage]:
    yield VolatileStage(PLAIN)


@asynccontextmanager
async def able(_: Path) -> AsyncIterator[Stage]:
    yield VolatileStage(replace(PLAIN, edits=True, idempotent=True))


@asynccontextmanager
async def telegram(folder: Path) -> AsyncIterator[Stage]:
    with running(patience_s=0) as server:
        async with opened(server, folder) as adapter:
            yield TelegramStage(server, adapter)
        assert server.violations() == []


@asynccontextmanager
async def discord(_: Path) -> AsyncIterator[Stage]:
    with discord_running() as server, pointed(server):
        adapter, relay = account(server), Relay()
        running = asyncio.ensure_future(adapter.run(relay))
        await server.until(lambda entry: entry["kind"] == "identify")
        yield DiscordStage(server, adapter, running, relay)
        running.cancel()
        await asyncio.wait([running])
        assert server.violations() == []


STAGES = {
    "terminal": terminal,
    "volatile": volatile,
    "volatile, idempotent and editing": able,
    "telegram": telegram,
    "discord": discord,
}


@pytest.fixture(params=STAGES)
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stage]:
    async with STAGES[request.param](tmp_path) as stage:
        yield stage


def out(stage: Stage, id: str, text: str) -> Outbound:
    return Outbound(id, stage.chat, text)


async def test_it_says_who_it_is_and_what_it_can(stage: Stage) -> None:
    adapter = stage.adapter

    assert adapter.platform
    assert adapter.bot
    assert adapter.capabilities.text_limit >= 32
    assert adapter.capabilities.text_unit in {"characters", "utf16"}


async def test_everything_that_is_said_reaches_the_door_once_and_in_order(stage: Stage) -> None:
    listener = Listener(stage.adapter)
    said = ["hello", "/recall key", "drei: äöü", "雪👨‍👩‍👧", "last"]

    stage.says(*said)
    await stage.brings(listener)

    assert [inbound.text for inbound in listener.heard] == said
    assert len({inbound.update for inbound in listener.heard}) == len(said)
    assert len({inbound.message for inbound in listener.heard}) == len(said)


async def test_an_event_tells_where_it_happened_who_did_it_and_when(stage: Stage) -> None:
    listener = Listener(stage.adapter)
    stage.says("hello")
    await stage.brings(listener)

    (inbound,) = listener.heard

    assert (inbound.address.platform, inbound.address.bot) == (stage.adapter.platform, stage.adapter.bot)
    assert inbound.sender.id == stage.person
    assert inbound.sent_at.tzinfo is not None


async def test_what_is_said_while_the_door_fails_is_not_taken_as_received(stage: Stage) -> None:
    listener = Listener(stage.adapter, failure=StateError("disk full"))
    stage.says("hello")

    with pytest.raises(StateError, match="disk full"):
        await stage.brings(listener)


async def test_run_ends_when_it_is_cancelled(stage: Stage) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(stage.adapter.run(Listener(stage.adapter)))
        await asyncio.wait([running], timeout=0)
        running.cancel()
        await asyncio.wait([running])

    assert running.cancelled()


async def test_a_delivered_message_is_seen_and_has_a_receipt_of_its_own(stage: Stage) -> None:
    first = await stage.adapter.send(out(stage, "a", "one"))
    second = await stage.adapter.send(out(stage, "b", "two"))

    assert stage.sees().split() == ["one", "two"]
    assert first.message
    assert first.message != second.message


async def test_a_message_as_long_as_the_limit_is_taken(stage: Stage) -> None:
    text = "x" * min(stage.adapter.capabilities.text_limit, 10_000)

    await stage.adapter.send(out(stage, "a", text))

    assert text in stage.sees()


async def test_a_repeated_id_is_shown_once_where_the_platform_recognises_it(stage: Stage) -> None:
    able = stage.adapter.capabilities
    first = await stage.adapter.send(out(stage, "a", "once"))
    second = await stage.adapter.send(out(stage, "a", "once"))

    assert stage.sees().count("once") == (1 if able.idempotent else 2)
    assert able.at_least_once or (first == second) == able.idempotent


async def test_a_repeated_id_with_another_text_is_one_message_with_the_newer_text(stage: Stage) -> None:
    able = stage.adapter.capabilities
    if able.idempotent and able.edits:
        await stage.adapter.send(out(stage, "a", PLACEHOLDER))
        await stage.adapter.send(out(stage, "a", "whole"))

        assert stage.sees().split() == ["whole"]


async def test_a_message_can_be_edited_where_the_platform_can(stage: Stage) -> None:
    draft = out(stage, "a", "draft")
    receipt = await stage.adapter.send(draft)
    final = replace(draft, text="final")

    if not stage.adapter.capabilities.edits:
        with pytest.raises(SendRefused):
            await stage.adapter.edit(receipt, final)
        return
    await stage.adapter.edit(receipt, final)
    await stage.adapter.edit(receipt, final)
    assert stage.sees().split() == ["final"]


async def test_a_file_that_is_not_there_is_refused_and_leaves_nothing(stage: Stage, tmp_path: Path) -> None:
    if not isinstance(stage.adapter, Fetches):
        return
    with pytest.raises(FileRefused):
        await stage.adapter.fetch(Attachment("document", "a.txt", "text/plain", 1, "?"), tmp_path / "a", limit=100)

    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


async def test_typing_is_harmless(stage: Stage) -> None:
    await stage.adapter.typing(out(stage, "a", "").to)


@asynccontextmanager
async def broken(fault: AdapterError) -> AsyncIterator[InMemoryAdapter]:
    adapter = InMemoryAdapter(now=lambda: NOON)
    adapter.faults.append(fault)
    with pytest.raises(type(fault)):
        await adapter.send(Outbound("a", chat("chat"), "text"))
    yield adapter


async def test_the_fake_shows_an_ambiguous_message_and_no_unsent_one() -> None:
    async with broken(Ambiguous("timeout")) as adapter:
        assert [shown.text for shown in adapter.shown] == ["text"]
    async with broken(NotSent("no route")) as adapter:
        assert adapter.shown == []
