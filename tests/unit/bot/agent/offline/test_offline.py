from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from adapters.port import ChatKind
from bot.access.permissions import origin_and_scope
from bot.agent.offline.notes import Proposals
from bot.agent.offline.offline import OfflineResponder
from bot.agent.offline.quoting import newest_first
from bot.sessions.language import written_language
from bot.storage.keys import Principal
from bot.texts.catalogue import in_language
from bot.turn import File, Turn
from memory import OWNER as MINE
from memory import Origin
from tests.support.conversation import Conversation, FakeCommandContext, NoEffects, conversation
from tests.support.factories import HOME, NOON, OWNER, agent, chat, session
from tests.support.texts import CHINESE, ENGLISH, GERMAN

GROUP = chat("-100", kind=ChatKind.GROUP)
GUEST = Principal("volatile:7", "Grace", is_owner=False)


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


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("hello", ENGLISH.greeting),
        ("Danke!", GERMAN.welcome),
        ("thanks a lot", ENGLISH.welcome),
        ("谢谢", CHINESE.welcome),
        ("ok", ENGLISH.not_noted),
        ("Who are you?", ENGLISH.presence.format(agent="personal")),
        ("who are you", ENGLISH.presence.format(agent="personal")),
        ("wer bist du", GERMAN.presence.format(agent="personal")),
        ("you are great", ENGLISH.not_noted),
        ("你是谁？", CHINESE.presence.format(agent="personal")),
        ("你是谁", CHINESE.presence.format(agent="personal")),
        ("Write me a poem about rain.", ENGLISH.request),
        ("on the 3rd", ENGLISH.not_noted),
        ("1号", CHINESE.not_noted),
        ("5月3号。", CHINESE.not_noted),
        ("Ich bin neu hier!", GERMAN.not_noted),
        ("can you remember things?", ENGLISH.presence.format(agent="personal")),
        ("Das stimmt nicht.", GERMAN.not_noted),
        ("that's wrong", ENGLISH.not_noted),
        ("这不对", CHINESE.not_noted),
    ],
)
async def test_courtesies_and_errands_are_answered_and_not_noted(here: Conversation, said: str, answer: str) -> None:
    assert await here.say(said) == answer
    assert "memory/" not in await here.say("/today")


@pytest.mark.parametrize("word", ["undo", "Today", "today!", " memory "])
async def test_a_command_without_its_slash_is_not_noted(here: Conversation, word: str) -> None:
    answer = await here.say(word)

    assert f"`/{word.strip(' !').lower()}`" in answer
    assert "Nothing was noted." in answer
    assert "Nothing has been written" in await here.say("/today")


async def test_a_question_that_nothing_answers_is_told_why(here: Conversation) -> None:
    answer = await here.reply("Where is the unicorn?")

    assert answer.text == ENGLISH.nothing
    assert answer.evidence
    assert answer.evidence.hits == ()


async def test_what_is_only_near_is_no_answer_and_is_not_shown(here: Conversation) -> None:
    await here.say("The green tent is in the cellar.")

    answer = await here.say("Which doctor vaccinated the hedgehog beside the tent on Tuesday?")

    assert answer == ENGLISH.nothing


async def test_a_question_for_a_course_is_answered_day_by_day(here: Conversation) -> None:
    await here.say("The kitchen plan is too narrow.")
    await here.say("The kitchen was painted grey.")
    answer = await here.say("Sum up what happened with the kitchen")
    assert [line.split(" (`")[0].split(" ", 2)[-1] for line in answer.splitlines() if line.startswith("- ")] == [
        "The kitchen plan is too narrow.",
        "The kitchen was painted grey.",
    ]
    assert "**2026-" in answer


async def test_help_without_its_slash_is_help(here: Conversation) -> None:
    assert await here.say("Help") == await here.say("/help")


async def test_a_correction_means_first_what_the_last_answer_quoted(here: Conversation) -> None:
    await here.say("The plumber's number is 030 1234567")
    await here.say("The vet's number is 030 1111111")
    await here.say("What is the plumber's number?")

    assert "> The plumber's number is 030 7654321" in await here.say("Actually it is 030 7654321")


async def test_a_correction_of_what_was_just_quoted_changes_nothing_that_is_not_spoken_of(here: Conversation) -> None:
    await here.say("The neighbour's name is Ben.")
    await here.say("The key hangs behind the door.")
    await here.say("Where does the key hang?")

    assert "neighbour" not in await here.say("No, on the board")


async def test_words_of_grammar_alone_do_not_make_a_fact_spoken_of(here: Conversation) -> None:
    await here.say("The dentist is at 9.")
    await here.say("The bins are in the yard.")
    await here.say("Where are the bins?")

    assert "dentist" not in await here.say("No, at 10")


@pytest.mark.parametrize("said", ["no", "Ja, gerne.", "不要", "the second one", "die zweite", "第二个", "1", "12"])
async def test_a_choice_where_nothing_is_to_be_chosen_is_not_noted(here: Conversation, said: str) -> None:
    answer = await here.say(said)

    assert answer in {text.not_noted for text in (ENGLISH, GERMAN, CHINESE)}
    assert "memory/" not in await here.say("/today")


@pytest.mark.parametrize("said", ["why, thank you", "Why, thank you!"])
async def test_thanks_that_begin_like_a_command_are_thanks(here: Conversation, said: str) -> None:
    assert "`/why`" not in await here.say(said)


async def test_a_correction_keeps_the_word_for_now(here: Conversation) -> None:
    await here.say("Der Schlüssel liegt jetzt in der Schublade.")
    await here.say("Wo liegt der Schlüssel?")

    assert "> Der Schlüssel liegt jetzt am Brett." in await here.say("Nein, doch am Brett")


async def test_a_goodbye_is_no_hello(here: Conversation) -> None:
    assert await here.say("bye") == ENGLISH.farewell
    assert await here.say("Tschüss!") == GERMAN.farewell


async def test_what_is_noted_is_what_was_said_over_several_lines(here: Conversation) -> None:
    said = "Hi! shopping list for the party:\n- oat milk\n  - two of them\n\n- eggs, thanks"

    await here.say(said)

    fact = (await here.agents["personal"].memory.recent(1, scope=MINE))[0]
    assert fact.content == said
    assert here.lines("memory/2026-11-21.md")[3].startswith("- ")
    assert here.lines("memory/2026-11-21.md")[4:8] == ["  - oat milk", "    - two of them", "", "  - eggs, thanks"]


async def test_a_wish_to_forget_opens_the_preview_and_a_yes_carries_it_out(here: Conversation) -> None:
    await here.say("I like tea.")
    await here.say("The bike key is in the drawer.")

    preview = await here.say("forget that I like tea")

    assert "I like tea." in preview
    assert "bike" not in preview
    assert (await here.say("y")).startswith("Forgotten: `memory/2026-11-21.md:4`")
    assert (await here.say("/recall tea")).startswith("Nothing found.")


async def test_a_correction_offers_to_replace_the_fact_that_it_corrects(here: Conversation) -> None:
    await here.say("The plumber's number is 030 1234567")
    await here.say("Dinner with Ada is at 7.")

    offer = await here.reply("Actually it is 030 7654321")

    assert "The plumber's number is 030 1234567" in offer.text
    assert "> The plumber's number is 030 7654321" in offer.text
    assert (await here.say("yes")).startswith("Noted in memory/2026-11-21.md:6")
    answer = await here.say("What is the plumber's number?")
    assert "7654321" in answer
    assert "1234567" not in answer


async def test_a_correction_that_is_declined_changes_nothing(here: Conversation) -> None:
    await here.say("The plumber's number is 030 1234567")
    await here.say("Actually it is 030 7654321")

    assert await here.say("n") == "Nothing was changed."
    assert "1234567" in await here.say("What is the plumber's number?")


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


async def test_of_two_that_contradict_each_other_the_newer_is_answered_first(here: Conversation) -> None:
    await here.say("Peter's birthday is on 3 May.")
    await here.say("Peter's birthday is on 4 May.")

    assert (await here.say("When is Peter's birthday?")).startswith("From memory:\n1. > Peter's birthday is on 4 May.")


@pytest.mark.parametrize(
    ("told", "later", "asked"),
    [
        ("Ana likes olives", "Ana hates olives", "What does Ana like?"),
        ("I love tea", "I hate tea", "What do I love?"),
        ("Ich mag Tee", "Ich hasse Tee", "Was mag ich?"),
    ],
)
async def test_so_is_one_that_has_no_word_of_the_question(
    here: Conversation, told: str, later: str, asked: str
) -> None:
    await here.say(told)
    here.clock.advance(minutes=1)
    await here.say(later)

    answer = await here.say(asked)

    assert answer.startswith(f"{answer.splitlines()[0]}\n1. > {later}")
    assert f"2. > {told}" in answer


async def test_a_reminder_is_noted_and_its_minute_is_told(here: Conversation) -> None:
    answer = await here.say("Remind me to call Ana tomorrow at 9")

    assert answer == "I will remind you on Sun 22 Nov 2026 at 09:00: call Ana. (memory/2026-11-21.md#L4)"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What time is it?", "It is Sat 21 Nov 2026 at 13:00."),
        ("what's today's date", "It is Sat 21 Nov 2026 at 13:00."),
        ("Wie spät ist es?", "Es ist Sa, 21. November 2026 um 13:00."),
        ("今天几号？", "现在是2026年11月21日（周六）13:00。"),
    ],
)
async def test_the_day_and_the_time_are_told_and_nothing_is_looked_up(
    here: Conversation, asked: str, answer: str
) -> None:
    await here.say("What time it is on Mars is a good question.")

    assert await here.say(asked) == answer


