"""The Bot API server over HTTP: the documented answers and refusals, faults, and what people do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.control import ControlError
from tests.servers.ledger import bot_message, read
from tests.servers.telegram.client import File, Telegram, running
from tests.servers.telegram.conftest import Api

DATA = {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}, {"text": "Site", "url": "https://a.example"}]]}
NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)


def updates(api: Api, **arguments: Any) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = api("getUpdates", **arguments)["result"]
    return result


@pytest.fixture
def sent(telegram: Telegram, api: Api) -> dict[str, Any]:
    """A message of the bot in Alice's private chat (7)."""
    telegram.user(7, "Alice").says("hello")
    result: dict[str, Any] = api("sendMessage", chat_id=7, text="one", reply_markup=DATA)["result"]
    return result


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


def test_files_go_up_and_come_down(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    alice.sends(File("notes.txt", b"hello"), caption="mine")
    document = updates(api)[-1]["message"]["document"]

    file = api("getFile", file_id=document["file_id"])["result"]
    content = httpx.get(f"{telegram.base_file_url}{telegram.token}/{file['file_path']}", trust_env=False)
    again = api("sendDocument", chat_id=7, document=document["file_id"])["result"]
    up = api("sendDocument", chat_id=7, files={"document": ("b.txt", b"bytes")}, caption="c")["result"]

    assert (document["file_name"], document["mime_type"], document["file_size"]) == ("notes.txt", "text/plain", 5)
    assert content.content == b"hello"
    assert again["document"] == document
    assert telegram.call("file", id=up["document"]["file_id"])["data"] == "bytes"
    assert telegram.violations() == []


def test_files_that_are_too_big_unknown_or_missing_are_refused(telegram: Telegram, api: Api) -> None:
    telegram.user(7).sends(File("film.mp4", kind="video", size=20 * 2**20 + 1))
    big = updates(api)[-1]["message"]["video"]["file_id"]

    refusals = [
        api("getFile", file_id=big),
        api("getFile", file_id="nothing"),
        api("sendDocument", chat_id=7, document="nothing"),
        api("sendDocument", chat_id=7, document="https://a.example/file"),
        api("sendPhoto", chat_id=7, photo="attach://part"),
        api("sendPhoto", chat_id=7, files={"photo": ("a.jpg", b"")}),
        api("sendPhoto", chat_id=7, files={"photo": ("a.jpg", b"a")}, caption="x" * 1025),
    ]

    assert [refusal["description"].removeprefix("Bad Request: ") for refusal in refusals] == [
        "file is too big",
        "wrong file_id or the file is temporarily unavailable",
        "wrong file identifier/HTTP URL specified",
        "failed to get HTTP URL content",
        "there is no photo in the request",
        "file must be non-empty",
        "message caption is too long",
    ]


def test_an_upload_above_fifty_mebibytes_is_refused(telegram: Telegram, api: Api) -> None:
    telegram.user(7)

    body = api("sendDocument", chat_id=7, files={"document": ("big.bin", bytes(50 * 2**20 + 1))})

    assert (body["error_code"], body["description"]) == (413, "Request Entity Too Large")


def test_a_poller_that_hung_up_was_handed_nothing(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{telegram.base_url}{telegram.token}/getUpdates?timeout=5", timeout=0.1, trust_env=False)

    alice.says("hello")

    assert telegram.entries("handed") == []
    assert updates(api, offset=1)[0]["message"]["text"] == "hello"
    assert len(telegram.entries("handed")) == 1


def test_albums_share_an_id_in_both_directions(telegram: Telegram, api: Api) -> None:
    telegram.user(7).sends(File("a.jpg", kind="photo"), File("b.jpg", kind="photo"), caption="both")
    arrived = [update["message"] for update in updates(api)]
    media = '[{"type": "document", "media": "attach://a"}, {"type": "document", "media": "attach://b", "caption": "c"}]'

    parts = {"a": ("a.txt", b"a"), "b": ("b.txt", b"b")}
    album = api("sendMediaGroup", chat_id=7, media=media, files=parts)["result"]

    assert arrived[0]["caption"] == "both"
    assert arrived[0]["media_group_id"] == arrived[1]["media_group_id"] == "1"
    assert album[0]["media_group_id"] == album[1]["media_group_id"] != "1"
    assert [message["document"]["file_name"] for message in album] == ["a.txt", "b.txt"]
    lonely = '[{"type": "document", "media": "attach://a"}]'
    assert not api("sendMediaGroup", chat_id=7, media=lonely, files={"a": parts["a"]})["ok"]


def test_other_media_copies_and_drafts_are_taken(telegram: Telegram, api: Api, sent: dict[str, Any]) -> None:
    voice = api("sendVoice", chat_id=7, files={"voice": ("v.ogg", b"v")}, duration=3)["result"]["voice"]
    assert (voice["duration"], voice["mime_type"]) == (3, "audio/ogg")
    assert "audio" in api("sendAudio", chat_id=7, files={"audio": ("a.mp3", b"a")})["result"]
    assert "video" in api("sendVideo", chat_id=7, files={"video": ("a.mp4", b"a")})["result"]
    copy = api("copyMessage", chat_id=7, from_chat_id=7, message_id=sent["message_id"])["result"]["message_id"]
    assert telegram.history(7)[-1]["text"] == "one"
    assert copy == telegram.history(7)[-1]["message_id"]
    assert api("sendMessageDraft", chat_id=7, draft_id=1, text="thin")["ok"]
    assert not api("sendMessageDraft", chat_id=7, draft_id=0, text="thin")["ok"]
    assert telegram.entries("draft")[0]["text"] == "thin"
    assert telegram.violations() == []


def test_the_account_can_be_asked_and_set(telegram: Telegram, api: Api) -> None:
    commands = [{"command": "help", "description": "Show help"}]
    assert api("getMe")["result"]["username"] == "scrubjay_bot"
    assert api("setMyCommands", commands=commands)["ok"]
    assert api("setMyCommands", commands=[], scope={"type": "chat", "chat_id": 7}, language_code="de")["ok"]
    assert api("getMyCommands")["result"] == commands
    wrong = [{"command": "Help!", "description": "x"}]
    assert api("setMyCommands", commands=wrong)["description"] == "Bad Request: BOT_COMMAND_INVALID"
    assert api("setMyDescription", description="remembers")["ok"]
    assert telegram.call("bot_settings")["commands"] == {"default": commands, "chat/7/de": []}
    assert api("deleteMyCommands")["ok"]
    assert api("getMyCommands")["result"] == []
    assert telegram.violations() == []


def test_tokens_and_methods_that_are_wrong_are_refused(telegram: Telegram, api: Api) -> None:
    def status(token: str, method: str = "getMe") -> tuple[int, str]:
        response = httpx.post(f"{telegram.base_url}{token}/{method}", trust_env=False)
        return response.status_code, response.json()["description"]

    assert status("7000000001:other") == (401, "Unauthorized")
    assert status("nonsense") == (401, "Unauthorized: invalid token specified")
    assert status(telegram.token, "getMoney") == (404, "Not Found: method not found")
    telegram.call("revoke_token")
    assert status(telegram.token) == (401, "Unauthorized")


def test_what_the_bot_api_does_not_know_is_a_violation(telegram: Telegram, api: Api) -> None:
    telegram.user(7)

    assert api("sendMessage", chat_id=7, text="hi", colour="red")["ok"]
    assert not api("sendMessage", chat_id=7, text="hi", entities=[{"type": "bold"}])["ok"]
    assert not api("sendPoll", chat_id=7, question="?", options=[{"text": "a"}])["ok"]
    assert api("sendMessage", chat_id=7, text="hi", message_effect_id="5")["ok"]

    assert telegram.violations() == [
        "sendMessage: SendMessage.colour: unknown field",
        "sendMessage: this server does not model colour",
        "sendMessage: entities.0.offset: Field required",
        "sendMessage: entities.0.length: Field required",
        "sendPoll: this server does not model the method",
        "sendMessage: this server does not model message_effect_id",
    ]


def test_a_webhook_stops_polling(telegram: Telegram, api: Api) -> None:
    assert api("setWebhook", url="http://a.example")["description"].startswith("Bad Request: bad webhook")
    assert api("setWebhook", url="https://a.example", drop_pending_updates=True)["ok"]
    assert api("getUpdates")["error_code"] == 409
    assert api("getWebhookInfo")["result"]["url"] == "https://a.example"
    assert api("deleteWebhook")["ok"]
    assert updates(api) == []


def test_blocked_unstarted_and_unknown_people_cannot_be_written_to(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    telegram.user(8, started=False)
    alice.blocks()

    blocked = api("sendMessage", chat_id=7, text="hi")
    unstarted = api("sendMessage", chat_id=8, text="hi")
    alice.unblocks()

    assert (blocked["error_code"], blocked["description"]) == (403, "Forbidden: bot was blocked by the user")
    assert unstarted["description"] == "Forbidden: bot can't initiate conversation with a user"
    assert api("sendMessage", chat_id=7, text="hi")["ok"]
    changes = [update["my_chat_member"]["new_chat_member"]["status"] for update in updates(api)]
    assert changes == ["kicked", "member"]


def test_privacy_mode_hides_what_does_not_address_the_bot(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    team = telegram.group("Team", [alice])
    own = api("sendMessage", chat_id=team.id, text="I am here")["result"]["message_id"]
    for text in ("hello all", "hey @scrubjay_bot", "/help", "/help@other_bot", "/help@scrubjay_bot"):
        alice.says(text, chat=team.id)
    alice.says("thanks", chat=team.id, reply_to=own)
    heard = [update["message"]["text"] for update in updates(api)]
    telegram.call("privacy", on=False)
    alice.says("all of it", chat=team.id)

    assert heard == ["hey @scrubjay_bot", "/help", "/help@scrubjay_bot", "thanks"]
    assert updates(api)[-1]["message"]["text"] == "all of it"


@pytest.mark.parametrize(
    ("kind", "status", "reason"),
    [
        ("group", "left", "bot is not a member of the group chat"),
        ("supergroup", "kicked", "bot was kicked from the supergroup chat"),
    ],
)
def test_a_bot_that_was_removed_cannot_write(telegram: Telegram, api: Api, kind: str, status: str, reason: str) -> None:
    team = telegram.group("Team", [telegram.user(7)], kind=kind)
    team.bot_becomes(status)

    body = api("sendMessage", chat_id=team.id, text="hi")

    assert (body["error_code"], body["description"]) == (403, f"Forbidden: {reason}")
    assert updates(api)[-1]["my_chat_member"]["new_chat_member"]["status"] == status
    assert telegram.violations() == []


def test_an_upgraded_group_says_where_it_went(telegram: Telegram, api: Api) -> None:
    old = telegram.group("Team", [telegram.user(7)], kind="group")
    new = old.upgrades()

    body = api("sendMessage", chat_id=old.id, text="hi")

    assert body["description"] == "Bad Request: group chat was upgraded to a supergroup chat"
    assert body["parameters"] == {"migrate_to_chat_id": new.id}
    assert api("sendMessage", chat_id=new.id, text="hi")["ok"]
    assert [update["message"].get("migrate_to_chat_id") for update in updates(api)] == [new.id, None]


def test_forum_topics_are_threads_of_their_own(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    forum = telegram.group("Forum", [alice], kind="forum", bot="administrator")
    plans = forum.topic("Plans")
    alice.says("in plans", chat=forum.id, topic=plans)

    heard = updates(api)[-1]["message"]
    made = api("createForumTopic", chat_id=forum.id, name="Ideas")["result"]["message_thread_id"]
    written = api("sendMessage", chat_id=forum.id, message_thread_id=made, text="hi")["result"]

    assert heard["message_thread_id"] == plans
    assert written["message_thread_id"] == made
    assert written["is_topic_message"]
    lost = api("sendMessage", chat_id=forum.id, message_thread_id=999, text="hi")["description"]
    assert lost == "Bad Request: message thread not found"
    assert api("editForumTopic", chat_id=forum.id, message_thread_id=made, name="Better")["ok"]
    assert api("closeForumTopic", chat_id=forum.id, message_thread_id=made)["ok"]
    assert api("sendChatAction", chat_id=forum.id, message_thread_id=plans, action="typing")["ok"]
    assert telegram.violations() == []


def test_members_chats_and_leaving(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    team = telegram.group("Team", [alice], bot="administrator")

    assert api("getChat", chat_id=team.id)["result"]["title"] == "Team"
    assert api("getChatMember", chat_id=team.id, user_id=7)["result"]["status"] == "member"
    bot = api("getMe")["result"]["id"]
    assert api("getChatMember", chat_id=team.id, user_id=bot)["result"]["status"] == "administrator"
    assert not api("getChatMember", chat_id=team.id, user_id=55)["ok"]
    assert not api("sendChatAction", chat_id=team.id, action="dance")["ok"]
    assert api("leaveChat", chat_id=team.id)["ok"]
    assert api("sendMessage", chat_id=team.id, text="bye")["error_code"] == 403
    assert telegram.violations() == []


def test_people_edit_react_reply_and_forward(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    first = alice.says("helo")
    alice.edits(first, "hello")
    alice.says("look", reply_to=first, quote="ell", forwarded_from="Somebody")
    updates(api, allowed_updates=["message", "edited_message", "message_reaction"])
    alice.reacts(first, "👍")

    messages = updates(api)

    assert messages[1]["edited_message"]["text"] == "hello"
    assert messages[2]["message"]["quote"]["text"] == "ell"
    assert messages[2]["message"]["forward_origin"]["sender_user_name"] == "Somebody"
    assert messages[3]["message_reaction"]["new_reaction"] == [{"type": "emoji", "emoji": "👍"}]
    assert telegram.violations() == []


def test_flood_limits_count_sends_and_edits(telegram: Telegram, api: Api, sent: dict[str, Any]) -> None:
    team = telegram.group("Team", [telegram.user(7)])
    telegram.call("limit", chat=[2, 40], group=[1, 60])

    assert api("sendMessage", chat_id=7, text="two")["ok"]
    assert api("editMessageText", chat_id=7, message_id=sent["message_id"], text="three")["ok"]
    body = api("sendMessage", chat_id=7, text="four")
    assert api("sendMessage", chat_id=team.id, text="one")["ok"]

    assert body["error_code"] == 429
    assert body["parameters"]["retry_after"] in {39, 40}
    assert api("sendMessage", chat_id=team.id, text="two")["parameters"]["retry_after"] in {59, 60}


def test_a_fault_strikes_before_or_after_the_effect(telegram: Telegram, api: Api) -> None:
    telegram.user(7)
    telegram.fault("sendMessage", "reset")
    telegram.fault("sendMessage", "reset", effect=True)
    telegram.fault("sendMessage", "status", status=502, effect=True)
    telegram.fault("sendMessage", "status", status=429, seconds=7)
    telegram.fault("send*", "delay", seconds=0.01, skip=1)

    for text in ("never", "doubtful"):
        with pytest.raises(httpx.TransportError):
            api("sendMessage", chat_id=7, text=text)
    with pytest.raises(ValueError, match="Expecting value"):  # a proxy's page, not JSON
        api("sendMessage", chat_id=7, text="done")
    assert api("sendMessage", chat_id=7, text="later")["parameters"] == {"retry_after": 7}
    assert api("sendMessage", chat_id=7, text="now")["ok"]

    assert [message["text"] for message in telegram.history(7)] == ["doubtful", "done", "now"]
    assert len(telegram.call("unused_faults")) == 1
    telegram.call("clear_faults")
    assert telegram.call("unused_faults") == []


def test_a_hanging_request_never_ends_and_its_effect_is_there_if_asked_for(telegram: Telegram) -> None:
    telegram.user(7)
    telegram.fault("sendMessage", "hang", effect=True)

    with pytest.raises(httpx.ReadTimeout):
        httpx.post(
            f"{telegram.base_url}{telegram.token}/sendMessage",
            json={"chat_id": 7, "text": "there"},
            timeout=0.2,
            trust_env=False,
        )

    assert telegram.history(7)[-1]["text"] == "there"


def test_people_cannot_write_what_telegram_does_not_take(telegram: Telegram) -> None:
    alice = telegram.user(7)
    mine = alice.says("hello")

    with pytest.raises(ControlError, match="message is too long"):
        alice.says("x" * 4097)
    with pytest.raises(ControlError, match="is not in 'Team'"):
        telegram.user(8).says("hi", chat=telegram.group("Team", [alice]).id)
    with pytest.raises(ControlError, match="no button 'Yes'"):
        alice.taps(mine, "Yes")


def test_odd_updates_and_repetitions_can_be_had(telegram: Telegram, api: Api) -> None:
    first = telegram.call("push", update={"message": {"message_id": "not a number"}})
    updates(api, offset=first + 1)

    again = telegram.call("redeliver", count=1)

    assert again == [first]
    assert updates(api)[0]["message"] == {"message_id": "not a number"}
    telegram.call("drop_updates")
    assert telegram.call("pending") == []
    assert telegram.violations() == []


def test_the_ledger_tells_the_story_in_memory_and_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "telegram.jsonl"
    with running(ledger=path, patience_s=0) as telegram:
        telegram.user(7).says("hello")
        url = f"{telegram.base_url}{telegram.token}"
        httpx.get(f"{url}/getUpdates", trust_env=False)
        httpx.get(f"{url}/getUpdates?offset=700000002", trust_env=False)
        httpx.post(f"{url}/sendMessage", json={"chat_id": 7, "text": "hi"}, trust_env=False)
        found = next(entry for entry in telegram.entries("message") if bot_message(chat=7, text="hi")(entry))
        kinds = [entry["kind"] for entry in telegram.entries()]

    assert kinds == ["message", "update", "handed", "confirmed", "request", "message", "answer"]
    assert [entry["kind"] for entry in read(path)] == kinds
    assert (found["by"], found["text"], found["id"]) == ("bot", "hi", "2")
