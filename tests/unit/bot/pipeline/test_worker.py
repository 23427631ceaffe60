from __future__ import annotations

import asyncio
import io
import json
import logging
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from adapters.in_memory import PLAIN, InMemoryAdapter
from adapters.port import (
    Address,
    Attachment,
    Button,
    Capabilities,
    ChatKind,
    Happening,
    Inbound,
    Outbound,
    Receipt,
    Sender,
    Status,
)
from bot.access.chat_settings import Listen, Reactions
from bot.errors import Fenced, Missing, StateError
from bot.log import Mask, to_stream
from bot.pipeline.worker import AGAIN_S, CRASH_SERIES, MAX_ATTEMPTS, MAX_DEATHS, STEADY_S
from bot.sessions.transcript import Transcript
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal
from bot.storage.port import EntryKind, Envelope
from bot.storage.sqlite import SqliteCoordinator
from bot.supervision import KeyedQueues
from bot.turn import Reply, Turn, Worked
from memory import OWNER, Citation, FrozenClock, Hit, Kind, Origin, Recall, errors
from tests.support.factories import NOON, chat, envelope, inbound, session
from tests.support.service import ACCESS_RULES, AGENTS, PeopleAdapter, ServiceHarness, echo


class Diary:
    """A responder that notes the turns it was asked, and fails as told."""

    def __init__(self, *failures: Exception) -> None:
        self.turns: list[Turn] = []
        self._failures = list(failures)

    async def __call__(self, turn: Turn) -> Reply:
        self.turns.append(turn)
        if self._failures:
            raise self._failures.pop(0)
        return Reply(f"re: {turn.text}")


async def test_what_is_said_is_answered() -> None:
    assert await ServiceHarness(echo).run("hello") == ["hello"]


async def test_a_turn_knows_who_where_when_and_with_which_rights() -> None:
    diary = Diary()
    stand = ServiceHarness(diary)
    said = stand.adapter.say("hello")
    await stand.run()

    (turn,) = diary.turns

    assert turn.id == f"volatile.bot:{said.update}"
    assert (turn.agent.name, turn.session) == ("personal", session(at=said.address))
    assert (turn.principal.id, turn.origin, turn.scope) == ("volatile:owner", Origin.OWNER, OWNER)
    assert (turn.text, turn.at) == ("hello", said.sent_at)


async def test_in_a_group_nobody_reaches_the_owners_memory() -> None:
    diary = Diary()
    stand = ServiceHarness(diary)
    stand.adapter.say("hello", chat="-100", kind=ChatKind.GROUP)
    await stand.run()

    assert (diary.turns[0].origin, diary.turns[0].scope) == (Origin.GUEST, "chat:volatile.bot:-100")


async def test_a_session_is_answered_one_turn_at_a_time_and_in_order_while_others_go_on() -> None:
    running: list[str] = []
    gate = asyncio.Event()

    async def slow(turn: Turn) -> Reply:
        key = turn.session.address.chat
        assert key not in running
        running.append(key)
        if turn.text == "wait":
            await gate.wait()
        elif key == "b":
            gate.set()
        running.remove(key)
        return Reply(f"{key}: {turn.text}")

    stand = ServiceHarness(slow, burst=1)
    for text in ("wait", "two", "three"):
        stand.adapter.say(text, chat="a")
    stand.adapter.say("one", chat="b")

    shown = await stand.run()

    assert [text for text in shown if text.startswith("a")] == ["a: wait", "a: two", "a: three"]
    assert "b: one" in shown


async def test_what_waits_meanwhile_is_one_turn_and_its_answer_refers_to_the_newest() -> None:
    gate = asyncio.Event()
    stand = ServiceHarness(echo)

    async def respond(turn: Turn) -> Reply:
        if turn.text == "first":
            for text in ("second", "third", "/command", "fourth"):
                stand.adapter.say(text)
            stand.adapter.leave()
            await gate.wait()
        return Reply(turn.text)

    async def let_go_when_all_wait() -> None:
        (grant,) = await stand.coordinator.claim("spy", ["nobody"])
        personal = replace(grant, agent="personal")
        seen = 0
        while seen < 5:
            seen = (await stand.coordinator.pending(personal, after=seen))[-1].seq
        gate.set()

    stand = ServiceHarness(respond)
    stand.adapter.say("first")
    async with asyncio.TaskGroup() as group:
        group.create_task(let_go_when_all_wait())
        await stand.service.run(AGENTS, owner="test")

    assert [out.text for out in stand.adapter.shown] == ["first", "second\nthird", "/command", "fourth"]
    assert [out.reply_to for out in stand.adapter.shown] == ["in-1", "in-3", "in-4", "in-5"]


