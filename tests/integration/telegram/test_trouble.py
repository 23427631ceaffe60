"""Telegram, or the way to it, fails."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.port import AccountNotFound, Ambiguous, Attachment, FileRefused, LoginRefused, NotSent, SlowDown
from adapters.telegram.adapter import TelegramAdapter
from tests.integration.telegram.stage import Notebook, Time, message, opened, running
from tests.servers.telegram.client import TOKEN, File, Telegram
from tests.support.proxy import Proxy

REJECTED = "7000000001:" + "another-token-than-the-right-one"


def said(caplog: pytest.LogCaptureFixture, *, level: int = logging.INFO) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith("adapters") and record.levelno >= level
    ]


@pytest.fixture
def closed_port() -> str:
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.parametrize(
    "token", ["", "hello", "7000000001", "0:aaaaaaaaaaaaaaaaaaaa", "7 000:aaaaaaaaaaaaaaaa", f"{TOKEN}\n"]
)
async def test_what_is_not_a_token_is_refused_before_anything_is_asked(
    telegram: Telegram, tmp_path: Path, token: str
) -> None:
    with pytest.raises(LoginRefused, match="@BotFather"):
        async with opened(telegram, tmp_path, token=token):
            pass

    assert telegram.entries("answer") == []


async def test_a_token_that_is_not_accepted_ends_the_adapter_and_stays_unsaid(
    telegram: Telegram, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with opened(telegram, tmp_path, token=REJECTED) as adapter:
        with pytest.raises(LoginRefused, match=r"bot 7000000001.*Unauthorized") as refused:
            await adapter.run(Notebook())
        with pytest.raises(LoginRefused):
            await adapter.send(message(7, "x"))

    everything = caplog.text + "".join(traceback.format_exception(refused.value))
    assert REJECTED.partition(":")[2] not in everything


async def test_a_token_that_is_revoked_while_the_bot_runs_ends_it(
    telegram: Telegram, adapter: TelegramAdapter, door: Notebook
) -> None:
    async def run() -> None:
        with pytest.raises(LoginRefused):
            await adapter.run(door)

    async with asyncio.TaskGroup() as group:
        group.create_task(run())
        telegram.user(7).says("hello")
        await door.until(1)
        telegram.call("revoke_token")
        telegram.user(7).says("too late")

    assert [inbound.text for inbound in door.heard] == ["hello"]


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [(401, LoginRefused, "does not accept the token"), (404, AccountNotFound, "Bot API server, and is it up")],
)
@pytest.mark.parametrize("request_name", ["getMe", "getUpdates"])
async def test_an_account_that_is_refused_says_why_and_works_when_it_is_run_again(
    telegram: Telegram, tmp_path: Path, request_name: str, status: int, kind: type[LoginRefused], words: str
) -> None:
    door, stands = Notebook(), list[str]()
    telegram.user(7).says("hello")
    telegram.fault(request_name, "status", status=status)
    async with opened(telegram, tmp_path) as adapter:
        adapter.connection.changed = stands.append
        with pytest.raises(kind, match=words):
            await adapter.run(door)
        async with running(adapter, door):
            await door.until(1)

    assert words in stands[0]
    assert stands[1:] == [""]


async def test_whether_telegram_answers_is_known_without_waiting_for_a_message(
    telegram: Telegram, adapter: TelegramAdapter
) -> None:
    is_connected = asyncio.Event()
    adapter.connection.changed = lambda problem: None if problem else is_connected.set()
    async with running(adapter, Notebook()):
        async with asyncio.timeout(10):
            await is_connected.wait()
        assert adapter.connection.problem == ""


FAULTS = [
    {"kind": "reset"},
    {"kind": "reset", "effect": True},
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 502},
    {"kind": "status", "status": 429, "seconds": 7},
    {"kind": "status", "status": 400, "message": "Bad Request: whatever"},
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
async def test_trouble_with_polling_is_said_once_and_nothing_is_lost_or_doubled(
    telegram: Telegram, tmp_path: Path, caplog: pytest.LogCaptureFixture, fault: dict[str, Any]
) -> None:
    caplog.set_level(logging.INFO)
    time, door, alice = Time(), Notebook(), telegram.user(7)
    for text in ("one", "two"):
        alice.says(text)
    telegram.fault("getMe", times=3, **fault)
    telegram.fault("getUpdates", times=4, **fault)
    async with opened(telegram, tmp_path, time=time) as adapter, running(adapter, door):
        heard = await door.until(2)

    assert [inbound.text for inbound in heard] == ["one", "two"]
    assert len(said(caplog, level=logging.WARNING)) == 2  # when logging in, and when fetching
    assert sum("connected again" in line for line in said(caplog)) == 2
    assert time.waited == [7] * 6 + [8] if fault.get("status") == 429 else [1, 2, 4, 1, 2, 4, 8]


async def test_a_poll_that_never_ends_is_given_up_and_made_again(
    telegram: Telegram, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.telegram.client.POLL_S", 0)
    monkeypatch.setattr("adapters.telegram.client.POLL_MARGIN_S", 1)
    door = Notebook()
    telegram.fault("getUpdates", "hang")
    telegram.user(7).says("hello")
    async with opened(telegram, tmp_path) as adapter, running(adapter, door):
        await door.until(1)

    assert "answer" in said(caplog, level=logging.WARNING)[0]


async def test_an_outage_of_days_is_survived(telegram: Telegram, tmp_path: Path) -> None:
    time, door = Time(), Notebook()
    telegram.fault("getUpdates", "status", status=502, times=40)
    telegram.user(7).says("hello")
    async with opened(telegram, tmp_path, time=time) as adapter, running(adapter, door):
        await door.until(1)

    assert max(time.waited) == 20


async def test_another_program_with_the_same_token_is_waited_for(
    telegram: Telegram, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    time, door = Time(), Notebook()
    conflict = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    telegram.fault("getUpdates", "status", status=409, message=conflict, times=5)
    telegram.user(7).says("hello")
    async with opened(telegram, tmp_path, time=time) as adapter, running(adapter, door):
        await door.until(1)

    (line,) = said(caplog, level=logging.WARNING)
    assert "Another program fetches this bot's messages" in line
    assert time.waited == [30] * 5


async def test_a_webhook_that_was_left_behind_is_removed(
    telegram: Telegram, adapter: TelegramAdapter, door: Notebook, caplog: pytest.LogCaptureFixture
) -> None:
    await adapter._client.bot.set_webhook("https://old.example/hook")
    telegram.user(7).says("hello")
    async with running(adapter, door):
        await door.until(1)

    assert "webhook is removed" in caplog.text


async def test_nothing_of_what_is_said_and_no_token_is_logged(
    telegram: Telegram, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    door, alice = Notebook(), telegram.user(7)
    telegram.fault("getUpdates", "reset")
    telegram.fault("sendMessage", "status", status=500, message="secret-answer")
    async with opened(telegram, tmp_path) as adapter, running(adapter, door):
        alice.says("secret-question")
        await door.until(1)
        with pytest.raises(Ambiguous):
            await adapter.send(message(7, "secret-answer"))
        await adapter.send(message(7, "secret-answer"))

    assert TOKEN not in caplog.text
    assert TOKEN.partition(":")[2] not in caplog.text
    assert "secret-question" not in caplog.text


async def test_what_was_not_written_may_be_sent_again(telegram: Telegram, tmp_path: Path, closed_port: str) -> None:
    async with opened(telegram, tmp_path, api=closed_port) as adapter:
        with pytest.raises(NotSent, match="cannot be reached to write to chat 7"):
            await adapter.send(message(7, "x"))


@pytest.mark.parametrize("fault", FAULTS[:4], ids=str)
async def test_what_may_have_arrived_is_told_apart(
    telegram: Telegram, adapter: TelegramAdapter, fault: dict[str, Any]
) -> None:
    telegram.user(7)
    telegram.fault("sendMessage", **fault)
    telegram.fault("editMessageText", **fault)

    with pytest.raises(Ambiguous):
        await adapter.send(message(7, "x"))
    receipt = await adapter.send(message(7, "…"))
    with pytest.raises(Ambiguous):
        await adapter.edit(receipt, message(7, "x"))
    await adapter.edit(receipt, message(7, "x"))

    texts = [shown["text"] for shown in telegram.history(7)]
    assert texts == (["x", "x"] if fault.get("effect") else ["x"])


async def test_an_answer_that_is_not_of_the_bot_api_is_unclear(tmp_path: Path, telegram: Telegram) -> None:
    page = answering(b"<html>Please log in to the hotel</html>")
    async with page as url, opened(telegram, tmp_path, api=url) as adapter:
        with pytest.raises(Ambiguous, match="not one of the Bot API"):
            await adapter.send(message(7, "x"))


@asynccontextmanager
async def answering(body: bytes) -> AsyncIterator[str]:
    """A server that answers everything with 200 and this page, one connection at a time."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_flood_tells_how_long_to_wait(telegram: Telegram, adapter: TelegramAdapter) -> None:
    telegram.user(7)
    telegram.fault("sendMessage", "status", status=429, seconds=33)

    with pytest.raises(SlowDown) as slow:
        await adapter.send(message(7, "x"))

    assert slow.value.seconds == 33