@pytest.mark.parametrize(
    "asked", ["What do you remember?", "show me everything", "Was hast du dir gemerkt?", "你记得什么？"]
)
async def test_whoever_asks_for_all_of_memory_is_shown_how_it_stands(here: Conversation, asked: str) -> None:
    await here.say("The spare key is in the shed.")

    assert "The spare key is in the shed" in await here.say(asked)


@pytest.mark.parametrize(
    "asked", ["What are my reminders?", "show me my reminders", "Welche Erinnerungen habe ich?", "我有什么提醒？"]
)
async def test_whoever_asks_for_the_reminders_is_shown_them(here: Conversation, asked: str) -> None:
    await here.say("Remind me tomorrow at 9 to call the plumber")

    assert "call the plumber" in await here.say(asked)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What do I have tomorrow?", "Dentist tomorrow at 9"),
        ("What do I have on Tuesday?", "Meeting with Sarah on Tuesday"),
        ("What did I do yesterday?", "I had lunch with Peter yesterday"),
        ("What happened on 3 October?", "On 3 October I had surgery"),
        ("What did I do today?", "I painted the fence"),
    ],
)
async def test_what_is_told_of_another_day_is_found_by_that_day(here: Conversation, question: str, answer: str) -> None:
    told = (
        "Dentist tomorrow at 9",
        "Meeting with Sarah on Tuesday",
        "I had lunch with Peter yesterday",
        "On 3 October I had surgery",
        "I painted the fence",
    )
    for statement in told:
        await here.say(statement)

    found = await here.say(question)

    assert [statement for statement in told if statement in found] == [answer]


async def test_a_reminder_without_a_time_is_asked_back_and_not_noted(here: Conversation) -> None:
    assert (await here.say("Remind me to call Ana")).startswith("When shall I remind you?")
    assert await here.say("Ricordami di portare fuori la spazzatura domani alle 20") == ENGLISH.reminder
    assert "Nothing has been written" in await here.say("/today")


async def test_at_most_three_passages_are_quoted(here: Conversation) -> None:
    for n in range(5):
        await here.say(f"The tent pole number {n} is bent.")

    answer = await here.reply("Which tent pole is bent?")

    assert answer.evidence
    assert 1 < len(answer.evidence.hits) <= 3


async def test_what_guests_state_is_not_noted_and_they_are_told_how_to_keep_it(here: Conversation) -> None:
    assert await here.say("The picnic is on Sunday.", who=GUEST, at=GROUP) == ENGLISH.not_owner
    assert not (here.folder / "personal" / "memory").exists()


async def test_a_group_is_answered_from_its_own_words_only(here: Conversation) -> None:
    await here.say("My safe opens with 4711.")
    await here.say("/remember The safe of the club opens with 1234.", who=GUEST, at=GROUP)

    answer = await here.say("How does the safe open?", who=GUEST, at=GROUP)

    assert "1234" in answer
    assert "4711" not in answer


async def test_a_repeated_turn_is_noted_once(here: Conversation) -> None:
    first = await here.reply("The spare key hangs in the shed.", turn="again")
    second = await here.reply("The spare key hangs in the shed.", turn="again")

    assert first == second
    assert len((await here.say("/today")).splitlines()) == 2


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


@pytest.mark.parametrize(
    ("wish", "when", "answer"),
    [
        ("Remind me to call Ana", "tomorrow at 9", "I will remind you on Sun 22 Nov 2026 at 09:00: call Ana."),
        ("Remind me yesterday at 5 to swim", "Tomorrow at 8!", "I will remind you on Sun 22 Nov 2026 at 08:00: swim."),
        ("Erinnere mich daran, Ana anzurufen", "morgen um 9", "um 09:00: Ana anzurufen."),
        ("提醒我给安娜打电话", "明天早上9点", "09:00提醒你：给安娜打电话。"),
    ],
)
async def test_a_time_by_itself_answers_when_to_remind(here: Conversation, wish: str, when: str, answer: str) -> None:
    await here.say(wish)
    assert answer in await here.say(when)


async def test_a_time_is_no_answer_hours_later_after_another_message_or_with_more_words(here: Conversation) -> None:
    await here.say("Remind me to call Ana")
    assert "I will remind" not in await here.say("Tomorrow at 9 the plumber comes.")
    assert "I will remind" not in await here.say("tomorrow at 9")
    await here.say("Remind me to call Ana")
    here.clock.advance(hours=2)
    assert "I will remind" not in await here.say("tomorrow at 9")


async def test_a_question_behind_a_statement_is_answered(here: Conversation) -> None:
    await here.say("My landlord is called Otto")
    told = "My car insurance is with Allianz. What is my landlord called?"
    assert "> My landlord is called Otto" in await here.say(told)


async def test_what_is_so_now_is_shown_before_what_was(here: Conversation) -> None:
    await here.say("My phone number is 555 0101")
    await here.say("My phone number is now 555 0199")
    assert "1. > My phone number is now 555 0199" in await here.say("What is my phone number?")


@pytest.mark.parametrize(
    ("address", "question"),
    [
        ("I live in Graz, Lime Street 4", "whats my address"),
        ("Ich wohne in Graz, Lindenweg 4", "Was ist meine Adresse?"),
        ("Our new address is Lime Street 4", "Where do we live?"),
        ("My address is Lime Street 4, not Elm Street 5", "where do I live now"),
        ("Unsere neue Adresse ist Lindenweg 4", "Wo wohnen wir?"),
        ("Nuestra nueva dirección es Calle Mayor 4", "¿Dónde vivimos?"),
        ("Notre nouvelle adresse est 4 rue des Lilas", "Où habitons-nous ?"),
        ("我们的新地址是人民路4号", "我们住在哪里？"),
    ],
)
async def test_where_somebody_lives_is_answered_with_their_address(
    here: Conversation, address: str, question: str
) -> None:
    await here.say("I live in Vienna")
    here.clock.advance(hours=1)
    await here.say("The new address of my aunt is Elm Road 3. She moved.")
    await here.say(address)

    assert f"1. > {address}" in await here.say(question)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Please never give my address to anyone", "Where do I live?"),
        ("Ana knows my address", "Where do I live?"),
        ("My address book is in the drawer", "Where do I live?"),
        ("My address was Elm Street 5 until 2019", "Where do I live?"),
        ("My address is no longer Elm Street 5", "Where do I live?"),
        ("Mon adresse mail est a@b.c", "Où j'habite ?"),
        ("Meine Adresse bei der Arbeit ist Ring 5", "Wo wohne ich?"),
        ("我的地址簿在抽屉里", "我住在哪里？"),
    ],
)
async def test_what_only_speaks_of_an_address_does_not_say_where_somebody_lives(
    here: Conversation, said: str, question: str
) -> None:
    await here.say("I live in Vienna")
    await here.say(f"/remember {said}")

    assert f"1. > {said}" not in await here.say(question)


async def test_an_address_of_somebody_else_or_an_older_one_does_not_say_where_somebody_lives(
    here: Conversation,
) -> None:
    await here.say("My aunt's new address is Elm Road 3")
    assert await here.say("Where do I live?") == ENGLISH.nothing

    await here.say("My address is Lime Street 4")
    here.clock.advance(hours=1)
    await here.say("I live in Vienna")
    assert "1. > I live in Vienna" in await here.say("Where do I live?")


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        ("I prefer tea to coffee.", "I prefer coffee to tea now.", "Do I prefer tea or coffee?"),
        ("I love sushi.", "I hate sushi now.", "Do I like sushi?"),
    ],
)
async def test_what_somebody_likes_now_comes_first(here: Conversation, before: str, after: str, question: str) -> None:
    await here.say(before)

    assert f"> {before}" in await here.say(after)
    assert f"1. > {after}" in await here.say(question)


@pytest.mark.parametrize(
    "said", ["My sister hates sushi.", "I love sushi in summer.", "I love tea.", "Ana loves sushi.", "I made sushi."]
)
async def test_what_others_like_or_other_things_contradict_nothing(here: Conversation, said: str) -> None:
    await here.say("I love sushi.")

    assert "/forget" not in await here.say(said)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("The concert is not expensive.", "The concert is cancelled."),
        ("Tom is not vegetarian.", "Tom is married."),
        ("Das Buch ist nicht gut.", "Das Buch ist lang."),
        ("The shop is open on Monday.", "The shop is not open on Sunday."),
        ("I need rain", "I hate the rain"),
        ("Ich brauche Regen", "Ich hasse Regen"),
    ],
)
async def test_what_something_is_not_says_nothing_of_what_else_it_is(here: Conversation, known: str, said: str) -> None:
    await here.say(known)

    assert "/forget" not in await here.say(said)


@pytest.mark.parametrize(
    "asked", ["我明天有什么事？", "我接下来有什么安排？", "Что у меня завтра?", "明日の予定は？", "Cosa ho domani?"]
)
async def test_what_is_coming_up_is_listed_in_every_language_of_the_lists(here: Conversation, asked: str) -> None:
    await here.say("/remind tomorrow at 9 call Ana")

    assert "call Ana" in await here.say(asked)