BOB = Sender("bob", "Bob")
ME = Sender("owner", "Owner")
HIT = Hit(
    "k3f9a2mq", Kind.NOTE, None, (), "x", Citation("a.md", 1, 1), Citation("a.md", 1, 1), OWNER, Origin.OWNER, 1.0
)


@pytest.mark.parametrize(
    ("fields", "is_foreign"),
    [
        ({}, False),
        ({"quote": "x", "quote_by": ME}, False),
        ({"quote": "x", "quote_by": BOB}, True),
        ({"quote": "x"}, True),
        ({"attachments": (Attachment("document", "x.txt", "text/plain", 1, "r"),)}, True),
        ({"attachments": (Attachment("photo", "x.jpg", "image/jpeg", 1, "r"),)}, False),
    ],
)
async def test_a_turn_leaves_whether_others_words_came_with_it(fields: dict[str, Any], *, is_foreign: bool) -> None:
    stand = ServiceHarness(echo)
    said = replace(stand.adapter.say("hello", sender="stranger"), update="q", sender=ME, **fields)
    stand.adapter.repeat(said)
    await stand.run()

    await check_left(stand, said, is_foreign=is_foreign)


@pytest.mark.parametrize(
    ("reply", "is_foreign"),
    [
        (Reply("x", origins=frozenset({Origin.OWNER, Origin.AGENT})), False),
        (Reply("x", origins=frozenset({Origin.OWNER, Origin.UNTRUSTED})), True),
        (Reply("x", evidence=Recall("q", "words", "", 1.0, (HIT,))), False),
        (Reply("x", evidence=Recall("q", "words", "", 1.0, (HIT, replace(HIT, origin=Origin.GUEST)))), True),
        (Reply("x", worked=Worked("x")), False),
        (Reply("x", worked=Worked("x", is_foreign=True)), True),
    ],
)
async def test_a_turn_leaves_whether_others_words_are_in_its_answer(reply: Reply, *, is_foreign: bool) -> None:
    async def respond(_: Turn) -> Reply:
        return reply

    stand = ServiceHarness(respond)
    said = stand.adapter.say("hello")
    await stand.run()

    await check_left(stand, said, is_foreign=is_foreign)


async def check_left(stand: ServiceHarness, said: Inbound, *, is_foreign: bool) -> None:
    """The record of a turn says so, and its answer is the agent's own word if it is not."""
    key = session(at=said.address)
    entry = await stand.coordinator.last(key, EntryKind.MESSAGE)
    assert entry
    assert json.loads(entry.body)["is_foreign"] is is_foreign
    assert await stand.coordinator.is_own_answer(key, "0") is not is_foreign


async def test_an_error_with_a_remedy_is_the_answer() -> None:
    diary = Diary(Missing("There is no such fact.", hint="Try /recall."), errors.TooLarge("Too long.", hint="Cut it."))

    assert await ServiceHarness(diary, burst=1).run("/forget x", "/remember y") == [
        "There is no such fact. Try /recall.",
        "Too long. Cut it.",
    ]
    assert len(diary.turns) == 2


BUSY = errors.Busy("The index cannot be reached.", hint="Try again in a moment.")


@pytest.mark.parametrize(
    ("failures", "answer"), [([BUSY, StateError("The disk refused.")], "re: tea?"), ([BUSY] * MAX_ATTEMPTS, str(BUSY))]
)
async def test_a_turn_begins_again_after_what_passes_and_what_stays_is_the_answer(
    failures: list[Exception], answer: str
) -> None:
    diary = Diary(*failures)
    stand = ServiceHarness(diary)

    assert await stand.run("tea?") == [answer]
    assert len({turn.id for turn in diary.turns}) == 1
    assert [turn.is_last for turn in diary.turns] == [False] * (MAX_ATTEMPTS - 1) + [True]
    assert stand.pause.waited.count(AGAIN_S) == MAX_ATTEMPTS - 1


async def test_a_job_that_fails_again_and_again_is_given_up_without_a_word_in_the_chat() -> None:
    async def respond(turn: Turn) -> Reply:
        if turn.is_job:
            raise ValueError(turn.id)
        return Reply(turn.text)

    stand = ServiceHarness(respond, burst=1)
    stand.adapter.repeat(due(stand.adapter.say("hello")))
    with capture_logs() as log:
        assert await stand.run() == ["hello"]

    assert [event["event"] for event in log if "error_id" in event][-1] == "turn.set_aside"
    assert await ServiceHarness(respond, stand.coordinator).run() == []


