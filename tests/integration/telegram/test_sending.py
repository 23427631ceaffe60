"""What people see on Telegram of what the bot sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.pacing import keep_typing
from adapters.port import Button, ChatMoved, MenuEntry, MessageGone, Receipt, SendRefused, SlowDown, Status
from adapters.telegram.adapter import TelegramAdapter
from tests.integration.telegram.stage import Notebook, Time, group, message, opened, private, running
from tests.servers.ledger import Entry
from tests.servers.telegram.client import Person, Telegram

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def alice(telegram: Telegram) -> Person:
    return telegram.user(7, "Alice")


def requests(telegram: Telegram, method: str) -> list[dict[str, Any]]:
    return [entry["arguments"] for entry in telegram.entries("request") if entry["method"] == method]


def kinds(message: dict[str, Any], field: str = "entities") -> list[str]:
    return [entity["type"] for entity in message.get(field, [])]


def reaction(emoji: list[str], *, count: int = 1) -> Callable[[Entry], bool]:
    """Fits the count-th reaction of that kind."""
    seen: list[Entry] = []

    def fits(entry: Entry) -> bool:
        if entry["kind"] == "reaction" and entry["emoji"] == emoji:
            seen.append(entry)
        return len(seen) == count

    return fits


async def test_markdown_arrives_as_entities_without_preview_and_nothing_is_lost(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    text = "**Bold** <b>not bold</b> [site](https://a.example)\n\n```python\nx = 1\n```"

    receipt = await adapter.send(message(7, text))
    await adapter.edit(receipt, message(7, "*Italic* https://b.example"))

    (shown,) = telegram.history(7)
    (sent,) = requests(telegram, "sendMessage")
    (edited,) = requests(telegram, "editMessageText")
    assert sent["text"] == "Bold <b>not bold</b> site\n\nx = 1"
    assert [entity["type"] for entity in sent["entities"]] == ["bold", "text_link", "pre"]
    assert "parse_mode" not in sent
    assert sent["link_preview_options"] == edited["link_preview_options"] == {"is_disabled": True}
    assert (shown["text"], kinds(shown)) == ("Italic https://b.example", ["italic", "url"])


async def test_what_nobody_has_asked_for_makes_no_sound(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    await adapter.send(replace(message(7, "Good night."), quiet=True))
    await adapter.send(message(7, "Good morning."))

    assert [sent.get("disable_notification", False) for sent in requests(telegram, "sendMessage")] == [True, False]


async def test_text_whose_formatting_is_refused_arrives_plain(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    refusal = "Bad Request: can't parse entities: whatever"
    telegram.fault("sendMessage", "status", status=400, message=refusal)
    telegram.fault("editMessageText", "status", status=400, message=refusal)

    receipt = await adapter.send(message(7, "**bold**"))
    assert (telegram.history(7)[0]["text"], kinds(telegram.history(7)[0])) == ("bold", [])
    await adapter.edit(receipt, message(7, "_italic_"))

    assert (telegram.history(7)[0]["text"], kinds(telegram.history(7)[0])) == ("italic", [])


async def test_buttons_stand_in_rows_and_one_that_cannot_be_carried_is_left_out(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person, caplog: pytest.LogCaptureFixture
) -> None:
    short = [Button("Yes", "y"), Button("No", "n"), Button("Later", "l"), Button("Never", "x"), Button("?", "ü" * 33)]
    long = [Button("Remember this for ever", "a"), Button("No", "b")]

    await adapter.send(message(7, "short", *short))
    receipt = await adapter.send(message(7, "long", *long))

    rows = [[[b["text"] for b in row] for row in m["reply_markup"]["inline_keyboard"]] for m in telegram.history(7)]
    assert rows == [[["Yes", "No", "Later"], ["Never"]], [["Remember this for ever"], ["No"]]]
    assert "A button was left out" in caplog.text
    await adapter.edit(receipt, message(7, "chosen"))
    assert "reply_markup" not in telegram.history(7)[-1]


async def test_an_answer_to_a_tap_takes_the_place_of_the_message_with_the_button(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    asked = await adapter.send(message(7, "Sure?", Button("Yes", "y")))

    receipt = await adapter.send(message(7, "Done.", replaces=asked.message))
    elsewhere = await adapter.send(message(7, "Done again.", replaces="4711"))

    assert receipt == asked
    assert elsewhere != asked
    assert [shown["text"] for shown in telegram.history(7)] == ["Done.", "Done again."]


async def test_replies_are_shown_in_groups_and_in_private_when_something_came_in_between(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, alice: Person
) -> None:
    team = telegram.group("Team", [alice])
    first, second = alice.says("one"), alice.says("two")
    in_group = alice.says("@scrubjay_bot three", chat=team.id)
    await door.until(3)

    await bot.send(message(7, "to one", reply_to=str(first)))
    await bot.send(message(7, "to two", reply_to=str(second)))
    await bot.send(message(team.id, "to three", reply_to=str(in_group)))
    await bot.send(message(team.id, "to nothing", reply_to="4711"))  # it was deleted meanwhile

    answers = [shown for chat in (7, team.id) for shown in telegram.history(chat) if shown["from"]["is_bot"]]
    replied = [shown.get("reply_to_message", {}).get("message_id") for shown in answers]
    assert replied == [first, None, in_group, None]


async def test_messages_go_to_their_topic_and_typing_names_the_general_one_too(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    forum = telegram.group("Forum", [alice], kind="forum", bot="administrator")
    plans = forum.topic("Plans")

    for thread in (plans, 1):
        await adapter.send(replace(message(forum.id, f"in {thread}"), to=group(forum.id, thread=thread)))
        await adapter.typing(group(forum.id, thread=thread))

    shown = [(m["text"], m.get("message_thread_id")) for m in telegram.history(forum.id) if "text" in m]
    assert shown == [(f"in {plans}", plans), ("in 1", None)]
    assert [entry["thread"] for entry in telegram.entries("action")] == [str(plans), "1"]


async def test_what_is_for_a_topic_that_was_deleted_goes_to_the_chat_itself(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    forum = telegram.group("Forum", [alice], kind="forum", bot="administrator")

    await adapter.send(replace(message(forum.id, "late"), to=group(forum.id, thread=999)))

    shown = [(m["text"], m.get("message_thread_id")) for m in telegram.history(forum.id) if "text" in m]
    assert shown == [("late", None)]


async def test_a_closed_topic_a_blocked_bot_and_an_unknown_chat_are_refused_for_good(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    forum = telegram.group("Forum", [alice], kind="forum", bot="administrator")
    plans = forum.topic("Plans")
    telegram.call("close_topic", chat=forum.id, topic=plans)
    forum.bot_becomes("member")
    alice.blocks()

    with pytest.raises(SendRefused, match=f"refused to write to chat {forum.id}: Bad Request: TOPIC_CLOSED"):
        await adapter.send(replace(message(forum.id, "x"), to=group(forum.id, thread=plans)))
    with pytest.raises(SendRefused, match="bot was blocked by the user"):
        await adapter.send(message(7, "x"))
    with pytest.raises(SendRefused, match="chat not found"):
        await adapter.send(message(99, "x"))
    forum.bot_becomes("kicked")
    with pytest.raises(SendRefused, match="bot was kicked"):
        await adapter.send(message(forum.id, "x"))


async def test_a_group_that_moved_tells_where_to(telegram: Telegram, adapter: TelegramAdapter, alice: Person) -> None:
    old = telegram.group("Team", [alice], kind="group")
    new = old.upgrades()

    with pytest.raises(ChatMoved) as moved:
        await adapter.send(message(old.id, "x"))

    assert moved.value.chat == str(new.id)


async def test_editing_is_repeatable_and_knows_when_there_is_nothing_to_edit(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    receipt = await adapter.send(message(7, "…"))

    for _ in range(3):
        await adapter.edit(receipt, message(7, "final", Button("a", "b")))

    assert len(telegram.entries("edit")) == 1
    with pytest.raises(MessageGone):
        await adapter.edit(Receipt("4711"), message(7, "final"))
    with pytest.raises(MessageGone):
        await adapter.edit(Receipt(str(alice.says("mine"))), message(7, "final"))


async def test_files_go_out_as_pictures_or_documents_with_captions(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person, tmp_path: Path
) -> None:
    picture, notes = tmp_path / "me.PNG", tmp_path / "notes.md"
    picture.write_bytes(PNG)
    notes.write_bytes(b"# Notes")

    await adapter.send(message(7, "**me**", files=(str(picture),)))
    placeholder = await adapter.send(message(7, "…"))
    for _ in range(2):
        await adapter.edit(placeholder, message(7, "the `notes`", Button("a", "b"), files=(str(notes),)))

    first, second = telegram.history(7)
    assert (first["caption"], kinds(first, "caption_entities"), "photo" in first) == ("me", ["bold"], True)
    assert (second["caption"], second["document"]["file_name"]) == ("the notes", "notes.md")
    assert telegram.call("file", id=second["document"]["file_id"])["data"] == "# Notes"
    assert second["reply_markup"]["inline_keyboard"]


@pytest.mark.parametrize("reason", ["PHOTO_INVALID_DIMENSIONS", "IMAGE_PROCESS_FAILED"])
async def test_a_picture_that_telegram_does_not_take_as_one_goes_as_a_file(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person, tmp_path: Path, reason: str
) -> None:
    banner = tmp_path / "banner.png"
    banner.write_bytes(PNG)
    telegram.fault("sendPhoto", "status", status=400, message=f"Bad Request: {reason}")

    await adapter.send(message(7, "", files=(str(banner),)))

    assert telegram.history(7)[0]["document"]["file_name"] == "banner.png"


async def test_files_and_captions_beyond_the_limits_are_refused_without_being_sent(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person, tmp_path: Path
) -> None:
    huge, empty, fine = tmp_path / "huge.bin", tmp_path / "empty.txt", tmp_path / "fine.txt"
    with huge.open("wb") as file:
        file.truncate(50 * 2**20 + 1)
    empty.touch()
    fine.write_text("x")

    for path in (huge, empty, tmp_path / "missing.txt"):
        with pytest.raises(SendRefused, match=path.name):
            await adapter.send(message(7, "", files=(str(path),)))
    assert requests(telegram, "sendDocument") == []
    with pytest.raises(SendRefused, match="caption is too long"):
        await adapter.send(message(7, "x" * 1025, files=(str(fine),)))
    await adapter.send(message(7, "x" * 1024, files=(str(fine),)))


async def test_the_menu_is_set_only_when_it_has_changed(telegram: Telegram, tmp_path: Path) -> None:
    menu = (MenuEntry("recall", "Search memory"), MenuEntry("not-ours", "x"), MenuEntry("long", "x" * 300))
    shorter = menu[:1]
    for entries in (menu, menu, shorter):
        async with opened(telegram, tmp_path, menu=entries) as adapter, running(adapter, Notebook()):
            seen = len(telegram.entries())
            await telegram.until(lambda entry: entry.get("method") == "getMyCommands", since=seen)
            await adapter.send(message(telegram.user(7).id, "later than the menu"))
            wanted = [entry.name for entry in entries if entry.name != "not-ours"]
            await _until_menu(telegram, wanted)

    assert len(requests(telegram, "setMyCommands")) == 2


async def _until_menu(telegram: Telegram, names: list[str]) -> None:
    """Wait until the menu is what it should be."""
    while [command["command"] for command in _menu(telegram)] != names:
        await telegram.until(lambda entry: entry.get("method") == "setMyCommands")


def _menu(telegram: Telegram) -> list[dict[str, str]]:
    commands: dict[str, list[dict[str, str]]] = telegram.call("bot_settings")["commands"]
    return commands.get("default", [])


async def test_typing_is_repeated_before_it_fades_and_ends_after_five_minutes(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person, time: Time
) -> None:
    await keep_typing(adapter, private(7), pause=time.pause)

    assert set(time.waited) == {4}
    assert len(telegram.entries("action")) == len(time.waited) == 75


async def test_typing_that_fails_harms_nobody(telegram: Telegram, adapter: TelegramAdapter) -> None:
    await adapter.typing(private(99))


async def test_in_groups_a_question_is_marked_until_it_is_answered(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, alice: Person
) -> None:
    team = telegram.group("Team", [alice])
    telegram.call("privacy", on=False)
    alice.says("not for the bot", chat=team.id)
    asked = [alice.says(f"@scrubjay_bot {n}", chat=team.id) for n in range(2)]
    alice.says("hello")
    heard = await door.until(4)
    for question in asked:
        bot.mark(heard[1].address, str(question), Status.QUEUED)
    await telegram.until(reaction(["👀"], count=2))

    placeholder = await bot.send(message(team.id, "…", reply_to=str(asked[-1]), last=False))
    await bot.edit(placeholder, message(team.id, "both answered", reply_to=str(asked[-1])))
    await telegram.until(reaction([], count=2))

    reactions = telegram.entries("reaction")
    assert {(entry["id"], tuple(entry["emoji"])) for entry in reactions} == {
        (str(question), emoji) for question in asked for emoji in (("👀",), ())
    }


async def test_a_mark_tells_how_far_the_answer_has_come_with_no_more_requests_than_changes(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, alice: Person
) -> None:
    given_up, answered = alice.says("one"), alice.says("two")
    await door.until(2)
    for status in (Status.QUEUED, Status.WORKING, Status.WORKING):
        bot.mark(private(7), str(given_up), status)
        bot.mark(private(7), str(answered), status)
    bot.mark(private(7), "99", Status.DONE)
    await telegram.until(reaction(["✍"], count=2))
    bot.mark(private(7), str(given_up), Status.FAILED)
    await bot.send(message(7, "I could not answer this.", reply_to=str(given_up)))
    await bot.send(message(7, "answered", reply_to=str(answered)))
    await telegram.until(reaction([]))
    await telegram.until(reaction(["💔"]))

    shown = [(entry["id"], *entry["emoji"]) for entry in telegram.entries("reaction")]
    assert [one for one in shown if one[0] == str(given_up)][-2:] == [(str(given_up), "✍"), (str(given_up), "💔")]
    assert [one for one in shown if one[0] == str(answered)][-2:] == [(str(answered), "✍"), (str(answered),)]
    assert len(shown) <= 6


async def test_drafts_keep_their_distance_and_the_final_text_does_not_wait(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person, time: Time
) -> None:
    final = message(7, "It is *late*.")
    placeholder = await adapter.send(replace(final, text="…"))

    for second in range(100):  # tenths of seconds
        await adapter.edit(placeholder, replace(final, text=f"It is {second}", draft=True))
        time.passes(0.1)
    await adapter.edit(placeholder, final)

    edits = telegram.entries("edit")
    assert 2 <= len(edits) - 1 <= 10 / 1.5
    assert edits[-1]["text"] == "It is late."
    assert time.waited == []


async def test_a_flood_stops_drafts_until_it_is_over_and_the_final_text_arrives_whole(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person, time: Time
) -> None:
    final = message(7, "**" + "word " * 800 + "end**")
    placeholder = await adapter.send(replace(final, text="…"))
    telegram.fault("editMessageText", "status", status=429, seconds=60)

    time.passes(2)
    await adapter.edit(placeholder, replace(final, text="first", draft=True))
    for _ in range(30):
        time.passes(1)
        await adapter.edit(placeholder, replace(final, text="more", draft=True))
    with pytest.raises(SlowDown) as early:
        await adapter.edit(placeholder, final)
    assert (len(telegram.entries("fault")), requests(telegram, "editMessageText")) == (1, [])
    assert early.value.seconds == pytest.approx(30)

    time.passes(early.value.seconds)
    await adapter.edit(placeholder, final)

    (shown,) = telegram.history(7)
    assert shown["text"].endswith("word end")
    assert kinds(shown) == ["bold"]


async def test_a_flood_in_one_chat_does_not_hold_up_another(
    telegram: Telegram, adapter: TelegramAdapter, alice: Person
) -> None:
    telegram.user(8)
    telegram.fault("sendMessage", "status", status=429, seconds=60)

    with pytest.raises(SlowDown):
        await adapter.send(message(7, "x"))
    with pytest.raises(SlowDown):
        await adapter.send(message(7, "x"))
    await adapter.send(message(8, "y"))

    assert (len(telegram.entries("fault")), len(requests(telegram, "sendMessage"))) == (1, 1)


async def test_the_limit_over_all_chats_is_kept_only_after_two_chats_were_limited(
    telegram: Telegram, adapter: TelegramAdapter, time: Time
) -> None:
    async def write(first: int) -> None:
        for chat in range(first, first + 40):
            telegram.user(chat)
            await adapter.send(message(chat, "hello", id=f"o{chat}"))

    await write(1000)
    assert time.waited == [], "nobody waits while nobody is limited"

    for chat in (7, 8):
        telegram.user(chat)
        telegram.fault("sendMessage", "status", status=429, seconds=3)
        with pytest.raises(SlowDown):
            await adapter.send(message(chat, "hello", id=f"p{chat}"))
    await write(2000)
    assert sum(time.waited) == pytest.approx(10 / 30)

    time.passes(60)
    time.waited.clear()
    await write(3000)
    assert time.waited == []
