from __future__ import annotations

from datetime import timedelta

from pydantic import TypeAdapter

from bot.durable.port import EntryKind
from bot.session.talk import exchanges
from memory import Recall
from tests.rooms import Room
from tests.samples import NOON
from tests.talks import Talk

CALL = {"role": "assistant", "calls": [{"id": "c1", "name": "memory_search", "arguments": {"query": "key"}}]}


def test_a_turn_is_what_was_said_and_the_answer() -> None:
    (turn,) = exchanges(Talk().turn("hello", "hi", told=("Noted.",)).recorded, agent="personal")

    question, answer = turn.said
    assert (question.who, question.text, question.by_agent) == ("Ada", "hello", False)
    assert (answer.who, answer.text, answer.told, answer.by_agent) == ("personal", "hi", ("Noted.",), True)
    assert (question.at, answer.at) == (NOON, NOON)


def test_a_message_has_the_time_at_which_it_was_sent() -> None:
    late = Talk(began=NOON + timedelta(hours=2)).turn("hello", "hi", sent_at=NOON.isoformat())

    (turn,) = exchanges(late.recorded, agent="personal")

    assert [said.at for said in turn.said] == [NOON, NOON + timedelta(hours=2)]


def test_who_has_no_name_is_the_owner() -> None:
    (turn,) = exchanges(Talk().turn("hello", name="").recorded, agent="personal")

    assert turn.said[0].who == "Owner"


def test_slash_commands_are_told_apart_from_the_conversation() -> None:
    talk = Talk().turn("/status", "fine").turn("／new", "begun").turn("/etc/hosts?", "a file", shown_as="/etc/hosts?")
    talk.work = [(EntryKind.STEP, CALL)]
    talk.turn("/usr/bin", "a folder")

    assert [turn.is_command for turn in exchanges(talk.recorded, agent="a")] == [True, True, True, False]


def test_what_is_no_turn_of_anybody_is_left_out() -> None:
    assert list(exchanges(Talk().reset().recorded, agent="personal")) == []


def test_the_tools_of_a_turn_stand_before_its_answer() -> None:
    talk = Talk()
    talk.work = [(EntryKind.STEP, CALL), (EntryKind.TOOL, {"role": "tool", "text": "{}", "call_id": "c1"})]
    (turn,) = exchanges(talk.turn("where?", "there", shown_as="where?").recorded, agent="personal")

    assert turn.said[-1].did == ('memory_search({"query": "key"})',)


async def test_an_answer_that_only_quotes_says_what_it_quotes(here: Room) -> None:
    await here.say("/remember The key hangs by the door.")
    reply = await here.reply("where is the key?")
    assert reply.evidence
    body = TypeAdapter(Recall).dump_python(reply.evidence, mode="json")
    quoted = Talk()
    quoted.work = [(EntryKind.RECALL, body)]
    worded = Talk()
    worded.work = [(EntryKind.RECALL, body)]

    (by_memory,) = exchanges(quoted.turn("where?", "From memory").recorded, agent="personal")
    (by_model,) = exchanges(worded.turn("where?", "There.", shown_as="where?").recorded, agent="personal")

    assert [str(place) for place in by_memory.said[-1].quoted] == ["memory/2026-11-21.md#L4"]
    assert by_model.said[-1].quoted == ()


def test_a_message_that_is_only_a_file_is_told_by_its_kind() -> None:
    talk = Talk().turn("", "Seen.", files=[{"kind": "photo", "name": "a.jpg", "size": 1}])
    (turn,) = exchanges(talk.recorded, agent="personal")

    assert turn.said[0].text == "[photo]"