async def test_a_failure_is_tried_again_as_the_same_turn() -> None:
    diary = Diary(ValueError("once"), ValueError("twice"))

    assert await ServiceHarness(diary).run("hello") == ["re: hello"]
    assert len({turn.id for turn in diary.turns}) == 1
    assert len(diary.turns) == 3


async def test_after_three_failures_the_chat_is_told_once_and_the_next_message_is_answered() -> None:
    diary = Diary(*(ValueError("always") for _ in range(3)))
    coordinator = InMemoryCoordinator()
    stand = ServiceHarness(diary, coordinator, burst=1)

    with capture_logs() as log:
        notice, answer = await stand.run("poison", "bread")

    assert answer == "re: bread"
    assert "3 times" in notice
    failures = [event for event in log if "error_id" in event]
    assert [event["event"] for event in failures] == ["turn.failed"] * 3 + ["turn.set_aside"]
    (error_id,) = {event["error_id"] for event in failures}
    assert notice.count(error_id) == 2
    assert await ServiceHarness(diary, coordinator).run() == []


async def test_what_was_set_aside_and_is_tried_again_repeats_nothing_that_its_tools_have_done(tmp_path: Path) -> None:
    noted: list[str] = []

    async def respond(turn: Turn) -> Reply:
        for call in ("milk",) if len(noted) < MAX_ATTEMPTS else ("bread", "milk"):  # asked again, a model changes
            begun = await turn.effects.begin(call)
            noted.append(begun.op_id)
            await turn.effects.done(call, '{"text": "", "told": []}')
        raise ValueError(turn.id)

    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        first = ServiceHarness(respond, coordinator)
        await first.run("note it")
        assert await coordinator.dead_letters.retry("all")
        second = ServiceHarness(respond, coordinator)
        await second.run()

    milk, bread = noted[0], noted[MAX_ATTEMPTS]
    assert milk != bread
    assert noted == [milk] * MAX_ATTEMPTS + [bread, milk] * MAX_ATTEMPTS
    ids = [out.id for stand in (first, second) for out in stand.adapter.shown]
    assert len(set(ids)) == 2, "some platforms take a second message with the same id for a repetition"


@pytest.mark.parametrize("silent", [Reply(""), Reply("Stopped.")])
async def test_a_command_that_finds_nothing_to_do_leaves_the_choices_of_the_answer_before_it(silent: Reply) -> None:
    async def respond(turn: Turn) -> Reply:
        if turn.is_job:
            return replace(silent, is_silent=True, by_command=True)
        return Reply("Shall I?", buttons=(Button("Yes", "/yes"),))

    stand = ServiceHarness(respond)
    stand.adapter.repeat(due(stand.adapter.say("do it")))
    await stand.run()

    assert await Transcript(stand.coordinator).last_choices(session(at=stand.adapter.shown[0].to))


@pytest.mark.parametrize("is_awaited", [True, False])
async def test_what_a_job_offers_can_be_typed_only_where_somebody_has_asked_for_it(*, is_awaited: bool) -> None:
    async def respond(turn: Turn) -> Reply:
        offered = (Button("Show", "/captured show x"), Button("Undo", "/captured undo x")) if turn.is_job else ()
        return Reply(turn.text, buttons=offered, is_awaited=is_awaited)

    stand = ServiceHarness(respond)
    stand.adapter.repeat(due(stand.adapter.say("do it")))
    await stand.run()

    choices = await Transcript(stand.coordinator).last_choices(session(at=stand.adapter.shown[0].to))
    assert [choice.label for choice in choices] == (["Show", "Undo"] if is_awaited else [])


@pytest.mark.parametrize("is_job", [True, False])
async def test_what_an_answer_offers_is_for_whoever_was_answered_and_what_a_reminder_does_for_all(
    *, is_job: bool
) -> None:
    async def respond(turn: Turn) -> Reply:
        return Reply("Shall I?", buttons=(Button("Yes", "/yes"),) if turn.is_job is is_job else (), is_awaited=True)

    stand = ServiceHarness(respond)
    asked = stand.adapter.say("do it", chat="-100", kind=ChatKind.GROUP)
    stand.adapter.repeat(due(asked)) if is_job else None
    await stand.run()

    said, transcript = session(at=stand.adapter.shown[0].to), Transcript(stand.coordinator)
    assert await transcript.last_choices(said, by=f"volatile:{asked.sender.id}")
    assert bool(await transcript.last_choices(said, by="volatile:somebody")) is is_job


