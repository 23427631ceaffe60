"""Chats in other processes through a running service: real sockets and a real state file, an agent that echoes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.port import Growing, NotSent
from adapters.terminal import CHATS, REMARK, Interrupted, Shown, TerminalAdapter, Typed
from bot import __version__
from bot.access.access import Access
from bot.access.routing import Routing
from bot.chat.client import ChatClient, Ended
from bot.chat.server import LEFT, OWNER, SERVICE_ENDED, ChatServer, RemoteScreen, send
from bot.errors import Missing, Refused, Unreachable
from bot.pipeline.accounts import Accounts
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.intake import Intake
from bot.pipeline.worker import Worker
from bot.service import control
from bot.service.control import CHAT
from bot.service.service import Service
from bot.storage.sqlite import SqliteCoordinator
from bot.turn import Reply, Turn
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.factories import NOON, agent

NAMES = ["personal", "work"]
PATIENCE_S = 20


class Person:
    """Somebody at a screen: says what is put into `says`, and sees what is shown (`adapters.terminal.Screen`)."""

    waits = False
    is_attended = True

    def __init__(self) -> None:
        self.says: asyncio.Queue[Typed | type[Interrupted] | None] = asyncio.Queue()
        self.seen: list[Shown] = []
        self.grown: list[str] = []
        self.accepted_count = 0
        self._changed = asyncio.Event()

    async def read(self, _agent: str, /) -> Typed | None:
        said = await self.says.get()
        if said is Interrupted:
            raise Interrupted
        assert said is None or isinstance(said, Typed)
        return said

    async def accepted(self) -> None:
        self.accepted_count += 1
        self._changed.set()

    async def progress(self, text: Growing, doing: str) -> None:
        self.grown.append(text() or doing)
        self._changed.set()

    async def show(self, shown: Shown) -> None:
        self.seen.append(shown)
        self._changed.set()

    def say(self, *texts: str) -> None:
        for text in texts:
            self.says.put_nowait(Typed(text))

    async def sees(self, text: str) -> Shown:
        """Wait until something with these words is shown."""
        async with asyncio.timeout(PATIENCE_S):
            while not (found := [one for one in self.seen if text in one.text]):
                self._changed.clear()
                await self._changed.wait()
        return found[0]

    async def sees_growing(self, text: str) -> None:
        """Wait until an answer has come that far."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.grown:
                self._changed.clear()
                await self._changed.wait()

    async def is_heard(self, count: int) -> None:
        """Wait until so many messages were acknowledged."""
        async with asyncio.timeout(PATIENCE_S):
            while self.accepted_count < count:
                self._changed.clear()
                await self._changed.wait()


@dataclass
class Running:
    """A service, and who echoes in it: a message that begins with `slow` is answered when `go` is set."""

    card: Path
    service: Service
    adapter: TerminalAdapter
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def respond(self, turn: Turn) -> Reply:
        if turn.text.startswith("slow"):
            await turn.live.text(lambda: "half of it")
            await self.go.wait()
        return Reply(f"{turn.agent.name}: {turn.text}{turn.quote and f' ({turn.quote}, {turn.quote_origin})'}")

    async def client(self, person: Person, *, agent: str = "personal") -> ChatClient:
        return await ChatClient.connect(self.card, person, agent=agent)


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Running]:
    """A service without bot accounts; it is ended with the block."""
    clock = FrozenClock(NOON)
    adapter = TerminalAdapter(None, run="", now=clock.now)
    platforms = Adapters([adapter])

    async def respond(turn: Turn) -> Reply:
        return await scene.respond(turn)

    async with SqliteCoordinator.open(folder / "s", clock=clock) as coordinator:
        register = coordinator.register
        routing = Routing("personal", NAMES, register=register)
        intake = Intake(coordinator, access=Access({OWNER}, register=register), routing=routing, register=register)
        service = Service(
            coordinator,
            intake=intake,
            worker=Worker(
                coordinator,
                agents={name: agent(name) for name in NAMES},
                respond=respond,
                renderer=Renderer(platforms, clock=clock),
                adapters=platforms,
                batch_limit=1,
                pause=InstantPause(),
            ),
            outbox=Outbox(coordinator, adapters=platforms, pause=InstantPause()),
            accounts=Accounts([adapter]),
        )
        scene = Running(folder / "card", service, adapter)
        chats = ChatServer(adapter, routing, agents=NAMES, default="personal")
        async with (
            control.listening(scene.card, control.chat_api(lambda *_: ""), chats.converse),
            chats.ending(SERVICE_ENDED),
            asyncio.TaskGroup() as group,
        ):
            group.create_task(service.run(NAMES, owner="test"))
            yield scene
            scene.go.set()
            service.stop()


async def test_two_chats_at_once_have_each_their_agent_and_their_conversation(tmp_path: Path) -> None:
    one, other = Person(), Person()
    async with running(tmp_path) as scene, asyncio.TaskGroup() as group:
        first, second = await scene.client(one), await scene.client(other, agent="work")
        ends = [group.create_task(first.converse(one)), group.create_task(second.converse(other))]
        one.say("hello")
        other.say("hello")

        answers = await one.sees("personal: hello"), await other.sees("work: hello")

        assert [answer.agent for answer in answers] == NAMES
        assert first.session != second.session
        assert len(one.seen) == len(other.seen) == 1
        for person in (one, other):
            person.says.put_nowait(None)
    assert [end.result().why for end in ends] == [LEFT, LEFT]


