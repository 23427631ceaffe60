"""The real python-telegram-bot against the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, InputMediaDocument, ReplyParameters, Update
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, InvalidToken, NetworkError, RetryAfter
from telegram.ext import Application, ApplicationBuilder, CallbackQueryHandler, ContextTypes, MessageHandler, filters

from tests.servers.ledger import bot_message, read
from tests.servers.telegram.client import File, Telegram, running, spawned

App = Application[Any, Any, Any, Any, Any, Any]
Reaction = Callable[[Update, Any], Coroutine[Any, Any, None]]


def application(telegram: Telegram) -> App:
    builder = ApplicationBuilder().token(telegram.token)
    return builder.base_url(telegram.base_url).base_file_url(telegram.base_file_url).build()


@asynccontextmanager
async def polling(telegram: Telegram, answer: Reaction, tapped: Reaction | None = None) -> AsyncIterator[App]:
    app = application(telegram)
    app.add_handler(MessageHandler(filters.ALL, answer))
    if tapped:
        app.add_handler(CallbackQueryHandler(tapped))
    await app.initialize()
    await app.start()
    assert app.updater
    await app.updater.start_polling(allowed_updates=Update.ALL_TYPES)
    try:
        yield app
    finally:
        await app.updater.stop()
        await app.stop()
        await app.shutdown()


async def test_a_question_is_answered_by_a_placeholder_that_is_edited_and_a_button_is_tapped(
    telegram: Telegram,
) -> None:
    async def answer(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        assert update.message
        placeholder = await update.message.reply_text("…", reply_parameters=ReplyParameters(update.message.message_id))
        for text in ("It", "It is", "It is late."):
            await placeholder.edit_text(text)
        buttons = InlineKeyboardMarkup([[InlineKeyboardButton("Thanks", callback_data="t")]])
        await placeholder.edit_text("It is late!", reply_markup=buttons)

    async def tapped(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        assert update.callback_query
        await update.callback_query.answer("welcome")
        await update.callback_query.edit_message_text(f"tapped {update.callback_query.data}")

    alice = telegram.user(7, "Alice")
    async with polling(telegram, answer, tapped):
        asked = alice.says("How late is it?")
        final = await telegram.until(bot_message(chat=7, text="late!", kind="edit"))
        callback = alice.taps(int(final["id"]), "Thanks")
        await telegram.until(bot_message(chat=7, text="tapped t", kind="edit"))

    assert final["reply_to"] == str(asked)
    assert telegram.call("callback", id=callback)["answers"] == [{"text": "welcome", "show_alert": False}]
    assert len(telegram.entries("edit")) == 5
    assert telegram.violations() == []


async def test_files_albums_voice_reactions_and_commands_go_through(telegram: Telegram) -> None:
    async def answer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        message = update.message
        assert message
        assert message.document
        data = await (await message.document.get_file()).download_as_bytearray()
        await message.reply_document(bytes(data).upper(), filename="back.txt", caption="as you wished")
        album = [InputMediaDocument(b"1", filename="a.txt"), InputMediaDocument(b"2", filename="b.txt")]
        await context.bot.send_media_group(message.chat_id, album)
        await context.bot.send_chat_action(message.chat_id, "typing")
        await context.bot.set_message_reaction(message.chat_id, message.message_id, "👀")
        await context.bot.set_my_commands([("help", "Show help")])
        await context.bot.send_voice(message.chat_id, b"OggS", duration=3)

    alice = telegram.user(7)
    async with polling(telegram, answer):
        alice.sends(File("notes.txt", b"hello"))
        await telegram.until(lambda entry: entry["kind"] == "message" and entry["files"] == ["voice"])

    sent = telegram.history(7)[1:]
    assert telegram.call("file", id=sent[0]["document"]["file_id"])["data"] == "HELLO"
    assert [message["document"]["file_name"] for message in sent[:3]] == ["back.txt", "a.txt", "b.txt"]
    assert [entry["kind"] for entry in telegram.entries() if entry["kind"] in {"action", "reaction"}] == [
        "action",
        "reaction",
    ]
    assert telegram.violations() == []


async def test_refusals_become_the_librarys_errors(telegram: Telegram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "true")  # without it every 429 warns of the change to come
    telegram.user(7).says("hello")
    telegram.user(8).blocks()
    old = telegram.group("Team", [telegram.user(7)], kind="group")
    new = old.upgrades()
    telegram.fault("sendMessage", "status", status=429, seconds=5, skip=4)
    telegram.fault("sendMessage", "reset", skip=4)
    async with application(telegram).bot as bot:
        with pytest.raises(BadRequest, match="Can't parse entities"):
            await bot.send_message(7, "*x", parse_mode="MarkdownV2")
        with pytest.raises(BadRequest, match="Chat not found"):
            await bot.send_message(99, "x")
        with pytest.raises(Forbidden, match="blocked by the user"):
            await bot.send_message(8, "x")
        with pytest.raises(ChatMigrated) as migrated:
            await bot.send_message(old.id, "x")
        with pytest.raises(RetryAfter):
            await bot.send_message(7, "x")
        with pytest.raises(NetworkError):
            await bot.send_message(7, "x")
        telegram.call("revoke_token")
        with pytest.raises(InvalidToken):
            await bot.get_me()

    assert migrated.value.new_chat_id == new.id


async def test_of_two_pollers_the_first_is_told_of_the_conflict(telegram: Telegram) -> None:
    app = application(telegram)
    async with app.bot as bot:
        first = asyncio.ensure_future(bot.get_updates(timeout=5))
        async with application(telegram).bot as other:
            with pytest.raises(Conflict, match="terminated by other getUpdates request"):
                await asyncio.gather(first, _late(telegram, other.get_updates(timeout=5)))


async def _late(telegram: Telegram, poll: Awaitable[Any]) -> None:
    """The second poll, once the first is under way; a message ends it."""
    await telegram.until(lambda entry: entry["kind"] == "poll")
    second = asyncio.ensure_future(poll)
    telegram.user(7)
    await telegram.until(lambda entry: entry["kind"] == "answer" and entry.get("status") == 409)
    telegram.user(7).says("done")
    await second


async def test_a_process_of_its_own_keeps_what_was_not_confirmed(tmp_path: Path) -> None:
    """What a bot fetched but did not confirm is there for the next one; the story is on disk."""
    path = tmp_path / "telegram.jsonl"
    with spawned(ledger=path, patience_s=0) as telegram:
        telegram.user(7).says("hello")
        async with application(telegram).bot as first:
            seen = await first.get_updates()
        async with application(telegram).bot as second:
            again = await second.get_updates()
            await second.get_updates(offset=again[-1].update_id + 1)

    kinds = [entry["kind"] for entry in read(path)]
    assert [update.update_id for update in seen] == [update.update_id for update in again]
    assert [kind for kind in kinds if kind in {"handed", "confirmed"}] == ["handed", "handed", "confirmed"]


async def test_a_server_stops_while_somebody_polls() -> None:
    with running() as telegram:
        async with application(telegram).bot as bot:
            poll = asyncio.ensure_future(bot.get_updates(timeout=5))
            await telegram.until(lambda entry: entry["kind"] == "poll")

    with pytest.raises(NetworkError):
        await poll