@pytest.mark.parametrize(
    ("asked", "said", "chosen"),
    [
        ("Which one: 1 or 2?", "1", []),
        ("1. the boat\n2. the car\nWhich one?", "2", []),
        ("It is on 1 May.", "1", ["10 minutes", "Done"]),
        ("Which of 10?", "1", ["10 minutes", "Done"]),
        ("Is the report done?", "done", []),
        ("报告做完了吗？", "done", ["10 minutes", "Done"]),
        ("I have done that. Anything else?", "done", ["10 minutes", "Done"]),
        ("Shall I?", "yes", ["Yes"]),
        ("Shall I?", "", ["10 minutes", "Done"]),
    ],
)
async def test_a_reminder_that_rings_takes_no_answer_from_the_question_before_it(
    asked: str, said: str, chosen: list[str]
) -> None:
    async def respond(turn: Turn) -> Reply:
        if turn.is_job:
            rings = (Button("10 minutes", "/reminders snooze x 10m"), Button("Done", "/reminders done x"))
            return Reply("⏰ Tea", buttons=rings, is_awaited=True)
        return Reply(asked, buttons=(Button("Yes", "/yes"),) if asked == "Shall I?" else ())

    stand = ServiceHarness(respond)
    stand.adapter.repeat(due(stand.adapter.say("do it")))
    await stand.run()

    choices = await Transcript(stand.coordinator).last_choices(session(at=stand.adapter.shown[0].to), said)
    assert [choice.label for choice in choices] == chosen


@pytest.mark.parametrize(("before_s", "within_s", "is_late"), [(0, 600, False), (600, 0, True)])
async def test_a_job_is_late_if_it_began_late_however_long_it_takes(
    before_s: int, within_s: int, *, is_late: bool
) -> None:
    async def respond(turn: Turn) -> Reply:
        assert isinstance(turn.agent.clock, FrozenClock)
        turn.agent.clock.advance(seconds=within_s if turn.is_job else before_s)
        return Reply(turn.text)

    stand = ServiceHarness(respond)
    stand.adapter.repeat(due(stand.adapter.say("hello")))
    _, done = await stand.run()

    assert ("comes late" in done) is is_late


def due(said: Inbound) -> Inbound:
    """A job in the chat of a message."""
    return replace(said, update="job", text="/tidy", happening=Happening.JOB)


class Killed(BaseException):
    """The process was killed."""


async def killed_while_answering(coordinator: InMemoryCoordinator, *, times: int) -> None:
    """Say something to a service that is killed each time it begins to answer."""

    async def killed(turn: Turn) -> Reply:
        raise Killed(turn.id)

    for attempt in range(times):
        with pytest.raises(BaseExceptionGroup) as ended:
            await ServiceHarness(killed, coordinator).run(*(["hello"] if attempt == 0 else []))
        assert ended.group_contains(Killed)


async def test_a_turn_in_which_a_steady_process_is_killed_after_others_were_is_set_aside() -> None:
    coordinator = InMemoryCoordinator()
    await killed_while_answering(coordinator, times=MAX_DEATHS + 1)

    diary = Diary()
    (notice,) = await ServiceHarness(diary, coordinator).run()
    assert "I was interrupted 4 times" in notice
    assert "set your message aside" in notice
    assert diary.turns == []


async def test_a_turn_in_which_the_process_was_killed_a_few_times_is_answered_all_the_same() -> None:
    coordinator = InMemoryCoordinator()
    await killed_while_answering(coordinator, times=MAX_DEATHS)

    assert await ServiceHarness(Diary(), coordinator).run() == ["re: hello"]


class Unsteady:
    """A pause that waits for nothing but a process's becoming steady, which the test decides on."""

    def __init__(self) -> None:
        self.steady = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        await (self.steady.wait() if seconds == STEADY_S else asyncio.sleep(0))


async def test_a_turn_that_died_alone_often_waits_for_a_steady_process_while_others_are_answered() -> None:
    coordinator, pause = InMemoryCoordinator(), Unsteady()
    await killed_while_answering(coordinator, times=MAX_DEATHS)
    turns: list[str] = []

    async def respond(turn: Turn) -> Reply:
        turns.append(turn.text)
        pause.steady.set()
        return Reply(turn.text)

    await coordinator.publish(envelope("another chat", update="another", at=chat("elsewhere")))
    async with asyncio.timeout(10):
        await ServiceHarness(respond, coordinator, pause=pause).run()

    assert turns == ["another chat", "hello"]


