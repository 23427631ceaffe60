"""Telegram posts updates to a server of ours: what is taken, what is refused, and what comes again."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.port import Adapter, Happening, Inbound, InboundHandler, LoginRefused, WebhookRefused
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.client import RawUpdate
from adapters.telegram.webhook import HEADER, MAX_BODY_BYTES, REFUSALS_S, UpdateQueues, WebhookServer
from bot.access.access import AccessRules
from bot.app import Application, build
from bot.config.model import Config
from bot.paths import Home
from bot.storage.coordinator import Coordinator
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.integration.telegram.stage import BOT, Notebook, Time, opened, running
from tests.servers.ledger import Entry
from tests.servers.telegram.client import Telegram
from tests.support.factories import NOON


class Watch(Time):
    """Time in which the webhook is looked at again when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = asyncio.Semaphore(0)

    async def pause(self, seconds: float) -> None:
        if seconds >= 60:
            await self.looks.acquire()
        await super().pause(seconds)


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def time() -> Watch:
    return Watch()


@asynccontextmanager
async def posted_to(
    telegram: Telegram, folder: Path, port: int, door: InboundHandler, time: Watch
) -> AsyncIterator[TelegramAdapter]:
    """A bot whose updates are posted to this port, until the block ends; from the moment when it is connected."""
    async with opened(telegram, folder, time=time, webhook=server(port, time)) as adapter:
        is_connected = asyncio.Event()
        adapter.connection.changed = lambda problem: None if problem else is_connected.set()
        async with running(adapter, door), asyncio.timeout(10):
            await is_connected.wait()
            yield adapter


def server(port: int, time: Time) -> WebhookServer:
    return WebhookServer(f"http://127.0.0.1:{port}/telegram", host="127.0.0.1", port=port, monotonic=time.monotonic)


def posted(status: int) -> Callable[[Entry], bool]:
    return lambda entry: bool(entry["kind"] == "posted" and entry["status"] == status)


@pytest.fixture
async def post(telegram: Telegram, port: int) -> AsyncIterator[Callable[..., Any]]:
    """Posts something to the bot as anybody could; with Telegram's secret if that is wanted."""
    async with aiohttp.ClientSession() as session:

        async def post(body: bytes, *, secret: str | None = "right", path: str = f"/telegram/{BOT}") -> int:
            (asked, *_) = [entry for entry in telegram.entries("request") if entry["method"] == "setWebhook"]
            given = asked["arguments"]["secret_token"] if secret == "right" else secret
            headers = {HEADER: given} if given is not None else {}
            async with session.post(f"http://127.0.0.1:{port}{path}", data=BytesIO(body), headers=headers) as answer:
                return answer.status

        yield post


async def test_what_is_said_is_posted_and_taken_in_order_and_nothing_is_fetched(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch, door: Notebook
) -> None:
    alice, bob = telegram.user(7), telegram.user(8)
    alice.says("before")
    async with posted_to(telegram, tmp_path, port, door, time):
        for number in range(10):
            alice.says(f"a{number}")
            bob.says(f"b{number}")
        heard = await door.until(21)

    assert [one.text for one in heard if one.sender.id == "7"] == ["before", *(f"a{number}" for number in range(10))]
    assert [one.text for one in heard if one.sender.id == "8"] == [f"b{number}" for number in range(10)]
    (asked,) = [entry["arguments"] for entry in telegram.entries("request") if entry["method"] == "setWebhook"]
    assert asked["url"] == f"http://127.0.0.1:{port}/telegram/{BOT}"
    assert "message_reaction" in asked["allowed_updates"]
    assert (asked["max_connections"], asked["drop_pending_updates"]) == (40, False)
    assert telegram.entries("poll") == telegram.entries("handed") == []
    assert telegram.call("pending") == []


