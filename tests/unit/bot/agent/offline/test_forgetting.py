"""Forgetting, and taking back, in words."""

from __future__ import annotations

import pytest

from memory import OWNER as MINE
from tests.support.conversation import Conversation
from tests.support.texts import ENGLISH


async def test_a_wish_to_forget_opens_the_preview_and_a_yes_carries_it_out(here: Conversation) -> None:
    await here.say("I like tea.")
    await here.say("The bike key is in the drawer.")

    preview = await here.say("forget that I like tea")

    assert "I like tea." in preview
    assert "bike" not in preview
    assert (await here.say("y")).startswith("Forgotten: `memory/2026-11-21.md:4`")
    assert (await here.say("/recall tea")).startswith("Nothing found.")


@pytest.mark.parametrize(
    "said",
    [
        "scratch that",
        "Delete the last one",
        "take that back",
        "streich das",
        "lösch den letzten Eintrag",
        "删除最后一条",
    ],
)
async def test_who_takes_back_what_was_noted_last_is_shown_it(here: Conversation, said: str) -> None:
    await here.say("The old rake is in the attic.")
    await here.say("My favourite food is pizza.")

    preview = await here.say(said)

    assert "My favourite food is pizza." in preview
    assert "rake" not in preview
    await here.say("yes")
    assert (await here.say("/today")).count("memory/") == 1


@pytest.mark.parametrize("said", ["undo that", "Undo the last one!", "Mach das rückgängig", "撤销"])
async def test_undo_in_other_words_is_the_command_and_not_noted(here: Conversation, said: str) -> None:
    assert "`/undo`" in await here.say(said)
    assert "memory/" not in await here.say("/today")


@pytest.mark.parametrize(
    "said", ["Take that back road to the lake.", "Scratch that old chair with the cat.", "undone work"]
)
async def test_what_only_begins_like_taking_back_is_noted(here: Conversation, said: str) -> None:
    assert "memory/2026-11-21.md:4" in await here.say(said)


@pytest.mark.parametrize(
    "said", ["forget that", "Forget it!", "cancel that", "Vergiss das bitte", "Sag das ab", "olvida eso", "忘掉这个"]
)
async def test_forget_that_means_what_was_just_noted_or_quoted(here: Conversation, said: str) -> None:
    await here.say("The bins are green.")
    assert "The bins are green." in await here.say(said)
    await here.say("n")

    await here.say("The shed is red.")
    await here.say("What colour are the bins?")
    assert "- W: The bins are green." in await here.say(said)


async def test_forget_that_means_the_correction_that_was_just_confirmed_and_not_one_that_was_declined(
    here: Conversation,
) -> None:
    await here.say("The bins are green.")
    await here.say("No, the bins are blue.")
    await here.say("y")
    assert "The bins are blue." in await here.say("forget that")
    await here.say("n")

    await here.say("No, the bins are red.")
    await here.say("n")
    assert await here.say("forget that") == ENGLISH.not_noted


async def test_forget_that_after_something_was_forgotten_means_nothing_else(here: Conversation) -> None:
    await here.say("The bins are green.")
    await here.say("The shed is red.")
    await here.say("forget that")
    await here.say("y")

    assert await here.say("forget that") == ENGLISH.not_noted


async def test_forget_that_forgets_nothing_where_nothing_was_noted_or_quoted(here: Conversation) -> None:
    await here.say("The bins are green.")
    await here.say("thanks")

    assert await here.say("forget that") == ENGLISH.not_noted


@pytest.mark.parametrize("said", ["yes, keep it", "yes keep that"])
async def test_a_yes_that_wants_to_keep_it_forgets_nothing(here: Conversation, said: str) -> None:
    await here.say("The trash is collected on Tuesday")
    assert "This would take away" in await here.say("forget the trash")
    await here.say(said)

    assert "The trash is collected" in await here.say("when is the trash collected?")


async def test_a_yes_that_wants_to_delete_it_writes_no_secret(here: Conversation) -> None:
    await here.say("The wifi password is hunter22")
    await here.say("yes, delete it")

    assert await here.agents["personal"].memory.recent(1, scope=MINE) == ()