async def test_a_guests_turn_that_waits_for_a_steady_process_keeps_no_other_guest_waiting() -> None:
    coordinator, pause = InMemoryCoordinator(), Unsteady()

    async def killed(turn: Turn) -> Reply:
        raise Killed(turn.id)

    for attempt in range(MAX_DEATHS):
        stand = ServiceHarness(killed, coordinator)
        if attempt == 0:
            stand.adapter.say("poison", chat="a", sender="ana")
        with pytest.raises(BaseExceptionGroup):
            await stand.run()

    async def respond(turn: Turn) -> Reply:
        pause.steady.set()
        return Reply(turn.text)

    stand = ServiceHarness(respond, coordinator, pause=pause, guests_at_once=1)
    bo = Sender("bo", "Bo")
    await coordinator.publish(
        Envelope(
            "personal",
            Principal("volatile:bo", "Bo", is_owner=False),
            replace(inbound("hello", update="9", at=chat("b")), sender=bo),
        )
    )
    async with asyncio.timeout(10):
        assert await stand.run() == ["hello", "poison"]


async def test_after_a_series_of_crashes_one_turn_is_worked_on_at_a_time() -> None:
    coordinator, pause = InMemoryCoordinator(), Unsteady()
    for _ in range(CRASH_SERIES + 1):
        await coordinator.claim("crashes", AGENTS)
    under_way: list[str] = []
    together = 0

    async def respond(turn: Turn) -> Reply:
        nonlocal together
        under_way.append(turn.text)
        for _ in range(20):
            await asyncio.sleep(0)
        together = max(together, len(under_way))
        under_way.remove(turn.text)
        return Reply(turn.text)

    stand = ServiceHarness(respond, coordinator, pause=pause)
    for number in range(4):
        stand.adapter.say(str(number), chat=str(number))
    async with asyncio.timeout(10):
        await stand.run()

    assert together == 1


async def test_a_turn_among_others_is_not_charged_with_the_end_of_the_process() -> None:
    coordinator = InMemoryCoordinator()
    both = asyncio.Event()

    async def killed(turn: Turn) -> Reply:
        if turn.text == "poison":
            await both.wait()
            raise Killed(turn.id)
        both.set()
        await asyncio.Event().wait()
        raise AssertionError

    for times in range(CRASH_SERIES):
        stand = ServiceHarness(killed, coordinator, pause=Unsteady())
        if not times:
            stand.adapter.say("poison", chat="a")
            stand.adapter.say("hello", chat="b")
        with pytest.raises(BaseExceptionGroup):
            await stand.run()

    (grant, _) = await coordinator.claim("look", AGENTS)
    assert [message.deaths for message in await coordinator.pending(grant, after=0)] == [0, 0]


class Slow(InMemoryAdapter):
    """Answers at once what is a command; anything else when the answer to a command has been seen."""

    def __init__(self) -> None:
        super().__init__(now=lambda: NOON)
        self.begun: list[str] = []
        self._seen = asyncio.Event()

    async def respond(self, turn: Turn) -> Reply:
        self.begun.append(turn.text)
        if not turn.text.startswith("/"):
            await self._seen.wait()
        return Reply(f"re: {turn.text}")

    async def send(self, out: Outbound) -> Receipt:
        if out.text.startswith("re: /"):
            self._seen.set()
        return await super().send(out)


def tap(stand: ServiceHarness, data: str, *, sender: str = "owner") -> None:
    """Somebody taps on a button."""
    asked = stand.adapter.say("something else", chat="elsewhere", sender="stranger")
    said = replace(asked, update=f"tap {data}", address=chat("chat"), text=data, happening=Happening.BUTTON)
    stand.adapter.repeat(replace(said, sender=Sender(sender, sender)))


@pytest.mark.parametrize("sender", ["owner", "ana"])
async def test_a_tap_on_a_button_is_answered_while_a_slow_turn_runs(sender: str) -> None:
    slow, coordinator = Slow(), InMemoryCoordinator()
    stand = ServiceHarness(slow.respond, coordinator, adapter=slow, guests_at_once=1)
    stand.adapter.say("tell a story", sender=sender)
    tap(stand, "/yes", sender=sender)

    async with asyncio.timeout(10):
        assert await stand.run() == ["re: /yes", "re: tell a story"]

    assert sorted(slow.begun) == ["/yes", "tell a story"]
    assert await ServiceHarness(echo, coordinator).run() == [], "both are done, and each is done once"


async def test_a_tap_that_a_crash_left_over_is_answered_once_beside_the_turn_that_was_under_way() -> None:
    coordinator = InMemoryCoordinator()

    async def killed(turn: Turn) -> Reply:
        raise Killed(turn.id)

    stand = ServiceHarness(killed, coordinator)
    stand.adapter.say("tell a story")
    tap(stand, "/yes")
    with pytest.raises(BaseExceptionGroup):
        await stand.run()

    async with asyncio.timeout(10):
        slow = Slow()
        assert await ServiceHarness(slow.respond, coordinator, adapter=slow).run() == ["re: /yes", "re: tell a story"]
    assert await ServiceHarness(echo, coordinator).run() == []


