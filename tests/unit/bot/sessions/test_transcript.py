from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from adapters.port import Attachment, Button, ChatKind
from bot.llm.types import Message as Said
from bot.llm.types import Role, ToolCall
from bot.sessions.transcript import ANSWERED_WITHIN, Transcript
from bot.sessions.turns import decode_turns, entries
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal
from bot.storage.port import Effects, EntryKind, Envelope, TranscriptEntry
from bot.storage.tables.redaction import redact_body
from bot.storage.tables.transcripts import read_foreign
from bot.turn import PendingAction, Reply, ShownFact, Worked
from memory import Recall
from tests.support.conversation import TranscriptBuilder
from tests.support.factories import NOON, chat, envelope, inbound, session

SAID = (envelope("one", update="1"), envelope("two", update="2"))
TURN = SAID[0].turn


def written(reply: Reply) -> list[tuple[EntryKind, dict[str, Any]]]:
    recorded = entries(SAID, TURN, reply, at=NOON, is_foreign=False)
    assert {(entry.turn, entry.at) for entry in recorded} == {(TURN, NOON)}
    return [(entry.kind, json.loads(entry.body)) for entry in recorded]


def test_a_turn_without_a_model_is_its_messages_and_the_reply() -> None:
    first, second, reply = written(Reply("fine", told=("Noted.",)))

    assert [body["text"] for _, body in (first, second)] == ["one", "two"]
    assert reply == (EntryKind.REPLY, {"text": "fine", "told": ["Noted."]})


def test_what_a_reply_offers_stands_in_it_and_its_words_are_masked_with_it() -> None:
    offer = PendingAction(
        "k7m2p", "owner", NOON, (ShownFact("k3f9a2mq", "The key is under the pot."),), text="It is here."
    )

    ((kind, body),) = written(Reply("?", pending=offer))[2:]
    masked = json.loads(redact_body(json.dumps(body), lambda text: "…" if " " in text else text))

    assert kind is EntryKind.REPLY
    assert masked["pending"]["facts"] == [{"id": "k3f9a2mq", "text": "…"}]
    assert masked["pending"]["text"] == "…"
    assert masked["pending"]["token"] == "k7m2p"


@pytest.mark.parametrize(("minutes", "offered"), [(59, ["/yes x"]), (61, [])])
async def test_who_was_asked_in_a_group_can_answer_for_an_hour_though_others_were_answered_since(
    minutes: int, offered: list[str]
) -> None:
    coordinator, group = InMemoryCoordinator(), chat("-100", kind=ChatKind.GROUP)
    (grant,) = await coordinator.claim("test", ["personal"])
    for text, sender, since in (("x", "1", 0), *(("y", "2", minutes),) * 3):
        said = Envelope("personal", Principal(sender, "", is_owner=False), inbound(text, update=text, at=group))
        reply = Reply("Shall I?", buttons=(Button("Yes", f"/yes {text}"),))
        recorded = entries([said] * 12, text, reply, at=NOON + timedelta(minutes=since), is_foreign=False)
        await coordinator.commit(grant, Effects(session(at=group), (), entries=recorded, turn=text))

    transcript = Transcript(coordinator)
    shown = [await transcript.last_choices(session(at=group), by=who) for who in ("1", "2", "3", "")]
    assert [[one.data for one in choices] for choices in shown] == [offered, ["/yes y"], [], ["/yes y"]]


@pytest.mark.parametrize(("who", "minutes", "job", "offered"), [
    ("1", 60, False, ["/yes"]), ("1", 61, False, []), ("2", 1, False, []), ("1", 1, True, []),
])  # fmt: skip
async def test_just_offered_is_what_the_very_last_reply_offers_whom_it_answers(
    who: str, minutes: int, *, job: bool, offered: list[str]
) -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("test", ["personal"])
    said = Envelope("personal", Principal("1", "", is_owner=False), inbound("x", update="1"))
    recorded = entries([said], "t", Reply("Shall I?", buttons=(Button("Yes", "/yes"),)), at=NOON, is_foreign=False)
    if job:
        recorded += (TranscriptEntry(EntryKind.REPLY, "j", NOON, json.dumps({"text": "Tea", "is_job": True})),)
    await coordinator.commit(grant, Effects(session(), (), entries=recorded, turn="t"))

    since = NOON + timedelta(minutes=minutes) - ANSWERED_WITHIN
    made = await Transcript(coordinator).just_offered(session(), to=who, since=since)
    assert [one.data for one in made] == offered


