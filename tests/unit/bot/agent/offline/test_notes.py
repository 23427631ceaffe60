from __future__ import annotations

import re

import pytest

from bot.agent.offline.notes import SECRETS, Proposal, Proposals
from memory import Origin
from memory.privacy.secrets import SecretKind
from tests.support.conversation import Conversation
from tests.support.factories import chat

CARD = "4111 1111 1111 1111"
TOLD = f"My card number is {CARD}, valid till May."


def written(here: Conversation) -> str:
    folder = here.folder / "personal" / "memory"
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.md")) if folder.exists() else ""


@pytest.mark.parametrize("said", [TOLD, f"/remember {TOLD}"])
async def test_what_looks_like_a_secret_is_asked_about_and_noted_after_a_yes(here: Conversation, said: str) -> None:
    asked = await here.reply(said)

    assert "a card number" in asked.text
    assert asked.masked == (CARD,)
    assert CARD not in asked.shown
    assert CARD not in written(here)

    assert (await here.say("y")).startswith("Noted in memory/2026-11-21.md:4")
    assert TOLD in written(here)
    assert "nothing is done twice" in await here.say(asked.buttons[0].data)


async def test_after_a_no_nothing_is_noted(here: Conversation) -> None:
    asked = await here.reply(TOLD)

    assert "Not noted" in await here.say("nein")
    assert (await here.say(asked.buttons[0].data)).startswith("Not noted.")
    assert CARD not in written(here)


@pytest.mark.parametrize("choice", ["yes", "no"])
async def test_an_answer_to_what_was_never_asked_says_that_nothing_is_open(here: Conversation, choice: str) -> None:
    assert "no longer open" in await here.say(f"/secret {choice} 3f9a2c81")


async def test_where_nobody_can_be_asked_a_secret_is_refused_in_words(here: Conversation) -> None:
    answer = await here.reply(TOLD, unattended=True)

    assert answer.text.startswith("Nothing was noted")
    assert answer.buttons == ()
    assert written(here) == ""


async def test_the_question_is_open_for_ten_minutes_and_for_the_one_who_was_asked(here: Conversation) -> None:
    asked = await here.reply(TOLD)
    here.clock.advance(minutes=11)

    assert "no longer open" in await here.say(asked.buttons[0].data)
    assert written(here) == ""


async def test_a_plain_yes_answers_only_the_last_question(here: Conversation) -> None:
    await here.say(TOLD)
    await here.say("hello")

    assert "Nothing was noted" in await here.say("yes")
    assert written(here) == ""


async def test_a_fact_is_replaced_by_its_id_and_both_come_back_together(here: Conversation) -> None:
    receipt = await here.say("The gate code is 4711.")
    name = re.findall(r"\^\w{8}", receipt)[0]

    answer = await here.say(f"/replace {name} The gate code is 4712.")

    assert answer.startswith("Noted in memory/2026-11-21.md:5")
    assert "It replaces `memory/2026-11-21.md:4`" in answer
    assert "4711" not in await here.say("/recall gate code")
    await here.say("/undo")
    assert "4711" in await here.say("/recall gate code")
    assert "4712" not in await here.say("/recall gate code")


async def test_what_is_to_be_replaced_must_be_there(here: Conversation) -> None:
    assert "There is no ^k3f9a2mq" in await here.say("/replace ^k3f9a2mq The gate code is 4712.")
    assert written(here) == ""


async def test_an_offer_is_found_by_the_same_turn_again(here: Conversation) -> None:
    turn = here.turn("x", turn="t1")
    offers = Proposals()

    offer = Proposal("a", Origin.OWNER)
    assert offers.make(turn, offer) == offers.make(turn, offer)
    assert offers.find(here.turn("x", at=chat("other")), "nonsense") is None


@pytest.mark.parametrize("kind", sorted({kind.group for kind in SecretKind}))
def test_every_kind_of_secret_has_a_name(kind: str) -> None:
    assert SECRETS[kind]