async def test_a_tap_whose_data_is_no_command_waits_for_its_turn() -> None:
    stand = ServiceHarness(echo)
    stand.adapter.say("tell a story")
    tap(stand, "another story")

    assert await stand.run() == ["tell a story", "another story"]


STEERING = replace(ACCESS_RULES, queue={"volatile": "steer"}, reactions=Reactions.EVERYWHERE)


@pytest.mark.parametrize("end", ["the process is killed", "the turn fails"])
async def test_what_went_into_a_turn_that_breaks_is_answered_with_it_and_once(end: str) -> None:
    coordinator, people, turns = InMemoryCoordinator(), PeopleAdapter(FrozenClock(NOON)), list[Turn]()

    async def respond(turn: Turn) -> Reply:
        turns.append(turn)
        if len(turns) > 1:
            return Reply(f"re: {turn.text}")
        people.say("from Bo", sender="bo")
        await people.until_taken(people.say("two"))
        added = await turn.steer()
        assert added
        assert added.text == "two"
        people.say("three")
        people.leave()
        raise Killed(turn.id) if end == "the process is killed" else ValueError

    stand = ServiceHarness(respond, coordinator, adapter=people, rules=STEERING)
    stand.adapter.say("one")
    if end == "the process is killed":
        with pytest.raises(BaseExceptionGroup):
            await stand.service.run(AGENTS, owner="test")
        shown = await ServiceHarness(respond, coordinator, rules=STEERING).run()
    else:
        await stand.service.run(AGENTS, owner="test")
        shown = [out.text for out in stand.adapter.shown]

    assert shown[0] == "re: one\ntwo"
    assert turns[1].id == turns[0].id
    assert "re: from Bo" in shown
    assert len(shown) == len(turns) - 1
    assert await ServiceHarness(echo, coordinator).run() == []


async def test_behind_a_command_nothing_goes_into_a_turn() -> None:
    people = PeopleAdapter(FrozenClock(NOON))

    async def respond(turn: Turn) -> Reply:
        if turn.text == "one":
            people.say("/recall x")
            await people.until_taken(people.say("two"))
            assert await turn.steer() is None
            people.leave()
        return Reply(turn.text)

    stand = ServiceHarness(respond, adapter=people, rules=STEERING)
    people.say("one")
    await stand.service.run(AGENTS, owner="test")

    assert [out.text for out in people.shown] == ["one", "/recall x", "two"]


async def test_what_was_left_over_is_answered_first_as_the_turn_that_it_was() -> None:
    coordinator = InMemoryCoordinator()
    for number, text in enumerate(("one", "two"), start=101):
        await coordinator.publish(envelope(text, update=str(number), at=chat("chat")))
    diary = Diary()

    shown = await ServiceHarness(diary, coordinator).run("three")

    assert shown == ["re: one\ntwo", "re: three"]
    assert [turn.id for turn in diary.turns] == ["volatile.bot:101", "volatile.bot:1"]


async def test_when_another_process_takes_over_the_service_ends_with_that_error() -> None:
    coordinator = InMemoryCoordinator()

    async def overtaken(turn: Turn) -> Reply:
        await coordinator.claim("another", [turn.agent.name])
        return Reply("from the grave")

    stand = ServiceHarness(overtaken, coordinator)

    with pytest.raises(Fenced):
        await stand.run("hello")

    assert stand.adapter.shown == []
    assert await ServiceHarness(echo, coordinator).run() == ["hello"]


async def test_a_long_reply_comes_in_parts_with_the_choices_under_the_last() -> None:
    async def long(turn: Turn) -> Reply:
        return Reply("word " * 30, buttons=(Button("Yes", "/yes"),), private=True)

    stand = ServiceHarness(long, capabilities=replace(PLAIN, text_limit=60))
    await stand.run("hello")
    shown = stand.adapter.shown

    assert " ".join(out.text for out in shown).split() == ["word"] * 30
    assert [out.last for out in shown] == [False, False, True]
    assert [bool(out.buttons) for out in shown] == [False, False, True]
    assert all(out.reply_to == "in-1" and out.private and len(out.id) == 24 for out in shown)
    assert len({out.id for out in shown}) == 3


