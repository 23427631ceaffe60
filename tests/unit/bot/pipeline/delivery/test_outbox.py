from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from adapters.in_memory import PLAIN, InMemoryAdapter
from adapters.port import (
    AdapterError,
    Ambiguous,
    Capabilities,
    ChatKind,
    ChatMoved,
    LoginRefused,
    MessageGone,
    NotSent,
    Outbound,
    Receipt,
    SendRefused,
    SlowDown,
)
from bot.errors import Fenced
from bot.pipeline.delivery.outbox import SendFailure, attempt
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.port import PartState
from tests.support.factories import NOON, chat, effects, envelope, outbound
from tests.support.service import ServiceHarness, echo

RECOGNISING = replace(PLAIN, idempotent=True)
AT_LEAST_ONCE = replace(PLAIN, at_least_once=True)


async def test_parts_of_a_chat_arrive_in_order_even_if_the_first_has_to_wait() -> None:
    stand = ServiceHarness(echo, burst=1)
    stand.adapter.faults.extend([NotSent("no route"), NotSent("no route")])

    assert await stand.run("one", "two", "three") == ["one", "two", "three"]


async def test_what_never_left_is_sent_again_after_growing_waits() -> None:
    stand = ServiceHarness(echo)
    stand.adapter.faults.extend([NotSent("no route")] * 8)

    assert await stand.run("hello") == ["hello"]
    assert stand.pause.waited == [1, 2, 4, 8, 16, 20, 20, 20]


async def test_a_platform_that_asks_to_wait_is_obeyed() -> None:
    stand = ServiceHarness(echo)
    stand.adapter.faults.extend([SlowDown("flood", seconds=33), LoginRefused("token revoked")])

    assert await stand.run("hello") == ["hello"]
    assert stand.pause.waited == [33, 2]


async def test_what_may_have_arrived_is_not_sent_again() -> None:
    stand = ServiceHarness(echo, burst=1)
    stand.adapter.faults.append(Ambiguous("connection reset"))

    with capture_logs() as log:
        assert await stand.run("one", "two") == ["one", "two"]

    (dead,) = [event for event in log if event["event"] == "part.dead"]
    assert dead["reason"] == "connection reset; it may have arrived"


@pytest.mark.parametrize(("able", "seen"), [(RECOGNISING, 1), (AT_LEAST_ONCE, 4)])
async def test_what_may_have_arrived_is_sent_again_where_the_platform_takes_repetitions(
    able: Capabilities, seen: int
) -> None:
    stand = ServiceHarness(echo, capabilities=able)
    stand.adapter.faults.extend([Ambiguous("connection reset")] * 3)

    with capture_logs() as log:
        assert await stand.run("one") == ["one"] * seen

    assert not [event for event in log if event["event"] == "part.dead"]
    assert len(stand.pause.waited) == 3


async def test_an_outage_of_hours_loses_nothing_where_the_platform_recognises_repetitions() -> None:
    stand = ServiceHarness(echo, capabilities=RECOGNISING)
    stand.adapter.faults.extend([Ambiguous("503")] * 100)

    assert await stand.run("one") == ["one"]
    assert len(stand.pause.waited) == 100


async def test_repetitions_of_an_adapters_own_failure_come_to_an_end() -> None:
    stand = ServiceHarness(echo, capabilities=RECOGNISING)
    stand.adapter.faults.extend([AdapterError("of no known kind")] * 100)

    assert await stand.run("one") == []
    assert len(stand.pause.waited) == 5


@pytest.mark.parametrize("fault", [SendRefused("bot was blocked"), AdapterError("of no known kind")])
async def test_what_is_refused_is_given_up_and_the_rest_goes_on(fault: AdapterError) -> None:
    stand = ServiceHarness(echo, burst=1)
    stand.adapter.faults.append(fault)

    with capture_logs() as log:
        assert await stand.run("one", "two") == ["two"]

    (dead,) = [event for event in log if event["event"] == "part.dead"]
    assert str(fault) in dead["reason"]
    assert dead["chat"] == "volatile.bot:chat"