@pytest.mark.parametrize(
    ("home", "moved", "question"),
    [
        ("I live in Vienna", "I moved to Salzburg yesterday", "Where do I live?"),
        ("Lena lives in Vienna", "Lena moved to Salzburg last week", "Where does Lena live?"),
        ("My sister Ana lives in Graz", "Ana no longer lives in Graz, she lives in Linz now", "Where does Ana live?"),
        ("我姐姐安娜住在成都", "安娜不住在成都了，她现在住在西安", "安娜住在哪里？"),
        ("Ma sœur Claire habite à Lyon", "Claire n'habite plus à Lyon, elle habite à Nantes", "Où habite Claire ?"),
        ("Ich wohne in Wien", "Ich bin gestern nach Salzburg gezogen", "Wo wohne ich?"),
        ("Mi hermano Javier vive en Sevilla", "Javier se ha mudado a Bilbao", "¿Dónde vive Javier?"),
        ("Ma sœur Élodie habite à Nantes", "Élodie a déménagé à Bordeaux", "Où habite Élodie ?"),
        ("Мой брат Дима живёт в Перми", "Дима переехал в Москву", "Где живёт Дима?"),
        ("我住在维也纳", "我昨天搬到了萨尔茨堡", "我住在哪里？"),
    ],
)
async def test_who_has_moved_lives_where_they_moved_to(
    here: Conversation, home: str, moved: str, question: str
) -> None:
    await here.say(home)

    assert f"> {home}" in await here.say(moved)
    answer = await here.say(question)
    assert f"1. > {moved}" in answer
    assert f"2. > {home}" in answer
    assert "/forget" in await here.say("/forget 1")


@pytest.mark.parametrize(
    "moved",
    [
        "She moved to Salzburg yesterday",
        "Lena moved to Salzburg",
        "I moved to Vienna last week",
        "I moved the desk",
        "I moved to Salzburg in 2003",
    ],
)
async def test_a_move_of_somebody_else_or_to_the_same_place_ends_no_home(here: Conversation, moved: str) -> None:
    await here.say("I live in Vienna")

    assert "/forget" not in await here.say(moved)
    assert "1. > I live in Vienna" in await here.say("Where do I live?")


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
    "said", ["help me", "I need help", "How does this work?", "commands", "Hilfe!", "帮助", "怎么用？"]
)
async def test_help_in_other_words_is_help(here: Conversation, said: str) -> None:
    await here.say("I work at Siemens.")

    assert await here.say(said) == await here.say("/help")


@pytest.mark.parametrize(
    "said", ["How do I set a reminder?", "how can I delete a note", "Can you delete things?", "怎么设置提醒"]
)
async def test_how_something_is_done_points_to_the_help(here: Conversation, said: str) -> None:
    assert "`/help`" in await here.say(said)


async def test_a_calculation_is_not_answered_with_what_has_its_numbers(here: Conversation) -> None:
    await here.say("I have 2 cats.")
    await here.say("The room has 2 doors.")

    assert await here.say("What is 2+2?") == ENGLISH.nothing
    assert await here.say("how much is 2 plus two") == ENGLISH.nothing
    assert "2 cats" in await here.say("What has 2 doors, and what are the 2 cats?")


async def test_how_something_is_done_is_answered_from_memory_first(here: Conversation) -> None:
    await here.say("You squash commits with git rebase.")

    assert "`/help`" not in await here.say("How do I squash commits?")
    assert await here.say("Where is the unicorn?") == ENGLISH.nothing
    assert await here.say("Write me a poem about rain.") == ENGLISH.request


@pytest.mark.parametrize(
    "said",
    [
        "cancel the trash reminder",
        "stop reminding me about the trash",
        "don't remind me about the trash",
        "stop the trash reminder",
        "can you turn off the trash reminder?",
        "no more trash reminders please",
        "I don't need the trash reminder anymore",
        "stop the reminder to take out the trash",
        "delete all my reminders about the trash",
    ],
)
async def test_a_reminder_is_called_off_in_words(here: Conversation, said: str) -> None:
    await here.say("Remind me every Tuesday at 19:00 to take out the trash")
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "take out the trash" in await here.say(said)
    await here.say("yes")
    left = await here.say("my reminders")
    assert "trash" not in left
    assert "call Ana" in left


@pytest.mark.parametrize(
    ("reminder", "said"),
    [
        ("Erinnere mich morgen um 9 an die Blumen", "Erinnere mich nicht mehr an die Blumen"),
        ("明天早上9点提醒我浇花", "取消浇花的提醒"),
        ("明天早上9点提醒我浇花", "别再提醒我浇花"),
        ("Erinnere mich jeden Tag um 8 an die Tabletten", "keine Erinnerungen mehr an die Tabletten bitte"),
        ("Erinnere mich jeden Tag um 8 an die Tabletten", "Die Erinnerung an die Tabletten brauche ich nicht mehr"),
        ("Erinnere mich jeden Tag um 8 an die Tabletten", "Stell die Tablettenerinnerung ab"),
        ("Erinnere mich jeden Tag um 8 ans Trinken", "Ich möchte nicht mehr ans Trinken erinnert werden"),
        ("每天早上7点半叫我起床", "别再叫我起床了"),
        ("每天早上7点半叫我起床", "取消起床闹钟"),
    ],
)
async def test_a_reminder_is_called_off_in_other_languages(here: Conversation, reminder: str, said: str) -> None:
    await here.say(reminder)

    assert "`memory/2026-11-21.md:4`" in await here.say(said)


@pytest.mark.parametrize(
    "said",
    [
        "cancel the milk reminder",
        "delete the reminder to call Bob",
        "don't remind me about the dentist",
        "lösch die Erinnerung an die Milch",
        "Erinnere mich nicht mehr an die Milch",
        "streiche die Zahnarzt-Erinnerung",
        "cancela el recordatorio de la leche",
        "annule le rappel du lait",
        "删除牛奶的提醒",
        "别再提醒我买牛奶",
    ],
)
async def test_a_reminder_that_is_not_there_is_not_called_off_for_another(here: Conversation, said: str) -> None:
    await here.say("We have no milk left, the dentist has Milch and leche, Bob has lait, 牛奶.")
    await here.say("Remind me tomorrow at 9 to call Ana")

    answer = await here.reply(said)

    assert answer.text.startswith("1. ")
    assert "call Ana" in answer.text
    assert "“" in answer.told[-1]


async def test_a_reminder_is_called_off_by_its_day(here: Conversation) -> None:
    await here.say("Remind me on Friday at 8 to water the plants")

    assert "water the plants" in await here.say("cancel the Friday reminder")
    assert "`memory/2026-11-21.md:4`" in await here.say("cancel the plant reminder")


@pytest.mark.parametrize(
    ("reminder", "said"),
    [
        ("Remind me tomorrow at 9 to call Ana", "cancel the reminder for tomorrow at 9"),
        ("Remind me on Sunday at 8 to call the dentist", "cancel the reminder for the dentist on Sunday"),
    ],
)
async def test_a_reminder_is_called_off_by_its_time_and_by_a_word_with_a_time(
    here: Conversation, reminder: str, said: str
) -> None:
    await here.say(reminder)

    answer = await here.reply(said)

    assert "`memory/2026-11-21.md:4`" in answer.text
    assert not any("No reminder says" in told for told in answer.told)


async def test_what_is_cancelled_elsewhere_takes_no_reminder_away(here: Conversation) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "/forget" not in await here.say("Please cancel my flight to Ana")
    assert "I will remind you" in await here.say("Don't let me forget the trash tomorrow at 9")