async def test_the_transcript_has_what_was_said_what_was_answered_and_what_it_rests_on() -> None:
    evidence = Recall("key?", "words", "", 1.5, ())

    async def recall(turn: Turn) -> Reply:
        return Reply("quoted \ud83d", evidence=evidence if turn.text == "key?" else None)

    stand = ServiceHarness(recall, burst=1)
    await stand.run("key?", "/why")
    transcript = Transcript(stand.coordinator)
    key = session(at=chat("chat"))

    said = await stand.coordinator.last(key, EntryKind.MESSAGE)
    assert said is not None
    assert '"text": "/why"' in said.body
    assert '"sender": "volatile:owner"' in said.body
    answered = await stand.coordinator.last(key, EntryKind.REPLY)
    assert answered is not None
    assert answered.body == '{"text": "quoted \ufffd"}'
    assert await transcript.last_recall(key) == evidence
    assert await transcript.last_recall(session(at=chat("elsewhere"))) is None


async def test_a_reply_without_words_is_a_failure_that_is_told() -> None:
    async def silent(turn: Turn) -> Reply:
        return Reply(" \n")

    (shown,) = await ServiceHarness(silent).run("hello")

    assert "empty" in shown


async def test_the_owner_does_not_wait_for_the_turns_of_many_guests() -> None:
    running: set[str] = set()
    most = 0
    gate = asyncio.Event()

    async def respond(turn: Turn) -> Reply:
        nonlocal most
        if turn.principal.is_owner:
            gate.set()
            return Reply("to the owner")
        running.add(turn.id)
        most = max(most, len(running))
        await gate.wait()
        running.remove(turn.id)
        return Reply(f"to {turn.principal.name}")

    stand = ServiceHarness(respond, guests_at_once=1)
    stand.adapter.say("hello", chat="a", sender="ana")
    stand.adapter.say("hello", chat="b", sender="bo")
    stand.adapter.say("hello", chat="c")

    shown = await stand.run()

    assert sorted(shown) == ["to Ana", "to Bo", "to the owner"], "the owner's answer let the others go on"
    assert most == 1


class HangingChat(InMemoryAdapter):
    """Delivers nothing to one chat until it is told to."""

    def __init__(self, chat: str) -> None:
        super().__init__(now=lambda: NOON, capabilities=Capabilities(4096, edits=True))
        self.hangs, self.goes_on = asyncio.Event(), asyncio.Event()
        self._chat = chat

    async def send(self, out: Outbound) -> Receipt:
        if out.to.chat == self._chat:
            self.hangs.set()
            await self.goes_on.wait()
        return await super().send(out)


async def test_a_change_to_what_is_not_answered_yet_keeps_no_guest_elsewhere_waiting() -> None:
    adapter = HangingChat("a")

    async def respond(turn: Turn) -> Reply:
        if turn.session.address.chat == "b":
            adapter.goes_on.set()
        return Reply(turn.text)

    stand = ServiceHarness(respond, adapter=adapter, guests_at_once=1)
    asked = adapter.say("helo", chat="a", sender="ana")
    adapter.repeat(replace(asked, update="edited", text="hello", happening=Happening.EDIT))
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        running = group.create_task(stand.service.run(AGENTS, owner="test"))
        await adapter.hangs.wait()
        for _ in range(100):  # the change is taken up
            await asyncio.sleep(0)
        adapter.say("hi", chat="b", sender="bo")
        adapter.leave()
        await running

    assert sorted(out.text for out in adapter.shown) == ["hello", "hi"]


async def test_in_a_group_the_owners_message_overtakes_those_of_guests() -> None:
    gate = asyncio.Event()

    async def respond(turn: Turn) -> Reply:
        if turn.session.address.chat == "elsewhere":
            gate.set()
        elif turn.text == "one":
            await gate.wait()
        return Reply(turn.text)

    stand = ServiceHarness(respond, burst=1)
    for text, sender in (("one", "ana"), ("two", "bo"), ("three", "ana"), ("mine", "owner"), ("also mine", "owner")):
        stand.adapter.say(text, chat="-100", sender=sender, kind=ChatKind.GROUP)
    stand.adapter.say("behind them", chat="elsewhere")

    shown = await stand.run()

    in_group = [text for text in shown if text != "behind them"]
    assert sorted(in_group.index(text) for text in ("mine", "also mine")) in ([0, 1], [1, 2])
    assert in_group[-2:] == ["two", "three"] or in_group[-3:] == ["one", "two", "three"]


