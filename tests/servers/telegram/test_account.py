"""The bot itself: its settings, its token, and what it sends that the Bot API does not know."""

from __future__ import annotations

import httpx

from tests.servers.telegram.client import Telegram
from tests.servers.telegram.conftest import Api, updates


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
