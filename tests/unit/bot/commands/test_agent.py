from __future__ import annotations

from bot.storage.keys import Principal
from tests.support.conversation import Conversation
from tests.support.factories import HOME


async def test_without_a_name_it_lists_the_agents_and_marks_the_one_that_answers(here: Conversation) -> None:
    assert (await here.say("/agent")).splitlines() == [
        "- **personal** (here): personal matters",
        "- work: work matters",
        "",
        "`/agent NAME` changes to another; their memories stay apart.",
    ]


async def test_another_agent_answers_from_now_on_in_this_chat(here: Conversation) -> None:
    told = await here.say("/agent Work")

    assert told.startswith("From now on, work answers here.")
    assert here.context.register.chosen(HOME) == "work"


async def test_the_one_that_is_here_already_is_not_announced(here: Conversation) -> None:
    assert await here.say("/agent personal") == "personal answers here already."
    assert not here.context.register.chosen(HOME)


async def test_an_unknown_name_gets_the_nearest_or_all(here: Conversation) -> None:
    assert await here.say("/agent persnal") == 'There is no agent called `persnal`. Did you mean "personal"?'
    assert await here.say("/agent nobody") == "There is no agent called `nobody`. There are: personal, work."
    assert not here.context.register.chosen(HOME)


async def test_only_the_owner_may_change_it(here: Conversation) -> None:
    guest = Principal("volatile:7", "Grace", is_owner=False)

    assert await here.say("/agent work", who=guest) == "Only my owner may use `/agent`."
    assert not here.context.register.chosen(HOME)
