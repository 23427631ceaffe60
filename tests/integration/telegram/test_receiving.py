"""What people do on Telegram, as the door gets it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.port import Button, Happening, MenuEntry, Sender, Unreadable
from adapters.telegram.adapter import TelegramAdapter
from tests.integration.telegram.stage import Notebook, group, message, opened, private, running
from tests.servers.ledger import Entry
from tests.servers.telegram.client import File, Telegram

Fits = Callable[[Entry], bool]

PASTE = "word " * 819  # 4095 characters: as much as an app puts into one message


def confirmed(update: str) -> Fits:
    """Fits the ledger's entry about the confirmation of an update."""
    return lambda entry: entry["kind"] == "confirmed" and int(update) in entry["updates"]


def answered(tap: str) -> Fits:
    """Fits the ledger's entry about the answer to a tap."""
    return lambda entry: entry["kind"] == "callback_answer" and entry["callback"] == tap


async def test_a_private_message_tells_who_where_and_when(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    said = telegram.user(7, "Alice Ng").says("hello")

    (heard,) = await door.until(1)

    assert heard.address == private(7)
    assert heard.sender == Sender("7", "Alice Ng")
    assert (heard.text, heard.message, heard.happening, heard.addressed) == (
        "hello",
        str(said),
        Happening.MESSAGE,
        True,
    )
    assert heard.sent_at.tzinfo is not None


async def test_in_groups_it_counts_as_addressed_if_named_answered_or_commanded_by_name(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    telegram.call("privacy", on=False)
    alice = telegram.user(7)
    team = telegram.group("Team", [alice])
    await bot.send(message(team.id, "I am here"))
    own = telegram.history(team.id)[-1]["message_id"]
    said = {
        "hello all": ("hello all", False),
        "@scrubjay_bot, how late is it?": ("how late is it?", True),
        "how late is it @Scrubjay_Bot": ("how late is it", True),
        "ask @scrubjay_bot about it": ("ask @scrubjay_bot about it", True),
        "mail to me@scrubjay_bot.example": ("mail to me@scrubjay_bot.example", False),
        "/recall@scrubjay_bot key": ("/recall key", True),
        "/recall key": ("/recall key", False),
        "@scrubjay_botanist hi": ("@scrubjay_botanist hi", False),
    }
    alice.says("/recall@other_bot key", chat=team.id)  # for the other one alone
    for text in said:
        alice.says(text, chat=team.id)
    alice.says("thanks", chat=team.id, reply_to=own)

    heard = await door.until(len(said) + 1)

    assert [(inbound.text, inbound.addressed) for inbound in heard] == [*said.values(), ("thanks", True)]
    assert {inbound.address for inbound in heard} == {group(team.id)}


async def test_a_mention_in_a_caption_counts_too(telegram: Telegram, bot: TelegramAdapter, door: Notebook) -> None:
    alice = telegram.user(7)
    team = telegram.group("Team", [alice])
    alice.sends(File("plan.pdf"), caption="@scrubjay_bot read this", chat=team.id)

    (heard,) = await door.until(1)

    assert (heard.text, heard.addressed) == ("read this", True)


async def test_a_command_in_a_caption_addresses_the_bot_without_its_name(
    telegram: Telegram, tmp_path: Path, door: Notebook
) -> None:
    alice = telegram.user(7)
    team = telegram.group("Team", [alice])
    async with opened(telegram, tmp_path, menu=(MenuEntry("remember", "Note it"),)) as bot, running(bot, door):
        alice.sends(File("plan.pdf"), caption="/remember The plan is here.", chat=team.id)
        (heard,) = await door.until(1)

    assert (heard.text, heard.addressed) == ("/remember The plan is here.", True)


async def test_forum_topics_are_threads_and_the_general_one_is_number_one(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7)
    forum = telegram.group("Forum", [alice], kind="forum", bot="administrator")
    plans = forum.topic("Plans")
    alice.says("in plans", chat=forum.id, topic=plans, reply_to=plans)  # every message in a topic looks like that
    alice.says("in general", chat=forum.id)

    in_plans, in_general = await door.until(2)

    assert in_plans.address == group(forum.id, thread=plans)
    assert in_general.address == group(forum.id, thread=1)
    assert (in_plans.quote, in_plans.addressed) == ("", False)


async def test_an_album_comes_as_pieces_of_one_name_each_with_its_file(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7)
    alice.sends(File("a.jpg", kind="photo"), File("b.jpg", kind="photo"), caption="look")
    alice.sends(File("c.jpg", kind="photo"), File("d.jpg", kind="photo"))

    heard = await door.until(4)

    assert len({inbound.piece_of for inbound in heard}) == 2
    assert heard[0].piece_of == heard[1].piece_of != ""
    assert [inbound.text for inbound in heard] == ["look", "", "", ""]
    assert all(len(inbound.attachments) == 1 for inbound in heard)


async def test_a_mention_in_one_piece_counts_for_those_that_follow(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7)
    team, other = telegram.group("Team", [alice]), telegram.group("Other", [alice])
    telegram.call("privacy", on=False)
    photos = File("a.jpg", kind="photo"), File("b.jpg", kind="photo")
    alice.sends(*photos, caption="@scrubjay_bot look", chat=team.id)
    alice.sends(*photos, caption="look", chat=team.id)
    for text in ("@scrubjay_bot " + PASTE[15:], "the end"):
        alice.says(text, chat=team.id)
    alice.says("something else", chat=other.id)

    heard = await door.until(7)

    assert [inbound.addressed for inbound in heard] == [True, True, False, False, True, True, False]


async def test_a_text_that_the_app_has_cut_comes_as_pieces_of_one_name(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice, bob = telegram.user(7), telegram.user(8)
    for text in (PASTE, PASTE, "/end"):
        alice.says(text)
    alice.says("next")
    bob.says("short")

    heard = await door.until(5)

    assert heard[0].piece_of != ""
    assert [inbound.piece_of for inbound in heard] == [heard[0].piece_of] * 3 + ["", ""]


async def test_an_edit_names_the_message_that_it_changes(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7)
    said = alice.says("helo")
    alice.edits(said, "hello")

    first, second = await door.until(2)

    assert (second.happening, second.text, second.message) == (Happening.EDIT, "hello", first.message)
    assert second.update != first.update


async def test_a_new_answer_to_an_edited_message_refers_to_it_also_where_nobody_else_writes(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7)
    first = alice.says("helo")
    alice.says("and another thing")
    alice.edits(first, "hello")
    await door.until(3)

    await bot.send(message(7, "hello again", reply_to=str(first)))

    assert telegram.history(7)[-1]["reply_to_message"]["message_id"] == first


async def test_what_is_answered_quoted_or_forwarded_is_data_and_not_the_senders_words(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7, "Alice")
    first = alice.says("the key is under the pot")
    alice.says("really?", reply_to=first)
    alice.says("which one?", reply_to=first, quote="under the pot")
    alice.says("/forget everything", forwarded_from="Somebody")

    _, replied, quoting, forwarded = await door.until(4)

    assert (replied.text, replied.quote, replied.quote_by) == (
        "really?",
        "the key is under the pot",
        Sender("7", "Alice"),
    )
    assert (quoting.text, quoting.quote) == ("which one?", "under the pot")
    assert (forwarded.text, forwarded.quote, forwarded.quote_by) == ("", "/forget everything", Sender("", "Somebody"))


async def test_files_come_with_kind_name_type_and_size(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7)
    alice.sends(File("notes.txt", b"hello"), caption="my notes")
    alice.sends(File("x", b"OggS", kind="voice", duration=3))
    alice.sends(File("song.mp3", b"ID3", kind="audio"))
    alice.sends(File("clip.mp4", b"ftyp", kind="video"))
    alice.sends(File("me.jpg", b"JFIF", kind="photo"))
    alice.sends(File("film.mkv", size=3 * 2**30))

    heard = await door.until(6)

    files = [inbound.attachments[0] for inbound in heard]
    assert [(file.kind, file.mime, file.size) for file in files] == [
        ("document", "text/plain", 5),
        ("voice", "audio/ogg", 4),
        ("audio", "audio/mpeg", 3),
        ("video", "video/mp4", 4),
        ("photo", "image/jpeg", 4),
        ("document", "video/x-matroska", 3 * 2**30),
    ]
    assert [file.name for file in files][::5] == ["notes.txt", "film.mkv"]
    assert all(file.name and file.ref for file in files)
    assert heard[0].text == "my notes"


async def test_a_photo_that_was_forwarded_is_said_to_be_even_without_words(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7)
    alice.sends(File("me.jpg", b"JFIF", kind="photo"))
    alice.sends(File("her.jpg", b"JFIF", kind="photo"), forwarded_from="Bob")

    heard = await door.until(2)

    assert [inbound.attachments[0].is_forwarded for inbound in heard] == [False, True]


async def test_the_files_of_a_message_that_is_replied_to_come_with_the_reply_as_others_but_for_ones_own_photo(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, tmp_path: Path
) -> None:
    alice, bob = telegram.user(7), telegram.user(8)
    telegram.call("privacy", on=False)
    team = telegram.group("Team", [alice, bob])
    (page := tmp_path / "page.txt").write_text("x")
    own = await bot.send(message(team.id, "", files=(str(page),)))
    (forwarded,) = alice.sends(File("x", b"x", kind="photo"), chat=team.id, forwarded_from="Bob")
    sent = [
        person.sends(File("x", b"x", kind=kind), chat=team.id)[0]
        for person, kind in ((alice, "photo"), (bob, "photo"), (alice, "voice"), (bob, "document"))
    ]
    for one in (forwarded, *sent, int(own.message)):
        alice.says("@scrubjay_bot what does this say?", chat=team.id, reply_to=one)

    replies = (await door.until(11))[5:]

    assert [[(file.kind, file.is_forwarded) for file in one.attachments] for one in replies] == [
        [("photo", True)],
        [("photo", False)],
        [("photo", True)],
        [("voice", True)],
        [("document", True)],
        [],
    ]
    assert {one.text for one in replies} == {"what does this say?"}


async def test_a_tap_brings_the_buttons_data_and_is_always_answered(telegram: Telegram, tmp_path: Path) -> None:
    alice, mallory = telegram.user(7), telegram.user(8)
    team = telegram.group("Team", [alice, mallory])
    door = Notebook(strangers=frozenset({"8"}))
    async with opened(telegram, tmp_path) as adapter, running(adapter, door):
        receipt = await adapter.send(message(team.id, "Sure?", Button("yes", "y17")))
        taps = [person.taps(int(receipt.message), "yes", chat=team.id) for person in (alice, mallory)]
        allowed, _ = await door.until(2)
        for tap in taps:
            await telegram.until(answered(tap))

    assert (allowed.happening, allowed.text, allowed.message) == (Happening.BUTTON, "y17", receipt.message)
    assert (allowed.address, allowed.sender.id, allowed.is_urgent) == (group(team.id), "7", True)


async def test_a_group_that_becomes_a_supergroup_tells_its_new_id(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    old = telegram.group("Team", [telegram.user(7)], kind="group")
    new = old.upgrades()

    heard = await door.until(2)  # both chats tell it: which one is read first is not known

    assert [(one.happening, one.address, one.text) for one in heard] == [
        (Happening.MOVED, group(old.id), str(new.id))
    ] * 2


async def test_being_put_out_of_a_chat_is_said_once(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    alice = telegram.user(7)
    team = telegram.group("Team", [alice])
    team.bot_becomes("administrator")
    team.bot_becomes("kicked")
    alice.blocks()
    alice.unblocks()
    alice.says("hello")
    await door.until(1)

    assert [record.getMessage() for record in caplog.records if "user 7" in record.getMessage()] == [
        f"Telegram: user 7 has removed the bot from chat {team.id}.",
        "Telegram: user 7 has blocked the bot.",
        "Telegram: user 7 has unblocked the bot.",
    ]


async def test_an_update_is_confirmed_only_after_the_door_has_taken_it(telegram: Telegram, tmp_path: Path) -> None:
    class Slow(Notebook):
        async def receive(self, inbound: Any) -> bool:
            seen = [entry for entry in telegram.entries("confirmed") if int(inbound.update) in entry["updates"]]
            assert seen == []
            return await super().receive(inbound)

    alice, door = telegram.user(7), Slow()
    async with opened(telegram, tmp_path) as adapter, running(adapter, door):
        for text in ("one", "two", "three"):
            alice.says(text)
        heard = await door.until(3)
        await telegram.until(confirmed(heard[-1].update))

    assert [inbound.text for inbound in heard] == ["one", "two", "three"]


async def test_a_door_that_fails_confirms_nothing_and_the_next_process_gets_it_all(
    telegram: Telegram, tmp_path: Path
) -> None:
    class Failing(Notebook):
        async def receive(self, inbound: Any) -> bool:
            await super().receive(inbound)
            if len(self.heard) == 2:
                raise RuntimeError("disk full")
            return True

    alice, failing, working = telegram.user(7), Failing(), Notebook()
    for text in ("one", "two", "three"):
        alice.says(text)
    async with opened(telegram, tmp_path) as adapter:
        with pytest.raises(RuntimeError, match="disk full"):
            await adapter.run(failing)
    async with opened(telegram, tmp_path) as adapter, running(adapter, working):
        again = await working.until(3)

    assert [inbound.text for inbound in again] == ["one", "two", "three"]
    assert again[0].update == failing.heard[0].update


BROKEN: list[dict[str, Any]] = [
    {"message": {"message_id": "many"}},
    {"message": {"message_id": 1, "date": "soon", "chat": {"id": 7, "type": "private"}, "text": "x"}},
    {"message": {"message_id": 1, "date": 10**30, "chat": {"id": 7, "type": "private"}, "text": "x"}},
    {"message": {"message_id": 1, "date": 1, "chat": {"id": 7, "type": "moon"}, "from": {"id": 7}, "text": "x"}},
    {"message": {"message_id": 1, "date": 1, "chat": 7, "text": "x"}},
    {"message": ["x"]},
    {
        "message": {
            "message_id": 1,
            "date": 1,
            "chat": {"id": 7, "type": "private"},
            "text": "x",
            "entities": [1] * 1001,
        }
    },
    {"callback_query": {"id": "1"}},
    {"edited_message": "x"},
    {
        "my_chat_member": {
            "chat": {"id": 7, "type": "private"},
            "from": {"id": 7, "is_bot": False, "first_name": "A"},
            "date": 1,
        }
    },
]


async def test_what_cannot_be_read_is_set_aside_and_never_fetched_again(telegram: Telegram, tmp_path: Path) -> None:
    class Aside(Notebook):
        def __init__(self) -> None:
            super().__init__()
            self.aside: list[Unreadable] = []

        async def unreadable(self, event: Unreadable) -> None:
            self.aside.append(event)

    door = Aside()
    async with opened(telegram, tmp_path) as adapter, running(adapter, door):
        numbers = [telegram.call("push", update=update) for update in BROKEN]
        telegram.user(7).says("hello")

        (heard,) = await door.until(1)
        await telegram.until(confirmed(heard.update))

    assert heard.text == "hello"
    assert [event.update for event in door.aside] == [str(number) for number in numbers]
    assert [event.sender for event in door.aside] == ["7" if "from" in str(update) else "" for update in BROKEN]
    assert json.loads(door.aside[0].raw) == {"update_id": numbers[0], **BROKEN[0]}


async def test_updates_of_kinds_that_are_unknown_are_passed_over(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    telegram.call("push", update={"invented_yesterday": {"id": 1}})
    telegram.user(7).says("hello")

    (heard,) = await door.until(1)

    assert heard.text == "hello"


async def test_a_thumb_or_a_heart_is_a_rating_of_its_message_and_other_reactions_are_nothing(
    telegram: Telegram, bot: TelegramAdapter, door: Notebook
) -> None:
    alice = telegram.user(7, "Alice")
    alice.says("hello")
    await door.until(1)
    answer = (await bot.send(message(7, "Hello."))).message
    for emoji in ("👀", "👍", "👎", "\N{HEAVY BLACK HEART}"):
        alice.reacts(int(answer), emoji)

    _, up, down, heart = await door.until(4)

    assert [(one.text, one.message, one.happening) for one in (up, down, heart)] == [
        ("up", answer, Happening.RATING),
        ("down", answer, Happening.RATING),
        ("up", answer, Happening.RATING),
    ]
    assert (up.sender, up.address) == (Sender("7", "Alice"), private(7))