@pytest.mark.parametrize(
    "said",
    [
        "What reminders do I have tomorrow?",
        "明天有什么提醒",
        "cancel all reminders",
        "cancel all my reminders",
        "Cancel every reminder!",
        "please delete all of my reminders",
        "stop all reminders",
        "stop reminding me",
        "stop reminding me every day",
        "please don't remind me anymore",
        "no more reminders",
        "I don't want any more reminders",
        "forget all my reminders please",
        "lösche alle Erinnerungen",
        "Bitte lösch meine Erinnerungen",
        "Sag alle Erinnerungen ab",
        "alle Erinnerungen löschen",
        "取消这些提醒",
        "取消所有提醒",
        "把所有提醒都删掉",
        "别再提醒我了",
    ],
)
async def test_reminders_of_a_day_and_all_to_be_cancelled_are_listed(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert (await here.say(said)).startswith("1. ")


@pytest.mark.parametrize(
    "said", ["I moved the car to level 1", "We moved the party to Sunday", "I changed my number to 07700 900456"]
)
async def test_a_change_of_what_was_never_told_is_noted(here: Conversation, said: str) -> None:
    assert " memory/2026-11-21.md:4 — ^" in await here.say(said)
    assert said in await here.say("/today")


@pytest.mark.parametrize(
    ("known", "said", "right"),
    [
        ("My brother Olivr lives in Bonn", "no, Oliver", "My brother Oliver lives in Bonn"),
        ("Olivr is my brother", "no, it's Oliver", "Oliver is my brother"),
        ("My brother is Olivr", "no, Oliver", "My brother is Oliver"),
        ("Mein Bruder wohnt in Kölln", "nein, in Köln", "Mein Bruder wohnt in Köln"),
        ("Mi hermano se llama Olivr", "no, Oliver", "Mi hermano se llama Oliver"),
        ("Mon frère Olivr habite à Lyon", "non, Oliver", "Mon frère Oliver habite à Lyon"),
    ],
)
async def test_a_name_in_its_right_spelling_corrects_the_fact_that_has_it_misspelt(
    here: Conversation, known: str, said: str, right: str
) -> None:
    await here.say("My sister is Anna")
    await here.say(known)
    await here.say("My dog is Rex")

    offer = await here.say(said)

    assert f"> {known}" in offer
    assert f"   > {right}" in offer


async def test_a_price_corrects_what_was_just_told_and_no_code(here: Conversation) -> None:
    await here.say("门禁密码是4521")
    await here.say("今天花了300块买鞋")

    assert "   > 今天花了350块买鞋" in await here.say("不对，是350块")


@pytest.mark.parametrize(
    ("told", "said", "right"),
    [
        ("Bought a jacket for 5000 dollars", "no, for 5500 dollars", "Bought a jacket for 5500 dollars"),
        ("Hoy compré una chaqueta por 50 euros", "no, por 55 euros", "Hoy compré una chaqueta por 55 euros"),
        ("Купила сегодня куртку за 5000 рублей", "Нет, за 5500 рублей", "Купила сегодня куртку за 5500 рублей"),
    ],
)
async def test_a_price_after_its_preposition_corrects_the_fact(
    here: Conversation, told: str, said: str, right: str
) -> None:
    await here.say(told)

    assert f"   > {right}" in await here.say(said)


async def test_another_name_corrects_what_was_just_quoted(here: Conversation) -> None:
    await here.say("My brother is Olivr")
    await here.say("My dog is Rex")
    await here.say("Who is my dog?")

    assert "   > My dog is Oliver" in await here.say("no, Oliver")


async def test_a_correction_of_what_was_never_told_is_not_noted(here: Conversation) -> None:
    assert "nothing was noted" in await here.say("Actually it's Spain, not Portugal")


async def test_somebody_whose_name_is_a_word_of_another_language_is_found(here: Conversation) -> None:
    await here.say("My brother Tom lives in Oslo")

    assert "lives in Oslo" in await here.say("Where does Tom live?")


async def test_a_correction_of_nothing_known_that_tells_something_by_itself_is_noted(here: Conversation) -> None:
    await here.say("Theo's football practice is on Tuesdays and Thursdays at 17:00.")

    assert "Noted in" in await here.say("actually I live in Bonn")
    assert "Noted in" in await here.say("actually practice moved to wednesdays and fridays")
    assert "> I live in Bonn" in await here.say("Where do I live?")


@pytest.mark.parametrize(
    "asked",
    [
        "What did I tell you on Sunday?",
        "what did I say to you 3 days ago",
        "Was habe ich dir am Sonntag erzählt?",
        "¿Qué te dije el domingo?",
        "Qu'est-ce que je t'ai dit dimanche ?",
        "我星期天告诉过你什么？",
    ],
)
async def test_what_was_told_on_a_day_is_told_apart_from_what_is_of_that_day(here: Conversation, asked: str) -> None:
    await here.say("The plumber comes on 22 November.")
    here.clock.advance(days=1)
    await here.say("I met Ana on 3 May.")
    await here.say("Remind me on 27 November at 9 to call Bob")
    here.clock.advance(days=3)

    answer = await here.reply(asked)

    assert "**2026-11-22**\n- B I met Ana on 3 May. (" in answer.text
    assert "- T call Bob (" in answer.text
    assert "plumber" not in answer.text
    assert "**2026-11-21**\n- W The plumber comes on 22 November. (" in answer.told[-1]


async def test_what_is_of_a_day_was_not_told_on_it(here: Conversation) -> None:
    await here.say("The plumber comes on 25 November.")
    here.clock.advance(days=5)

    answer = await here.reply("What did I tell you on Wednesday?")

    assert answer.text == ENGLISH.nothing
    assert "The plumber comes on 25 November." in answer.told[-1]


@pytest.mark.parametrize(
    ("first", "said", "when"),
    [
        ("Remind me tomorrow at 3 to call Ana", "remind me at 4 instead", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me today at 3 to call Ana", "Actually, remind me at 4", "Sat 21 Nov 2026 at 16:00: call Ana."),
        ("Remind me at 3 to call Ana", "no, remind me tomorrow at 9", "Sun 22 Nov 2026 at 09:00: call Ana."),
        ("Remind me tomorrow to call Ana", "instead remind me in 2 hours", "Sat 21 Nov 2026 at 15:00: call Ana."),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Erinnere mich lieber um 16 Uhr", "um 16:00: den Tee."),
        ("Remind me tomorrow at 3 to call Ana", "remind me at 4 instead of 3", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me today at 3 to call Ana", "remind me tomorrow at 9, not today", "Sun 22 Nov 2026 at 09:00: call"),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Erinnere mich um 16 Uhr statt um 15 Uhr", "um 16:00: den Tee."),
        ("明天下午3点提醒我浇花", "改成下午4点提醒我", "2026年11月22日（周日）16:00提醒你：浇花。"),
        ("Remind me tomorrow at 3 to call Ana", "No, at 4", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me tomorrow to call Ana", "at 8", "Sun 22 Nov 2026 at 08:00: call Ana."),
        ("Remind me today at 3 to call Ana", "sorry, tomorrow", "Sun 22 Nov 2026 at 15:00: call Ana."),
        ("Remind me tomorrow at 3 to call Ana", "make it 4", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me tomorrow at 3 to call Ana", "I meant 4:30", "Sun 22 Nov 2026 at 16:30: call Ana."),
        ("Remind me tomorrow at 3 to call Ana", "change the reminder to 11", "Sun 22 Nov 2026 at 11:00: call Ana."),
        ("Erinnere mich morgen um 15 Uhr an den Tee", "Nein, um 16 Uhr", "um 16:00: den Tee."),
        (
            "Erinnere mich morgen um 15 Uhr an den Tee",
            "ich meinte übermorgen",
            "Mo, 23. November 2026 um 15:00: den Tee.",
        ),
        ("明天下午3点提醒我浇花", "不，下午4点", "2026年11月22日（周日）16:00提醒你：浇花。"),
        ("明天晚上8点提醒我浇花", "改成9点", "2026年11月22日（周日）21:00提醒你：浇花。"),
        ("Remind me tomorrow at 8 pm to call Ana", "move it to 9", "Sun 22 Nov 2026 at 21:00: call Ana."),
        ("Remind me tomorrow at 13:00 to call Ana", "make it 11", "Sun 22 Nov 2026 at 11:00: call Ana."),
        ("Remind me tomorrow at 9 to call Ana", "make it 4", "Sun 22 Nov 2026 at 16:00: call Ana."),
        ("Remind me tomorrow at 6 to call Ana", "make it 5:30", "Sun 22 Nov 2026 at 05:30: call Ana."),
    ],
)
async def test_a_reminder_that_was_just_set_is_moved_by_another_time(
    here: Conversation, first: str, said: str, when: str
) -> None:
    await here.say(first)

    assert when in await here.say(said)
    listed = await here.say("/reminders")
    assert listed.count("`^") == 1
    assert len(here.jobs) == 1
    await here.say("/undo")
    assert await here.say("/reminders") != listed


@pytest.mark.parametrize(
    ("said", "when"), [("change it at 5", "at 17:00: change it."), ("wait in 2 hours", "at 15:00: wait.")]
)
async def test_a_reminder_to_change_something_or_to_wait_moves_no_other_one(
    here: Conversation, said: str, when: str
) -> None:
    await here.say("Remind me tomorrow at 3 to call Ana")

    assert when in await here.say(f"remind me to {said}")
    assert (await here.say("/reminders")).count("`^") == 2


async def test_a_time_after_a_reminder_moves_it_and_corrects_nothing_else(here: Conversation) -> None:
    await here.say("The meeting is on Thursday at 2.")
    await here.say("Remind me tomorrow at 9 to call Ana")
    await here.say("no, at 10")

    assert "Sun 22 Nov 2026 at 11:00: call Ana." in await here.say("no, at 11")
    assert "on Thursday at 2." in await here.say("When is the meeting?")


@pytest.mark.parametrize(
    "said",
    [
        "tomorrow at 10?",
        "No, at 10 the plumber comes",
        "tomorrow at 10 I am in Linz",
        "also tomorrow at 21:00",
        "And at 10",
        "and on Friday",
        "and again at 10",
        "again at 10",
        "then at 10",
        "tomorrow at 10 also",
        "und um 10 Uhr",
        "auch um 10 Uhr",
        "noch um 10 Uhr",
        "wieder um 10 Uhr",
        "再下午4点",
        "还有下午4点",
        "和下午4点",
        "2",
        "no, 2",
        "wait 2",
        "4",
        f"no, at 10{'!' * 400}",
    ],
)
async def test_what_is_more_than_a_time_moves_no_reminder(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")
    await here.say(said)

    assert "09:00: call Ana" in await here.say("/reminders")


FURTHER = ["also tomorrow at 21:00", "and on Friday", "again at 10"]


@pytest.mark.parametrize("said", [*FURTHER, "auch morgen um 21 Uhr", "um 20 uhr auch"])
async def test_a_further_time_is_noted_as_no_fact(here: Conversation, said: str) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "Noted" not in await here.say(said)


async def test_a_long_message_is_told_though_a_time_alone_is_not(here: Conversation) -> None:
    assert (await here.say("tomorrow at 9!")).startswith("Nothing was noted.")
    assert (await here.say(f"tomorrow at 9{'!' * 400}")).startswith("Noted in")


async def test_a_plan_is_looked_for_at_the_beginning_of_a_fact(here: Conversation) -> None:
    await here.say(f"The gala, {'with Ana and Bob, ' * 25}is on Friday at 7.")
    await here.say("The gala is cancelled.")

    assert (await here.say("When is the gala?")).startswith("From memory:\n1. > The gala, with")


@pytest.mark.parametrize("what", ["buy 2 cakes", "buy two cakes", "zwei Kuchen kaufen"])
@pytest.mark.parametrize("said", ["no, 3", "make it 3", "3"])
async def test_a_number_moves_no_reminder_of_a_number(here: Conversation, said: str, what: str) -> None:
    await here.say(f"Remind me tomorrow at 9 to {what}")
    await here.say(said)

    assert f"at 09:00: {what}" in await here.say("/reminders")


@pytest.mark.parametrize(
    "asked",
    [
        "What do I have to do?",
        "what's next",
        "Was steht an?",
        "¿Qué tengo que hacer?",
        "J'ai quoi de prévu ?",
        "予定は？",
    ],
)
async def test_who_asks_what_is_to_be_done_is_shown_reminders_and_the_days_ahead(
    here: Conversation, asked: str
) -> None:
    await here.say("I met Ben on Monday.")
    await here.say("On 25 November we go to Rome.")
    await here.say("The plumber comes tomorrow at 8.")
    await here.say("My insurance ends in 2026.")
    await here.say("Remind me on Monday at 9 to call Tom")

    answer = await here.say(asked)

    assert [line.split(" (`")[0].split(" · ")[0] for line in answer.splitlines() if line] == [
        answer.splitlines()[0].split(" · ")[0],
        "- W The plumber comes tomorrow at 8.",
        "- W On 25 November we go to Rome.",
    ]
    assert "call Tom" in answer.splitlines()[0]


@pytest.mark.parametrize(
    ("plan", "over", "asked"),
    [
        ("El lunes tengo cita con el dentista", "El lunes fuimos al cine", "¿Qué tengo que hacer?"),
        ("J'ai rendez-vous lundi avec Paul", "J'ai vu Paul lundi", "Qu'est-ce que j'ai de prévu ?"),
        ("В понедельник иду к врачу", "В понедельник мы ходили в кино", "что у меня запланировано?"),
    ],
)
async def test_a_plan_for_a_weekday_is_one_of_the_days_ahead_in_other_languages(
    here: Conversation, plan: str, over: str, asked: str
) -> None:
    await here.say(plan)
    await here.say(over)

    answer = await here.say(asked)

    assert f"- W {plan} (" in answer
    assert over not in answer


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("What do I have tomorrow?", ["call Tom", "The plumber comes tomorrow at 8."]),
        ("what's coming up on Wednesday", ["On 25 November we go to Rome."]),
        ("Was steht am Mittwoch an?", ["On 25 November we go to Rome."]),
        (
            "any plans for next week?",
            ["call Ana", "Lunch with Lee on Monday", "On 25 November we go to Rome.", "Choir on Friday"],
        ),
    ],
)
async def test_who_asks_for_the_plans_of_some_days_is_shown_all_of_them(
    here: Conversation, asked: str, listed: list[str]
) -> None:
    for text in (
        "I met Ben on Monday.",
        "On 25 November we go to Rome.",
        "The plumber comes tomorrow at 8.",
        "Remind me on Tuesday at 9 to call Ana",
        "Remind me tomorrow at 9 to call Tom",
        "Choir on Friday",
        "Lunch with Lee on Monday",
    ):
        await here.say(text)

    answer = await here.say(asked)

    assert [line.split("> ", 1)[1] for line in answer.splitlines() if "> " in line] == listed


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Am Wochenende kommen die Enkel.", "Was habe ich am Wochenende vor?"),
        ("Am Wochenende kommen die Enkel.", "Habe ich morgen etwas vor?"),
        ("This weekend we are in Kiel.", "what do I have on the weekend?"),
        ("This weekend we are in Kiel.", "was machen wir am Wochenende?"),
        ("We go to Lisbon from 24 to 28 November.", "Am I free on 26 November?"),
        ("We go to Lisbon from 24 to 28 November.", "what am I doing on Thursday?"),
        ("这个周末要和妈妈视频", "周末有什么安排？"),
        ("Next weekend we are at my mum's in Kiel.", "what are we doing next weekend"),
        ("I'm going to Munich Tuesday to Thursday", "Am I free on Wednesday?"),
        ("每天早上7点半叫我起床", "明天有什么安排"),
        ("下周三要去车站接周凯", "下周三我要干嘛"),
        ("I have to pay the rent by Friday", "what do I still have to do?"),
        ("I have to pay the rent by Friday", "whats on my list"),
    ],
)
async def test_a_plan_of_several_days_is_one_of_each(here: Conversation, told: str, asked: str) -> None:
    await here.say(told)

    assert told.removeprefix("每天早上7点半叫我") in await here.say(asked)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("and on Tuesday?", "dentist"),
        ("what about Tuesday?", "dentist"),
        ("Und am Dienstag?", "dentist"),
        ("¿Y el martes?", "dentist"),
        ("Et mardi ?", "dentist"),
        ("А во вторник?", "dentist"),
        ("那周二呢？", "dentist"),
        ("and on Friday?", "nothing is planned"),
        ("und am Sonntag?", "nichts geplant"),
        ("and on Wednesday?", "Zumba"),
        ("what about Thursday?", "nothing is planned"),
        ("how about Friday?", "nothing is planned"),
        ("And today?", "nothing is planned"),
        ("und morgen?", "nothing is planned"),
    ],
)
async def test_after_the_plans_of_one_day_those_of_another_are_asked_for_in_short(
    here: Conversation, asked: str, shown: str
) -> None:
    await here.say("I see the dentist on Tuesday at 9.")
    await here.say("Zumba is on Monday and Wednesday")
    await here.say("what do I have on Monday?")

    assert shown in await here.say(asked)


