from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.port import ChatKind
from bot.llm.scripted import ScriptedModel
from bot.storage.keys import Principal
from memory.files.markdown import page_properties
from tests.support.conversation import Conversation, TranscriptBuilder
from tests.support.factories import ClockPause, chat, session
from tests.support.service import ServiceOptions, running_service


async def remembered(here: Conversation, *texts: str) -> list[str]:
    """The ids of new facts, with `^`."""
    receipts = [await here.say(f"/remember {text}") for text in texts]
    return [found[0] for receipt in receipts if (found := re.search(r"\^\w{8}", receipt))]


def token(preview: str) -> str:
    found = re.search(r"/forget yes (\w+)[` ]", preview)
    assert found, preview
    return found[1]


@pytest.mark.parametrize("form", ["{id}", "^{id}", "`^{id}`", "memory/2026-11-21.md:4", "memory/2026-11-21.md#L4"])
async def test_an_id_or_a_place_shows_exactly_one_line(here: Conversation, form: str) -> None:
    bread, _ = await remembered(here, "Bread is on the shelf.", "Butter is in the fridge.")

    preview = await here.say(f"/forget {form.format(id=bread.removeprefix('^'))}")

    assert "1. `memory/2026-11-21.md:4`\n   > - " in preview
    assert "Bread is on the shelf." in preview
    assert "Butter" not in preview
    assert "Bread" in await here.say("/today")


@pytest.mark.parametrize("typed", ["/forget", "/forget it", "forget that", "forget it"])
async def test_in_reply_to_a_receipt_the_fact_is_meant_that_it_tells_of(here: Conversation, typed: str) -> None:
    receipt = await here.say("Bread is on the shelf.")
    both = f"{receipt}\n{await here.say('Butter is in the fridge.')}"

    preview = await here.reply(typed, quote=(receipt, ""))
    which = await here.reply(typed, quote=(both, ""))

    assert "Bread is on the shelf." in preview.text
    assert "Butter" not in preview.text
    assert "What should I forget?" in which.text


async def test_a_number_means_a_passage_of_the_last_answer(here: Conversation) -> None:
    await remembered(here, "The tent is in the cellar.", "The tent pegs are in the attic.")
    answer = await here.reply("/recall tent")
    assert answer.evidence

    preview = await here.say("/forget 2")

    assert answer.evidence.hits[1].content in preview
    assert answer.evidence.hits[0].content not in preview


async def test_a_number_that_no_passage_has_is_a_word(here: Conversation) -> None:
    await remembered(here, "Our parking lot is number 47.")

    assert "parking lot" in await here.say("/forget 47")


async def test_what_a_saved_note_left_open_of_it_goes_with_it(here: Conversation) -> None:
    (key,) = await remembered(here, "The key of the boathouse is with Zanetti.")
    talk = TranscriptBuilder().turn(
        "What does Zanetti want for the boathouse?", "I know nothing about that.", is_open=True
    )
    here.context.said.recorded[session()] = tuple(
        talk.turn("Where is the sail?", "I know nothing about that.", is_open=True).recorded
    )
    await here.say("/new sailing")

    await here.say(f"/forget yes {token(await here.say(f'/forget {key}'))}")

    page = here.lines("memory/2026-11-21-sailing.md")
    assert "Zanetti" not in "\n".join(page)
    assert page_properties("\n".join(page))["open"] == ["Where is the sail?"]
    assert "Where is the sail?" not in await here.say("/recall sail")


async def test_confirming_takes_the_line_away_and_leaves_a_comment(here: Conversation) -> None:
    (key,) = await remembered(here, "The key is under the pot.")
    preview = await here.reply(f"/forget {key}")

    told = await here.say(preview.buttons[0].data)

    assert told.startswith("Forgotten: `memory/2026-11-21.md:4`.")
    assert here.lines("memory/2026-11-21.md")[3] == f"<!-- scrubjay:forgotten {key} -->"
    assert (await here.say("/recall key under pot")).startswith("Nothing found.")