async def test_what_goes_to_a_group_under_its_new_id_knows_the_first_one() -> None:
    stand = ServiceHarness(echo, capabilities=Capabilities(4096, edits=True))
    stand.adapter.say("hello", chat="-5")
    stand.adapter.faults.append(ChatMoved("upgraded to a supergroup", chat="-1005"))

    assert await stand.run() == ["hello"]
    to = stand.adapter.shown[-1].to
    assert (to.chat, to.known_as) == ("-1005", "-5")


async def test_a_bug_in_an_adapter_costs_one_part_and_is_logged_with_its_traceback() -> None:
    stand = ServiceHarness(echo, burst=1)
    stand.adapter.faults.append(ZeroDivisionError("oops"))  # what a bug would raise

    with capture_logs() as log:
        assert await stand.run("one", "two") == ["two"]

    (failed,) = [event for event in log if event["event"] == "adapter.failed"]
    (dead,) = [event for event in log if event["event"] == "part.dead"]
    assert failed["exc_info"]
    assert "oops" not in dead["reason"]  # it is shown to people


async def test_an_upload_that_is_still_under_way_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loop, passed = asyncio.get_running_loop(), [0]
    began, file = loop.time(), tmp_path / "film.mp4"
    file.touch()
    os.truncate(file, 40 * 2**20)
    monkeypatch.setattr(loop, "time", lambda: began + passed[0])

    class Slow(InMemoryAdapter):
        async def send(self, out: Outbound) -> Receipt:
            passed[0] += 600  # s
            for _ in range(3):
                await asyncio.sleep(0)
            return await super().send(out)

    slow = Slow(now=lambda: NOON)
    film, text = (Outbound(name, chat("chat"), name, files=files) for name, files in [("a", (str(file),)), ("b", ())])

    assert isinstance(await attempt(slow.send(film), film), Receipt)
    assert isinstance(await attempt(slow.send(text), text), SendFailure)
    assert [out.text for out in slow.shown] == ["a"]


async def interrupted(coordinator: InMemoryCoordinator) -> None:
    """A process that ended with one part sending and one queued."""
    (grant,) = await coordinator.claim("earlier", ["personal"])
    await coordinator.publish(envelope("question", update="x"))
    (message,) = await coordinator.pending(grant, after=0)
    parts = (outbound("a", "sending", to=chat("chat")), outbound("b", "queued", to=chat("chat")))
    await coordinator.commit(grant, effects(message, parts=parts))
    first, _ = await coordinator.outgoing(grant, {"volatile.bot"}, after=0)
    await coordinator.move(grant, first.seq, PartState.SENDING)


async def test_after_a_crash_what_was_being_sent_is_not_sent_again() -> None:
    coordinator = InMemoryCoordinator()
    await interrupted(coordinator)

    assert await ServiceHarness(echo, coordinator).run() == ["queued"]


@pytest.mark.parametrize("able", [RECOGNISING, AT_LEAST_ONCE])
async def test_after_a_crash_what_was_being_sent_is_sent_where_the_platform_takes_repetitions(
    able: Capabilities,
) -> None:
    coordinator = InMemoryCoordinator()
    await interrupted(coordinator)

    assert await ServiceHarness(echo, coordinator, capabilities=able).run() == ["sending", "queued"]


async def test_after_a_crash_what_was_being_sent_is_sent_again_where_the_platform_recognises_it() -> None:
    coordinator = InMemoryCoordinator()
    await interrupted(coordinator)

    assert await ServiceHarness(echo, coordinator, capabilities=RECOGNISING).run() == ["sending", "queued"]


async def test_a_process_that_lost_its_agent_sends_nothing() -> None:
    coordinator = InMemoryCoordinator()

    async def claim_instead_of_waiting(seconds: float) -> None:
        await coordinator.claim("another", ["personal"])

    stand = ServiceHarness(echo, coordinator, pause=claim_instead_of_waiting)
    stand.adapter.faults.append(NotSent("no route"))

    with pytest.raises(Fenced):
        await stand.run("hello")

    assert stand.adapter.shown == []


async def test_a_part_for_a_platform_that_does_not_run_waits_and_does_not_hold_up_the_end() -> None:
    coordinator = InMemoryCoordinator()
    await coordinator.publish(envelope("from the terminal", update="t"))

    assert await ServiceHarness(echo, coordinator).run("hello") == ["hello"]

    (grant,) = await coordinator.claim("spy", ["personal"])
    (part,) = await coordinator.outgoing(grant, {"terminal.local"}, after=0)
    assert (part.out.text, part.state) == ("from the terminal", PartState.QUEUED)


