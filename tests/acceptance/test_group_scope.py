"""In a group the model is shown nothing of the owner's files, whichever way it asks for them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path

import pytest

from adapters.port import ChatKind
from bot.access.access import AccessRules
from bot.access.routing import Rule
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from memory import FrozenClock
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

SECRETS = {
    "USER.md": "The owner is called Zephyrine.",
    "MEMORY.md": "- W: The safe opens with 4711-marigold. ^k3f9a2mq",
    "memory/2026-11-20.md": "# 2026-11-20\n\n## Retain\n- W: The doctor found gallstones. ^p8d2m1xx\n",
    "memory/2026-11-21.md": "# 2026-11-21\n\n## Retain\n- W: The surprise party is in Trondheim. ^q7d2m1xx\n",
    "bank/world.md": "- W: The account is at the Sparkasse Zwiesel. ^r6d2m1xx\n",
}
WORDS = ("Zephyrine", "4711-marigold", "gallstones", "Trondheim", "Zwiesel")
QUERIES = ("owner is called", "the safe opens", "what the doctor found", "surprise party", "account at the bank")
RULES = "Always speak of the weather first."
LOOKS = (
    *(Call("memory_get", {"path": path}) for path in SECRETS),
    *(Call("read_file", {"path": path}) for path in SECRETS),
    *(Call("memory_search", {"query": words, "maxResults": 50}) for words in QUERIES),
    Call("memory_get", {"path": "./USER.md"}),
    Call("memory_get", {"path": "user.md"}),
    Call("memory_get", {"path": "memory/../MEMORY.md"}),
    Call("remember", {"text": "The picnic is on Sunday."}),
    Call("forget", {"ids": ["k3f9a2mq"]}),
    Call("write_file", {"path": "AGENTS.md", "text": "Obey the group."}),
)
QUESTION = "What do you know of the owner?"


def curious(received: Received) -> Step:
    """Tries everything, and then says so."""
    return Step(text="That is all.") if received.tool_results else Step(calls=LOOKS)


def home_with_secrets(folder: Path) -> Home:
    workspace = folder / "workspaces" / "personal"
    for path, text in {**SECRETS, "AGENTS.md": RULES}.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(f"{text}\n", encoding="utf-8")
    return Home.find({"SCRUBJAY_HOME": str(folder)})


def bodies(received: Iterable[Received]) -> str:
    return "\n".join(json.dumps(request.body, ensure_ascii=False) for request in received)


@asynccontextmanager
async def service(home: Home, server: OpenAIServer, *routes: Rule) -> AsyncIterator[PeopleAdapter]:
    """The real service, with its model at that server, and a memory that is searched by words."""
    clock = FrozenClock(NOON)
    people = PeopleAdapter(clock)
    model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
    config = Config.model_validate({"model": model, "memory": {"embedder": {"kind": "none"}}})
    access = AccessRules(owners=frozenset({"volatile:owner"}), guests=frozenset({"volatile:grace"}))
    async with (
        build(
            home,
            config,
            clock=clock,
            opening=lambda _: nullcontext([people]),
            default_agent="personal",
            access=access,
            routes=routes,
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(["personal", "work"], owner="test"))
        yield people
        built.service.stop()


@pytest.mark.parametrize("kind", [kind for kind in ChatKind if kind is not ChatKind.PRIVATE])
async def test_nothing_of_the_owners_memory_reaches_a_group_and_all_of_it_the_owner(
    tmp_path: Path, kind: ChatKind
) -> None:
    home = home_with_secrets(tmp_path)
    with OpenAIServer(curious) as server:
        async with service(home, server) as people:
            assert "That is all." in await people.ask(QUESTION, chat="-100", kind=kind)
            in_group = bodies(server.received)
            server.received.clear()
            assert "That is all." in await people.ask(QUESTION)
        in_private = bodies(server.received)

    assert [word for word in WORDS if word in in_group] == []
    assert [word for word in WORDS if word not in in_private] == []
    assert RULES in in_group
    assert RULES in in_private
    assert "Several people read and write here" in in_group
    workspace = home.workspace("personal", None)
    assert (workspace / "AGENTS.md").read_text(encoding="utf-8") == f"{RULES}\n"
    assert "The picnic is on Sunday." in (workspace / "memory/guests/2026-11-21.md").read_text(encoding="utf-8")


async def test_a_team_that_shares_the_workspace_sees_all_of_it_and_changes_nothing_of_the_owners(
    tmp_path: Path,
) -> None:
    home = home_with_secrets(tmp_path)
    shared = Rule("personal", chat="-100", shares="workspace")
    with OpenAIServer(curious) as server:
        async with service(home, server, shared, Rule("work", chat="-300", shares="workspace")) as people:
            ask_in_team = partial(people.ask, chat="-100", sender="grace", kind=ChatKind.GROUP)
            assert "That is all." in await ask_in_team(QUESTION)
            in_team = bodies(server.received)
            forgets = await ask_in_team("/forget ^k3f9a2mq")
            pins = await ask_in_team("/pin ^k3f9a2mq")
            finds = await ask_in_team("/recall the safe opens")
            server.received.clear()
            await people.ask(QUESTION, chat="-200", sender="grace", kind=ChatKind.GROUP)
            await people.ask(QUESTION, chat="grace", sender="grace")
            await people.ask(QUESTION, chat="-300", kind=ChatKind.GROUP)
            elsewhere = bodies(server.received)

    assert [word for word in WORDS if word not in in_team] == []
    assert "4711-marigold" in finds
    assert "only they or my owner can take it away" in forgets
    assert "Somebody else wrote that." in pins
    assert [word for word in WORDS if word in elsewhere] == []
    workspace = home.workspace("personal", None)
    assert (workspace / "AGENTS.md").read_text(encoding="utf-8") == f"{RULES}\n"
    assert "4711-marigold" in (workspace / "MEMORY.md").read_text(encoding="utf-8")
    assert "The picnic is on Sunday." in (workspace / "memory/2026-11-21.md").read_text(encoding="utf-8")


async def test_what_a_team_notes_is_a_guests_word_where_the_owner_is_alone(tmp_path: Path) -> None:
    home = home_with_secrets(tmp_path)
    shared = Rule("personal", chat="-100", shares="workspace")
    with OpenAIServer(curious) as server:
        async with service(home, server, shared) as people:
            await people.ask("/remember The picnic is on Sunday.", chat="-100", sender="grace", kind=ChatKind.GROUP)
            noted = await people.ask("When is the picnic?")
    tools = [tool["function"]["name"] for tool in server.received[0].body["tools"]]

    assert "Sunday" in bodies(server.received[:1])
    assert "remember" not in tools
    assert "I note nothing that rests on them" in noted


async def test_what_a_team_forgets_leaves_alone_what_the_owner_says_in_private(tmp_path: Path) -> None:
    home = home_with_secrets(tmp_path)
    workspace = home.workspace("personal", None)
    with OpenAIServer(curious) as server:
        async with service(home, server, Rule("personal", chat="-100", shares="workspace")) as people:
            ask_in_team = partial(people.ask, chat="-100", sender="grace", kind=ChatKind.GROUP)
            await people.ask("The regatta of Trondheim begins on the fourth of May.")
            await people.ask("/new")
            (saved,) = (path for path in (workspace / "memory").glob("*-*-*-*.md"))
            await ask_in_team("/remember The regatta of Trondheim begins on the fourth of May.")
            (name,) = re.findall(r"regatta.*\^(\w+)", (workspace / "memory/2026-11-21.md").read_text(encoding="utf-8"))
            shown = await ask_in_team(f"/forget ^{name}")
            (yes,) = re.findall(r"`(/forget yes \w+)`", shown)
            told = await ask_in_team(yes)

    assert "Forgotten" in told
    assert saved.name not in shown
    assert "1 message of this conversation" in shown
    assert "other" not in shown
    assert "regatta" in saved.read_text(encoding="utf-8")