async def test_what_calls_a_plan_off_is_shown_with_the_plans_of_its_day(here: Conversation) -> None:
    await here.say("I'm going to Lisbon from 24 to 28 November with Hannah")
    await here.say("The Lisbon trip is off, Hannah is ill")

    answer = await here.say("What am I doing on the 26th?")

    assert "The Lisbon trip is off" in answer


async def test_a_plan_that_moved_is_answered_with_where_it_is_now(here: Conversation) -> None:
    await here.say("Dentist on Monday at 10:20")
    here.clock.advance(minutes=1)
    await here.say("The dentist moved to Tuesday at 11")

    assert "1. > The dentist moved to Tuesday at 11" in await here.say("When is the dentist?")


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My name is Joanna, but everyone calls me Jo", "What's my name?"),
        ("I'm called Jo", "what am I called?"),
        ("Mein Name ist Matze", "Wie ist mein Name?"),
        ("Me llamo Rocío", "¿Cuál es mi nombre?"),
        ("Mon prénom est Zoé", "Quel est mon nom ?"),
        ("我叫林晓雯", "我的名字是什么？"),
    ],
)
async def test_the_own_name_is_known_and_nobody_elses_is_taken_for_it(
    here: Conversation, told: str, asked: str
) -> None:
    await here.say(told)
    here.clock.advance(minutes=1)
    await here.say("My dog's name is Rex")

    assert f"1. > {told}" in await here.say(asked)


@pytest.mark.parametrize(
    ("home", "new", "asked", "is_left"),
    [
        ("My friend Ben works at Acme and lives in Oslo", "Ben moved to Bergen", "Where does Ben live?", True),
        ("Ana is a nurse and lives in Rome", "Ana moved to Oslo", "Where does Ana live?", True),
        ("Meine Schwester heißt Petra und wohnt in Köln", "Petra ist nach Bonn gezogen", "Wo wohnt Petra?", True),
        ("Dora is a doctor and lives in Madrid", "Carl moved to Rome", "Where does Dora live?", False),
        ("Ana is a nurse and lives in Rome", "I moved to Oslo", "Where does Ana live?", False),
    ],
)
async def test_a_home_in_a_clause_is_of_who_is_named_before_it(
    here: Conversation, home: str, new: str, asked: str, *, is_left: bool
) -> None:
    await here.say(home)
    here.clock.advance(minutes=1)
    await here.say(new)

    answer = await here.say(asked)

    assert (f"1. > {new}" in answer) == is_left
    assert home in answer


async def test_a_plan_that_was_moved_to_a_day_with_a_full_stop_comes_second(here: Conversation) -> None:
    await here.say("Am 12. Dezember ist Weihnachtsfeier um 18 Uhr")
    await here.say("Die Weihnachtsfeier wurde auf den 13. Dezember verschoben")

    assert "1. > Die Weihnachtsfeier wurde auf den 13." in await here.say("Wann ist die Weihnachtsfeier?")


@pytest.mark.parametrize(
    ("told", "other", "asked"),
    [
        ("My name is Joanna", "I'm called at night a lot", "What's my name?"),
        ("My name is jo", "My name is on the list", "What's my name?"),
        ("My name is Joanna", "People call me lazy", "What's my name?"),
        ("Ich heiße Johanna", "Ich heiße das gut", "Wie heiße ich?"),
        ("我叫小明", "我叫了外卖", "我叫什么名字？"),
        ("Меня зовут Аня", "Меня зовут в гости в субботу", "Как меня зовут?"),
    ],
)
async def test_what_begins_as_one_tells_ones_name_and_tells_none_is_not_taken_for_it(
    here: Conversation, told: str, other: str, asked: str
) -> None:
    await here.say(told)
    here.clock.advance(minutes=1)
    await here.say(other)

    assert f"1. > {told}" in await here.say(asked)


async def test_the_own_name_is_found_among_many_facts_with_such_words(here: Conversation) -> None:
    await here.say("我叫小明")
    for number in range(12):
        await here.say(f"My colleague {number} is called first, his name is on list {number}")

    assert "1. > 我叫小明" in await here.say("我叫什么名字？")


async def test_a_home_comes_after_the_address_that_was_left(here: Conversation) -> None:
    await here.say("My address is Lime Street 4")
    here.clock.advance(minutes=1)
    await here.say("I moved to Bath")

    assert "1. > I moved to Bath" in await here.say("Where do I live?")


@pytest.mark.parametrize(
    "told",
    [
        "I have to renew my passport before January",
        "Ich muss bis Ende März die Steuer machen",
        "I have to return the book by 25 November",
    ],
)
async def test_what_has_a_term_is_to_be_done_before_it_and_behind_it(here: Conversation, told: str) -> None:
    await here.say(told)
    before = await ahead(here)
    here.clock.advance(days=8)

    assert before == await ahead(here) == [told]