async def test_files_are_fetched_whole_and_within_the_limits(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, tmp_path: Path
) -> None:
    alice = telegram.user(7)
    alice.sends(File("notes.txt", b"hello"))
    alice.sends(File("film.mkv", size=20 * 2**20 + 1))
    notes, film = [inbound.attachments[0] for inbound in await door.until(2)]

    await bot.fetch(notes, tmp_path / "in", limit=5)
    with pytest.raises(FileRefused, match=r"notes\.txt is too large"):
        await bot.fetch(notes, tmp_path / "not-in", limit=4)
    with pytest.raises(FileRefused, match=r"film\.mkv is too large.*20 MB"):
        await bot.fetch(film, tmp_path / "not-in", limit=2**40)
    asked = [entry for entry in telegram.entries("request") if entry["method"] == "getFile"]
    untold = Attachment("document", "film.mkv", "video/mp4", 0, film.ref)
    with pytest.raises(FileRefused, match="file is too big"):
        await bot.fetch(untold, tmp_path / "not-in", limit=2**40)

    assert (tmp_path / "in").read_bytes() == b"hello"
    assert len(asked) == 1


@pytest.mark.parametrize(("on", "times"), [("getFile", 1), ("file/*", 2)])  # what only reads is tried twice
async def test_a_download_that_breaks_off_works_the_next_time(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, tmp_path: Path, on: str, times: int
) -> None:
    telegram.user(7).sends(File("notes.txt", b"hello"))
    (heard,) = await door.until(1)
    telegram.fault(on, "reset", times=times)

    with pytest.raises(Ambiguous):
        await bot.fetch(heard.attachments[0], tmp_path / "in", limit=100)
    await bot.fetch(heard.attachments[0], tmp_path / "in", limit=100)

    assert (tmp_path / "in").read_bytes() == b"hello"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
