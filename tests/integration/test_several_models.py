"""A service with two models: who answers, what is told, what is chosen, what is counted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from adapters.in_memory import InMemoryAdapter
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from memory import FrozenClock
from tests.servers.openai_script import Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON

CLOCK = FrozenClock(NOON)


def answers(name: str) -> OpenAIServer:
    """A server whose model says its name, and has used 1,000 tokens for the question and 100 for the answer."""

    def answer(_: Received) -> Step:
        return Step(text=f"I am {name}.", usage=(1000, 100))

    return OpenAIServer(answer)


class House:
    """A home with two models, over several lives of the service."""

    def __init__(self, folder: Path, first: OpenAIServer, second: OpenAIServer, **more: Any) -> None:
        self._home = Home.at(folder / "home")
        self._home.prepare()
        self._adapter = InMemoryAdapter(now=CLOCK.now)
        self.names = tuple(f"{MODEL} at {server.base_url[7:-3]}" for server in (first, second))
        self.given: dict[str, Any] = {
            "memory": {"embedder": {"kind": "none"}},
            "agents": {"personal": {}},
            "owner": {"timezone": "UTC"},
            "model": {
                "name": MODEL,
                "base_url": first.base_url,
                "api_key": KEY,
                "fallbacks": [{"name": MODEL, "base_url": second.base_url, "api_key": KEY}],
            },
        } | more

    async def talk(self, *said: str, sender: str = "owner") -> list[str]:
        """One life of the service; what it answered, one after the other."""
        before = len(self._adapter.shown)
        for text in said:
            self._adapter.say(text, sender=sender)
            self._adapter.say("/whoami", sender=sender)  # ends the burst
        self._adapter.leave()
        async with build(
            self._home,
            Config.model_validate(self.given),
            clock=CLOCK,
            opening=lambda _: nullcontext([self._adapter]),
            default_agent="personal",
            access=AccessRules(owners=frozenset({"volatile:owner"}), guests=frozenset({"volatile:guest"})),
        ) as built:
            await built.service.run(("personal",), owner="test")
        return [out.text for out in self._adapter.shown[before:] if not out.text.startswith("You are")]

    def with_key(self, key: str) -> Mapping[str, Any]:
        """Give the first model another key."""
        self.given["model"]["api_key"] = key
        return self.given


async def test_the_person_is_told_once_who_answers_instead(tmp_path: Path) -> None:
    with answers("first") as first, answers("second") as second:
        house = House(tmp_path, first, second)
        house.with_key("stolen")
        told, again, status = await house.talk("Hello?", "And again?", "/status")
        house.with_key(KEY)
        (back,) = await house.talk("Better?")

    assert told.startswith("I am second.")
    assert f"(Answered by {house.names[1]}: {house.names[0]} refused the key" in told
    assert "Answered by" not in again
    assert f"- Model: {house.names[1]} answers instead of {house.names[0]}, no answer since" in status
    assert back == "I am first."
    assert len(second.received) == 2


async def test_a_conversation_chooses_its_model_until_it_ends(tmp_path: Path) -> None:
    with answers("first") as first, answers("second") as second:
        house = House(tmp_path, first, second)
        chosen, hello = await house.talk(f"/model {house.names[1]}", "Hello?")
        after_restart, listed = await house.talk("And now?", "/model")
        *_, anew = await house.talk("/new", "And in a new conversation?")
        await house.talk(f"/model {house.names[1]}")
        again, default = await house.talk("/model default", "And by default?")

    assert chosen.startswith(f"From now on {house.names[1]} answers in this conversation")
    assert (hello, after_restart, anew, default) == ("I am second.", "I am second.", "I am first.", "I am first.")
    assert listed.startswith(f"**{house.names[1]}** is asked first here")
    assert f"1. `{house.names[1]}`: chosen for this conversation\n2. `{house.names[0]}`: the default" in listed
    assert again == f"{house.names[0]} answers here again."


async def test_the_list_tells_who_is_out_and_why(tmp_path: Path) -> None:
    with answers("first") as first, answers("second") as second:
        house = House(tmp_path, first, second)
        house.with_key("stolen")
        _, listed, unknown = await house.talk("Hello?", "/model", "/model gpt-9")
        refused, _ = await house.talk("/model", "Hello?", sender="guest")

    out = f"no answer since 2026-11-21 12:00, asked again in 30 s: {house.names[0]} refused the key"
    assert f"1. `{house.names[0]}`: the default; {out}" in listed
    assert unknown.startswith("There is no model called `gpt-9` here.")
    assert house.names[0] not in refused


async def test_a_chosen_model_that_is_out_makes_room_for_the_others(tmp_path: Path) -> None:
    with answers("first") as first, answers("second") as second:
        house = House(tmp_path, first, second)
        house.given["model"]["fallbacks"][0]["api_key"] = "stolen"
        _, told = await house.talk(f"/model {house.names[1]}", "Hello?")

    assert told.startswith("I am first.")
    assert f"(Answered by {house.names[0]}: {house.names[1]} refused the key" in told
