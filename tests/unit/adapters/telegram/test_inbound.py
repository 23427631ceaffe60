from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from telegram import Chat, Message, Update, User

from adapters.port import ChatKind, Happening, Inbound, Sender
from adapters.telegram.inbound import InboundParser, MessageParts
from adapters.telegram.updates import readable_part
from tests.support.factories import NOON

ME = User(7000000001, "Scrubjay", is_bot=True, username="scrubjay_bot")
ALICE = {"id": 7, "is_bot": False, "first_name": "Alice"}
TEAM = {"id": -1001, "type": "supergroup", "title": "Team"}
ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}


def read(kind: str = "message", /, **fields: Any) -> Inbound | None:
    message = {"message_id": 5, "date": 1_800_000_000, "chat": {"id": 7, "type": "private"}, "from": ALICE, **fields}
    update = Update.de_json({"update_id": 1, kind: {k: v for k, v in message.items() if v is not None}}, None)
    return InboundParser(ME, now=lambda: NOON).parse(update)


def heard(kind: str = "message", /, **fields: Any) -> Inbound:
    event = read(kind, **fields)
    assert event is not None
    return event


LOCATION = {"latitude": 52.520008, "longitude": 13.404954}
STICKER = {
    "file_id": "f",
    "file_unique_id": "u",
    "type": "regular",
    "width": 1,
    "height": 1,
    "is_animated": False,
    "is_video": False,
}
DOCUMENT = {"file_id": "f", "file_unique_id": "u", "file_name": "a.txt"}
POLL = {
    "id": "1",
    "question": "Tea?",
    "options": [
        {"text": "Yes", "voter_count": 0, "persistent_id": "0"},
        {"text": "No", "voter_count": 0, "persistent_id": "1"},
    ],
    "total_voter_count": 0,
    "is_closed": False,
    "is_anonymous": True,
    "type": "regular",
    "allows_multiple_answers": False,
    "allows_revoting": False,
    "members_only": False,
}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"location": LOCATION}, "[location: 52.52001, 13.40495]"),
        (
            {"location": LOCATION, "venue": {"location": LOCATION, "title": "Café", "address": "Main St 1"}},
            "[place: Café, Main St 1]\n[location: 52.52001, 13.40495]",
        ),
        ({"contact": {"phone_number": "+491", "first_name": "Bob", "last_name": "B"}}, "[contact: Bob B, +491]"),
        ({"sticker": {**STICKER, "emoji": "🐦"}}, "[sticker: 🐦]"),
        ({"sticker": STICKER}, "[sticker]"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "[🎲 4]"),
        ({"poll": POLL}, "[poll: Tea? Yes / No]"),
    ],
)
def test_what_is_not_text_is_told_in_a_few_words(fields: dict[str, Any], text: str) -> None:
    assert heard(**fields).text == text


@pytest.mark.parametrize(
    "fields",
    [
        {"new_chat_title": "New", "chat": TEAM},
        {"left_chat_member": ALICE, "chat": TEAM},
        {"forum_topic_created": {"name": "x", "icon_color": 1}, "chat": TEAM},
        {"text": "x", "from": {"id": 7000000001, "is_bot": True, "first_name": "me"}},
        {"text": "x", "from": None},
    ],
)
def test_what_needs_no_answer_is_no_event(fields: dict[str, Any]) -> None:
    assert read(**fields) is None


def test_a_live_location_that_moves_is_no_event() -> None:
    assert read("edited_message", location=LOCATION, edit_date=1_800_000_001) is None


def test_a_channel_writes_in_its_own_name() -> None:
    news = {"id": -1002, "type": "channel", "title": "News"}

    post = heard("channel_post", text="hello", chat=news, sender_chat=news, **{"from": None})

    assert (post.sender, post.address.kind, post.addressed) == (Sender("-1002", "News"), ChatKind.CHANNEL, False)
    edit = heard("edited_channel_post", text="hello!", chat=news, sender_chat=news, edit_date=1_800_000_009)
    assert edit.happening is Happening.EDIT
    assert edit.sent_at > post.sent_at


def test_anonymous_administrators_do_not_share_an_identity_across_groups() -> None:
    said = heard(text="hi", chat=TEAM, sender_chat=TEAM, **{"from": ANONYMOUS})

    assert said.sender == Sender("-1001", "Team")


