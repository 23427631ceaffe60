"""A service with two models: who answers, what is told, what is chosen, what is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from adapters.in_memory import InMemoryAdapter
from adapters.port import Outbound, Receipt
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.llm.retry import REST_S
from bot.paths import Home
from memory import FrozenClock
from tests.servers.openai_script import Fault, Received, Step, quota_exhausted
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON


def answers(name: str, *faults: Fault, clock: FrozenClock | None = None) -> OpenAIServer:
    """A server whose model says its name, and has used 1,000 tokens for the question and 100 for the answer.

    With a `clock` each answer takes it as long as another model rests.
    """

    def answer(_: Received) -> Step:
        if clock:
            clock.advance(seconds=REST_S)
        return Step(text=f"I am {name}.", usage=(1000, 100))

    return OpenAIServer(answer, faults)


class PatientAdapter(InMemoryAdapter):
    """A platform on which somebody says one thing after the other (`next`), each once the one before is answered."""

    next: Callable[[], None]

    def go_on(self, said: Sequence[str], sender: str) -> None:
        """Say the next thing and what is still to be said after its answer; with nothing left, leave."""
        self.next = partial(self.go_on, said[1:], sender)
        if said:
            self.say(said[0], sender=sender)
            self.say("/whoami", sender=sender)  # ends the burst
        else:
            self.leave()

    async def send(self, out: Outbound) -> Receipt:
        receipt = await super().send(out)
        if out.text.startswith("You are"):
            self.next()
        return receipt


class House:
    """A home with two models, over several lives of the service."""

    def __init__(
        self, folder: Path, first: OpenAIServer, second: OpenAIServer, *, clock: FrozenClock | None = None, **more: Any
    ) -> None:
        self.clock = clock or FrozenClock(NOON)
        self._home = Home.at(folder / "home")
        self._home.prepare()
        self._adapter = PatientAdapter(now=self.clock.now)
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
        self._adapter.go_on(said, sender)
        async with build(
            self._home,
            Config.model_validate(self.given),
            clock=self.clock,
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


async def test_the_first_model_answers_again_once_it_can(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with answers("first", quota_exhausted()) as first, answers("second", clock=clock) as second:
        house = House(tmp_path, first, second, clock=clock)
        instead, back, still = await house.talk("Hello?", "Better?", "And now?")

    assert instead.startswith(f"I am second.\n\n▸ (Answered by {house.names[1]}: {house.names[0]} has no credit left")
    assert (back, still) == ("I am first.\n\n▸ (The model answers again.)", "I am first.")
    assert (len(first.received), len(second.received)) == (3, 1)


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


async def test_what_is_used_is_told_by_person_and_conversation(tmp_path: Path) -> None:
    with answers("first") as first, answers("second") as second:
        price = {"model": MODEL, "as_of": "2026-11-01", "input": 1, "output": 10}
        house = House(tmp_path, first, second, usage={"prices": [price], "cost_month": 1})
        await house.talk("Hello?", "And again?")
        await house.talk("Me too?", sender="guest")
        await house.talk("/new")
        house.clock.advance(minutes=1)
        _, told = await house.talk("In a new one?", "/usage")
        (guest,) = await house.talk("/usage", sender="guest")

    used = [request for server in (first, second) for request in server.received]
    everything = f"{1100 * len(used):,} tokens in {len(used)} requests, {0.002 * len(used):.4f} USD"
    assert f"- Today: {everything}\n- This month: {everything}\n" in told
    assert "- This conversation: 1,100 tokens in 1 request, 0.0020 USD\n- Its last answer: 1,100 tokens" in told
    assert f"- Cap: {0.002 * len(used):.4f} USD of 1.00 USD a month (`usage.cost_month`)" in told
    assert "- `volatile:guest`: 1,100 tokens in 1 request, 0.0020 USD" in told
    assert f"- you: {1100 * (len(used) - 1):,} tokens" in told
    assert "the newest of 2026-11-01." in told
    assert guest.splitlines()[1:] == [
        "- Today: 1,100 tokens in 1 request, 0.0020 USD",
        "- This month: 1,100 tokens in 1 request, 0.0020 USD",
    ]


async def test_above_a_cap_memory_answers_and_nothing_is_sent(tmp_path: Path) -> None:
    with answers("first") as first, answers("second") as second:
        house = House(tmp_path, first, second, usage={"tokens_day": 1100})
        hello, refused = await house.talk("Hello?", "When is the dentist?")
        (still,) = await house.talk("After a restart?")
        asked = len(first.received) + len(second.received)
        house.given["usage"] = {}
        (again,) = await house.talk("And without the cap?")

    assert (hello, again, asked) == ("I am first.", "I am first.", 1)
    cap = "(Answered from memory: The cap of 1,100 tokens a day is reached (1,100 tokens); no model is asked. "
    assert cap in refused
    assert cap in still
    assert "higher `usage.tokens_day` in config.yaml.)" in refused
    assert "Answered by" not in refused


async def test_a_guest_has_a_cap_of_their_own(tmp_path: Path) -> None:
    with answers("first") as first, answers("second") as second:
        house = House(tmp_path, first, second, usage={"guest_tokens_month": 1100})
        await house.talk("Hello?", "Anything else?", sender="owner")
        hello, refused = await house.talk("Hello?", "Anything else?", sender="guest")
        (owner,) = await house.talk("And me?")

    assert (hello, owner) == ("I am first.", "I am first.")
    assert "For this month the model has answered as much as it may." in refused
    assert "config.yaml" not in refused
