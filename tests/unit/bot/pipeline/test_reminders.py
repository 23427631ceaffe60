"""Reminders on the real schedule, with a clock that is moved."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from adapters.port import Address, ChatKind
from bot.access.permissions import origin_and_scope
from bot.commands.base import Call
from bot.commands.remind import COMMAND
from bot.pipeline.reminders import Reminders
from bot.pipeline.scheduler import Scheduler
from bot.pipeline.worker import late
from bot.reminders import due_on, quiet_end
from bot.storage.effect_log import EffectLog
from bot.storage.keys import Principal
from bot.storage.port import Effects, Grant
from bot.storage.sqlite import SqliteCoordinator
from bot.texts.catalogue import in_language
from bot.turn import Agent, Turn
from bot.waiting import pause
from memory import OWNER as MINE
from memory import FrozenClock, Memory, Origin
from memory.capture.intent import Act, act_of
from memory.life.intentions import Intention
from tests.support.conversation import FakeCommandContext
from tests.support.factories import HOME, OWNER, chat, session

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 10, 8, 0, tzinfo=UTC)
QUIET = (time(22), time(7))


class Life:
    """One process of a service: its memory, its schedule, and what was said."""

    def __init__(self, folder: Path, clock: FrozenClock, memory: Memory, coordinator: SqliteCoordinator) -> None:
        self.folder = folder
        self.clock = clock
        self.agent = Agent("personal", "", memory, BERLIN, clock, coordinator)
        self.coordinator = coordinator
        self.told: list[str] = []
        self.late: list[str] = []
        self.said: list[tuple[datetime, str, str]] = []
        self.revoked: set[str] = set()
        self.is_service = True
        self.is_shared = False
        self.seen = 0
        self.grant: Grant
        self.called: list[str] = []
        self.quiet: tuple[time, time] | None = None
        self.zone = BERLIN

    @property
    def reminders(self) -> Reminders:
        return Reminders(
            {"personal": self.agent},
            self.coordinator,
            clock=self.clock,
            zone=self.zone,
            home=lambda: HOME,
            serves=lambda _: self.is_service,
            may_read=lambda who, _: self.is_service and who not in self.revoked,
            tell=self.tell,
            quiet=self.quiet,
        )

    async def tell(self, text: str, about: str) -> None:
        self.told.append(text)

    async def ask(self, text: str, *, who: Principal = OWNER, at: str = "", to: Address | None = None) -> str:
        to = to or (chat(at, kind=ChatKind.GROUP) if at else HOME)
        origin, scope = origin_and_scope(who, to, is_shared=self.is_shared)
        turn = Turn(
            f"a{self.clock.now().timestamp()}{text}", self.agent, session(at=to), who, origin, scope,
            f"/remind {text}", self.clock.now(), EffectLog(self.coordinator, self.grant, text),
        )  # fmt: skip
        reply = await COMMAND.run(Call(turn, text, FakeCommandContext({"personal": self.agent})))
        return reply.text

    async def tick(self) -> None:
        """Do what the service does within a minute."""
        await self.reminders.reconcile(self.grant)
        scheduler = Scheduler(self.coordinator, clock=self.clock, pause=pause)
        await scheduler.fire(self.grant)
        waiting, _ = await self.coordinator.unfinished()
        while waiting:
            for message in await self.coordinator.pending(self.grant, after=self.seen):
                self.seen = message.seq
                inbound, by = message.envelope.inbound, message.envelope.principal
                origin, scope = origin_and_scope(by, inbound.address, is_shared=self.is_shared)
                effects = EffectLog(self.coordinator, self.grant, message.envelope.turn)
                turn = Turn(
                    message.envelope.turn, self.agent, message.envelope.session, by, origin, scope, inbound.text,
                    inbound.sent_at, effects, is_job=True,
                )  # fmt: skip
                reply = await self.reminders(turn)
                if not reply.is_silent:
                    self.late += filter(None, [late(turn)])
                    self.called += reply.calls
                    self.said.append((self.clock.now().astimezone(BERLIN), reply.text, inbound.address.chat))
                await self.coordinator.commit(
                    self.grant, Effects(message.envelope.session, (message.seq,), turn=turn.id)
                )
            waiting, _ = await self.coordinator.unfinished()

    async def until(self, end: datetime, *, step: timedelta = timedelta(minutes=30)) -> None:
        while self.clock.now() < end:
            self.clock.advance(seconds=step.total_seconds())
            await self.tick()

    def write(self, path: str, text: str) -> None:
        (self.folder / "w" / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / "w" / path).write_text(text, encoding="utf-8")

    @property
    def heard(self) -> list[str]:
        return [f"{at:%m-%d %H:%M} {text.removeprefix('⏰ ')}" for at, text, _ in self.said]


@asynccontextmanager
async def life(folder: Path, clock: FrozenClock) -> AsyncIterator[Life]:
    async with (
        await Memory.open(folder / "w", index=folder / "i.sqlite", clock=clock, zone=BERLIN) as memory,
        SqliteCoordinator.open(folder / "state.sqlite", clock=clock) as coordinator,
    ):
        made = Life(folder, clock, memory, coordinator)
        (made.grant,) = await coordinator.claim("test", ["personal"])
        yield made


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


async def test_a_month_across_the_end_of_summer_time_and_a_restart(tmp_path: Path, clock: FrozenClock) -> None:
    async with life(tmp_path, clock) as first:
        await first.ask("on 2026-10-24 at 09:00 change the clocks")
        await first.ask("every Sunday at 9 call grandma")
        await first.ask("on 2026-10-25 at 02:30 backup")
        await first.ask("on 2026-11-02 at 9 send the offer")
        await first.until(datetime(2026, 10, 20, tzinfo=UTC), step=timedelta(hours=1))
    clock.advance(hours=30)
    async with life(tmp_path, clock) as second:
        await second.until(datetime(2026, 10, 24, 22, tzinfo=UTC), step=timedelta(hours=1))
        await second.until(datetime(2026, 10, 25, 4, tzinfo=UTC), step=timedelta(minutes=30))
        await second.until(datetime(2026, 11, 9, 23, tzinfo=UTC), step=timedelta(hours=1))

    assert first.heard == ["10-11 09:00 call grandma", "10-18 09:00 call grandma"]
    assert second.heard == [
        "10-24 09:00 change the clocks",
        "10-25 02:30 backup",
        "10-25 09:00 call grandma",
        "11-01 09:00 call grandma",
        "11-02 09:00 send the offer",
        "11-08 09:00 call grandma",
    ]


async def test_what_was_due_while_nobody_ran_comes_once_at_the_next_start(tmp_path: Path, clock: FrozenClock) -> None:
    async with life(tmp_path, clock) as first:
        await first.ask("in 20 minutes tea")
    clock.advance(hours=5)
    async with life(tmp_path, clock) as second:
        for _ in range(3):
            await second.tick()
            clock.advance(minutes=1)
        assert [text for _, text, _ in second.said] == ["⏰ tea"]
        assert second.told == []


async def test_what_waits_for_a_busy_conversation_is_not_put_on_the_schedule_again_in_another_chat(
    tmp_path: Path, clock: FrozenClock
) -> None:
    async with life(tmp_path, clock) as here:
        await here.ask("in 10 minutes to call Ana", to=chat("telegram"))
        clock.advance(seconds=600)
        scheduler = Scheduler(here.coordinator, clock=clock, pause=pause)
        await scheduler.fire(here.grant)  # its conversation is busy: the message waits
        await here.reminders.reconcile(here.grant)
        assert not [job for job in await here.coordinator.jobs("personal") if job.name.startswith("reminder ")]
        await here.tick()
        await here.tick()
        assert [(text, to) for _, text, to in here.said] == [("⏰ call Ana", "telegram")]


async def test_facts_by_hand_are_fired_in_the_owners_chat_and_moved_with_their_line(
    tmp_path: Path, clock: FrozenClock
) -> None:
    async with life(tmp_path, clock) as here:
        here.write("bank/intentions.md", "- T(due=2026-10-11T09:00): call Ana\n- T(due=2026-10-11T09:30): call Bob\n")
        await here.agent.memory.sync()
        await here.tick()
        here.write("bank/intentions.md", "- T(due=2026-10-12T09:00): call Ana\n")
        await here.agent.memory.sync()
        await here.until(datetime(2026, 10, 13, tzinfo=UTC))

    assert here.heard == ["10-12 09:00 call Ana"]
    assert here.said[0][2] == HOME.chat


async def test_what_is_long_past_is_told_of_once_and_what_is_far_off_is_kept(
    tmp_path: Path, clock: FrozenClock
) -> None:
    text = "- T(due=1970-01-01): old\n- T(due=0001-01-01): older\n- T(due=9999-12-31T23:59): far\n- T(due=soon): bad\n"
    told: list[list[str]] = []
    for _ in range(2):
        async with life(tmp_path, clock) as here:
            here.write("bank/intentions.md", text)
            await here.agent.memory.sync()
            await here.tick()
            await here.tick()
            told.append(here.told)
            problems = [(one.path, one.line) for one in await here.agent.memory.problems()]
            assert here.said == []
            assert ("bank/intentions.md", 4) in problems
    assert [len(one) for one in told] == [1, 0]
    assert "1970-01-01: old" in told[0][0]


async def test_a_forgotten_one_is_silent_and_what_a_group_asked_for_stays_there(
    tmp_path: Path, clock: FrozenClock
) -> None:
    guest = Principal("volatile:7", "Bo", is_owner=False)
    async with life(tmp_path, clock) as here:
        await here.ask("in 20 minutes tea")
        await here.ask("in 30 minutes stand-up", who=guest, at="g1")
        await here.agent.memory.undo(op_id="u", scope=origin_and_scope(OWNER, HOME)[1], actor=OWNER.id)
        await here.until(clock.now() + timedelta(hours=2))

    assert [(text, where) for _, text, where in here.said] == [("⏰ stand-up", "g1")]


async def test_where_a_workspace_is_shared_a_guest_is_reminded_there_and_the_owner_by_no_guests_words(
    tmp_path: Path, clock: FrozenClock
) -> None:
    guest = Principal("volatile:7", "Bo", is_owner=False)
    async with life(tmp_path, clock) as here:
        here.is_shared = True
        await here.ask("in 30 minutes stand-up", who=guest, at="g1")
        await here.ask("every day at 9 tea", who=guest, at="g1")
        fact = "T(due=2026-10-10T12:00): wire the money"
        await here.agent.memory.remember(fact, origin=Origin.GUEST, scope=MINE, op_id="w", actor=guest.id)
        await here.until(clock.now() + timedelta(days=1))

    assert [(text, where) for _, text, where in here.said] == [("⏰ stand-up", "g1"), ("⏰ tea", "g1")]
    assert here.told == []


async def test_who_orders_what_somebody_else_is_reminded_of_in_a_shared_workspace_takes_it_from_nobody(
    tmp_path: Path, clock: FrozenClock
) -> None:
    guest, other = (Principal(f"volatile:{number}", name, is_owner=False) for number, name in ((7, "Bo"), (8, "Cy")))
    async with life(tmp_path, clock) as here:
        here.is_shared = True
        await here.ask("in 30 minutes stand-up")
        await here.ask("in 30 minutes Stand-up", who=guest, at="g1")
        await here.ask("in 30 minutes STAND-UP", who=other, at="g2")
        await here.until(clock.now() + timedelta(hours=1))

    assert sorted(where for _, _, where in here.said) == sorted([HOME.chat, "g1", "g2"])


async def test_who_is_let_in_no_longer_is_reminded_of_nothing_in_private(tmp_path: Path, clock: FrozenClock) -> None:
    guest = Principal("volatile:7", "Bo", is_owner=False)
    async with life(tmp_path, clock) as here:
        await here.ask("every day at 9 tea", who=guest, to=chat("7"))
        await here.ask("in 30 minutes stand-up", who=guest, at="g1")
        await here.ask("in 40 minutes bread")
        here.revoked.add("volatile:7")
        await here.until(clock.now() + timedelta(days=2))
        here.revoked.clear()
        await here.until(clock.now() + timedelta(days=1))

    assert [(text, where) for _, text, where in here.said] == [
        ("⏰ stand-up", "g1"),
        ("⏰ bread", HOME.chat),
        ("⏰ tea", "7"),
    ]


async def test_what_an_owner_asked_for_comes_to_the_owner_once_they_are_let_in_no_longer(
    tmp_path: Path, clock: FrozenClock
) -> None:
    former = Principal("volatile:old", "Ada", is_owner=True)
    async with life(tmp_path, clock) as here:
        await here.ask("every day at 9 pill", who=former, to=chat("old"))
        await here.ask("in 40 minutes bread", who=former, to=chat("old"))
        here.revoked.add("volatile:old")
        await here.until(clock.now() + timedelta(days=2))

    assert [(text, where) for _, text, where in here.said] == [
        ("⏰ bread", HOME.chat),
        ("⏰ pill", HOME.chat),
        ("⏰ pill", HOME.chat),
    ]


async def test_a_process_that_does_not_serve_a_chat_drops_nothing_that_is_due_there(
    tmp_path: Path, clock: FrozenClock
) -> None:
    guest = Principal("volatile:7", "Bo", is_owner=False)
    async with life(tmp_path, clock) as here:
        await here.ask("in 20 minutes tea", who=guest, to=chat("7"))
        here.is_service = False
        await here.until(clock.now() + timedelta(hours=1))

    assert [(text, where) for _, text, where in here.said] == [("⏰ tea", "7")]


async def test_what_was_due_while_the_notes_were_at_an_older_state_comes_once_they_are_back(
    tmp_path: Path, clock: FrozenClock
) -> None:
    async with life(tmp_path, clock) as here:
        await here.ask("in 20 minutes tea")
        notes = here.folder / "w" / "memory"
        notes.rename(here.folder / "newer")
        await here.agent.memory.sync()
        await here.until(clock.now() + timedelta(hours=1))
        (here.folder / "newer").rename(notes)
        await here.agent.memory.sync()
        await here.until(clock.now() + timedelta(hours=3))

    assert (here.heard, here.told) == (["10-10 11:30 tea"], [])
    assert here.late == ["2026-10-10 10:20"], "it says when it was due"


async def test_a_reminder_calls_those_whom_it_was_ordered_for(tmp_path: Path, clock: FrozenClock) -> None:
    async with life(tmp_path, clock) as here:
        await here.ask("in 1 hour @ben and @ana.m: call @tom", at="g1")
        await here.until(clock.now() + timedelta(hours=2))

    assert here.called == ["ben", "ana.m"]


async def test_in_quiet_hours_what_repeats_waits_and_what_has_a_time_does_not(
    tmp_path: Path, clock: FrozenClock
) -> None:
    async with life(tmp_path, clock) as here:
        here.quiet = QUIET
        await here.ask("every day at 23:00 lock the door")
        await here.ask("on 2026-10-10 at 23:30 see the stars")
        await here.until(datetime(2026, 10, 11, 10, tzinfo=UTC))

    assert here.heard == ["10-10 23:30 see the stars", "10-11 07:00 lock the door"]


async def test_what_comes_at_the_end_of_the_quiet_hours_anyway_comes_once(tmp_path: Path, clock: FrozenClock) -> None:
    async with life(tmp_path, clock) as here:
        here.quiet = QUIET
        await here.ask("every hour drink")
        await here.until(datetime(2026, 10, 11, 6, tzinfo=UTC))

    assert here.heard[-3:] == ["10-10 21:00 drink", "10-11 07:00 drink", "10-11 08:00 drink"]


async def test_whoever_moves_is_reminded_at_the_same_hour_of_another_clock(tmp_path: Path, clock: FrozenClock) -> None:
    async with life(tmp_path, clock) as here:
        await here.ask("every day at 9 vitamins")
        await here.ask("on 2026-10-12 at 9 call Ana")
        here.zone = ZoneInfo("America/New_York")
        here.agent = replace(here.agent, zone=here.zone)
        await here.until(datetime(2026, 10, 12, 20, tzinfo=UTC))

    at = [f"{at.astimezone(here.zone):%m-%d %H:%M} {text}" for at, text, _ in here.said]
    assert sorted(at) == [
        "10-10 09:00 ⏰ vitamins",
        "10-11 09:00 ⏰ vitamins",
        "10-12 09:00 ⏰ call Ana",
        "10-12 09:00 ⏰ vitamins",
    ]


async def test_a_group_is_reminded_at_the_same_hour_of_the_clock_that_the_owner_moves_to(
    tmp_path: Path, clock: FrozenClock
) -> None:
    async with life(tmp_path, clock) as here:
        await here.ask("every day at 9 stand-up", at="g1")
        here.zone = ZoneInfo("America/New_York")
        here.agent = replace(here.agent, zone=here.zone)
        await here.until(datetime(2026, 10, 11, 20, tzinfo=UTC), step=timedelta(hours=1))

    assert [(f"{at.astimezone(here.zone):%m-%d %H:%M}", where) for at, _, where in here.said] == [
        ("10-10 09:00", "g1"),
        ("10-11 09:00", "g1"),
    ]


async def test_what_a_group_cancelled_and_took_up_again_comes_though_it_was_due_in_between(
    tmp_path: Path, clock: FrozenClock
) -> None:
    to = chat("g1", kind=ChatKind.GROUP)
    scope = origin_and_scope(OWNER, to)[1]
    async with life(tmp_path, clock) as here:
        await here.ask("every day at 12:00 stand-up", to=to)
        [job] = await here.coordinator.jobs("personal")
        memory, name = here.agent.memory, job.name.removeprefix("reminder ")
        await memory.forget_facts([name], op_id="f", scope=scope, actor=OWNER.id)
        await here.until(datetime(2026, 10, 10, 11, tzinfo=UTC), step=timedelta(hours=1))
        await memory.undo(op_id="u", scope=scope, actor=OWNER.id)
        await here.until(datetime(2026, 10, 11, 11, tzinfo=UTC), step=timedelta(hours=1))
        await memory.forget_facts([name], op_id="g", scope=scope, actor=OWNER.id)
        await here.until(datetime(2026, 10, 13, 11, tzinfo=UTC), step=timedelta(hours=6))

        assert await here.coordinator.jobs("personal") == ()
    assert here.heard == ["10-11 12:00 stand-up"]


async def test_the_message_can_be_put_off_and_makes_a_sound(tmp_path: Path, clock: FrozenClock) -> None:
    async with life(tmp_path, clock) as here:
        await here.ask("in 20 minutes Tee kochen")
        [job] = await here.coordinator.jobs("personal")
        inbound = replace(job.envelope.inbound)
        origin, scope = origin_and_scope(OWNER, HOME)
        effects = EffectLog(here.coordinator, here.grant, "x")
        turn = Turn("x", here.agent, session(), OWNER, origin, scope, inbound.text, job.due, effects, is_job=True)
        reply = await here.reminders(turn)

    assert reply.is_awaited
    assert [button.data.split()[1] for button in reply.buttons] == ["snooze", "snooze", "snooze", "done"]
    assert all(len(button.data.encode()) <= 64 for button in reply.buttons)


@pytest.mark.parametrize("language", ["en", "de", "zh"])
async def test_nobody_puts_a_reminder_off_who_says_good_morning(
    tmp_path: Path, clock: FrozenClock, language: str
) -> None:
    async with life(tmp_path, clock) as here:
        await here.ask("in 20 minutes Tee kochen")
        [job] = await here.coordinator.jobs("personal")
        effects = EffectLog(here.coordinator, here.grant, "x")
        origin, scope = origin_and_scope(OWNER, HOME)
        said = job.envelope.inbound.text
        turn = Turn("x", here.agent, session(), OWNER, origin, scope, said, job.due, effects, is_job=True)
        with in_language(language):
            reply = await here.reminders(turn)

    assert Act.GREETING not in {act_of(button.label) for button in reply.buttons}


def test_what_comes_at_a_midnight_that_the_clock_leaves_out_comes_on_the_day_that_begins_then() -> None:
    zone, day = ZoneInfo("Africa/Cairo"), date(2026, 4, 24)
    daily = Intention("a", "tea", "", "0 0 * * *", "", "x.md#L1", MINE, Origin.OWNER)

    due = due_on(daily, day, day, zone, now=datetime(2026, 4, 20, tzinfo=zone), later={})

    assert due is not None
    assert due.isoformat() == "2026-04-24T01:00:00+03:00"


@pytest.mark.parametrize(
    ("at", "end"), [("23:00", "2026-10-11 07:00"), ("03:00", "2026-10-10 07:00"), ("07:00", ""), ("12:00", "")]
)
def test_quiet_hours_end_in_the_morning(at: str, end: str) -> None:
    now = datetime.combine(datetime(2026, 10, 10, tzinfo=BERLIN), time.fromisoformat(at), BERLIN)
    found = quiet_end(now, QUIET)

    assert (f"{found:%Y-%m-%d %H:%M}" if found else "") == end