@pytest.mark.parametrize("asked", ["What do I have to do?", "When's my next appointment?"])
async def test_an_agenda_without_reminders_is_the_list_of_what_is_to_be_done(here: Conversation, asked: str) -> None:
    await here.say("I need to buy milk")

    reply = await here.reply(asked)

    assert reply.shown.startswith("- T I need to buy milk")


@pytest.mark.parametrize("told", ["I met Ben on Monday.", "I was ill this week.", "I saw the vet on the 9th."])
async def test_what_has_happened_is_no_plan(here: Conversation, told: str) -> None:
    await here.say(told)

    assert await ahead(here) == []


@pytest.mark.parametrize("asked", ["what do I have on the weekend?", "Am I free on Monday?", "any plans for Friday?"])
async def test_who_asks_for_plans_is_told_that_there_are_none(here: Conversation, asked: str) -> None:
    await here.say("My sister Ana lives in Graz")

    assert await here.say(asked) == "As far as I know, nothing is planned then."


@pytest.mark.parametrize(
    ("task", "done", "is_open"),
    [
        ("I have to call the bank", "I called the bank", False),
        ("I have to buy milk", "Bought the milk", False),
        ("I need to call the plumber", "called the plumber", False),
        ("Ich muss die Bank anrufen", "Ich habe die Bank angerufen", False),
        ("Ich muss noch die Heizung entlüften", "Die Heizung ist entlüftet", False),
        ("I have to renew my passport before January", "I renewed my passport", False),
        ("Ich muss den Pass vor Januar verlängern", "Ich habe den Pass verlängert", False),
        ("I have to pay the rent in May", "I paid the rent in April", True),
        ("I have to call the bank", "I almost called the bank", True),
        ("I have to call the bank", "Tom called the bank", True),
        ("I have to call the bank", "The bank called me", True),
        ("I have to call the bank", "I called the bank but nobody answered", True),
        ("Ich muss die Bank anrufen", "Die Bank hat angerufen", True),
        ("I have to call the bank", "I did not call the bank", True),
        ("I have to call the bank", "The bank calls at nine if we ask", True),
        ("I have to call the bank", "I called Ana", True),
        ("I have to water the plants every week", "I watered the plants", True),
    ],
)
async def test_what_was_done_is_no_longer_to_be_done(
    here: Conversation, task: str, done: str, *, is_open: bool
) -> None:
    await here.say(task)
    await here.say(done)

    assert (task in await ahead(here)) == is_open

    await here.say("Nothing else happened.")
    here.clock.advance(hours=1)
    await here.say(f"{task} again")
    assert f"{task} again" in await ahead(here)


async def test_who_asks_for_plans_where_there_are_none_is_told_nothing_else(here: Conversation) -> None:
    await here.say("My sister Ana lives in Graz")
    await here.say("Dentist on Thursday at 10")
    await here.say("The dentist is cancelled")

    answer = await here.say("What do I have this week?")

    assert "Graz" not in answer


@pytest.mark.parametrize(
    ("known", "said", "new"),
    [
        ("the code for the garage is 7788", "it changed to 9911", "the code for the garage is 9911"),
        ("the code for the garage is 7788", "it is now 9911", "the code for the garage is 9911"),
        ("der Code für das Tor ist 7788", "er ist jetzt 9911", "der Code für das Tor ist 9911"),
    ],
)
async def test_what_something_has_changed_to_corrects_it(here: Conversation, known: str, said: str, new: str) -> None:
    await here.say(known)

    answer = await here.say(said)

    assert answer.endswith(f"> {new}")


@pytest.mark.parametrize(
    "said",
    [
        "they changed to the new office",
        "it has changed to a better place",
        "it's now raining",
        "it's now 20:15",
        "it is now 10pm",
        "es ist jetzt dunkel",
        "sie ist jetzt 40",
    ],
)
async def test_what_only_sounds_like_a_change_of_a_value_is_noted(here: Conversation, said: str) -> None:
    await here.say("the code for the garage is 7788")

    assert "memory/2026-11-21.md:5" in await here.say(said)


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        ("Please list all decisions", "/decisions"),
        ("what did we decide?", "/decisions"),
        ("liste alle Entscheidungen auf", "/decisions"),
        ("list my preferences", "/opinions"),
        ("Was sind meine Vorlieben?", "/opinions"),
    ],
)
async def test_who_asks_for_decisions_or_preferences_is_shown_them(
    here: Conversation, asked: str, instead: str
) -> None:
    await here.say("We decided to buy the blue sofa")
    await here.say("I prefer tea to coffee")

    assert await here.say(asked) == await here.say(instead)


async def test_all_that_is_told_of_a_name_is_listed_also_where_it_was_not_taken_for_one(here: Conversation) -> None:
    told = ("I have a daughter called Lily.", "Lily has swimming on Tuesdays.", "Lily's exam is on 10 December.")
    for text in told:
        await here.say(text)

    answer = await here.say("Tell me about Lily")

    assert [text for text in told if text not in answer] == []


async def ahead(here: Conversation) -> list[str]:
    """Return what is listed to who asks what comes next, but for reminders."""
    lines = (await here.say("What's next?")).splitlines()
    return [line.split(" (`")[0].split(" ", 2)[2] for line in lines if line.startswith("- ")]


@pytest.mark.parametrize(
    ("told", "listed"),
    [
        (["The party is on Friday.", "Unfortunately the party is cancelled"], []),
        (["The party is on Friday.", "The party on Friday was called off"], []),
        (
            ["The party is on Friday.", "the party was postponed to Sunday"],
            ["the party was postponed to Sunday", "The party is on Friday."],
        ),
        (
            ["The meeting is on Monday at 9.", "The meeting was moved to 10 o'clock"],
            ["The meeting is on Monday at 9.", "The meeting was moved to 10 o'clock"],
        ),
        (
            ["The meeting is on Monday at 9.", "The meeting on Tuesday is cancelled"],
            ["The meeting is on Monday at 9.", "The meeting on Tuesday is cancelled"],
        ),
        (
            ["Yoga is on Monday.", "Yoga was cancelled last week"],
            ["Yoga is on Monday.", "Yoga was cancelled last week"],
        ),
        (
            ["The party is on Friday.", "The party might be cancelled"],
            ["The party is on Friday.", "The party might be cancelled"],
        ),
        (["Elternabend ist am 8.12. um 19:30", "Der Elternabend fällt aus"], []),
        (
            ["The party is on Friday.", "The party is cancelled", "The party is on after all"],
            ["The party is on Friday."],
        ),
        (
            ["The party is on Friday.", "The party is cancelled", "The party is not cancelled after all"],
            ["The party is on Friday."],
        ),
        (["The party is on Friday.", "There won't be a party on Friday"], []),
        (["The party is on Friday.", "The party is not at Ana's"], ["The party is on Friday."]),
        (["The party is on Friday.", "I don't like the party"], ["The party is on Friday."]),
        (["Dinner with Lena on Friday", "Lena is not here"], ["Dinner with Lena on Friday"]),
        (["Dinner with Lena on Friday", "I did not have dinner"], ["Dinner with Lena on Friday"]),
        (["Abendessen mit Lena am Freitag", "Lena ist nicht da"], ["Abendessen mit Lena am Freitag"]),
        (["Das Konzert ist am Freitag", "Das Konzert findet nicht statt"], []),
        (["We fly to Lisbon on 12 December.", "We won't fly to Lisbon after all"], []),
        (["Wir fliegen am 12. Dezember nach Lissabon.", "Wir fliegen doch nicht nach Lissabon"], []),
        (["Yoga on Thursday at 6", "No yoga on Wednesday"], ["Yoga on Thursday at 6", "No yoga on Wednesday"]),
        (["The party is on Friday.", "The party is cancelled", "It is on", "The party is called off"], []),
        (["The party is on Friday.", "The party is cancelled", "Ana's birthday is on after all"], []),
        (
            ["Elternabend ist am 8.12. um 19:30", "Der Elternabend fällt aus", "Der Elternabend findet doch statt"],
            ["Elternabend ist am 8.12. um 19:30"],
        ),
        (
            ["Max sees the dentist on Tuesday.", "Lily sees the dentist on Friday.", "The dentist is cancelled"],
            ["Max sees the dentist on Tuesday.", "The dentist is cancelled", "Lily sees the dentist on Friday."],
        ),
        (
            ["There is fish on Monday and pizza on Friday", "The pizza is cancelled"],
            ["There is fish on Monday and pizza on Friday", "The pizza is cancelled"],
        ),
    ],
)
async def test_a_plan_that_was_called_off_is_not_ahead(here: Conversation, told: list[str], listed: list[str]) -> None:
    for text in ("The plumber comes tomorrow at 8.", *told):
        await here.say(text)

    plumber, *others = sorted(await ahead(here), key=lambda text: "plumber" not in text)

    assert (plumber, others) == ("The plumber comes tomorrow at 8.", listed)


@pytest.mark.parametrize(
    "told",
    [
        "Parents' evening is in two weeks",
        "In zwei Wochen kommt der Wolfgang zu Besuch.",
        "Doctor Patel wants to see me on the 9th at quarter past 2",
        "I need to review the offer by Tuesday",
        "Bis Freitag muss ich das Geld überweisen",
        "We need to write the migration for the invoices table",
        "Ich muss noch Milch und Brot einkaufen",
    ],
)
async def test_what_comes_in_some_weeks_and_what_is_to_be_done_is_ahead(here: Conversation, told: str) -> None:
    await here.say(told)

    assert await ahead(here) == [told]


