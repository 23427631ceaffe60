from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from adapters.in_memory import InMemoryAdapter
from adapters.terminal import HERE
from bot import plugins, starter
from bot.access.access import Access, AccessRules
from bot.access.routing import Routing
from bot.app import build, commands, make_reminders, open_agents
from bot.config.model import Config
from bot.errors import Missing
from bot.jobs.base import Basics
from bot.memories import Memories
from bot.paths import Home
from bot.pipeline.delivery.outbox import Adapters
from bot.pipeline.delivery.owner import OwnerChats
from bot.sessions.language import Languages
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore, Person, Role
from memory import OWNER, FrozenClock, Mode, Status
from tests.support.factories import NOON, chat, inbound
from tests.support.factories import OWNER as OWNS
from tests.support.service import PeopleAdapter
from tests.unit.memory.embed.scripted import serving

CLOCK = FrozenClock(NOON)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path / "home")
    home.prepare()
    return home


def configured(**agents: dict[str, str]) -> Config:
    """Agents that search by words alone: most of what is tested here has nothing to do with meaning."""
    by_words = {"memory": {"embedder": {"kind": "none"}}}
    return Config.model_validate(
        by_words | ({"owner": {"timezone": "Europe/Berlin"}, "agents": agents} if agents else {})
    )


class Chat:
    """One person's chat, over several lives of the service."""

    def __init__(self, home: Home, config: Config | None = None) -> None:
        self._home = home
        self._config = config or configured()
        self._adapter = InMemoryAdapter(now=CLOCK.now)

    async def talk(self, *said: str, agent: str = "personal", sender: str = "owner") -> list[str]:
        """One life of the service; what it answered."""
        before = len(self._adapter.shown)
        for text in said:
            self._adapter.say(text, sender=sender)
        self._adapter.leave()
        async with build(
            self._home,
            self._config,
            clock=CLOCK,
            opening=lambda _: nullcontext([self._adapter]),
            default_agent=agent,
            access=AccessRules(owners=frozenset({"volatile:owner"})),
        ) as built:
            await built.service.run(tuple(self._config.agents), owner="test")
        return [out.text for out in self._adapter.shown[before:]]


async def no_notice(text: str, about: str) -> None:
    """Tell nobody."""


def test_every_file_among_the_commands_is_one() -> None:
    import bot.commands

    files = {path.stem for path in Path(bot.commands.__path__[0]).glob("*.py")}
    assert set(commands()) == files - {"__init__", *plugins.NOT_EXTENSIONS}


async def test_what_was_told_yesterday_is_answered_today_by_another_process(home: Home) -> None:
    chat = Chat(home)
    noted, *_ = await chat.talk("The spare key hangs in the shed.", "hello")
    (answer,) = await chat.talk("Where does the spare key hang?")

    assert noted.startswith("Noted in memory/2026-11-21.md:4")
    assert "> The spare key hangs in the shed." in answer
    assert "memory/2026-11-21.md#L4" in answer


async def test_each_message_is_a_turn_of_its_own(home: Home) -> None:
    shown = await Chat(home).talk("The tent is green.", "Where is the car?", "The tent is old.")

    assert len(shown) == 3
    assert [text.startswith("Noted") for text in shown] == [True, False, True]


async def test_the_notice_about_the_missing_model_comes_once_in_the_life_of_a_session(home: Home) -> None:
    chat = Chat(home)
    shown = await chat.talk("hello", "hello") + await chat.talk("hello") + await chat.talk("hello", agent="work")

    assert ["offline mode" in text for text in shown] == [True, False, False, True]


async def test_an_agent_s_workspace_can_be_a_folder_of_one_s_own(home: Home) -> None:
    config = configured(garden={"about": "Seeds.", "workspace": "my garden"}, personal={})

    await Chat(home, config).talk("The beans are sown.", agent="garden")

    assert "The beans are sown." in (home.config.parent / "my garden/memory/2026-11-21.md").read_text()


async def test_strangers_are_not_answered(home: Home) -> None:
    assert await Chat(home).talk("hello", sender="stranger") == []


async def test_reminders_that_the_schedule_has_set_go_to_no_chat_of_a_former_owner(home: Home) -> None:
    config, register = configured(), AccessStore()
    people = Access(AccessRules(owners=frozenset({"volatile:ana"})), register=register)
    routing = Routing("personal", ["personal"], register=register)
    async with SqliteCoordinator.open(home.state / "state.sqlite", clock=CLOCK) as coordinator:
        owner = OwnerChats(coordinator, owns=people.owns, routing=routing, clock=CLOCK)
        languages, basics = Languages("en", coordinator), Basics(home, config, CLOCK, coordinator, {})
        reminders = make_reminders(basics, Adapters(()), owner, no_notice, languages, people)
        await register.grant(Person("volatile:bo", Role.OWNER, "Bo", NOON))
        for name in ("ana", "bo"):
            await owner.remember(OWNS, inbound("hello", update="1", at=chat(name), sender=name))
        before = [reminders.may_read(who, chat("bo")) for who in ("schedule", "volatile:bo")]
        await register.revoke("volatile:bo")
        after = [reminders.may_read(who, chat("bo")) for who in ("schedule", "volatile:bo")]
        elsewhere = [reminders.may_read("schedule", to) for to in (chat("ana"), HERE)]

    assert (before, after, elsewhere) == ([True, True], [False, False], [True, True])


