"""The terminal chat over the real state file: what `printf 'hello\\n' | scrubjay chat` rests on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.terminal import HERE, REMARK, PlainScreen, TerminalAdapter
from bot.access.access import Access
from bot.access.routing import Routing
from bot.pipeline.accounts import Accounts
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.intake import Intake
from bot.pipeline.worker import Worker
from bot.service.service import Service
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.turn import Reply, Turn
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.factories import NOON, agent, envelope
from tests.support.terminal import Pipes, pipes

CLOCK = FrozenClock(NOON)


@pytest.fixture
def streams() -> Iterator[Pipes]:
    with pipes() as opened:
        yield opened


async def echo(turn: Turn) -> Reply:
    said = turn.text if len(turn.text) < 100 else f"{len(turn.text)} characters"
    return Reply(f"{turn.agent.name}: {said}")


async def chat(state: Path, streams: Pipes, *, run: str = "r", agent_name: str = "personal") -> str:
    """One life of `scrubjay chat`; what it printed."""
    terminal = TerminalAdapter(PlainScreen(streams.stdin, streams.stdout), run=run, now=CLOCK.now)
    platforms = Adapters([terminal])
    names = ["personal", "work"]
    async with SqliteCoordinator.open(state, clock=CLOCK) as coordinator:
        await Service(
            coordinator,
            intake=Intake(
                coordinator,
                access=Access({"terminal:owner"}, register=AccessStore()),
                routing=Routing(agent_name, names, register=AccessStore()),
                register=AccessStore(),
            ),
            worker=Worker(
                coordinator,
                agents={name: agent(name) for name in names},
                respond=echo,
                renderer=Renderer(platforms, clock=CLOCK),
                adapters=platforms,
                batch_limit=1,
                pause=InstantPause(),
            ),
            outbox=Outbox(coordinator, adapters=platforms, pause=InstantPause()),
            accounts=Accounts([terminal]),
        ).run(names, owner="test")
    return streams.seen()


async def test_a_question_that_is_asked_again_is_answered_as_that_line(tmp_path: Path, streams: Pipes) -> None:
    streams.type(b"one\n/again\ntwo")
    streams.hang_up()

    assert await chat(tmp_path / "s", streams) == "personal: one\npersonal: one\npersonal: two\n"


async def test_every_line_is_answered_by_the_chosen_agent_and_then_it_ends(tmp_path: Path, streams: Pipes) -> None:
    streams.type(b"one\ntwo\nthree")
    streams.hang_up()

    assert await chat(tmp_path / "s", streams, agent_name="work") == "work: one\nwork: two\nwork: three\n"


async def test_what_an_earlier_session_left_is_answered_with_a_remark(tmp_path: Path, streams: Pipes) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=CLOCK) as coordinator:
        await coordinator.publish(envelope("left over", update="yesterday-1", at=HERE))
    streams.type(b"new\n")
    streams.hang_up()

    seen = await chat(tmp_path / "s", streams)

    assert f"{REMARK}\npersonal: left over\n" in seen
    assert seen.count(REMARK) == 1
    assert "personal: new\n" in seen


async def test_lines_that_are_fed_again_under_the_same_name_are_not_answered_again(
    tmp_path: Path, streams: Pipes
) -> None:
    streams.type(b"one\ntwo\n")
    streams.hang_up()
    await chat(tmp_path / "s", streams)
    with pipes() as again:
        again.type(b"one\ntwo\nthree\n")
        again.hang_up()
        assert await chat(tmp_path / "s", again) == "personal: three\n"


async def test_a_line_as_long_as_a_message_may_be_with_bytes_that_are_no_text_goes_all_the_way(
    tmp_path: Path, streams: Pipes
) -> None:
    line = b"x" * 100_000 + b" \xff\x00 " + b"y" * 99_997
    async with asyncio.TaskGroup() as group:
        chatting = group.create_task(chat(tmp_path / "s", streams))
        await asyncio.to_thread(streams.type, line + b"\nafter it\n")
        streams.hang_up()

    assert chatting.result() == "personal: 200000 characters\npersonal: after it\n"
