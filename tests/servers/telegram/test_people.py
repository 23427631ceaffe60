"""People and groups: who may write to whom, and what the bot hears of it."""

from __future__ import annotations

import pytest

from tests.servers.control import ControlError
from tests.servers.telegram.client import Telegram
from tests.servers.telegram.conftest import Api, updates


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
    assert api("sendChatAction", chat_id=forum.id, message_thread_id=1, action="typing")["ok"]
    assert not api("sendMessage", chat_id=forum.id, message_thread_id=1, text="hi")["ok"]
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


def test_people_cannot_write_what_telegram_does_not_take(telegram: Telegram) -> None:
    alice = telegram.user(7)
    mine = alice.says("hello")

    with pytest.raises(ControlError, match="message is too long"):
        alice.says("x" * 4097)
    with pytest.raises(ControlError, match="is not in 'Team'"):
        telegram.user(8).says("hi", chat=telegram.group("Team", [alice]).id)
    with pytest.raises(ControlError, match="no button 'Yes'"):
        alice.taps(mine, "Yes")
