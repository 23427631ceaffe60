"""The server's bad days: limits, faults, odd updates; and its ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.ledger import bot_message, read
from tests.servers.telegram.client import Telegram, running
from tests.servers.telegram.conftest import Api, updates


def test_a_poller_that_hung_up_was_handed_nothing(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{telegram.base_url}{telegram.token}/getUpdates?timeout=5", timeout=0.1, trust_env=False)

    alice.says("hello")

    assert telegram.entries("handed") == []
    assert updates(api, offset=1)[0]["message"]["text"] == "hello"
    assert len(telegram.entries("handed")) == 1


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