async def test_one_key_is_served_in_order_and_another_does_not_wait_for_it() -> None:
    gate = asyncio.Event()
    served: asyncio.Queue[str] = asyncio.Queue()

    async def serve(queue: deque[str]) -> None:
        while queue:
            item = queue.popleft()
            if item == "slow":
                await gate.wait()
            served.put_nowait(item)

    async with asyncio.TaskGroup() as group:
        queues = KeyedQueues(group, serve)
        for key, item in [("a", "slow"), ("a", "after it"), ("b", "one"), ("b", "two")]:
            queues.put(key, item)
        assert [await served.get(), await served.get()] == ["one", "two"]
        gate.set()
        assert [await served.get(), await served.get()] == ["slow", "after it"]


async def test_a_queue_that_ran_empty_begins_again() -> None:
    served: asyncio.Queue[int] = asyncio.Queue()

    async def serve(queue: deque[int]) -> None:
        while queue:
            served.put_nowait(queue.popleft())

    async with asyncio.TaskGroup() as group:
        queues = KeyedQueues(group, serve)
        for n in range(3):
            queues.put("key", n)
            assert await served.get() == n


class Marking(InMemoryAdapter):
    """Notes what messages are marked with."""

    def __init__(self) -> None:
        super().__init__(now=lambda: NOON)
        self.marks: list[tuple[str, Status]] = []

    def mark(self, _to: Address, message: str, status: Status) -> None:
        self.marks.append((message, status))


EVERYWHERE = replace(ACCESS_RULES, reactions=Reactions.EVERYWHERE)


async def test_a_message_is_marked_while_it_waits_while_it_is_answered_after_others_and_when_it_is_given_up() -> None:
    adapter = Marking()

    async def respond(turn: Turn) -> Reply:
        if turn.text == "fail":
            raise AssertionError(turn.text)
        return Reply(turn.text)

    await ServiceHarness(respond, adapter=adapter, rules=EVERYWHERE, burst=1).run("one", "fail")

    assert adapter.marks[:2] == [("in-1", Status.QUEUED), ("in-2", Status.QUEUED)]
    assert adapter.marks[2:-1] == [("in-2", Status.WORKING)] * (len(adapter.marks) - 3)
    assert adapter.marks[-1] == ("in-2", Status.FAILED)


@pytest.mark.parametrize(
    ("kind", "addressed", "reactions", "is_marked"),
    [
        (ChatKind.PRIVATE, True, Reactions.GROUPS, False),
        (ChatKind.PRIVATE, True, Reactions.EVERYWHERE, True),
        (ChatKind.GROUP, True, Reactions.GROUPS, True),
        (ChatKind.GROUP, False, Reactions.EVERYWHERE, False),
        (ChatKind.GROUP, True, Reactions.NOWHERE, False),
    ],
)
async def test_messages_are_marked_where_it_is_said_and_only_those_to_the_bot(
    kind: ChatKind, reactions: Reactions, *, addressed: bool, is_marked: bool
) -> None:
    adapter, rules = Marking(), replace(ACCESS_RULES, listen=Listen.ALL, reactions=reactions)
    adapter.say("hello", kind=kind, addressed=addressed)

    await ServiceHarness(echo, adapter=adapter, rules=rules).run()

    assert bool(adapter.marks) == is_marked


async def test_the_mark_goes_when_there_is_nothing_to_answer() -> None:
    adapter = Marking()

    async def keep_silent(turn: Turn) -> Reply:
        return Reply(turn.text, is_silent=True)

    assert await ServiceHarness(keep_silent, adapter=adapter, rules=EVERYWHERE).run("hello") == []
    assert adapter.marks == [("in-1", Status.QUEUED), ("in-1", Status.DONE)]


async def test_every_line_of_the_log_in_a_turn_tells_the_agent_and_the_turn() -> None:
    stream = io.StringIO()

    async def broken(turn: Turn) -> Reply:
        await asyncio.to_thread(logging.getLogger("a.library").warning, "It is slow.")
        async with asyncio.TaskGroup() as group:
            group.create_task(say_so())
        raise RuntimeError(turn.text)

    async def say_so() -> None:
        structlog.get_logger("bot.somewhere").info("model.next_asked")

    with to_stream(stream, level="debug", clock=FrozenClock(NOON), mask=Mask(), form="json"):
        await ServiceHarness(broken).run("hello")

    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    first = next(n for n, line in enumerate(lines) if line["event"] == "turn.started")
    last = next(n for n, line in enumerate(lines) if line["event"] == "turn.set_aside")
    told = {line["event"] for line in lines[first : last + 1]}
    assert {"It is slow.", "model.next_asked", "turn.failed", "turn.set_aside"} <= told
    assert {(line["agent"], line["turn"]) for line in lines[first : last + 1]} == {("personal", "volatile.bot:1")}
    assert all(
        line["agent"] == "personal" and "turn" not in line for line in lines if line["event"] == "reply.delivered"
    )
