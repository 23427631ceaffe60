"""The whole service on one account: what is owed arrives, and one chat's trouble stays in that chat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.in_memory import InMemoryAdapter
from adapters.port import Adapter
from adapters.telegram.adapter import TelegramAdapter
from bot.access.access import Access
from bot.access.routing import Routing
from bot.pipeline.accounts import BELIEVED, Accounts
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.intake import Intake
from bot.pipeline.worker import STEADY_S, Worker
from bot.service.service import Service
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.turn import Reply, Turn
from memory import SystemClock
from tests.integration.telegram.stage import Time, opened
from tests.servers.history import check
from tests.servers.ledger import Entry, bot_message
from tests.servers.telegram.client import Person, Telegram
from tests.support import factories

AMBIGUOUS = 80
WAITED = 150
LONG = "\n\n".join(
    f"**Point {number}** of the answer, in so many words that one message is too small." for number in range(120)
)


async def echo(turn: Turn) -> Reply:
    return Reply(LONG if turn.text == "long" else turn.text.replace("ask", "ans"))


@asynccontextmanager
async def serving(
    state: Path, *adapters: Adapter, time: Time, supervised: bool = False
) -> AsyncIterator[asyncio.Task[None]]:
    """The service, until the block ends or nobody listens any more; waits take no time."""
    clock, platforms, agent = SystemClock(), Adapters(list(adapters)), factories.agent()
    owners = [f"telegram:{number}" for number in (7, 8)] + ["volatile:owner"]
    async with SqliteCoordinator.open(state / "scrubjay.sqlite", clock=clock) as coordinator:
        service = Service(
            coordinator,
            intake=Intake(
                coordinator,
                access=Access(owners, register=AccessStore()),
                routing=Routing(agent.name, [agent.name], register=AccessStore()),
                register=AccessStore(),
            ),
            worker=Worker(
                coordinator,
                agents={agent.name: agent},
                respond=echo,
                renderer=Renderer(platforms, clock=clock),
                adapters=platforms,
                batch_limit=1,
                pause=time.pause,
            ),
            outbox=Outbox(coordinator, adapters=platforms, pause=time.pause),
            accounts=Accounts(adapters),
            supervised=time.pause if supervised else None,
        )
        async with asyncio.TaskGroup() as group:
            yield group.create_task(service.run([agent.name], owner="test"))
            service.stop()


class Patience(Time):
    """Waits end when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.is_over = asyncio.Event()

    async def pause(self, seconds: float) -> None:
        await self.is_over.wait()
        await super().pause(seconds)


@pytest.fixture
def alice(telegram: Telegram) -> Person:
    return telegram.user(7)


def answers(telegram: Telegram, chat: int) -> list[dict[str, Any]]:
    """What the bot has said there."""
    return [message for message in telegram.history(chat) if message["from"]["is_bot"]]


def refused(*, count: int) -> Callable[[Entry], bool]:
    """Fits the count-th answer that the token is not accepted."""
    seen: list[Entry] = []

    def fits(entry: Entry) -> bool:
        if entry["kind"] == "answer" and entry["status"] == 401:
            seen.append(entry)
        return len(seen) == count

    return fits


@pytest.mark.parametrize("struck", ["sendMessage", "editMessageText"])
async def test_after_a_flood_of_a_minute_the_whole_answer_arrives_formatted(
    telegram: Telegram, adapter: TelegramAdapter, tmp_path: Path, time: Time, alice: Person, struck: str
) -> None:
    telegram.fault(struck, "status", status=429, seconds=60)
    alice.says("long")

    async with serving(tmp_path, adapter, time=time):
        await telegram.until(bot_message(kind="edit", text="Point 119"))

    shown = answers(telegram, 7)
    assert "\n\n".join(message["text"] for message in shown) == LONG.replace("**", "")
    assert [entity["type"] for message in shown for entity in message["entities"]] == ["bold"] * 120
    assert sum(time.waited) == pytest.approx(60 + STEADY_S, abs=5)
    assert len(telegram.entries("fault")) == 1


async def test_a_flood_in_one_chat_holds_up_no_other(telegram: Telegram, tmp_path: Path, alice: Person) -> None:
    bob, time = telegram.user(8), Patience()
    telegram.fault("sendMessage", "status", status=429, seconds=60)
    alice.says("ask-1")
    async with opened(telegram, tmp_path, time=time) as adapter, serving(tmp_path, adapter, time=time):
        await telegram.until(lambda entry: bool(entry["kind"] == "fault"))
        bob.says("ask-2")
        await telegram.until(bot_message(kind="edit", text="ans-2", chat=8))
        assert answers(telegram, 7) == []
        time.is_over.set()
        await telegram.until(bot_message(kind="edit", text="ans-1", chat=7))


