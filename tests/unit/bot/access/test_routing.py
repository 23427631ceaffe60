from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.port import Address, ChatKind, Sender
from bot.access.routing import Decision, Routing, Rule
from bot.errors import Missing
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from memory import FrozenClock
from tests.support.factories import NOON, chat

ADA = Sender("7", "Ada", roles=("chef",))
AGENTS = ("personal", "work")
GUILD = Address("discord", "1", "c", ChatKind.CHANNEL, thread="t", guild="g")

CONDITIONS = {
    "platform": "discord",
    "account": "1",
    "guild": "g",
    "chat": "c",
    "thread": "t",
    "role": "chef",
    "user": "7",
}
"""From the most general to the most specific."""


async def test_a_chat_talks_to_the_default_until_another_agent_is_chosen_for_it() -> None:
    routing = Routing("personal", AGENTS, register=AccessStore())
    here, there = chat("here"), chat("there")

    await routing.choose(here, "work")

    assert routing.decide(here, ADA) == Decision("work", "chosen for this chat with /agent")
    assert routing.decide(there, ADA) == Decision("personal", "the default agent")


async def test_rules_and_choices_hold_for_a_chat_that_got_another_id() -> None:
    moved = replace(chat("new"), known_as="old")
    rule = Routing("personal", AGENTS, rules=[Rule("work", chat="old")], register=AccessStore())
    choice = Routing("personal", AGENTS, register=AccessStore())
    await choice.choose(chat("old"), "work")

    assert rule.decide(moved, ADA).agent == choice.decide(moved, ADA).agent == "work"
    assert (
        Routing("personal", AGENTS, rules=[Rule("work", chat="new")], register=AccessStore()).decide(moved, ADA).agent
        == "work"
    )


async def test_a_choice_outlives_the_process_and_goes_before_every_rule(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as state:
        await Routing("personal", AGENTS, register=state.register).choose(GUILD, "work")

    rules = [Rule("personal", user="7")]
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as state:
        assert Routing("personal", AGENTS, rules=rules, register=state.register).decide(GUILD, ADA).agent == "work"


async def test_a_choice_of_an_agent_that_is_gone_counts_no_more(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as state:
        await Routing("personal", AGENTS, register=state.register).choose(GUILD, "work")

        assert Routing("personal", ["personal"], register=state.register).decide(GUILD, ADA).agent == "personal"


@pytest.mark.parametrize(("general", "specific"), list(itertools.combinations(CONDITIONS, 2)))
def test_the_most_specific_rule_wins_wherever_it_stands(general: str, specific: str) -> None:
    far = Rule("personal", "far", **{general: CONDITIONS[general]})
    near = Rule("work", "near", **{specific: CONDITIONS[specific]})

    for rules in ([far, near], [near, far]):
        assert Routing("personal", AGENTS, rules=rules, register=AccessStore()).decide(GUILD, ADA) == Decision(
            "work", "near"
        )


def test_of_two_that_are_equally_specific_the_earlier_counts() -> None:
    rules = [Rule("work", "first", guild="g"), Rule("personal", "second", guild="g")]

    assert Routing("personal", AGENTS, rules=rules, register=AccessStore()).decide(GUILD, ADA).because == "first"


@given(st.sampled_from(sorted(CONDITIONS)), st.text(min_size=1))
def test_a_rule_with_a_condition_that_does_not_hold_never_counts(name: str, wanted: str) -> None:
    rule = Rule("work", **{**CONDITIONS, name: wanted})

    decided = Routing("personal", AGENTS, rules=[rule], register=AccessStore()).decide(GUILD, ADA)

    assert (decided.agent == "work") == (wanted == CONDITIONS[name])


async def test_an_unknown_agent_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(Missing, match=r"no agent called 'wrok'.*There are: personal, work"):
        await Routing("personal", AGENTS, register=AccessStore()).choose(chat("here"), "wrok")
    with pytest.raises(Missing):
        Routing("nobody", ["personal"], register=AccessStore())
    with pytest.raises(Missing):
        Routing("personal", ["personal"], rules=[Rule("work")], register=AccessStore())


@pytest.mark.parametrize(
    ("rules", "sharing"),
    [
        ((), set()),
        ((Rule("work", guild="g", shares="workspace"),), {"work"}),
        ((Rule("work", guild="g"), Rule("work", platform="discord", shares="workspace")), set()),
        ((Rule("work", guild="g", shares="workspace"), Rule("personal", user="7")), {"work"}),
        ((Rule("work", guild="other", shares="workspace"),), set()),
    ],
)
def test_a_place_shares_an_agents_memory_if_the_closest_rule_about_it_says_so(
    rules: tuple[Rule, ...], sharing: set[str]
) -> None:
    routing = Routing("personal", AGENTS, rules=rules, register=AccessStore())

    assert {agent for agent in AGENTS if routing.shares(GUILD, agent)} == sharing
