"""What somebody states is noted once, as it was said; what came with it, and what it replies to."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.access.permissions import origin_and_scope
from bot.agent.offline.notes import Proposals
from bot.agent.offline.offline import OfflineResponder
from bot.sessions.language import written_language
from bot.texts.catalogue import in_language
from bot.turn import File, Turn
from memory import OWNER as MINE
from memory import Origin
from tests.support.conversation import Conversation, FakeCommandContext, NoEffects
from tests.support.factories import HOME, NOON, OWNER, agent, session
from tests.support.texts import CHINESE, ENGLISH, GERMAN


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("Our boiler is serviced by Mrs. Quill.", "Who services our boiler?"),
        ("Die Werkstatt hat samstags geschlossen.", "Wann hat die Werkstatt geschlossen?"),
        ("护照放在书房的抽屉里。", "护照放在哪里？"),
    ],
)
async def test_what_the_owner_states_is_noted_and_quoted_when_asked_for(
    here: Conversation, statement: str, question: str
) -> None:
    receipt = await here.say(statement)
    answer = await here.reply(question)

    assert " memory/2026-11-21.md:4 — ^" in receipt.splitlines()[0]
    assert f"1. > {statement}\n   `memory/2026-11-21.md#L4`" in answer.text
    assert answer.evidence


@pytest.mark.parametrize("said", ["no", "Ja, gerne.", "不要", "the second one", "die zweite", "第二个", "1", "12"])
async def test_a_choice_where_nothing_is_to_be_chosen_is_not_noted(here: Conversation, said: str) -> None:
    answer = await here.say(said)

    assert answer in {text.not_noted for text in (ENGLISH, GERMAN, CHINESE)}
    assert "memory/" not in await here.say("/today")


async def test_what_is_noted_is_what_was_said_over_several_lines(here: Conversation) -> None:
    said = "Hi! shopping list for the party:\n- oat milk\n  - two of them\n\n- eggs, thanks"

    await here.say(said)

    fact = (await here.agents["personal"].memory.recent(1, scope=MINE))[0]
    assert fact.content == said
    assert here.lines("memory/2026-11-21.md")[3].startswith("- ")
    assert here.lines("memory/2026-11-21.md")[4:8] == ["  - oat milk", "    - two of them", "", "  - eggs, thanks"]


async def test_the_same_fact_again_is_known_and_not_noted_twice(here: Conversation) -> None:
    await here.say("The bike key is in the drawer.")

    assert (await here.say("the bike key is in the drawer")).startswith(ENGLISH.known)
    assert len((await here.say("/today")).splitlines()) == 2


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("The bike is blue.", "The bike is blue"),
        ("/remember The bike is blue.", "The bike is blue"),
        ("/remember W @Anna: likes tea", "W @Anna: likes tea"),
    ],
)
async def test_what_is_noted_by_the_command_is_not_noted_twice(here: Conversation, first: str, again: str) -> None:
    await here.say(first)

    assert (await here.say(f"/remember {again}")).startswith(ENGLISH.known)
    assert len((await here.say("/today")).splitlines()) == 2


async def test_a_contradiction_is_noted_and_pointed_out(here: Conversation) -> None:
    await here.say("Peter's birthday is on 3 May.")

    answer = await here.say("Peter's birthday is on 4 May.")

    assert answer.startswith("Noted in memory/2026-11-21.md:5")
    assert ENGLISH.contradiction in answer
    assert "3 May" in answer


async def test_a_repeated_turn_is_noted_once(here: Conversation) -> None:
    first = await here.reply("The spare key hangs in the shed.", turn="again")
    second = await here.reply("The spare key hangs in the shed.", turn="again")

    assert first == second
    assert len((await here.say("/today")).splitlines()) == 2


async def test_a_question_behind_a_statement_is_answered(here: Conversation) -> None:
    await here.say("My landlord is called Otto")
    told = "My car insurance is with Allianz. What is my landlord called?"
    assert "> My landlord is called Otto" in await here.say(told)


async def test_a_long_message_is_told_though_a_time_alone_is_not(here: Conversation) -> None:
    assert (await here.say("tomorrow at 9!")).startswith("Nothing was noted.")
    assert (await here.say(f"tomorrow at 9{'!' * 400}")).startswith("Noted in")


@pytest.mark.parametrize(
    ("letter", "told", "answer"),
    [
        (
            "Dear bot, Ute lives in Kassel. Her son Jonas turns eleven in March. He plays the cello. Where is the key?",
            "Her son Jonas turns eleven in March. He plays the cello.",
            "> The spare key is in the shed",
        ),
        (
            "Ich war bei Dr. Kessler. Er gab mir Ramipril. Der Druck lag bei 150 zu 95. Welches Medikament war das?",
            "Ich war bei Dr. Kessler. Er gab mir Ramipril. Der Druck lag bei 150 zu 95.",
            "",
        ),
        ("Ute wohnt in Kassel. Jonas wird elf. Können Sie sich das alles merken?", "Jonas wird elf.", ""),
        (
            "Do you know Ute? She lives in Kassel. She has a dog. Where is the key?",
            "Do you know Ute? She lives in Kassel. She has a dog.",
            "> The spare key is in the shed",
        ),
    ],
)
async def test_what_a_letter_tells_before_its_question_is_noted(
    here: Conversation, letter: str, told: str, answer: str
) -> None:
    await here.say("The spare key is in the shed")

    said = await here.say(letter)

    assert " memory/2026-11-21.md:5 — ^" in said
    assert answer in said
    assert told in (here.folder / "personal" / "memory" / "2026-11-21.md").read_text("utf-8")


@pytest.mark.parametrize("question", ["What is it?", "Where does my sister live?"])
async def test_a_single_sentence_before_a_question_is_not_noted_and_that_is_said(
    here: Conversation, question: str
) -> None:
    await here.say("My sister lives in Porto.")

    answer = await here.say(f"I have lost the code of the safe. {question}")

    assert "— ^" not in answer
    assert answer.endswith(f"\n\n{ENGLISH.not_noted}")
    assert ENGLISH.not_noted not in await here.say(f"Hello! {question}")


async def test_of_a_letter_that_only_seems_to_ask_where_it_is_cut_nothing_is_noted(here: Conversation) -> None:
    end = "was it nice. My brother has a cat." + " My mother has a cat." * 100
    letter = "My sister has a dog. " * 120 + "My brother bought " + end[:1999] + "."

    assert await here.say(letter) == "I know nothing about that."


@pytest.mark.parametrize(
    ("name", "quote", "answer"),
    [
        ("photo.jpg", "", "photo.jpg (120 KB) is kept in `files/personal/t/photo.jpg`; I cannot look into files"),
        ("Rechnung_für_März.pdf", "", "Rechnung_für_März.pdf (120 KB) liegt in `files/personal/t/"),
        ("照片.png", "", "照片.png (120 KB) 已存放在 `files/personal/t/照片.png`"),
        ("", "The key is in the river.", ENGLISH.forwarded),
        ("", "Der Schlüssel liegt im Fluss und nicht im Schuppen.", GERMAN.forwarded),
        ("photo.jpg", "The key is in the river.", f"{ENGLISH.forwarded}\n\nphoto.jpg (120 KB) is kept in"),
    ],
)
async def test_a_message_without_words_of_its_own_is_told_what_became_of_it(name: str, quote: str, answer: str) -> None:
    origin, scope = origin_and_scope(OWNER, HOME)
    path = Path("state/files/personal/t") / name
    files = (File(name, "photo", "image/jpeg", 120 * 1024, path),) if name else ()
    turn = Turn("t", agent(), session(), OWNER, origin, scope, "", NOON, NoEffects(), quote=quote, files=files)

    with in_language(written_language(quote or name.replace("_", " "))):
        reply = await OfflineResponder({}, Proposals(), FakeCommandContext({}).said)(turn)

    assert reply.shown.startswith(answer)


@pytest.mark.parametrize(("said", "is_told"), [("Thanks!", False), ("Write me a poem about this.", True)])
async def test_thanks_for_what_is_replied_to_say_nothing_of_its_file(said: str, *, is_told: bool) -> None:
    origin, scope = origin_and_scope(OWNER, HOME)
    files = (File("photo.jpg", "photo", "image/jpeg", 1024, Path("state/files/personal/t/photo.jpg"), None, True),)
    turn = Turn("t", agent(), session(), OWNER, origin, scope, said, NOON, NoEffects(), files=files)

    reply = await OfflineResponder({}, Proposals(), FakeCommandContext({}).said)(turn)

    assert ("photo.jpg" in reply.shown) is is_told


async def test_a_question_about_a_text_that_came_with_it_is_not_taken_for_one_that_memory_cannot_answer(
    here: Conversation,
) -> None:
    await here.say("The spare key hangs in the shed.")
    laid_before = ("Ana's number is 030 1234.", "")

    about_it = await here.reply("What is in this?", quote=laid_before)
    known_anyway = await here.reply("Where does the spare key hang?", quote=laid_before)
    alone = await here.say("What is in this?")

    assert about_it.shown.startswith("I cannot do that without a language model, and nothing was noted.")
    assert "in the shed" in known_anyway.shown
    assert alone == "I know nothing about that."


@pytest.mark.parametrize("said", ["remember this", "Please note that!", "Merk dir das."])
async def test_a_wish_to_remember_what_is_replied_to_keeps_it_as_what_it_counts_as(
    here: Conversation, said: str
) -> None:
    await here.reply(said, quote=("Ana's number is 030 1234.", "Bob"))

    (fact,) = await here.agents["personal"].memory.recent(1, scope=MINE)
    assert (fact.content, fact.origin) == ("Bob said: Ana's number is 030 1234.", Origin.UNTRUSTED)


async def test_a_long_run_of_words_that_point_is_no_wish_to_keep_the_quote(here: Conversation) -> None:
    await here.reply(f"remember {'this ' * 100}", quote=("Ana's number is 030 1234.", "Bob"))

    facts = await here.agents["personal"].memory.recent(5, scope=MINE)
    assert not [fact for fact in facts if "Ana" in fact.content]