async def test_a_bot_that_is_removed_or_blocked_gives_up_that_chat_alone(
    telegram: Telegram, adapter: TelegramAdapter, tmp_path: Path, time: Time, alice: Person, capsys: Any
) -> None:
    bob = telegram.user(8)
    team = telegram.group("Team", [alice, bob])
    alice.says("@scrubjay_bot ask-1", chat=team.id)
    team.bot_becomes("kicked")
    bob.says("ask-2")
    bob.blocks()
    alice.says("ask-3")

    async with serving(tmp_path, adapter, time=time):
        await telegram.until(bot_message(kind="edit", text="ans-3", chat=7))

    log = capsys.readouterr().out
    assert log.count("part.dead") == 2
    assert "bot was kicked from the supergroup chat" in log
    assert "bot was blocked by the user" in log


async def test_an_answer_that_its_placeholder_does_not_take_is_sent_anew_once(
    telegram: Telegram, adapter: TelegramAdapter, tmp_path: Path, time: Time, alice: Person
) -> None:
    telegram.fault("editMessageText", "status", status=400, message="Bad Request: no text to edit", times=None)
    alice.says("ask-1")
    async with serving(tmp_path, adapter, time=time):
        await telegram.until(bot_message(kind="message", text="ans-1"))
        telegram.call("clear_faults")
        alice.says("ask-2")
        await telegram.until(bot_message(kind="edit", text="ans-2"))

    assert [message["text"] for message in answers(telegram, 7)] == ["…", "ans-1", "ans-2"]


async def test_an_answer_that_is_not_taken_at_all_is_said_to_be_lacking_in_the_place_of_its_placeholder(
    telegram: Telegram, adapter: TelegramAdapter, tmp_path: Path, time: Time, alice: Person
) -> None:
    telegram.fault("editMessageText", "status", status=400, message="Bad Request: odd text")
    telegram.fault("sendMessage", "status", status=400, message="Bad Request: odd text", skip=1)
    alice.says("ask-1")
    async with serving(tmp_path, adapter, time=time):
        await telegram.until(bot_message(kind="edit", text="could not be shown"))

    (shown,) = answers(telegram, 7)
    assert "Bad Request: odd text" in shown["text"]


async def test_an_answer_to_a_group_that_has_moved_arrives_in_the_new_one(
    telegram: Telegram, adapter: TelegramAdapter, tmp_path: Path, time: Time, alice: Person
) -> None:
    team = telegram.group("Team", [alice], kind="group")
    alice.says("@scrubjay_bot ask-1", chat=team.id)
    supergroup = team.upgrades()

    async with serving(tmp_path, adapter, time=time):
        await telegram.until(bot_message(kind="message", text="ans-1", chat=supergroup.id))
        alice.says("@scrubjay_bot ask-2", chat=supergroup.id)
        await telegram.until(bot_message(kind="message", text="ans-2", chat=supergroup.id))

    assert [message["text"] for message in answers(telegram, supergroup.id)] == ["ans-1", "ans-2"]


async def test_a_revoked_token_is_said_once_and_the_other_account_goes_on(
    telegram: Telegram, adapter: TelegramAdapter, tmp_path: Path, time: Time, alice: Person, capsys: Any
) -> None:
    other = InMemoryAdapter(now=SystemClock().now)
    async with serving(tmp_path, adapter, other, time=time, supervised=True):
        alice.says("ask-1")
        await telegram.until(bot_message(kind="edit", text="ans-1"))
        telegram.call("revoke_token")
        telegram.user(9).says("wake up")
        await telegram.until(refused(count=2 * BELIEVED))
        other.say("ask-2")
        telegram.call("restore_token")
        alice.says("ask-3")
        await telegram.until(bot_message(kind="edit", text="ans-3"))

    log = capsys.readouterr().out
    assert [out.text for out in other.shown] == ["ans-2"]
    assert (log.count("adapter.refused"), log.count("does not accept the token")) == (1, 1)


async def test_many_messages_that_waited_are_answered_once_and_in_order(
    telegram: Telegram, tmp_path: Path, time: Time, alice: Person
) -> None:
    for number in range(WAITED):
        alice.says(f"ask-{number}")

    for last in (WAITED // 2, WAITED - 1):
        async with opened(telegram, tmp_path, time=time) as adapter, serving(tmp_path, adapter, time=time):
            await telegram.until(bot_message(kind="edit", text=f"ans-{last}"), timeout_s=60)

    verdict = check(telegram.entries())
    assert verdict.is_clean, verdict
    assert len(answers(telegram, 7)) == WAITED


async def test_requests_whose_fate_is_unclear_lose_and_double_nothing(
    telegram: Telegram, adapter: TelegramAdapter, tmp_path: Path, time: Time, alice: Person
) -> None:
    for on in ("sendMessage", "editMessageText", "getUpdates"):
        telegram.fault(on, "reset", effect=True, times=None, rate=0.3, seed=1)
        telegram.fault(on, "reset", times=None, rate=0.1, seed=2)
        telegram.fault(on, "status", status=500, effect=True, times=None, rate=0.3, seed=3)
    for number in range(AMBIGUOUS):
        alice.says(f"ask-{number}")

    async with serving(tmp_path, adapter, time=time):
        await telegram.until(bot_message(kind="edit", text=f"ans-{AMBIGUOUS - 1}"), timeout_s=60)

    verdict = check(telegram.entries())
    assert verdict.is_clean, verdict
    assert len([entry for entry in telegram.entries("fault") if entry.get("effect")]) > AMBIGUOUS