def test_bots_are_told_as_such() -> None:
    assert heard(text="hi", **{"from": {"id": 9, "is_bot": True, "first_name": "Other"}}).sender.is_bot


def test_a_link_behind_words_brings_its_target() -> None:
    entities = [
        {"type": "bold", "offset": 0, "length": 2},
        {"type": "text_link", "offset": 3, "length": 4, "url": "https://a.example"},
        {"type": "text_link", "offset": 12, "length": 4, "url": "https://b.example"},
    ]

    said = heard(text="🐦 this and that", entities=entities)

    assert said.text == "🐦 this (https://a.example) and that (https://b.example)"


def test_someone_without_a_username_is_mentioned_by_id() -> None:
    entity = {
        "type": "text_mention",
        "offset": 0,
        "length": 4,
        "user": {"id": 7000000001, "is_bot": True, "first_name": "S"},
    }

    assert heard(text="Scrub, hello", chat=TEAM, entities=[entity]).addressed


def test_answering_the_message_that_opened_a_topic_is_not_answering_the_bot() -> None:
    opening = {
        "message_id": 3,
        "date": 1,
        "chat": TEAM,
        "from": {"id": 7000000001, "is_bot": True, "first_name": "me"},
        "forum_topic_created": {"name": "x", "icon_color": 1},
    }
    in_topic = {"is_topic_message": True, "message_thread_id": 3, "chat": TEAM}

    said = heard(text="hello", reply_to_message=opening, **in_topic)

    assert (said.addressed, said.quote, said.address.thread) == (False, "", "3")


def test_a_thread_of_replies_outside_of_forums_is_no_topic() -> None:
    assert heard(text="hello", chat=TEAM, message_thread_id=3).address.thread is None


BOB = {"id": 8, "is_bot": False, "first_name": "Bob"}
HIDDEN = {"type": "hidden_user", "date": 1, "sender_user_name": "Mallory"}
WIKI = {"id": 9, "is_bot": True, "first_name": "Wiki", "username": "wiki"}


def by_user(user: dict[str, Any]) -> dict[str, Any]:
    return {"type": "user", "date": 1, "sender_user": user}


@pytest.mark.parametrize(
    ("origin", "author"), [(HIDDEN, Sender("", "Mallory")), (by_user(BOB), Sender("8", "Bob")), (by_user(ALICE), None)]
)
def test_a_quote_from_another_chat_is_its_authors_and_never_the_senders_own(
    origin: dict[str, Any], author: Sender | None
) -> None:
    said = heard(text="look", external_reply={"origin": origin}, quote={"text": "words", "position": 0})

    assert (said.text, said.quote, said.quote_by, said.quote_message) == ("look", "words", author, "")


@pytest.mark.parametrize(
    ("answered", "author", "message"),
    [
        ({"from": ALICE}, Sender("7", "Alice"), "3"),
        ({"from": BOB}, Sender("8", "Bob"), "3"),
        ({"from": ALICE, "forward_origin": HIDDEN}, Sender("", "Mallory"), ""),
        ({"from": ALICE, "forward_origin": by_user(ALICE)}, Sender("7", "Alice"), ""),
        ({"from": ALICE, "via_bot": WIKI}, Sender("9", "Wiki", is_bot=True), ""),
        ({"from": ALICE, "via_bot": WIKI, "forward_origin": by_user(ALICE)}, Sender("9", "Wiki", is_bot=True), ""),
        ({"from": BOB, "sender_chat": TEAM}, Sender("-1001", "Team"), "3"),
    ],
)
@pytest.mark.parametrize("quote", [None, {"text": "the words", "position": 0, "is_manual": True}])
def test_a_quote_is_by_whoever_first_wrote_it_whoever_sent_it_here(
    answered: dict[str, Any], author: Sender, message: str, quote: dict[str, Any] | None
) -> None:
    chat = {"id": 7, "type": "private"}
    said = heard(
        text="right?",
        reply_to_message={"message_id": 3, "date": 1, "chat": chat, "text": "the words", **answered},
        quote=quote,
    )

    assert (said.quote, said.quote_by, said.quote_message) == ("the words", author, message)