@pytest.mark.parametrize(
    "told",
    ["I met Ben two weeks ago", "My insurance ends in 2026.", "Lily lives on the 3rd floor", "The gym closes in May"],
)
async def test_what_is_over_or_has_no_day_soon_is_not_ahead(here: Conversation, told: str) -> None:
    await here.say(told)

    assert await ahead(here) == []


async def test_a_number_after_a_reminder_corrects_what_was_told_before(here: Conversation) -> None:
    await here.say("I have 3 dogs.")
    await here.say("Remind me tomorrow at 9 to call Ana")

    assert "I have 4 dogs" in await here.say("no, 4")


async def test_a_time_after_another_message_moves_no_reminder(here: Conversation) -> None:
    await here.say("Remind me tomorrow at 9 to call Ana")
    await here.say("The meeting is on Thursday at 2.")

    assert "on Thursday at 4." in await here.say("no, at 4")


@pytest.mark.parametrize(
    "said",
    [
        "Remind me in 20 minutes to turn the oven off, and tomorrow at 7 to pay the rent",
        "Erinnere mich um 17 Uhr an den Tee und um 20 Uhr an die Nachrichten",
        "十分钟后提醒我关火，明天七点提醒我交房租",
        "Remind me tomorrow at 9 to call Ana and at 10 to call Bob",
    ],
)
async def test_two_reminders_in_one_sentence_are_asked_back_and_none_is_lost(here: Conversation, said: str) -> None:
    assert await here.say(said) == await here.say("tomorrow at 9")
    assert not here.jobs


@pytest.mark.parametrize(
    "what",
    [
        "buy bread and Friday's paper",
        "book the table for Friday at 7",
        "tell Bob I am away on Monday and Tuesday",
        "tell Bob that I am away on Monday, on Tuesday at home",
    ],
)
async def test_a_day_in_what_to_be_reminded_of_is_no_second_reminder(here: Conversation, what: str) -> None:
    assert f"at 09:00: {what}." in await here.say(f"Remind me tomorrow to {what}")


async def test_what_is_asked_to_be_reminded_of_is_repeated_without_a_question_mark(here: Conversation) -> None:
    answer = await here.say("kannst du mich morgen um sechs wecken?")
    assert "um 06:00: kannst du mich morgen um sechs wecken. (" in answer


async def test_the_newest_is_what_was_noted_last_and_not_what_is_due_last(here: Conversation) -> None:
    await here.say("Remind me on 5 May 2027 to renew the passport")
    await here.say("The bins are green.")

    assert "The bins are green." in await here.say("scratch that")
    assert (await here.say("/memory")).split("Newest:\n")[1].startswith("- The bins are green.")


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


@pytest.mark.parametrize(
    ("plan", "news", "question"),
    [
        (
            "I have a dentist appointment on Tuesday at 3pm",
            "The dentist appointment is cancelled",
            "When is the dentist?",
        ),
        ("The party is on Friday at 8", "the party was postponed to Sunday", "when is the party"),
        ("Ich habe morgen um 10 einen Termin beim Zahnarzt", "Der Zahnarzt hat abgesagt", "Wann ist der Zahnarzt?"),
        ("Der Zahnarzttermin ist am Montag um 9", "Der Termin ist verschoben", "Wann ist der Zahnarzttermin?"),
        ("Das Treffen ist am Montag um 9", "Das Treffen wurde auf Freitag verschoben", "Wann ist das Treffen?"),
        ("会议在明天上午九点", "会议取消了", "会议几点？"),
        ("The party is on Friday at 8.", "The party has been cancelled.", "when is the party"),
        ("The dentist is on Friday at 3pm", "The dentist appointment was cancelled", "when is the dentist?"),
        ("Der Zahnarzt ist am Freitag um 15 Uhr", "Der Zahnarzt Termin ist abgesagt", "Wann ist der Zahnarzt?"),
        ("The party is on Friday at 8", "Ana is ill, the party is cancelled", "Is the party on Friday?"),
        ("Meeting with Ana on Monday at 10", "The meeting with Ana is cancelled", "When is the meeting with Ana?"),
        ("The party is on Friday", "Unfortunately the party is cancelled", "when is the party?"),
        ("The party is on Friday", "Sadly, the party got cancelled because of the rain", "when is the party?"),
        ("The party is on Friday", "We had to cancel the party", "when is the party?"),
        ("Die Feier ist am Freitag", "Leider wurde die Feier abgesagt, weil Ana krank ist", "Wann ist die Feier?"),
        ("La fiesta es el viernes", "Por desgracia la fiesta está cancelada", "¿Cuándo es la fiesta?"),
        ("La fête est vendredi", "Malheureusement la fête est annulée", "Quand est la fête ?"),
    ],
)
async def test_what_was_called_off_is_told_before_the_plan(
    here: Conversation, plan: str, news: str, question: str
) -> None:
    await here.say(plan)
    await here.say(news)

    assert f"1. > {news}\n" in await here.say(question)


@pytest.mark.parametrize(
    ("plan", "news", "question"),
    [
        ("The party is on Friday at 8", "The football match is cancelled", "when is the party?"),
        ("The flight to Rome is on Friday at 8", "The flight to Oslo was cancelled", "When is the flight to Rome?"),
        ("The flight to Rome is on Friday at 8", "The flight to Oslo was cancelled", "When is the flight?"),
        ("I meet Ana for a meeting on Friday at 8", "The meeting with Bob is cancelled", "When is the meeting?"),
        ("My birthday is on 3 May", "Ana's birthday dinner was postponed", "When is my birthday?"),
        ("My mother was born on 3 May 1950", "My mother cancelled her visit", "When was my mother born?"),
        ("The gym is open from 8 to 20", "I cancelled the gym membership", "When is the gym open?"),
        ("The concert is on Friday at 8", "The concert was not cancelled", "When is the concert?"),
        ("Das Treffen ist am Montag um 9", "Das Treffen mit Bob wurde abgesagt", "Wann ist das Treffen?"),
        ("The dentist is on Friday", "Tom's dentist was cancelled", "When is the dentist?"),
    ],
)
async def test_what_else_was_called_off_is_not_told_first(
    here: Conversation, plan: str, news: str, question: str
) -> None:
    await here.say(plan)
    await here.say(news)

    assert f"1. > {plan}" in await here.say(question)


@pytest.mark.parametrize(
    ("home", "new", "question"),
    [
        ("My name is Oliver and I live in Vienna", "I moved to Salzburg last week", "Where do I live?"),
        ("Ich heiße Jana und wohne in Graz", "Ich bin nach Wien gezogen", "Wo wohne ich?"),
    ],
)
async def test_a_home_that_was_told_beside_something_else_is_ended_by_a_move(
    here: Conversation, home: str, new: str, question: str
) -> None:
    await here.say(home)
    await here.say(new)

    assert f"1. > {new}\n" in await here.say(question)


@pytest.mark.parametrize(
    ("told", "new", "question"),
    [
        ("My sister lives in Graz, and I live in Vienna", "I moved to Linz", "Where does my sister live?"),
        ("Ich mag Tee, ich wohne in Graz", "Ich bin nach Wien gezogen", "Was mag ich?"),
        ("My name is Oliver and I live in Vienna", "I moved to Graz", "Who is Oliver?"),
        ("I live in Vienna and my name is Oliver", "I moved to Graz", "Who is Oliver?"),
    ],
)
async def test_a_move_answers_no_question_for_what_was_told_beside_a_home(
    here: Conversation, told: str, new: str, question: str
) -> None:
    await here.say(told)
    assert "/forget" not in await here.say(new)  # with the home the rest would go

    assert f"1. > {told}\n" in await here.say(question)


async def test_what_is_noted_last_is_the_newest_where_it_is_another_day_in_utc(tmp_path: Path) -> None:
    async with conversation(tmp_path, zone=ZoneInfo("America/Los_Angeles")) as here:
        here.clock.advance(hours=15)  # 19:00 there, and the next day in UTC
        await here.say("Remind me on 5 May 2027 to renew the passport")
        await here.say("The bins are green.")

        assert "1. > The bins are green." in await here.say("What did I just say?")
        assert "The bins are green." in await here.say("scratch that")


@pytest.mark.parametrize(
    "asked",
    [
        "What did I just say?",
        "what was the last thing I told you",
        "Was habe ich dir gerade gesagt?",
        "我刚才说了什么？",
    ],
)
async def test_what_was_just_told_is_quoted(here: Conversation, asked: str) -> None:
    await here.say("The bins are green.")
    await here.say("The shed is red.")

    answer = await here.say(asked)
    assert "1. > The shed is red.\n" in answer
    assert "bins" not in answer


async def test_an_order_not_to_remind_at_a_time_moves_no_reminder(here: Conversation) -> None:
    await here.say("明天下午3点提醒我浇花")
    listed = await here.say("/reminders")

    await here.say("不要下午4点提醒我")
    assert await here.say("/reminders") == listed


async def test_a_move_of_a_reminder_that_is_repeated_after_a_crash_is_made_once(here: Conversation) -> None:
    await here.say("Remind me tomorrow at 3 to call Ana")
    replies = here.context.said.replies
    before = {name: list(said) for name, said in replies.items()}

    moved = await here.reply("remind me at 4 instead", turn="t9")
    replies.update(before)
    assert (await here.reply("remind me at 4 instead", turn="t9")).text == moved.text
    assert (await here.say("/reminders")).count("`^") == 1


@pytest.mark.parametrize("between", ["The plumber is called Otto.", "/reminders"])
async def test_another_time_for_no_certain_reminder_is_asked_about(here: Conversation, between: str) -> None:
    await here.say("Remind me tomorrow at 3 to call Ana")
    await here.say("Remind me every day at 9 to drink")
    await here.say(between)

    assert "of what?" in await here.say("remind me at 4 instead")
    assert (await here.say("/reminders")).count("`^") == 2