async def test_a_replacement_is_open_until_its_newest_offer_is_decided_by_whom_it_was_made_to() -> None:
    transcript = Transcript(coordinator := InMemoryCoordinator())
    (grant,) = await coordinator.claim("test", ["personal"])

    async def answer(turn: str, reply: Reply) -> None:
        said = [Envelope("personal", Principal("owner", "", is_owner=True), inbound(turn, update=turn))]
        recorded = entries(said, turn, reply, at=NOON, is_foreign=False)
        await coordinator.commit(grant, Effects(session(), (), entries=recorded, turn=turn))

    for token in ("a", "b"):
        made = PendingAction(token, "owner", NOON, text=f"It is {token}.", replaces="k3f9a2mq")
        await answer(token, Reply("Shall I?", pending=made))
    await answer(
        "c", Reply("Shall I?", pending=PendingAction("c", "guest", NOON, text="It is c.", replaces="k3f9a2mq"))
    )

    assert await transcript.open_replacements(session(), to="owner") == {"k3f9a2mq": "It is b."}
    await answer("d", Reply("Nothing was changed.", closes="b"))
    assert await transcript.open_replacements(session(), to="owner") == {}


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
    said = replace(said, inbound=replace(said.inbound, attachments=(file,)))

    (message, _) = entries([said], TURN, Reply("Seen."), at=NOON, is_foreign=True)
    assert json.loads(message.body)["files"] == [{"kind": "photo", "name": "a\ufffd.jpg", "size": 7}]


@pytest.mark.parametrize("reply", [Reply("fine"), Reply("fine", worked=Worked("one two"))])
@pytest.mark.parametrize("is_foreign", [True, False])
def test_every_message_of_a_turn_says_whether_others_words_went_into_it(reply: Reply, *, is_foreign: bool) -> None:
    recorded = entries(SAID, TURN, reply, at=NOON, is_foreign=is_foreign)
    bodies = [json.loads(entry.body) for entry in recorded if entry.kind is EntryKind.MESSAGE]

    assert [body["is_foreign"] for body in bodies] == [is_foreign] * 2
    assert read_foreign(bodies) == is_foreign


CALL = {"role": "assistant", "calls": [{"id": "c1", "name": "memory_search", "arguments": {"query": "key"}}]}


def test_a_turn_is_what_was_said_and_the_answer() -> None:
    (turn,) = decode_turns(TranscriptBuilder().turn("hello", "hi", told=("Noted.",)).recorded)

    question, answer = turn.said("personal")
    assert (question.who, question.text, question.by_agent) == ("Ada", "hello", False)
    assert (answer.who, answer.text, answer.told, answer.by_agent) == ("personal", "hi", ("Noted.",), True)
    assert (question.at, answer.at) == (NOON, NOON)


def test_a_message_has_the_time_at_which_it_was_sent() -> None:
    late = TranscriptBuilder(began=NOON + timedelta(hours=2)).turn("hello", "hi", sent_at=NOON.isoformat())

    (turn,) = decode_turns(late.recorded)

    assert [said.at for said in turn.said("personal")] == [NOON, NOON + timedelta(hours=2)]


def test_who_has_no_name_is_the_owner() -> None:
    (turn,) = decode_turns(TranscriptBuilder().turn("hello", name="").recorded)

    assert turn.said("personal")[0].who == "Owner"


def test_slash_commands_are_told_apart_from_the_conversation() -> None:
    talk = (
        TranscriptBuilder()
        .turn("/status", "fine")
        .turn("／new", "begun")
        .turn("/etc/hosts?", "a file", shown_as="/etc/hosts?")
        .turn("/home is full, what now?", "Said with a command.")
        .turn("/home/ada is full, what now?", "Remove something.")
    )

    assert [turn.is_command for turn in decode_turns(talk.recorded)] == [True, True, False, True, False]


def test_what_is_no_turn_of_anybody_is_left_out() -> None:
    assert [turn.said("personal") for turn in decode_turns(TranscriptBuilder().reset().recorded)] == [()]


def test_the_tools_of_a_turn_stand_before_its_answer() -> None:
    talk = TranscriptBuilder()
    talk.work = [(EntryKind.STEP, CALL), (EntryKind.TOOL, {"role": "tool", "text": "{}", "call_id": "c1"})]
    (turn,) = decode_turns(talk.turn("where?", "there", shown_as="where?").recorded)

    assert turn.said("personal")[-1].did == ('memory_search({"query": "key"})',)


def test_a_turn_tells_whether_a_model_had_a_part_in_it_and_whether_it_left_a_question_open() -> None:
    talk = TranscriptBuilder().turn("where?", "I know nothing about that.", is_open=True)
    by_memory, by_model = decode_turns(talk.turn("where?", "There.", shown_as="where?").recorded)

    assert (by_memory.by_model, by_memory.is_open) == (False, True)
    assert (by_model.by_model, by_model.is_open) == (True, False)


def test_a_message_that_is_only_a_file_is_told_by_its_kind() -> None:
    talk = TranscriptBuilder().turn("", "Seen.", files=[{"kind": "photo", "name": "a.jpg", "size": 1}])
    (turn,) = decode_turns(talk.recorded)

    assert turn.said("personal")[0].text == "[photo]"


async def test_a_long_answer_without_the_end_of_a_sentence_is_looked_through_once() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("test", ["personal"])
    bodies = ({"text": "ab" * 500_000}, {"text": "⏰ Tea", "choices": [["Done", "/done"]], "is_job": True})
    recorded = tuple(TranscriptEntry(EntryKind.REPLY, "t", NOON, json.dumps(body)) for body in bodies)
    await coordinator.commit(grant, Effects(session(), (), entries=recorded, turn="t"))

    assert [one.label for one in await Transcript(coordinator).last_choices(session(), "1")] == ["Done"]