@pytest.mark.parametrize("numbers", ["1 3", "1, 3", "3 1 1", "1,3"])
async def test_of_many_lines_only_some_can_be_chosen(here: Conversation, numbers: str) -> None:
    await remembered(here, *(f"The tent pole {n} is bent." for n in range(1, 5)))
    preview = await here.say("/forget tent pole")
    shown = re.findall(r"The tent pole \d is bent\.", preview)

    await here.say(f"/forget Yes {token(preview)} {numbers}")

    left = set(re.findall(r"The tent pole \d is bent\.", await here.say("/today")))
    assert left == set(shown) - {shown[0], shown[2]}


@pytest.mark.parametrize("numbers", ["one", "1-3", "^abc", "99999"])
async def test_a_choice_that_makes_no_sense_forgets_nothing(here: Conversation, numbers: str) -> None:
    await remembered(here, "The tent is green.", "The tent is old.")
    preview = await here.say("/forget tent")

    assert "Nothing was forgotten." in await here.say(f"/forget yes {token(preview)} {numbers}")
    assert len((await here.say("/today")).splitlines()) == 3


async def test_a_line_that_was_not_shown_cannot_be_chosen(here: Conversation) -> None:
    await remembered(here, "The tent is green.", "The tent is old.")
    preview = await here.say("/forget tent")

    assert "no line 3" in await here.say(f"/forget yes {token(preview)} 1 3")
    assert len((await here.say("/today")).splitlines()) == 3


async def test_a_preview_expires_after_ten_minutes(here: Conversation) -> None:
    (key,) = await remembered(here, "The key is under the pot.")
    preview = await here.say(f"/forget {key}")
    here.clock.advance(minutes=11)

    assert "Ask again what would be forgotten." in await here.say(f"/forget yes {token(preview)}")
    assert "The key is under the pot." in await here.say("/today")


async def test_nobody_else_can_confirm(here: Conversation) -> None:
    group = chat("-100", kind=ChatKind.GROUP)
    asking, other = (Principal(f"volatile:{n}", "", is_owner=False) for n in (7, 8))
    await here.say("/remember The picnic is on Sunday.", who=asking, at=group)
    preview = await here.say("/forget picnic", who=asking, at=group)

    refused = await here.say(f"/forget yes {token(preview)}", who=other, at=group)
    assert refused == "Somebody else asked for that preview, so only they can answer it."
    assert "picnic" in await here.say("/today", who=asking, at=group)


async def test_a_repeated_turn_forgets_once_and_says_so_again(here: Conversation) -> None:
    (key,) = await remembered(here, "The key is under the pot.")
    confirm = (await here.reply(f"/forget {key}")).buttons[0].data

    await here.reply(confirm, turn="again")
    told = await here.reply(confirm, turn="again")

    assert told.text.startswith("Forgotten: `memory/2026-11-21.md:4`.")


async def test_pressed_twice_it_says_what_was_done_and_does_nothing_more(here: Conversation) -> None:
    (key,) = await remembered(here, "The key is under the pot.")
    confirm = (await here.reply(f"/forget {key}")).buttons[0].data
    first = await here.say(confirm)
    await here.say("/undo")

    second = await here.say(confirm)

    assert second == f"{first}\n\n(That was answered before; nothing is done twice.)"
    assert "The key is under the pot." in await here.say("/today")


async def test_two_buttons_pressed_at_once_say_what_the_first_one_has_done(here: Conversation) -> None:
    (key,) = await remembered(here, "The key is under the pot.")
    forget, keep = (button.data for button in (await here.reply(f"/forget {key}")).buttons)
    forgotten = await here.say(forget)
    await here.say("/undo")
    other_forget, other_keep = (button.data for button in (await here.reply(f"/forget {key}")).buttons)
    kept = await here.reply(other_keep)

    assert await here.say(keep) == f"{forgotten}\n\n(That was answered before; nothing is done twice.)"
    assert (kept.text, bool(kept.closes)) == ("Kept.", True)
    assert await here.say(other_forget) == "Kept.\n\n(That was answered before; nothing is done twice.)"
    assert "The key is under the pot." in await here.say("/today")


