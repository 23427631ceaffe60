from __future__ import annotations

from adapters.port import ChatKind
from memory.knowledge.reflection.reflect import reflect
from tests.support.conversation import Conversation
from tests.support.factories import chat


async def reflected(here: Conversation) -> None:
    await here.agents["personal"].memory.run(reflect, op_id="night", actor="agent:personal")


async def test_an_opinion_is_shown_with_how_sure_it_is_and_what_it_rests_on(here: Conversation) -> None:
    await here.say("/remember O(c=0.8) @Peter: Prefers short answers.")
    await here.say("/remember O(c=0.6) @Anna: Loves tea.")
    here.clock.advance(days=1)
    await here.say("/remember @Peter asked for short answers again.")
    here.clock.advance(days=1)
    await here.say("/remember @Anna hates tea.")
    await reflected(here)

    told = await here.say("/opinions")
    assert told.index("Loves tea.") < told.index("Prefers short answers.")
    assert "Prefers short answers. (fairly sure, 0.84, last on 2026-11-22; `bank/opinions.md#L" in told
    assert "for 2: `memory/2026-11-21.md` `^" in told
    assert "against 1: `memory/2026-11-23.md` `^" in told
    assert "tea" not in await here.say("/opinions Peter")


async def test_before_the_first_night_what_was_said_is_shown(here: Conversation) -> None:
    await here.say("/remember O(c=0.95) @Peter: Prefers short answers.")
    assert "(very sure, 0.95, last on 2026-11-21; `memory/2026-11-21.md#L4`)" in await here.say("/opinions peter")


async def test_without_opinions_it_says_what_one_looks_like(here: Conversation) -> None:
    assert (await here.say("/opinions")).startswith("I have no opinion yet.")
    assert (await here.say("/opinions Zoe")).startswith("I have no opinion about Zoe yet.")


async def test_a_group_does_not_see_the_owners(here: Conversation) -> None:
    await here.say("/remember O(c=0.8) @Peter: Prefers short answers.")
    await reflected(here)
    assert "short" not in await here.say("/opinions", at=chat("-100", kind=ChatKind.GROUP))


async def test_an_answer_from_memory_says_how_sure_it_is(here: Conversation) -> None:
    await here.say("/remember O(c=0.8) @Peter: Prefers short answers.")
    await reflected(here)
    assert "O 0.80" in await here.say("What does Peter prefer, and how sure are you?")
