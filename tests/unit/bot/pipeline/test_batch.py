from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.port import Attachment, Happening
from bot.pipeline.batch import MessageBatch, put_owner_first
from bot.storage.keys import Principal
from bot.storage.port import GroupMessage, QueuedMessage
from tests.support.factories import NOON, envelope


def message(
    seq: int, text: str = "text", *, turn: int | None = None, attempts: int = 0, who: str = "owner"
) -> QueuedMessage:
    sent = replace(envelope(text, update=str(seq)), principal=Principal(f"terminal:{who}", who, is_owner=True))
    return QueuedMessage(seq, sent, turn, attempts)


def taken(messages: Iterable[QueuedMessage], *, before: int = 0, limit: int = 20) -> list[MessageBatch]:
    waiting = deque(messages)
    batches = []
    while waiting:
        batches.append(MessageBatch.take(waiting, before=before, limit=limit))
    return batches


def seqs(batches: list[MessageBatch]) -> list[tuple[int, ...]]:
    return [batch.seqs for batch in batches]


def test_what_one_person_said_in_a_row_is_one_turn() -> None:
    (batch,) = taken([message(1, "one"), message(2, "two"), message(3, "three")])

    assert batch.text == "one\ntwo\nthree"
    assert batch.turn == "terminal.local:1"
    assert batch.newest.inbound.message == "m3"


def test_commands_and_buttons_stand_alone() -> None:
    plain = message(5, "yes")
    tap = replace(plain.envelope.inbound, happening=Happening.BUTTON)
    tapped = replace(plain, envelope=replace(plain.envelope, inbound=tap))

    batches = taken([message(1), message(2), message(3, " /forget it"), message(4), tapped, message(6), message(7)])

    assert seqs(batches) == [(1, 2), (3,), (4,), (5,), (6, 7)]


def test_people_are_not_mixed() -> None:
    assert seqs(taken([message(1), message(2, who="gus"), message(3, who="gus"), message(4)])) == [(1,), (2, 3), (4,)]


def test_a_batch_has_a_limit() -> None:
    assert seqs(taken([message(n) for n in range(1, 6)], limit=2)) == [(1, 2), (3, 4), (5,)]
    assert seqs(taken([message(n) for n in range(1, 4)], limit=1)) == [(1,), (2,), (3,)]


def test_what_was_left_over_is_not_mixed_with_what_comes_now() -> None:
    assert seqs(taken([message(n) for n in range(1, 6)], before=3)) == [(1, 2), (3, 4, 5)]


def test_a_turn_that_began_before_comes_back_with_the_same_messages_whatever_the_limits_are_now() -> None:
    begun = [message(n, turn=1, attempts=2) for n in (1, 2, 3)]

    batches = taken([*begun, message(4), message(5)], before=2, limit=1)

    assert seqs(batches) == [(1, 2, 3), (4,), (5,)]
    assert batches[0].attempts == 2


def test_a_turn_that_began_before_has_all_its_messages_though_others_stand_between_them() -> None:
    messages = [message(1, turn=1), message(2, who="gus"), message(3, turn=1), message(4)]

    assert seqs(taken(messages)) == [(1, 3), (2,), (4,)]


def test_two_turns_that_began_before_stay_two() -> None:
    batches = taken([message(1, turn=1, attempts=1), message(2, turn=2, attempts=1), message(3)])

    assert seqs(batches) == [(1,), (2,), (3,)]


FILE = Attachment("document", "x.txt", "text/plain", 1, "r")
SAID_BEFORE = GroupMessage("Mallory", "x", NOON, is_foreign=True)


@pytest.mark.parametrize(
    "fields",
    [
        {"quote": "x"},
        {"attachments": (FILE,)},
        {"piece_of": "album"},
        {"reply_token": "t", "awaits_answer": True},
        {"text": "/recall x"},
        {"happening": Happening.EDIT},
        {"addressed": False},
        {"is_unattended": True},
    ],
)
def test_to_a_turn_plain_words_of_its_person_are_added_and_nothing_after_other_ones(fields: dict[str, Any]) -> None:
    other = message(4)
    other = replace(other, envelope=replace(other.envelope, inbound=replace(other.envelope.inbound, **fields)))
    waiting = deque([message(2, who="gus"), message(3), other, message(5)])
    (running,) = taken([message(1)])

    added = running.begun().take_additions(waiting, limit=20)

    assert [(one.seq, one.turn, one.attempts) for one in added] == [(3, 1, 1)]
    assert [one.seq for one in waiting] == [2, 4, 5]