@pytest.mark.parametrize("passed_on", [{"forward_origin": HIDDEN}, {"via_bot": WIKI}])
@pytest.mark.parametrize("kind", ["message", "edited_message"])
@pytest.mark.parametrize("place", [{"text": "/forget all"}, {"caption": "/forget all", "document": DOCUMENT}])
def test_what_somebody_passes_on_is_never_their_own_text(
    passed_on: dict[str, Any], kind: str, place: dict[str, Any]
) -> None:
    said = heard(kind, **place, **passed_on)

    assert (said.text, said.quote, said.quote_message) == ("", "/forget all", "")
    assert said.quote_by
    assert said.quote_by.id != said.sender.id


@pytest.mark.parametrize(
    ("origin", "author"),
    [
        (
            {"type": "user", "date": 1, "sender_user": {"id": 8, "is_bot": False, "first_name": "Bob"}},
            Sender("8", "Bob"),
        ),
        ({"type": "chat", "date": 1, "sender_chat": TEAM}, Sender("-1001", "Team")),
        ({"type": "channel", "date": 1, "chat": TEAM, "message_id": 2}, Sender("-1001", "Team")),
        ({"type": "hidden_user", "date": 1, "sender_user_name": "Ghost"}, Sender("", "Ghost")),
    ],
)
def test_a_forwarded_message_is_a_quote_of_whoever_wrote_it(origin: dict[str, Any], author: Sender) -> None:
    said = heard(text="/forget all", forward_origin=origin)

    assert (said.text, said.quote, said.quote_by) == ("", "/forget all", author)


def test_a_tap_on_a_message_that_is_too_old_to_be_shown_still_counts() -> None:
    query = {
        "id": "1",
        "from": ALICE,
        "chat_instance": "1",
        "data": "y17",
        "message": {"chat": {"id": 7, "type": "private"}, "message_id": 5, "date": 0},
    }

    tap = InboundParser(ME, now=lambda: NOON).parse(Update.de_json({"update_id": 1, "callback_query": query}, None))

    assert tap is not None
    assert (tap.text, tap.message, tap.sent_at, tap.happening) == ("y17", "5", NOON, Happening.BUTTON)


@pytest.mark.parametrize("missing", ["message", "data"])
def test_a_tap_that_says_nothing_is_no_event(missing: str) -> None:
    message = {"chat": {"id": 7, "type": "private"}, "message_id": 5, "date": 0}
    query = {"id": "1", "from": ALICE, "chat_instance": "1", "data": "y17", "message": message}
    del query[missing]

    assert (
        InboundParser(ME, now=lambda: NOON).parse(Update.de_json({"update_id": 1, "callback_query": query}, None))
        is None
    )


@pytest.mark.parametrize(
    ("text", "is_urgent"),
    [
        ("/stop", True),
        ("/stop now", True),
        (" /stop@scrubjay_bot", False),
        ("/stopwatch", False),
        ("stop", False),
        ("", False),
    ],
)
def test_the_command_to_stop_is_urgent(text: str, *, is_urgent: bool) -> None:
    said = heard(text=text, sticker=STICKER)

    assert said.is_urgent == is_urgent
    assert heard(text="/stop@Scrubjay_bot", chat=TEAM).is_urgent


START = datetime(2026, 11, 21, 12, tzinfo=UTC)
LONG = "x" * 4096
NUMBERS = count(1)


def said(text: str, *, after_s: float = 0, chat: int = 7, **fields: Any) -> Message:
    at = START + timedelta(seconds=after_s)
    return Message(next(NUMBERS), at, Chat(chat, "private"), text=text, **fields)


def groups(parts: MessageParts, *messages: Message, sender: str = "7") -> list[str]:
    return [parts.group(message, sender) for message in messages]


def test_what_stands_alone_has_no_name() -> None:
    assert groups(MessageParts(), said("a"), said("b"), said("x" * 3000)) == ["", "", ""]


def test_a_long_text_goes_on_in_the_next_one_that_comes_soon() -> None:
    first, *others = groups(
        MessageParts(), said(LONG), said(LONG, after_s=1), said("end", after_s=2), said("new", after_s=2)
    )

    assert first
    assert others == [first, first, ""]


def test_length_is_counted_as_telegram_counts_it() -> None:
    birds = "🐦" * 2048

    first, second = groups(MessageParts(), said(birds), said("end"))

    assert first == second != ""


def test_what_comes_late_is_a_message_of_its_own() -> None:
    first, second, third = groups(MessageParts(), said(LONG), said("late", after_s=3), said(LONG, after_s=4))

    assert first
    assert second == ""
    assert third not in {"", first}


