from __future__ import annotations

import pytest

from bot.app import commands
from bot.storage.keys import Principal
from tests.support.conversation import Conversation


async def test_it_lists_every_command_with_what_to_type(here: Conversation) -> None:
    listed = await here.say("/help")

    for command in commands().values():
        assert f"- `{command.usage}`: {command.summary}" in listed.splitlines()


async def test_a_guest_sees_no_command_that_is_the_owners_alone(here: Conversation) -> None:
    listed = await here.say("/help", who=Principal("volatile:8", "Bob", is_owner=False))

    assert [one.name for one in commands().values() if f"- `{one.usage}`" in listed and one.owner_only] == []
    assert "- `/recall" in listed


@pytest.mark.parametrize("typed", ["/help forget", "/help /forget", "/HELP ／Forget"])
async def test_it_explains_one_command_with_an_example(here: Conversation, typed: str) -> None:
    explained = await here.say(typed)

    assert "`/forget ID | FILE:LINE | NUMBER | WORDS`: take facts away, after showing which." in explained
    assert "`/forget yes TOKEN 1 3`" in explained
    assert explained.endswith("For example: `/forget ^k3f9a2mq`")


async def test_help_about_what_does_not_exist_says_so(here: Conversation) -> None:
    assert await here.say("/help forgt") == "There is no command `/forgt`. Did you mean `/forget`?"