def test_a_message_stops_no_job_and_no_command_stops_a_turn() -> None:
    asked, other = message(1), message(2, "no, this")
    job = replace(asked.envelope, inbound=replace(asked.envelope.inbound, happening=Happening.JOB))

    assert MessageBatch((asked,)).is_meant_by(other)
    assert not MessageBatch((replace(asked, envelope=job),)).is_meant_by(other)
    assert not MessageBatch((asked,)).is_meant_by(message(3, "/recall x"))
    assert not MessageBatch((asked,)).is_meant_by(message(4, who="gus"))


def test_what_was_said_in_a_group_before_a_message_goes_into_no_running_turn() -> None:
    other = message(2)
    waiting = deque([replace(other, envelope=replace(other.envelope, before=(SAID_BEFORE,)))])
    (running,) = taken([message(1)])

    assert running.begun().take_additions(waiting, limit=20) == ()
    assert len(waiting) == 1


def test_no_more_is_added_than_a_turn_may_have() -> None:
    waiting = deque([message(2), message(3), message(4)])
    (running,) = taken([message(1)])

    assert len(running.begun().take_additions(waiting, limit=3)) == 2
    assert [one.seq for one in waiting] == [4]


def test_a_begun_batch_is_found_again() -> None:
    (batch,) = taken([message(1), message(2)])

    (again,) = taken(batch.begun().messages)

    assert again.seqs == batch.seqs
    assert again.attempts == batch.attempts + 1
    assert (again.turn, again.error_id, again.text) == (batch.turn, batch.error_id, batch.text)


said_by_two = st.lists(st.tuples(st.sampled_from(["a", "/b"]), st.sampled_from(["x", "y"])), max_size=30)


@given(said_by_two, st.integers(1, 5), st.integers(0, 30))
def test_no_message_is_lost_or_moved(said: list[tuple[str, str]], limit: int, before: int) -> None:
    messages = [message(n, text, who=who) for n, (text, who) in enumerate(said, 1)]

    batches = taken(messages, before=before, limit=limit)

    assert [m for batch in batches for m in batch.messages] == messages
    assert all(1 <= len(batch.messages) <= limit for batch in batches)


def test_a_job_overtakes_nobody_whoever_spoke_last_when_it_was_made() -> None:
    owners, due = message(3, "text"), message(2, "/new")
    job = replace(due.envelope, inbound=replace(due.envelope.inbound, happening=Happening.JOB))
    guests = replace(owners.envelope, principal=Principal("terminal:gus", "Gus", is_owner=False))
    waiting = deque([replace(owners, seq=1, envelope=guests), replace(due, envelope=job), owners])

    put_owner_first(waiting)

    assert [one.seq for one in waiting] == [3, 1, 2]


def test_what_the_platform_wants_an_answer_of_its_own_to_stands_alone() -> None:
    def asked(seq: int) -> QueuedMessage:
        sent = message(seq)
        inbound = replace(sent.envelope.inbound, reply_token=f"t{seq}", awaits_answer=True)
        return replace(sent, envelope=replace(sent.envelope, inbound=inbound))

    assert seqs(taken([asked(1), asked(2), message(3), message(4)])) == [(1,), (2,), (3, 4)]


def test_what_says_who_may_be_answered_is_still_plain_words() -> None:
    def on_discord(seq: int) -> QueuedMessage:
        sent = message(seq)
        return replace(sent, envelope=replace(sent.envelope, inbound=replace(sent.envelope.inbound, reply_token="t")))

    (running,) = taken([on_discord(1)])

    assert [one.seq for one in running.begun().take_additions(deque([on_discord(2)]), limit=20)] == [2]