@pytest.mark.parametrize("secret", [None, "", "wrong", "ümlaut"])
async def test_a_request_without_the_secret_is_refused_and_said_now_and_then(
    telegram: Telegram,
    tmp_path: Path,
    port: int,
    time: Watch,
    door: Notebook,
    post: Any,
    secret: str | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with posted_to(telegram, tmp_path, port, door, time):
        statuses = [await post(b"{}", secret=secret) for _ in range(20)]
        time.passes(REFUSALS_S)
        statuses.append(await post(b"{}", secret=secret))

    assert statuses == [403] * 21
    assert [line.split(": ")[1].split()[0] for line in caplog.messages if "without the secret" in line] == ["1", "20"]
    assert door.heard == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * (MAX_BODY_BYTES + 1), 413),
        (b"", 400),
        (b"no json", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (b"[]", 400),
        (b'{"update_id": "1"}', 400),
    ],
    ids=["too large", "empty", "text", "not unicode", "deep", "list", "number as text"],
)
async def test_what_is_no_update_is_refused_and_the_next_one_taken(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch, door: Notebook, post: Any, body: bytes, status: int
) -> None:
    async with posted_to(telegram, tmp_path, port, door, time):
        assert await post(body) == status
        assert await post(body, path="/telegram/1") == 404
        telegram.user(7).says("hello")
        (heard,) = await door.until(1)

    assert heard.text == "hello"


async def test_an_update_is_answered_only_after_the_door_has_taken_it(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch
) -> None:
    class Slow(Notebook):
        async def receive(self, inbound: Inbound) -> bool:
            assert telegram.entries("posted") == []
            return await super().receive(inbound)

    alice, door = telegram.user(7), Slow()
    async with posted_to(telegram, tmp_path, port, door, time):
        alice.says("one")
        await door.until(1)
        await telegram.until(posted(200))


async def test_what_cannot_be_kept_comes_again_before_what_was_said_later(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch
) -> None:
    class Failing(Notebook):
        async def receive(self, inbound: Inbound) -> bool:
            await super().receive(inbound)
            if len(self.heard) <= 2:
                raise RuntimeError("disk full")
            return True

    alice, door = telegram.user(7), Failing()
    async with posted_to(telegram, tmp_path, port, door, time):
        alice.says("one")
        alice.says("two")
        heard = await door.until(4)

    assert [one.text for one in heard] == ["one", "one", "one", "two"]
    assert [entry["status"] for entry in telegram.entries("posted")][:3] == [500, 500, 200]
    assert len({one.update for one in heard}) == 2


async def test_updates_of_one_chat_are_handled_by_number_and_repeated_ones_once() -> None:
    handled, is_free = list[int](), asyncio.Event()

    async def handle(raw: RawUpdate) -> bool:
        handled.append(raw["update_id"])
        await is_free.wait()
        return True

    def update(number: int, chat: int = 7) -> RawUpdate:
        return {"update_id": number, "message": {"chat": {"id": chat}}}

    tap = {"update_id": 8, "callback_query": {"from": {"id": 9}, "message": {"chat": {"id": 7}}}}
    async with asyncio.TaskGroup() as group:
        queues = UpdateQueues(group, handle)
        first = queues.put(update(5))
        await asyncio.sleep(0)
        others = [queues.put(one) for one in (update(9), tap, update(6), update(10, chat=11))]
        assert queues.put(update(5)) is first
        await asyncio.sleep(0)
        assert handled == [5, 10]
        is_free.set()
        assert await asyncio.gather(first, *others) == [True] * 5

    assert handled == [5, 10, 6, 8, 9]


async def test_a_group_that_became_a_supergroup_is_known_before_what_is_said_there(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch
) -> None:
    class Slow(Notebook):
        """Takes what was said in the old group only after what was said in the new one."""

        is_said = asyncio.Event()

        async def receive(self, inbound: Inbound) -> bool:
            if inbound.text == "after":
                self.is_said.set()
            if inbound.text == "before":
                await self.is_said.wait()
            return await super().receive(inbound)

    alice, door = telegram.user(7), Slow()
    team = telegram.group("Team", [alice], kind="group", bot="administrator")
    alice.says("before", chat=team.id)
    alice.says("after", chat=team.upgrades().id)
    async with posted_to(telegram, tmp_path, port, door, time):
        heard = await door.until(4)

    assert [one.text for one in heard if one.happening is Happening.MESSAGE] == ["after", "before"]
    assert [one.happening for one in heard if one.text != "before"] == [
        Happening.MOVED,
        Happening.MESSAGE,
        Happening.MOVED,
    ]