EDITING = Capabilities(4096, edits=True)


async def asked_in_group(stand: ServiceHarness, *said: str) -> list[str]:
    for text in said:
        stand.adapter.say(text, kind=ChatKind.GROUP)
    return await stand.run()


async def test_a_short_answer_in_a_group_is_one_request() -> None:
    class Requests(InMemoryAdapter):
        def __init__(self) -> None:
            super().__init__(now=lambda: NOON, capabilities=EDITING)
            self.made: list[str] = []

        async def send(self, out: Outbound) -> Receipt:
            self.made.append(out.text)
            return await super().send(out)

        async def edit(self, receipt: Receipt, out: Outbound) -> None:
            self.made.append(f"edit: {out.text}")
            await super().edit(receipt, out)

    group, private = Requests(), Requests()

    await asked_in_group(ServiceHarness(echo, adapter=group), "hello")
    await ServiceHarness(echo, adapter=private).run("hello")

    assert group.made == ["hello"]
    assert private.made == ["…", "edit: hello"]


async def test_what_may_have_arrived_in_a_group_is_sent_again_and_says_so() -> None:
    stand = ServiceHarness(echo, capabilities=EDITING)
    stand.adapter.faults.extend([NotSent("no route"), Ambiguous("connection reset"), Ambiguous("connection reset")])

    shown = await asked_in_group(stand, "hello")

    assert shown == ["hello", "…", "(You may have seen this already.)\n\nhello"]


async def test_an_answer_whose_placeholders_cannot_be_edited_is_sent_as_a_message() -> None:
    class Uneditable(InMemoryAdapter):
        async def edit(self, receipt: Receipt, out: Outbound) -> None:
            raise MessageGone("message can't be edited")

    adapter = Uneditable(now=lambda: NOON, capabilities=EDITING)
    await ServiceHarness(echo, adapter=adapter).run("hello")

    assert [out.text for out in adapter.shown] == ["…", "…", "hello"]


async def test_a_long_answer_in_a_group_keeps_its_placeholder() -> None:
    stand = ServiceHarness(echo, capabilities=EDITING)
    stand.adapter.faults.append(Ambiguous("connection reset"))

    assert await asked_in_group(stand, "hello " * 200) == ["…", "hello " * 200]


@pytest.mark.parametrize(("began", "shown"), [(False, "hello"), (True, "(You may have seen this already.)\n\nhello")])
async def test_after_a_crash_an_answer_in_a_group_says_that_it_may_be_a_repetition(*, began: bool, shown: str) -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("earlier", ["personal"])
    await coordinator.publish(envelope("question", update="x"))
    (message,) = await coordinator.pending(grant, after=0)
    group = replace(chat("chat"), kind=ChatKind.GROUP)
    await coordinator.commit(grant, effects(message, parts=(outbound("a", "hello", to=group),)))
    (part,) = await coordinator.outgoing(grant, {"volatile.bot"}, after=0)
    if began:
        await coordinator.move(grant, part.seq, PartState.SENDING)

    assert await ServiceHarness(echo, coordinator, capabilities=EDITING).run() == [shown]


async def test_a_thread_that_hangs_holds_no_other_thread() -> None:
    arrived = asyncio.Event()

    class OneHangs(InMemoryAdapter):
        async def send(self, out: Outbound) -> Receipt:
            if out.to.thread == "1":
                await arrived.wait()
            elif out.to.thread == "2":
                arrived.set()
            return await super().send(out)

    adapter = OneHangs(now=lambda: NOON)
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("earlier", ["personal"])
    await coordinator.publish(envelope("question", update="x"))
    (message,) = await coordinator.pending(grant, after=0)
    parts = tuple(outbound(name, f"in {name}", to=replace(chat("chat"), thread=name)) for name in ("1", "2"))
    await coordinator.commit(grant, effects(message, parts=parts))

    assert await ServiceHarness(echo, coordinator, adapter=adapter).run() == ["in 2", "in 1"]