async def test_nobody_else_can_keep_what_somebody_is_asked_about(here: Conversation) -> None:
    group = chat("-100", kind=ChatKind.GROUP)
    asking, other = (Principal(f"volatile:{n}", "", is_owner=False) for n in (7, 8))
    await here.say("/remember The picnic is on Sunday.", who=asking, at=group)
    forget, keep = (button.data for button in (await here.reply("/forget picnic", who=asking, at=group)).buttons)

    assert "Somebody else asked" in await here.say(keep, who=other, at=group)
    assert (await here.say(forget, who=asking, at=group)).startswith("Forgotten:")


async def test_words_that_begin_with_no_are_looked_for(here: Conversation) -> None:
    await remembered(here, "There is no parking in the yard.")

    assert "There is no parking in the yard." in await here.say("/forget no parking")


async def test_what_has_changed_since_it_was_shown_is_not_forgotten(here: Conversation) -> None:
    (key,) = await remembered(here, "The key is under the pot.")
    confirm = (await here.reply(f"/forget {key}")).buttons[0].data
    log = here.folder / "personal" / "memory" / "2026-11-21.md"
    log.write_text(log.read_text().replace("under the pot", "in the shed"))

    assert "Ask again." in await here.say(confirm)
    assert "in the shed" in log.read_text()


async def test_a_preview_and_what_became_of_it_survive_a_restart(tmp_path: Path) -> None:
    setting = ClockPause()
    told = []
    confirm, seen = "", 0
    for life in range(3):
        with ScriptedModel() as model:
            retrying = setting.retrying(model)
            options = ServiceOptions(clock=setting.clock, pause=setting, health=retrying.health)
            async with running_service(tmp_path, retrying, options) as here:
                for _ in range(seen):
                    here.people.say("an update of an earlier process, seen before")
                if not life:
                    await here.people.ask("/remember The key is under the pot.")
                    confirm = f"/forget yes {token(await here.people.ask('/forget key'))}"
                else:
                    told.append(await here.people.ask(confirm))
        seen = 2 + life

    assert told[0].startswith("Forgotten: `memory/2026-11-21.md:4`.")
    assert told[1] == f"{told[0]}\n\n(That was answered before; nothing is done twice.)"


async def test_keeping_is_an_answer_too(here: Conversation) -> None:
    assert await here.say("/forget no") == "Kept."


@pytest.mark.parametrize("typed", ["/forget", "/forget yes", "/forget ,"])
async def test_without_enough_words_it_asks(here: Conversation, typed: str) -> None:
    assert "?" in await here.say(typed)


@pytest.mark.parametrize(
    "wanted", ["^zzzzzzzz", "zzzzzzzz", "memory/2020-01-01.md:4", "../secret.md:1", "/etc/passwd:1", "unicorns", "7"]
)
async def test_what_is_not_there_is_said_with_a_way_on(here: Conversation, wanted: str) -> None:
    await remembered(here, "The key is under the pot.")

    assert (await here.say(f"/forget {wanted}")).startswith("Nothing matches that, so nothing would be forgotten.")


async def test_a_number_is_that_of_the_candidates_that_were_just_shown(here: Conversation) -> None:
    for place in ("attic", "shed"):
        await here.say(f"/remember The spare key is in the {place}.")
    await here.say("/recall key")
    offered = await here.say("/forget spare key")
    second = offered.partition("2. ")[2]

    told = await here.say("/forget 2")

    assert told.startswith("Forgotten:")
    left = await here.say("/recall key")
    assert ("attic" in left, "shed" in left) == ("shed" in second, "attic" in second)


async def test_words_that_find_several_facts_show_them_to_choose_from_and_take_none_by_themselves(
    here: Conversation,
) -> None:
    await remembered(here, "My password for gmail is in the book.", "The office wifi password is on the door.")

    preview = await here.reply("/forget password")

    assert preview.text.startswith("Which of these do you mean?")
    assert [button.label for button in preview.buttons] == ["Forget 1", "Forget 2", "Keep"]
    yes = preview.buttons[1].data
    assert "Say which, by their numbers." in await here.say(yes.removesuffix(" 2"))
    second = re.findall(r"> - W: (.*?) #", preview.text)[1]
    assert "Forgotten" in await here.say(yes)
    assert second not in await here.say("/today")
    assert len((await here.say("/today")).splitlines()) == 2