async def test_two_bots_share_a_port_and_neither_takes_the_others_secret(port: int, time: Watch) -> None:
    handled, shared = list[tuple[str, int]](), server(port, time)

    async def post(http: aiohttp.ClientSession, bot: str, secret: str) -> int:
        body = b'{"update_id": 1, "message": {}}'
        async with http.post(f"{shared.url}/{bot}", data=body, headers={HEADER: secret}) as answer:
            return answer.status

    async def handle(bot: str, raw: RawUpdate) -> bool:
        handled.append((bot, raw["update_id"]))
        return True

    async with aiohttp.ClientSession() as http, asyncio.TaskGroup() as group:
        queues = [UpdateQueues(group, partial(handle, bot)) for bot in ("12", "34")]
        async with shared.serving("12", secret="a", queues=queues[0]):
            async with shared.serving("34", secret="b", queues=queues[1]):
                statuses = [await post(http, *given) for given in (("12", "a"), ("12", "b"), ("34", "b"))]
            statuses += [await post(http, *given) for given in (("34", "b"), ("12", "a"))]
        with pytest.raises(aiohttp.ClientError):
            await post(http, "12", "a")

    assert statuses == [200, 403, 200, 404, 200]
    assert handled == [("12", 1), ("34", 1), ("12", 1)]


async def test_a_port_in_use_and_an_address_that_telegram_refuses_are_said_and_tried_again(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch, door: Notebook
) -> None:
    stands = list[str]()
    async with opened(telegram, tmp_path, time=time, webhook=server(port, time)) as adapter:
        with socket.create_server(("127.0.0.1", port)), pytest.raises(WebhookRefused, match=f"port {port}.*in use"):
            await adapter.run(door)
        telegram.fault("setWebhook", "status", status=400, message="Bad Request: bad webhook: Failed to resolve host")
        with pytest.raises(WebhookRefused, match=r"does not take http.*Failed to resolve host.*telegram.webhook.url"):
            await adapter.run(door)
        telegram.user(7).says("hello")
        adapter.connection.changed = stands.append
        async with running(adapter, door):
            await door.until(1)

    assert stands == [""]


async def test_a_webhook_that_another_program_changed_is_set_again(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch, door: Notebook, caplog: pytest.LogCaptureFixture
) -> None:
    async with posted_to(telegram, tmp_path, port, door, time) as adapter:
        await adapter._client.bot.delete_webhook()
        telegram.user(7).says("hello")
        assert door.heard == []
        time.looks.release()
        await door.until(1)

    assert "another program has changed the webhook" in caplog.text


async def test_that_telegram_does_not_get_through_is_said_until_it_does(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Notebook):
        is_failing = True

        async def receive(self, inbound: Inbound) -> bool:
            if self.is_failing:
                raise RuntimeError("disk full")
            return await super().receive(inbound)

    door, stands = Failing(), asyncio.Queue[str]()
    async with posted_to(telegram, tmp_path, port, door, time) as adapter:
        adapter.connection.changed = stands.put_nowait
        telegram.user(7).says("hello")
        await telegram.until(posted(500))
        time.looks.release()
        problem = await stands.get()
        door.is_failing = False
        await door.until(1)
        await telegram.until(posted(200))
        time.looks.release()
        assert await stands.get() == ""

    assert "500 Internal Server Error (1 waiting)." in problem
    assert caplog.text.count("Does the proxy run, and lead here?") == 1


async def test_a_token_that_is_revoked_ends_it(telegram: Telegram, tmp_path: Path, port: int, time: Watch) -> None:
    async with (
        opened(telegram, tmp_path, time=time, webhook=server(port, time)) as adapter,
        asyncio.TaskGroup() as group,
    ):
        run = group.create_task(refused(adapter))
        await telegram.until(lambda entry: bool(entry.get("method") == "setWebhook"))
        telegram.call("revoke_token")
        time.looks.release()

    assert "does not accept the token" in run.result()