@pytest.mark.parametrize(
    "said",
    [
        "remind me in half an hour",
        "remind me in half an hour or so",
        "set a reminder for half an hour",
        "Set a reminder for 30 minutes!",
        "Can you remind me in half an hour?",
        "erinnere mich in einer halben Stunde",
        "半小时后提醒我",
    ],
)
async def test_a_reminder_of_nothing_in_particular_is_set(here: Conversation, said: str) -> None:
    await here.say(said)

    assert f"13:30: {said} " in await here.say("/reminders")


async def test_a_move_of_this_year_ends_a_home(here: Conversation) -> None:
    await here.say("I live in Vienna")

    assert "/forget" in await here.say("I moved to Salzburg in 2026")
    assert "1. > I moved to Salzburg" in await here.say("Where do I live?")


async def test_a_number_that_is_no_hour_corrects_no_appointment(here: Conversation) -> None:
    await here.say("I'm 42.")
    await here.say("I have a dentist appointment on Tuesday at 10.")

    assert "> I'm 43." in await here.say("actually 43")
    assert "Tuesday at 11." in await here.say("actually 11")


@pytest.mark.parametrize("said", ["?", "??", "😀?", "؟"])
async def test_a_bare_question_mark_is_told_who_is_there(here: Conversation, said: str) -> None:
    assert await here.say(said) == ENGLISH.presence.format(agent="personal")


@pytest.mark.parametrize(
    ("known", "keywords"),
    [
        ("dentist number is 0161 555 0199, dr patel", "dentist number"),
        ("pancakes: 200g flour, 2 eggs, 300ml milk", "pancake recipe"),
        ("gym locker 118 code 4471", "locker code gym"),
        ("gym locker 118 code 4471", "locker 118"),
        ("refund of the taxes for 2024 was 300", "refund taxes 2024"),
        ("Alfred has the phone number 0161 555 0142.", "phone number Alfred"),
        ("Das Gehalt von Anna kommt am 25.", "Anna Gehalt"),
        ("el abogado es García, 91 555 0142", "teléfono abogado"),
        ("бабушка Аня 8 495 555 01 77", "телефон моей бабушки"),
        ("emma borrowed my camping stove", "stove"),
        ("der Kinderarzt ist Dr. Brandt, Telefon 030 5557712", "Kinderarzt Telefonnummer"),
        ("el cumple de mamá es el 9 de octubre", "cumple mamá"),
        ("le pédiatre c'est dr morel 01 55 55 01 77", "numéro pédiatre"),
        ("стоматолог Иванова 8 495 555 01 88", "телефон стоматолога"),
        ("牙医电话 010-5555-0133", "牙医电话"),
        ("カレー:玉ねぎ2個、じゃがいも3個、肉300g", "カレーのレシピ"),
    ],
)
async def test_a_few_words_that_memory_holds_are_looked_up_and_not_noted(
    here: Conversation, known: str, keywords: str
) -> None:
    await here.say(known)

    answer = await here.reply(keywords)

    assert f"1. > {known}" in answer.text
    assert answer.evidence


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Anna owes Ben 40 pounds since May.", "Ben owes Anna"),
        ("Tom no longer smokes at home.", "Tom smokes"),
        ("The dentist is Dr Patel, 0161 555 0199.", "cancel dentist"),
        ("The dentist is called Dr Patel.", "call dentist"),
        ("Mum's birthday is 14 March.", "mum number"),
        ("The spare battery lies in the cellar.", "phone charger"),
        ("The rent must be paid on the 1st of every month.", "rent paid"),
        ("The plants need water every Monday.", "plants watered"),
        ("Der Müll wird am Montag abgeholt.", "Müll abgeholt"),
        ("Blood pressure was 120/80 in May.", "pressure 120"),
        ("My pancake recipe: 2 eggs, 200 g flour, milk.", "price milk 2"),
        ("The bus is number 42.", "size 42"),
    ],
)
async def test_a_few_words_that_tell_something_else_are_noted(here: Conversation, known: str, said: str) -> None:
    await here.say(known)

    assert " memory/2026-11-21.md:5 — ^" in await here.say(said)


async def test_a_courtesy_is_no_keyword(here: Conversation) -> None:
    await here.say("The cool box lies in the cellar.")

    assert await here.say("cool") == ENGLISH.not_noted


@pytest.mark.parametrize(
    ("lent", "returned", "question"),
    [
        ("lent my drill to greg last weekend", "greg gave the drill back", "who has my drill"),
        ("hab dem jonas meine bohrmaschine geliehen", "jonas hat die bohrmaschine zurückgegeben", "bohrmaschine"),
        ("le presté la taladradora a javi", "javi ya me devolvió la taladradora", "quien tiene la taladradora"),
    ],
)
async def test_what_was_returned_is_told_before_that_it_was_lent(
    here: Conversation, lent: str, returned: str, question: str
) -> None:
    await here.say(lent)
    await here.say(returned)

    assert f"1. > {returned}" in await here.say(question)


async def test_a_back_that_rests_is_no_return(here: Conversation) -> None:
    await here.say("The physio is Dr Patel at Elm Street.")
    await here.say("Physio said my back needs rest, so no tennis.")
    memory = here.agents["personal"].memory

    rests, physio = await memory.recent(2, scope=MINE)

    assert newest_first([physio, rests], "Who is the physio?") == [physio, rests]


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


@pytest.mark.parametrize(
    "said",
    [
        "please show me my notes",
        "Can you show me my notes?",
        "hey, what do you remember?",
        "show everything please",
        "bitte zeig mir meine Notizen",
    ],
)
async def test_an_order_is_understood_with_courtesies_around_it(here: Conversation, said: str) -> None:
    await here.say("The spare key is in the shed.")

    assert (await here.say(said)).startswith(("1 fact", "1 Tatsache"))


@pytest.mark.parametrize("said", ["what changed?", "What's new?", "Was hat sich geändert?", "¿qué ha cambiado?"])
async def test_whoever_asks_what_has_changed_is_shown_the_journal(here: Conversation, said: str) -> None:
    await here.say("The spare key is in the shed.")

    assert "+ - W: The spare key is in the shed." in await here.say(said)


@pytest.mark.parametrize("said", ["who told you that?", "Are you sure?", "Woher wissen Sie das?"])
async def test_whoever_doubts_an_answer_is_told_where_it_comes_from(here: Conversation, said: str) -> None:
    await here.say("The spare key is in the shed.")
    await here.say("Where is the spare key?")

    answer = await here.say(said)

    assert answer.startswith("`memory/2026-11-21.md#L4`: The spare key is in the shed.")
    assert "terminal:owner" in answer


async def test_numbers_and_doubts_mean_what_an_answer_shows(here: Conversation) -> None:
    for town in ("Linz", "Graz"):
        await here.say(f"The office is in {town}.")

    assert "1. > The office is in Graz." in await here.say("Where is the office?")
    assert "The office is in Graz." in await here.say("are you sure?")
    assert "The office is in Graz." in await here.say("/forget 1")
    assert "The office is in Linz." in await here.say("/forget 2")


async def test_in_a_group_a_time_completes_only_what_the_same_person_has_left_open(here: Conversation) -> None:
    bob = Principal("volatile:8", "Bob", is_owner=False)
    asked = await here.say("remind me to call mum", who=GUEST, at=GROUP)

    assert "call mum" not in await here.say("tomorrow at 9", who=bob, at=GROUP)
    assert await here.say("remind me to call mum", who=GUEST, at=GROUP) == asked
    assert "call mum" in await here.say("tomorrow at 9", who=GUEST, at=GROUP)


async def test_whoever_doubts_an_answer_after_correcting_it_is_told_how_it_came_about(here: Conversation) -> None:
    await here.say("The spare key is in the shed.")
    await here.say("Where is the spare key?")
    await here.say("Actually it is in the garage.")
    await here.say("y")

    assert (await here.say("Are you sure?")).startswith('"Where is the spare key?": ')


async def test_people_of_a_group_remind_and_forget_in_words_as_by_commands(here: Conversation) -> None:
    await here.say("/remember Mia has shoes of size 33.", who=GUEST, at=GROUP)

    assert "fetch Mia" in await here.say("remind me tomorrow at 5 to fetch Mia", who=GUEST, at=GROUP)
    assert "Mia has shoes of size 33." in await here.say("forget Mia has shoes", who=GUEST, at=GROUP)
    assert "fetch Mia" in await here.say("delete the last one", who=GUEST, at=GROUP)


async def test_the_owner_is_not_told_in_a_group_that_somebody_else_is(here: Conversation) -> None:
    assert await here.say("The picnic is on Sunday.", at=GROUP) == ENGLISH.not_noted


async def test_of_a_letter_that_only_seems_to_ask_where_it_is_cut_nothing_is_noted(here: Conversation) -> None:
    end = "was it nice. My brother has a cat." + " My mother has a cat." * 100
    letter = "My sister has a dog. " * 120 + "My brother bought " + end[:1999] + "."

    assert await here.say(letter) == "I know nothing about that."


async def test_whoever_corrects_what_somebody_else_wrote_is_told_at_once_that_they_cannot(here: Conversation) -> None:
    bob = Principal("volatile:8", "Bob", is_owner=False)
    await here.say("/remember The gate code is 4711.", who=bob, at=GROUP)

    refused = await here.reply("Actually it is 8841.", who=GUEST, at=GROUP)

    assert "Somebody else wrote that." in refused.text
    assert not refused.buttons
    assert (await here.reply("Actually it is 8841.", who=bob, at=GROUP)).buttons
