"""aiogram's models as the judge of requests."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.telegram.judge import Judge

ENTITY = {"type": "bold", "offset": 0, "length": 1}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"chat_id": 7, "text": "x", "colour": "red"}, "SendMessage.colour: unknown field"),
        (
            {"chat_id": 7, "text": "x", "entities": [{**ENTITY, "size": 1}]},
            "SendMessage.entities[0].size: unknown field",
        ),
        ({"chat_id": 7}, "text: Field required"),
        ({"chat_id": 7, "text": "x", "entities": [{"type": "bold", "length": 1}]}, "entities.0.offset: Field required"),
        ({"chat_id": 7, "text": "x", "message_thread_id": "one"}, "message_thread_id: Input should be a valid integer"),
        ({"chat_id": 7, "text": "x", "reply_to_message_id": 1}, "reply_to_message_id is deprecated"),
    ],
)
def test_unknown_missing_illtyped_and_deprecated_fields_are_found(
    judge: Judge, arguments: dict[str, Any], problem: str
) -> None:
    problems = judge.faults_of_request("sendMessage", arguments)

    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_a_form_is_read_by_the_types_that_its_fields_should_have(judge: Judge) -> None:
    form = {
        "chat_id": "-100",
        "text": "12",
        "entities": '[{"type": "bold", "offset": 0, "length": 2}]',
        "protect_content": "true",
    }

    arguments = judge.arguments("sendmessage", form)

    assert arguments == {"chat_id": -100, "text": "12", "entities": [{**ENTITY, "length": 2}], "protect_content": True}
    assert judge.faults_of_request("sendMessage", arguments) == []
    assert judge.arguments("sendMessage", {"chat_id": "@team", "entities": "[", "new": "1"}) == {
        "chat_id": "@team", "entities": "[", "new": "1",
    }  # fmt: skip


def test_methods_are_found_whatever_their_case(judge: Judge) -> None:
    assert judge.knows("SENDMESSAGE")
    assert not judge.knows("sendTelegram")
    assert judge.spelling("sendmessage") == "sendMessage"


def test_the_servers_own_answers_and_updates_are_judged_too(judge: Judge) -> None:
    message = {"message_id": 1, "date": 0, "chat": {"id": 7, "type": "private"}}

    assert judge.faults_of_answer("sendMessage", message) == []
    assert judge.faults_of_answer("sendMessage", {**message, "extra": 1}) == ["result.extra: unknown field"]
    assert judge.faults_of_answer("getUpdates", [{"update_id": 1, "message": message}]) == []
    assert judge.faults_of_update({"update_id": 1, "message": {"message_id": "x"}})
