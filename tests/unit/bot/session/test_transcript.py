from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from adapters.port import Attachment
from bot.burst import Burst
from bot.durable.port import EntryKind, Message
from bot.llm.port import Message as Said
from bot.llm.port import Role, ToolCall
from bot.session.transcript import entries, read_foreign
from bot.turn import Reply, Worked
from memory import Recall
from tests.samples import NOON, envelope

BURST = Burst((Message(1, envelope("one", update="1")), Message(2, envelope("two", update="2"))))


def written(reply: Reply) -> list[tuple[EntryKind, dict[str, Any]]]:
    recorded = entries(BURST, reply, at=NOON, is_foreign=False)
    assert {(entry.turn, entry.at) for entry in recorded} == {(BURST.turn, NOON)}
    return [(entry.kind, json.loads(entry.body)) for entry in recorded]


def test_a_turn_without_a_model_is_its_messages_and_the_reply() -> None:
    first, second, reply = written(Reply("fine", told=("Noted.",)))

    assert [body["text"] for _, body in (first, second)] == ["one", "two"]
    assert reply == (EntryKind.REPLY, {"text": "fine", "told": ["Noted."]})


def test_a_recall_follows_the_reply_that_rests_on_it_and_a_reset_is_last() -> None:
    recall = Recall("key?", "words", "", 1.0, ())

    kinds = [kind for kind, _ in written(Reply("quoted", evidence=recall, ends_session=True))]

    assert kinds[-3:] == [EntryKind.REPLY, EntryKind.RECALL, EntryKind.RESET]


def test_a_turn_of_a_model_records_what_it_saw_and_what_it_did() -> None:
    call = Said(Role.ASSISTANT, "", (ToolCall("c", "now"),))
    result = Said(Role.TOOL, "Saturday", call_id="c")
    worked = Worked("[12:00] one two", ("k3f9a2mq",), (call, result), snapshot='{"files": []}', extra={"sig": "x"})

    recorded = written(Reply("Saturday", worked=worked))

    assert [kind.value for kind, _ in recorded] == ["snapshot", "message", "message", "step", "tool", "reply"]
    assert "shown_as" not in recorded[1][1]
    assert recorded[2][1]["shown_as"] == "[12:00] one two"
    assert recorded[2][1]["shown"] == ["k3f9a2mq"]
    assert recorded[3][1]["calls"][0]["name"] == "now"
    assert recorded[5][1] == {"text": "Saturday", "extra": {"sig": "x"}}


def test_half_a_sign_cannot_spoil_the_record() -> None:
    (_, reply) = written(Reply("broken \ud800 sign"))[-1]

    assert reply["text"].encode("utf-8")


def test_the_files_of_a_message_are_recorded_by_name_and_size() -> None:
    said = envelope("look", update="1")
    file = Attachment("photo", "a\ud83d.jpg", "image/jpeg", 7, "secret")
    burst = Burst((Message(1, replace(said, inbound=replace(said.inbound, attachments=(file,)))),))

    (message, _) = entries(burst, Reply("Seen."), at=NOON, is_foreign=True)
    assert json.loads(message.body)["files"] == [{"kind": "photo", "name": "a\ufffd.jpg", "size": 7}]


@pytest.mark.parametrize("reply", [Reply("fine"), Reply("fine", worked=Worked("one two"))])
@pytest.mark.parametrize("is_foreign", [True, False])
def test_every_message_of_a_turn_says_whether_others_words_went_into_it(reply: Reply, *, is_foreign: bool) -> None:
    recorded = entries(BURST, reply, at=NOON, is_foreign=is_foreign)
    bodies = [json.loads(entry.body) for entry in recorded if entry.kind is EntryKind.MESSAGE]

    assert [body["is_foreign"] for body in bodies] == [is_foreign] * 2
    assert read_foreign(bodies) == is_foreign


@pytest.mark.parametrize(
    ("bodies", "is_foreign"),
    [
        ([], True),
        ([{"text": "quoted by an earlier version, perhaps"}], True),
        ([{}, {"shown_as": "seen by a model"}], False),
        ([{}, {"shown_as": "seen by a model", "is_foreign": True}], True),
        ([{"is_foreign": False}, {}], True),
    ],
)
def test_what_no_message_says_is_taken_for_the_worst(bodies: list[dict[str, Any]], *, is_foreign: bool) -> None:
    assert read_foreign(bodies) == is_foreign
