"""Messages, edits, taps and reactions: the documented answers and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.telegram.client import Telegram
from tests.servers.telegram.conftest import DATA, Api, updates

NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)


def test_a_message_goes_to_a_chat_and_comes_back_as_the_api_shows_it(telegram: Telegram, api: Api) -> None:
    asked = telegram.user(7, "Alice", "alice").says("hello")

    reply = {"message_id": asked, "quote": "ell"}
    result = api("sendMessage", chat_id=7, text="<b>hi</b>", parse_mode="HTML", reply_parameters=reply)["result"]

    assert result["text"] == "hi"
    assert result["entities"] == [{"type": "bold", "offset": 0, "length": 2}]
    assert result["from"]["is_bot"]
    assert result["chat"] == {"id": 7, "type": "private", "first_name": "Alice", "username": "alice"}
    assert result["reply_to_message"]["text"] == "hello"
    assert result["quote"] == {"text": "ell", "position": 1}
    assert telegram.violations() == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"chat_id": 99}, "chat not found"),
        ({"chat_id": "@nobody"}, "chat not found"),
        ({"text": ""}, "message text is empty"),
        ({"text": "x" * 4097}, "message is too long"),
        ({"text": "<b>", "parse_mode": "HTML"}, "can't parse entities: Can't find end tag corresponding to start tag"),
        ({"reply_parameters": {"message_id": 99}}, "message to be replied not found"),
        ({"reply_parameters": {"message_id": 1, "quote": "nope"}}, "QUOTE_TEXT_INVALID"),
        ({"message_thread_id": 5}, "message thread not found"),
        ({"reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "x" * 65}]]}}, "BUTTON_DATA_INVALID"),
        ({"reply_markup": {"inline_keyboard": [[{"text": "a"}]]}}, "can't parse inline keyboard button: Text buttons"),
    ],
)
def test_a_wrong_message_is_refused_in_the_official_words(
    telegram: Telegram, api: Api, arguments: dict[str, Any], reason: str
) -> None:
    telegram.user(7).says("hello")

    body = api("sendMessage", **{"chat_id": 7, "text": "hi", **arguments})

    assert body["error_code"] == 400
    assert body["description"].startswith(f"Bad Request: {reason}")
    assert telegram.entries("answer")[-1]["error"] == body["description"]


def test_a_reply_to_nothing_may_be_allowed(telegram: Telegram, api: Api) -> None:
    telegram.user(7)

    reply = {"message_id": 99, "allow_sending_without_reply": True}

    assert "reply_to_message" not in api("sendMessage", chat_id=7, text="hi", reply_parameters=reply)["result"]


def test_an_edit_replaces_the_text_and_drops_a_keyboard_that_is_not_given_again(
    telegram: Telegram, api: Api, sent: dict[str, Any]
) -> None:
    edited = api("editMessageText", chat_id=7, message_id=sent["message_id"], text="two")["result"]

    assert sent["reply_markup"] == DATA
    assert edited["text"] == "two"
    assert "reply_markup" not in edited
    assert "edit_date" in edited
    assert telegram.history(7)[-1] == edited
    assert [entry["text"] for entry in telegram.entries("edit")] == ["two"]


def test_edits_and_deletions_are_refused_where_the_platform_refuses(
    telegram: Telegram, api: Api, sent: dict[str, Any]
) -> None:
    same = {"chat_id": 7, "message_id": sent["message_id"], "text": "one ", "reply_markup": DATA}
    file = api("sendDocument", chat_id=7, files={"document": ("a.txt", b"a")})["result"]["message_id"]

    refusals = [
        api("editMessageText", **same),
        api("editMessageText", chat_id=7, message_id=99, text="x"),
        api("editMessageText", chat_id=7, message_id=1, text="x"),
        api("editMessageText", chat_id=7, message_id=file, text="x"),
        api("editMessageCaption", chat_id=7, message_id=sent["message_id"], caption="x"),
        api("deleteMessage", chat_id=7, message_id=99),
    ]

    assert [refusal["description"].removeprefix("Bad Request: ") for refusal in refusals] == [
        NOT_MODIFIED,
        "message to edit not found",
        "message can't be edited",
        "there is no text in the message to edit",
        "there is no caption in the message to edit",
        "message to delete not found",
    ]


def test_captions_keyboards_pins_and_deletions_work(telegram: Telegram, api: Api, sent: dict[str, Any]) -> None:
    file = api("sendPhoto", chat_id=7, files={"photo": ("a.jpg", b"a")}, caption="old")["result"]["message_id"]

    assert api("editMessageCaption", chat_id=7, message_id=file, caption="new")["result"]["caption"] == "new"
    assert "reply_markup" not in api("editMessageReplyMarkup", chat_id=7, message_id=sent["message_id"])["result"]
    assert api("pinChatMessage", chat_id=7, message_id=file)["ok"]
    assert api("deleteMessage", chat_id=7, message_id=file)["ok"]
    assert api("deleteMessages", chat_id=7, message_ids=[sent["message_id"], 99])["ok"]
    assert [message["message_id"] for message in telegram.history(7)] == [1]
    assert len(telegram.entries("delete")) == 2
    assert telegram.violations() == []


def test_a_tap_is_answered_once_known_and_refused_otherwise(telegram: Telegram, api: Api, sent: dict[str, Any]) -> None:
    callback = telegram.user(7).taps(sent["message_id"], "Yes")

    query = updates(api)[-1]["callback_query"]
    assert (query["id"], query["data"], query["message"]["message_id"]) == (callback, "y", sent["message_id"])
    assert api("answerCallbackQuery", callback_query_id=callback, text="ok")["ok"]
    assert telegram.call("callback", id=callback)["answers"] == [{"text": "ok", "show_alert": False}]
    refusal = api("answerCallbackQuery", callback_query_id="5")["description"]
    assert refusal == "Bad Request: query is too old and response timeout expired or query ID is invalid"


def test_reactions_are_checked_against_the_list(telegram: Telegram, api: Api, sent: dict[str, Any]) -> None:
    def react(*emoji: str, message: int = 1) -> dict[str, Any]:
        reaction = [{"type": "emoji", "emoji": one} for one in emoji]
        return api("setMessageReaction", chat_id=7, message_id=message, reaction=reaction)

    assert react("👀")["ok"]
    assert react()["ok"]
    assert react("🐦")["description"] == "Bad Request: REACTION_INVALID"
    assert react("👀", "👍")["description"] == "Bad Request: REACTIONS_TOO_MANY"
    assert react("👀", message=99)["description"] == "Bad Request: message to react not found"
