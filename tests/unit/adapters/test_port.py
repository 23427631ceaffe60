from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter

from adapters.port import Address, ChatKind, Happening, Inbound, Outbound, Sender
from tests.support.factories import NOON

HERE = Address("discord", "1", "10", ChatKind.GROUP)
TO = {"platform": "discord", "bot": "1", "chat": "10", "kind": "group"}
STORED: dict[type[Any], dict[str, object]] = {
    Outbound: {"id": "a", "to": TO, "text": "hello", "ticket": "secret"},
    Inbound: {
        "update": "1",
        "address": TO,
        "sender": {"id": "7", "name": "Ada"},
        "text": "hello",
        "message": "3",
        "sent_at": NOON.isoformat(),
        "ticket": "secret",
    },
}


@pytest.mark.parametrize(
    ("text", "is_urgent"),
    [("/stop", True), (" /Stop now", True), ("／stop", True), ("/stopwatch", False), ("stop", False)],
)
def test_to_stop_is_urgent_however_a_keyboard_writes_it(text: str, *, is_urgent: bool) -> None:
    said = Inbound("1", Address("discord", "1", "10", ChatKind.GROUP), Sender("7", "Ada"), text, "3", NOON)

    assert said.is_urgent is is_urgent


@pytest.mark.parametrize("kind", STORED, ids=lambda kind: kind.__name__)
def test_the_reply_token_keeps_its_first_name_in_the_state_file(kind: type[Any]) -> None:
    stored = TypeAdapter(kind)
    read = stored.validate_json(json.dumps(STORED[kind]))

    assert read.reply_token == "secret"
    assert json.loads(stored.dump_json(read))["ticket"] == "secret"
    assert "reply_token" not in json.loads(stored.dump_json(read))


@pytest.mark.parametrize(
    ("happening", "text", "is_urgent"),
    [
        (Happening.MESSAGE, "/stop", True),
        (Happening.MESSAGE, " /stop now", True),
        (Happening.MESSAGE, "/Status", True),
        (Happening.BUTTON, "/forget 3 yes", True),
        (Happening.MESSAGE, "stop", False),
        (Happening.MESSAGE, "/stopper", False),
        (Happening.MESSAGE, "", False),
    ],
)
def test_a_tap_and_the_commands_that_cannot_wait_are_urgent(
    happening: Happening, text: str, *, is_urgent: bool
) -> None:
    inbound = Inbound("1", HERE, Sender("7", "Ada"), text, "3", NOON, happening=happening)

    assert inbound.is_urgent == is_urgent