async def refused(adapter: TelegramAdapter) -> str:
    with pytest.raises(LoginRefused) as refusal:
        await adapter.run(Notebook())
    return str(refusal.value)


async def test_the_end_waits_for_what_is_under_way_and_leaves_the_webhook(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch
) -> None:
    class Slow(Notebook):
        async def receive(self, inbound: Inbound) -> bool:
            taken = await super().receive(inbound)
            await asyncio.sleep(0.1)
            return taken

    door, later = Slow(), Notebook()
    async with posted_to(telegram, tmp_path, port, door, time):
        telegram.user(7).says("before")
        await door.until(1)
    assert [entry["status"] for entry in telegram.entries("posted")] == [200]

    telegram.user(7).says("while away")
    async with posted_to(telegram, tmp_path, port, later, time):
        await later.until(1)
    assert [one.text for one in later.heard] == ["while away"]
    named = [entry["method"] for entry in telegram.entries("request") if "Webhook" in entry["method"]]
    assert named == ["deleteWebhook", "setWebhook"] * 2  # so that what could not be posted is posted at once


@asynccontextmanager
async def serving(folder: Path, telegram: Telegram, webhook: WebhookServer | None) -> AsyncIterator[Application]:
    """The whole service of an owner, 7; without a webhook it fetches."""
    home = Home.at(folder / "home")
    home.prepare()

    @asynccontextmanager
    async def opening(_: Coordinator) -> AsyncIterator[Sequence[Adapter]]:
        async with opened(telegram, folder, time=Watch(), webhook=webhook) as adapter:
            yield [adapter]

    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}})
    access = AccessRules(frozenset({"telegram:7"}))
    async with (
        build(
            home,
            config,
            clock=FrozenClock(NOON),
            opening=opening,
            default_agent="personal",
            access=access,
            is_service=True,
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(list(config.agents), owner="test"))
        yield built
        built.service.stop()


def answers(telegram: Telegram) -> list[str]:
    """What the bot has noted, in the private chat of 7."""
    return [said["text"] for said in telegram.history(7) if said["text"].startswith("Noted in")]


def is_noted(entry: Entry) -> bool:
    return entry["kind"] == "edit" and str(entry["text"]).startswith("Noted in")


async def test_fetching_and_posting_follow_each_other_and_nothing_is_lost_or_doubled(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch
) -> None:
    alice, fact = telegram.user(7), "/remember The cat is called Tom, number {}."
    for number, webhook in enumerate([None, server(port, time), None, server(port, time)]):
        alice.says(fact.format(number))
        seen = len(telegram.entries())
        async with serving(tmp_path, telegram, webhook):
            await telegram.until(is_noted, since=seen)
        telegram.call("redeliver", count=1)  # as if the last answer, or the last confirmation, had been lost
    assert len(answers(telegram)) == 4

    alice.says(fact.format(4))
    seen = len(telegram.entries())
    async with serving(tmp_path, telegram, server(port, time)):
        await telegram.until(is_noted, since=seen)
    assert len(answers(telegram)) == 5
    assert telegram.call("pending") == []


async def test_a_disk_that_is_full_makes_telegram_post_again_and_there_is_one_turn(
    telegram: Telegram, tmp_path: Path, port: int, time: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.telegram.webhook.ANSWER_S", 0.1)
    fact = "/remember The combination of the bicycle is written on the wall. " + "🐱" * 2000
    async with serving(tmp_path, telegram, server(port, time)) as built:
        await telegram.until(lambda entry: bool(entry.get("method") == "setWebhook"))
        assert isinstance(built.coordinator, SqliteCoordinator)
        database = built.coordinator._writer._db
        ((pages,),) = await database.run(lambda db: db.execute("PRAGMA page_count").fetchall())
        await database.run(lambda db: db.execute(f"PRAGMA max_page_count = {pages}"))
        telegram.user(7).says(fact)
        await telegram.until(posted(503))
        await database.run(lambda db: db.execute("PRAGMA max_page_count = 1000000"))
        await telegram.until(posted(200))
        await telegram.until(is_noted)

    assert len(answers(telegram)) == 1