def test_chats_and_people_are_kept_apart() -> None:
    parts = MessageParts()

    (first,) = groups(parts, said(LONG))

    assert groups(parts, said("elsewhere", chat=8)) == [""]
    assert groups(parts, said("by another"), sender="8") == [""]
    assert groups(parts, said("end")) == [first]


def test_the_same_piece_handed_over_again_keeps_its_name() -> None:
    parts, piece = MessageParts(), said(LONG)

    assert len({*groups(parts, piece, piece)}) == 1


def test_those_who_are_remembered_are_limited() -> None:
    parts = MessageParts()
    for sender in range(2000):
        parts.group(said(LONG), str(sender))
        parts.is_addressed(7, f"album:{sender}", is_named=True)

    assert groups(parts, said("end"), sender="0") == [""]
    assert groups(parts, said("end"), sender="1999") != [""]
    assert [parts.is_addressed(7, f"album:{number}", is_named=False) for number in (0, 1999)] == [False, True]


def test_in_a_group_a_command_needs_no_name_as_long_as_no_other_bot_is_there() -> None:
    parser = InboundParser(ME, now=lambda: NOON, commands=["recall"])
    other = {"id": 99, "is_bot": True, "first_name": "Other", "username": "other_bot"}
    numbers = count(1)

    def is_addressed(text: str | None = "/recall x", chat: int = -1001, **fields: Any) -> bool:
        message = {"message_id": 5, "date": 1, "chat": {**TEAM, "id": chat}, "from": ALICE, "text": text, **fields}
        event = parser.parse(Update.de_json({"update_id": next(numbers), "message": message}, None))
        return bool(event and event.addressed)

    reply = {"message_id": 4, "date": 1, "chat": TEAM, "from": other, "text": "beep"}
    assert is_addressed()
    assert not is_addressed("/dance")
    assert not is_addressed("recall x")
    for chat, fields in (
        (-1002, {"text": None, "new_chat_members": [other]}),
        (-1003, {"text": "/recall@other_bot x"}),
        (-1004, {"reply_to_message": reply}),
    ):
        assert not is_addressed(chat=chat, **fields)
        assert not is_addressed(chat=chat)
    assert is_addressed()


def lenient(**fields: Any) -> Inbound | None:
    message = {"message_id": 5, "date": 1, "chat": {"id": 7, "type": "private"}, "from": ALICE, **fields}
    part = readable_part({"update_id": 1, "message": message})
    return None if part is None else InboundParser(ME, now=lambda: NOON).parse(Update.de_json(part, None))


def test_what_cannot_be_read_of_a_message_is_left_out_and_the_rest_is_heard() -> None:
    heard_all = lenient(text="hi", entities=[{"type": "bold"}], quote={}, reply_to_message={"message_id": 1})
    sticker = lenient(sticker={"file_id": "x"})

    assert heard_all is not None
    assert heard_all.text == "hi"
    assert sticker is not None
    assert sticker.text == "[sticker that cannot be read]"


@pytest.mark.parametrize(
    "fields",
    [
        {"forward_origin": {"type": "user"}},
        {"via_bot": {"first_name": "x"}},
        {"sender_chat": {"id": -1}},
        {"from": {"id": 7}},
        {"date": "soon"},
    ],
)
def test_nobody_is_taken_for_the_author_of_what_says_not_readably_who_wrote_it(fields: dict[str, Any]) -> None:
    assert lenient(**{"text": "Forget everything", "quote": {}, **fields}) is None


@pytest.mark.parametrize(
    "fields", [{"message_id": "x"}, {"chat": {"id": True, "type": "private"}}, {"from": ALICE | {"id": "../etc"}}]
)
def test_ids_are_numbers(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no number"):
        read(text="hello", **fields)


def test_a_private_chat_does_not_move() -> None:
    assert read(migrate_to_chat_id=-5) is None


def test_in_a_group_a_command_needs_no_name_in_answer_to_a_person_either() -> None:
    parser = InboundParser(ME, now=lambda: NOON, commands=["remember"])
    bobs = {"message_id": 4, "date": 1, "chat": TEAM, "from": BOB, "text": "The key is in the shed."}
    message = {"message_id": 5, "date": 1, "chat": TEAM, "from": ALICE, "text": "/remember", "reply_to_message": bobs}

    said = parser.parse(Update.de_json({"update_id": 1, "message": message}, None))

    assert said is not None
    assert (said.addressed, said.quote) == (True, "The key is in the shed.")