async def test_those_who_come_at_the_same_moment_do_not_get_the_same_chat(tmp_path: Path) -> None:
    people = [Person() for _ in NAMES]
    async with running(tmp_path) as scene, asyncio.TaskGroup() as group:
        coming = (scene.client(person, agent=name) for person, name in zip(people, NAMES, strict=True))
        for client, person in zip(await asyncio.gather(*coming), people, strict=True):
            group.create_task(client.converse(person))
            person.say("hello")
        for person, name in zip(people, NAMES, strict=True):
            await person.sees(f"{name}: hello")
            person.says.put_nowait(None)

    assert [len(person.seen) for person in people] == [1, 1]


async def test_an_answer_grows_at_the_screen_that_asked(tmp_path: Path) -> None:
    one, other = Person(), Person()
    async with running(tmp_path) as scene, asyncio.TaskGroup() as group:
        for person in (one, other):
            client = await scene.client(person)
            group.create_task(client.converse(person))
        one.say("slow question")
        await one.is_heard(1)
        await one.sees_growing("half of it")
        scene.go.set()
        await one.sees("slow question")
        for person in (one, other):
            person.says.put_nowait(None)

    assert other.grown == []


async def test_a_client_that_dies_stops_nothing_and_the_next_one_sees_its_answer(tmp_path: Path) -> None:
    dying, later = Person(), Person()
    async with running(tmp_path) as scene, asyncio.TaskGroup() as group:
        client = await scene.client(dying)
        talking = group.create_task(client.converse(dying))
        dying.say("slow question")
        await dying.is_heard(1)
        talking.cancel()
        await asyncio.wait([talking])
        scene.go.set()

        next_client = await scene.client(later)
        group.create_task(next_client.converse(later))
        shown = await later.sees("slow question")
        later.says.put_nowait(None)

    assert shown.text == f"{REMARK}\npersonal: slow question"
    assert not shown.is_answer
    assert dying.seen == []


async def test_a_service_that_ends_answers_what_it_has_taken_and_tells_its_clients(tmp_path: Path) -> None:
    person = Person()
    async with asyncio.TaskGroup() as group, running(tmp_path) as scene:
        client = await scene.client(person)
        talking = group.create_task(client.converse(person))
        person.say("slow question")
        await person.is_heard(1)
        scene.service.stop()
        person.say("too late")
        scene.go.set()

    assert talking.result() == Ended(SERVICE_ENDED, "personal", Typed("too late"))
    assert [one.text for one in person.seen] == ["personal: slow question"]


async def test_what_comes_through_a_pipe_beside_a_question_counts_as_a_strangers_words(tmp_path: Path) -> None:
    person = Person()
    async with running(tmp_path) as scene, asyncio.TaskGroup() as group:
        client = await scene.client(person)
        group.create_task(client.converse(person, first=Typed("what is this?", "the notes")))
        await person.sees("what is this? (the notes, untrusted)")
        person.says.put_nowait(None)


async def test_a_wrong_key_another_version_an_unknown_agent_and_one_chat_too_many_are_refused(tmp_path: Path) -> None:
    person = Person()
    async with running(tmp_path) as scene:
        about = {"agent": "", "run": "r", "waits": False, "is_attended": True}
        with pytest.raises(Refused, match="and this one is 99"):
            await control.ask(scene.card, CHAT, version="99", **about)
        with pytest.raises(Missing, match="no agent called 'nobody'"):
            await scene.client(person, agent="nobody")
        told = json.loads(scene.card.read_text())
        scene.card.write_text(json.dumps(told | {"key": "guessed"}))
        with pytest.raises(Refused, match="not the key"):
            await scene.client(person)
        scene.card.write_text(json.dumps({"port": 1, "key": "k"}))
        with pytest.raises(Unreachable):
            await scene.client(person)
        scene.card.write_text(json.dumps(told))
        async with asyncio.TaskGroup() as group:
            people = [Person() for _ in CHATS]
            for one in people:
                client = await scene.client(one)
                group.create_task(client.converse(one))
                one.say("hello")
                await one.sees("hello")
            with pytest.raises(Exception, match="Too many chats"):
                await scene.client(person)
            for one in people:
                one.says.put_nowait(None)


async def test_nothing_waits_to_be_printed_at_a_screen_that_has_gone(tmp_path: Path) -> None:
    came: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    path = str(tmp_path / "socket")
    async with (
        await asyncio.start_unix_server(lambda *streams: came.put_nowait(streams), path),
        asyncio.timeout(PATIENCE_S),
    ):
        _, client = await asyncio.open_unix_connection(path)
        reader, writer = await came.get()
        with closing(writer):
            client.close()
            screen = RemoteScreen(reader, writer, waits=False, is_attended=True)
            with pytest.raises(ConnectionResetError):
                await screen.hear()
            with pytest.raises(NotSent):
                await screen.show(Shown("late"))
        await asyncio.gather(client.wait_closed(), writer.wait_closed())


async def test_what_is_no_frame_ends_that_chat_and_no_other(tmp_path: Path) -> None:
    person = Person()
    async with running(tmp_path) as scene, asyncio.TaskGroup() as group:
        client = await scene.client(person)
        group.create_task(client.converse(person))
        told = json.loads(scene.card.read_text())
        reader, writer = await asyncio.open_connection("127.0.0.1", told["port"])
        about = {"version": __version__, "run": "r", "waits": False, "is_attended": True}
        send(writer, key=told["key"], what=CHAT, about=about)
        writer.write(b"no json\n")
        assert b"session" in await reader.read()
        writer.close()
        person.say("hello")
        await person.sees("hello")
        person.says.put_nowait(None)