async def test_an_unknown_agent_is_refused_before_anything_is_served(home: Home) -> None:
    with pytest.raises(Missing, match="nobody"):
        await Chat(home).talk(agent="nobody")


async def test_every_agent_has_its_own_files_and_index(home: Home) -> None:
    config = configured()
    for name, options in config.agents.items():
        starter.write_templates(home.workspace(name), name, about=options.about, owner=config.owner)
    await Chat(home, config).talk("The tent is green.")

    async with (
        Memories(home, config, clock=CLOCK) as memories,
        SqliteCoordinator.open(home.database, clock=CLOCK) as coordinator,
        open_agents(memories, config, coordinator, clock=CLOCK) as agents,
    ):
        found = {name: (await agent.memory.recall("tent", scope=OWNER)).hits for name, agent in agents.items()}

    assert [len(hits) for hits in found.values()] == [1, 0]
    assert all(home.index(name).is_file() for name in config.agents)


async def test_what_was_told_and_is_not_in_a_note_is_found_where_that_is_wanted(home: Home) -> None:
    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}, "sessions": {"index": True}}})
    chat = Chat(home, config)
    await chat.talk("The tent leaks at the seam.", "/undo", "The tent is green.")

    (found,) = await chat.talk("/recall tent")
    (not_noted,) = await chat.talk("/forget 2")

    assert found.count("The tent is green.") == 1
    assert "The tent leaks at the seam." in found
    assert "`sessions/2026-11-21-" in found
    assert not_noted.startswith("That stands in a conversation")


async def until_in_index(home: Home, config: Config, holds: Callable[[Status], bool]) -> None:
    """Wait until the index of the service has it; asked through a reader, who neither looks at files nor embeds."""
    async with asyncio.timeout(60), Memories(home, config, clock=CLOCK) as memories:
        while True:
            async with memories.open("personal", mode=Mode.READ_ONLY) as reader:
                if holds(await reader.status()):
                    return


async def test_what_is_told_and_what_is_written_by_hand_is_embedded_beside_the_conversation(home: Home) -> None:
    adapter = InMemoryAdapter(now=CLOCK.now)
    adapter.say("The spare key is under the blue pot.")
    async with serving() as server:
        embedder = {"kind": "endpoint", "model": "letters", "base_url": server.url}
        config = Config.model_validate({"agents": {"personal": {}}, "memory": {"embedder": embedder}})
        async with (
            build(
                home,
                config,
                clock=CLOCK,
                opening=lambda _: nullcontext([adapter]),
                default_agent="personal",
                access=AccessRules(owners=frozenset({"volatile:owner"})),
            ) as built,
            asyncio.TaskGroup() as group,
        ):
            running = group.create_task(built.service.run(("personal",), owner="test"))
            await until_in_index(home, config, lambda stands: stands.embedded == 1)
            (home.workspace("personal") / "garden.md").write_text("The tomatoes stand by the south wall.\n")
            await until_in_index(home, config, lambda stands: stands.embedded == 2)
            adapter.say("where are the keys?")
            adapter.say("/why")
            adapter.leave()
            await running

    _, answer, why = [out.text for out in adapter.shown]
    assert "under the blue pot" in answer
    assert "Searched by words and meaning." in why
    assert "meaning 0." in why


async def test_the_owner_is_told_in_their_chat_that_a_journal_does_not_end_as_it_was_left(home: Home) -> None:
    async def live(*said: str) -> list[str]:
        """One life of a service for several people, until there is an answer to each thing said, and one more."""
        people = PeopleAdapter(CLOCK)
        async with (
            build(
                home,
                configured(),
                clock=CLOCK,
                opening=lambda _: nullcontext([people]),
                default_agent="personal",
                access=AccessRules(owners=frozenset({"volatile:owner"})),
                is_service=True,
            ) as built,
            asyncio.timeout(60),
            asyncio.TaskGroup() as group,
        ):
            running = group.create_task(built.service.run(("personal",), owner="test"))
            answers = [await people.ask(text) for text in said] or [await people.answer()]
            built.service.stop()
            await running
        return answers

    await live("The tent is green.", "The car is red.")
    (journal,) = home.workspace("personal").glob(".memory/journal/*.jsonl")
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])

    (told,) = await live()
    assert told.startswith("The journal of personal does not end as it was left")
    assert "older backup" in told