async def test_one_that_has_all_the_words_is_shown_alone(here: Conversation) -> None:
    await remembered(here, "My password for gmail is in the book.", "The office wifi password is on the door.")

    preview = await here.say("/forget my password for gmail")

    assert preview.startswith("This would take away:")
    assert "wifi" not in preview


@pytest.mark.parametrize("typed", ["--all Peter", "Peter --all", "Peter —all"])
async def test_everything_about_somebody_is_confirmed_together(here: Conversation, typed: str) -> None:
    await remembered(here, "Peter likes tea.", "Peter has a boat.", "Paul has a car.")

    preview = await here.reply(f"/forget {typed}")
    await here.say(preview.buttons[0].data)

    assert preview.buttons[0].label == "Forget these 2"
    (left,) = (await here.say("/today")).splitlines()[1:]
    assert "Paul" in left


@pytest.mark.parametrize("typed", ["--purge {key}", "{key} --purge"])
async def test_a_purge_says_that_it_is_for_good_and_leaves_nothing_in_the_journal(
    here: Conversation, typed: str
) -> None:
    (key,) = await remembered(here, "The key is under the pot.")

    preview = await here.reply(f"/forget {typed.format(key=key)}")
    assert "could not be brought back" in preview.text
    told = await here.say(preview.buttons[0].data)

    assert "it cannot be brought back" in told
    (month,) = (here.folder / "personal" / ".memory" / "journal").iterdir()
    assert "under the pot" not in month.read_text()
    assert "There is nothing to undo." in await here.say("/undo")


@pytest.mark.parametrize("option", ["—purge", "--purge", "—all", ""])
async def test_a_dash_in_what_is_meant_stays_what_it_is_beside_an_option(here: Conversation, option: str) -> None:
    page = here.folder / "personal" / "memory" / "Rome—Ostia.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text("# Rome\n\nThe hotel is near the river.\n", encoding="utf-8")
    await here.agents["personal"].memory.sync()

    assert "The hotel is near the river." in await here.say(f"/forget {option} memory/Rome—Ostia.md:3")


async def test_what_was_forgotten_before_can_be_purged_while_it_could_still_come_back(here: Conversation) -> None:
    assert (await here.say("/forget --purge")).startswith("Nothing that was forgotten")
    (key,) = await remembered(here, "The key is under the pot.")
    await here.say((await here.reply(f"/forget {key}")).buttons[0].data)

    preview = await here.reply("/forget --purge")
    assert "The key is under the pot." in preview.text

    assert await here.say(preview.buttons[0].data) == "Purged: 1 line. Nothing of it can be brought back."
    (month,) = (here.folder / "personal" / ".memory" / "journal").iterdir()
    assert "under the pot" not in month.read_text()


async def test_only_the_owner_purges_and_in_private_only(here: Conversation) -> None:
    group = chat("-100", kind=ChatKind.GROUP)
    for typed in (
        "/forget --purge",
        "/forget --purge picnic",
        "/forget picnic --purge",
        "/forget --purge yes",
        "/forget --purge yes abcde",
    ):
        assert (await here.say(typed, at=group)).startswith("Only my owner may purge")


@pytest.mark.parametrize("words", ["it", "that thing", "the last one"])
async def test_words_that_point_back_mean_the_newest_fact(here: Conversation, words: str) -> None:
    await here.say("/remember The oven is broken.")
    await here.say("/remember The gate is open.")

    shown = await here.say(f"/forget {words}")

    assert "The gate is open." in shown
    assert "The oven" not in shown


async def test_everything_about_somebody_is_not_the_newest_fact(here: Conversation) -> None:
    await here.say("/remember The gate is open.")

    assert "The gate" not in await here.say("forget everything about me")
