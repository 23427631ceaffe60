"""A secret that is told in passing stands in no file until the person wants it kept."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from adapters.port import ConnectionState, NotSent, Outbound, Receipt
from adapters.terminal import CHATS
from bot.config.model import Config
from bot.paths import Home
from bot.sessions.forgetting import Forgetting
from bot.sessions.redaction import ConversationRecords
from bot.storage.keys import SessionKey
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.acceptance.hundred import Owner, offline_bot
from tests.servers.openai_script import Call, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON, chat

SECRET = "plum-Kettle-88-zanzibar"
TOLD = f"By the way, my Gmail password is {SECRET}"
CONFIG = Config.model_validate(
    {
        "memory": {"embedder": {"kind": "none"}},
        "model": {"name": "m", "base_url": "http://127.0.0.1:9", "api_key": SECRET},
    }
)
OFFLINE = Config.model_validate({"memory": {"embedder": {"kind": "none"}}})


def holding(root: Path) -> Iterator[str]:
    """The files below a folder that have the secret in their bytes."""
    for path in sorted(root.rglob("*")):
        if path.is_file() and SECRET.encode() in path.read_bytes():
            yield path.relative_to(root).as_posix()


@pytest.mark.parametrize("said", [TOLD, f"/remember {TOLD}"])
@pytest.mark.parametrize("answer", ["n", "and now something else"])
async def test_declined_or_left_open_it_is_nowhere(tmp_path: Path, said: str, answer: str) -> None:
    async with offline_bot(Home.at(tmp_path), OFFLINE, FrozenClock(NOON)) as people:
        asked = await people.ask(said)
        await people.ask(answer)
        await people.ask("what is my Gmail password?")

    assert "a password" in asked
    assert SECRET not in asked
    assert list(holding(tmp_path)) == []


async def test_kept_it_stands_in_the_notes_alone(tmp_path: Path) -> None:
    async with offline_bot(Home.at(tmp_path), OFFLINE, FrozenClock(NOON)) as people:
        await people.ask(TOLD)
        assert (await people.ask("y")).startswith("Noted in ")
        assert SECRET in await people.ask("/recall Gmail password")
        await people.ask("/forget no")

    assert {path.split("/")[0] for path in holding(tmp_path)} <= {"workspaces", "state"}
    assert "workspaces/personal/memory/2026-11-21.md" in holding(tmp_path)


async def test_a_secret_of_the_configuration_is_never_kept(tmp_path: Path) -> None:
    async with offline_bot(Home.at(tmp_path), CONFIG, FrozenClock(NOON)) as people:
        refused = await people.ask(f"/remember The model opens with {SECRET}")
        assert "secret of your configuration" in refused
        await people.ask("y")

    assert list(holding(tmp_path)) == []


async def test_what_somebody_calls_a_secret_is_masked_in_no_other_conversation(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    async with offline_bot(home, OFFLINE, FrozenClock(NOON)) as people:
        await people.ask(f"/remember The tea is called {SECRET}")
        asked = await people.ask(f"/remember {TOLD}", chat="guest", sender="guest")
        await people.ask("/today", chat="guest", sender="guest")

    with closing(sqlite3.connect(home.database)) as state:
        rows = state.execute("SELECT session FROM transcript WHERE instr(body, ?)", [SECRET]).fetchall()
    assert "a password" in asked
    assert {session.rpartition(":")[2] for (session,) in rows} == {"home"}


@pytest.mark.parametrize("noting", [(), (Step(calls=(Call("remember", {"text": f"Gmail opens with {SECRET}"}),)),)])
async def test_what_is_told_a_model_is_answered_as_it_was_said_and_stands_nowhere(
    tmp_path: Path, noting: tuple[Step, ...]
) -> None:
    answer = Step(text=f"Print this on the sign: {SECRET}.")
    with OpenAIServer([*noting, answer, Step(text="Fine.")]) as server:
        model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
        config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}, "model": model})
        async with offline_bot(Home.at(tmp_path), config, FrozenClock(NOON)) as people:
            assert f"Print this on the sign: {SECRET}." in await people.ask(TOLD)
            await people.ask("Thank you for the sign.")

    assert list(holding(tmp_path)) == []


class Away(Owner):
    """The owner on a platform that is out of reach."""

    def __init__(self, clock: FrozenClock) -> None:
        super().__init__(clock)
        self.connection, self.tried = ConnectionState("no network"), asyncio.Event()

    async def send(self, out: Outbound) -> Receipt:
        self.tried.set()
        raise NotSent(f"no network for {out.id}")


async def test_an_answer_that_waits_for_its_platform_while_the_service_ends_arrives_as_it_was_written(
    tmp_path: Path,
) -> None:
    home, clock = Home.at(tmp_path), FrozenClock(NOON)
    with OpenAIServer([Step(text=f"Print this on the sign: {SECRET}.")]) as server:
        model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
        config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}, "model": model})
        away = Away(clock)
        async with offline_bot(home, config, clock, away) as people:
            people.say(TOLD, chat="home")
            await away.tried.wait()
        async with offline_bot(home, config, clock) as people:
            assert f"Print this on the sign: {SECRET}." in await people.answer()
            people.say(TOLD, chat="home")  # the platform brings it once more
            await people.ask("/help")

    assert list(holding(tmp_path)) == []


@pytest.mark.parametrize("damage", ["newer", "history"])
async def test_what_cannot_be_read_of_a_killed_process_keeps_no_agent_from_answering(
    tmp_path: Path, damage: str
) -> None:
    home, clock = Home.at(tmp_path), FrozenClock(NOON)
    home.prepare()
    async with SqliteCoordinator.open(home.database, clock=clock) as state:
        await Forgetting(ConversationRecords(state), state.marks).owe(SessionKey("personal", next(iter(CHATS))))
        if damage == "newer":
            await state.marks.save("secrets.personal", "agent:personal:new", '{"kind": "hologram"}', lasting=True)
    if damage == "history":
        home.history.mkdir(parents=True)
    async with asyncio.timeout(10), offline_bot(home, OFFLINE, clock) as people:
        assert await people.ask("hello")


async def test_what_a_killed_process_had_still_to_mask_the_next_start_does(tmp_path: Path) -> None:
    home, clock = Home.at(tmp_path), FrozenClock(NOON)
    home.prepare()
    async with SqliteCoordinator.open(home.database, clock=clock) as state:
        await Forgetting(ConversationRecords(state), state.marks).owe(SessionKey("personal", next(iter(CHATS))))
    home.history.write_text(f"\n# 2026-11-21 12:00:00\n+{TOLD}\n", encoding="utf-8")
    async with offline_bot(home, OFFLINE, clock) as people:
        await people.ask("hello")

    assert (list(holding(tmp_path)), home.history.exists()) == ([], True)


async def test_an_answer_that_arrived_before_a_kill_is_masked_although_nothing_tells_its_secret_any_more(
    tmp_path: Path,
) -> None:
    home, clock = Home.at(tmp_path), FrozenClock(NOON)
    async with offline_bot(home, OFFLINE, clock) as people:
        answer = await people.ask("hello")
    with closing(sqlite3.connect(home.database)) as state, state:
        first = answer.split("\n")[0]
        state.execute("UPDATE outbox SET body = replace(body, ?, ?)", [first, f"Print this on the sign: {SECRET}."])
    async with SqliteCoordinator.open(home.database, clock=clock) as core:
        await Forgetting(ConversationRecords(core), core.marks).owe(SessionKey("personal", chat("home")))
    assert list(holding(tmp_path)) != []

    async with offline_bot(home, OFFLINE, clock, people):
        await people.ask("hello again")

    assert list(holding(tmp_path)) == []


async def test_a_number_that_is_a_secret_stays_where_it_is_a_year(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    async with offline_bot(home, OFFLINE, FrozenClock(NOON)) as people:
        await people.ask("/remember In 2026 we move to Lindau.")
        await people.ask("My PIN is 2026")
        await people.ask("n")

    with closing(sqlite3.connect(home.database)) as state:
        said = " ".join(body for (body,) in state.execute("SELECT body FROM transcript WHERE kind = 'message'"))
    assert "In 2026 we move" in said
    assert "PIN is ••••" in said
