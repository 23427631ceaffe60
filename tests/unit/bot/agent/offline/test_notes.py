from __future__ import annotations

import re

import pytest

from bot.agent.offline.notes import SECRETS, Choice, Proposal, Proposals, choice_in
from bot.errors import Missing
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
    with pytest.raises(Missing):
        offers.find(here.turn("x", at=chat("other")), "nonsense")


@pytest.mark.parametrize(
    "text",
    [
        "y",
        "Yes!",
        " ja ",
        "是",
        "oui",
        "Sí.",
        "да",
        "はい",
        "Do it",
        "Ja, bitte.",
        "please do",
        "Bitte ja",
        "Yes, thank you!",
        "Do it, please.",
        "oui, s'il te plaît",
        "да, пожалуйста",
        "好的谢谢",
        "是的，谢谢",
        "Sí, por favor.",
        "Vale, gracias",
    ],
)
def test_a_yes_in_any_language_takes_the_first_choice(text: str) -> None:
    assert choice_in(text) is Choice.YES


@pytest.mark.parametrize(
    "text",
    [
        "n",
        "No.",
        "nein",
        "不要",
        "нет",
        "いいえ",
        "leave it",
        "No, thanks.",
        "no thank you",
        "Nein danke!",
        "Thanks, no.",
        "Nein, vielen Dank.",
        "不用了，谢谢",
        "non merci",
        "нет, спасибо",
    ],
)
def test_a_no_takes_the_last(text: str) -> None:
    assert choice_in(text) is Choice.NO


@pytest.mark.parametrize(("text", "picked"), [("1", 1), (" 3. ", 3), ("12", 12), ("2, please", 2), ("２", 2)])
def test_a_number_takes_the_choice_of_that_place(text: str, picked: int) -> None:
    assert choice_in(text) == picked


@pytest.mark.parametrize(
    ("text", "picked"),
    [
        *[("One.", 1), ("Two.", 2), ("three", 3), ("Number one.", 1), ("The second one, please.", 2), ("the 3rd", 3)],
        *[
            ("Eins.", 1),
            ("zwei", 2),
            ("Nummer drei.", 3),
            ("Die zweite bitte.", 2),
            ("das erste", 1),
            ("den dritten", 3),
        ],
        *[("二。", 2), ("第二个", 2), ("选第三个。", 3), ("两", 2), ("第2个", 2), ("一", 1), ("第一条，谢谢", 1)],
        *[("la segunda", 2), ("le deuxième", 2), ("второй", 2)],
    ],
)
def test_so_does_one_that_is_spoken(text: str, picked: int) -> None:
    assert choice_in(text) == picked


@pytest.mark.parametrize(
    "text",
    [
        *[
            "",
            "1,2",
            "1, 2",
            "yes, the key is under the mat",
            "no, seat 43",
            "0",
            "2026",
            "maybe",
            "thanks",
            "Bitte.",
            "ok",
        ],
        *[
            "yes?",
            "Two?",
            "the",
            "number",
            "two of them",
            "one two",
            "one hour",
            "第",
            "the second world war",
            "no, two",
        ],
    ],
)
def test_anything_else_picks_nothing(text: str) -> None:
    assert choice_in(text) is None


@pytest.mark.parametrize("kind", sorted({kind.group for kind in SecretKind}))
def test_every_kind_of_secret_has_a_name(kind: str) -> None:
    assert SECRETS[kind]