async def test_a_full_disk_is_not_taken_for_a_broken_connection(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, tmp_path: Path
) -> None:
    telegram.user(7).sends(File("notes.txt", b"hello" * 100_000))
    (heard,) = await door.until(1)
    (tmp_path / "in").symlink_to("/dev/full")

    with pytest.raises(OSError, match="No space left"):
        await bot.fetch(heard.attachments[0], tmp_path / "in", limit=1_000_000)


async def test_everything_goes_through_a_proxy_that_is_named(
    telegram: Telegram, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    proxy, door = Proxy(), Notebook()
    alice = telegram.user(7)
    async with await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        async with (
            opened(telegram, tmp_path, proxy=f"http://me:hush@127.0.0.1:{port}") as adapter,
            running(adapter, door),
        ):
            alice.sends(File("plan.txt", b"dig"))
            (asked,) = await door.until(1)
            await adapter.send(message(7, "hello"))
            await adapter.fetch(asked.attachments[0], tmp_path / "plan.txt", limit=100)

    methods = {asked.rpartition("/")[2] for asked in proxy.asked}
    assert {"getUpdates", "sendMessage", "getFile"} <= methods
    assert any("/file/" in asked for asked in proxy.asked)
    assert proxy.greetings == {"Basic " + b64encode(b"me:hush").decode()}
    assert "hush" not in caplog.text
