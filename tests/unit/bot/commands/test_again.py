from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from PIL import Image

from adapters.port import Attachment, Capabilities, ChatKind, Happening, Sender
from bot.access.access import AccessRules
from bot.access.chat_settings import ChatRule
from bot.commands.again import NOT_YOURS, TWICE
from bot.llm.retry import ModelHealth
from bot.llm.scripted import Say, ScriptedModel, Step
from bot.llm.types import Request, ToolCall
from bot.turn import Reply, Turn
from bot.waiting import InstantPause
from memory import OWNER, FrozenClock
from tests.support.factories import NOON
from tests.support.service import RunningService, ServiceHarness, ServiceOptions, running_service

NOTHING = "There is no answer to ask again for."
QUESTION = "Where does the key hang?"
SHED, DOOR = "In the shed.", "By the door."
FIRST, SECOND, THIRD = Step(text=SHED), Step(text=DOOR), Step(text="On the hook.")
EDITS = Capabilities(4096, edits=True)


@asynccontextmanager
async def talking(
    folder: Path, *steps: Step | Say, rules: AccessRules | None = None
) -> AsyncIterator[tuple[RunningService, ScriptedModel]]:
    clock = FrozenClock(NOON)
    rules = rules or AccessRules(groups=frozenset({"volatile:team"}))
    with ScriptedModel(*steps) as model:
        setting = ServiceOptions(clock=clock, pause=InstantPause(), health=ModelHealth(clock), rules=rules, sees=True)
        async with asyncio.timeout(20), running_service(folder, model, setting) as here:
            yield here, model


async def ask(here: RunningService, text: str, sender: str = "ana") -> str:
    return await here.people.ask(text, chat="team", sender=sender, kind=ChatKind.GROUP)


def texts(request: Request) -> list[str]:
    return [message.text.rpartition("\n")[2] for message in request.history]


async def test_what_stands_behind_it_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST) as (here, _):
        await here.people.ask(QUESTION)

        assert await here.people.ask("/again in Spanish") == "I did not understand that. Type `/again`."


async def test_the_last_question_is_answered_anew_without_the_answer_to_it(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST, FIRST, SECOND, THIRD, FIRST) as (here, model):
        await here.people.ask("Hello!")
        await here.people.ask(QUESTION)
        assert await here.people.ask("/again") == SECOND.text
        await here.people.ask("/status")
        assert await here.people.ask("/AGAIN") == THIRD.text
        await here.people.ask("Sure?")
        sessions = await here.coordinator.sessions(here.agent.name)
        kept = "".join(one.entry.body for one in await here.coordinator.transcript("personal", sessions[0].key))

    assert texts(model.requests[1]) == ["Hello!", FIRST.text, QUESTION]
    assert texts(model.requests[2]) == texts(model.requests[3]) == texts(model.requests[1])
    assert texts(model.requests[4]) == ["Hello!", FIRST.text, QUESTION, THIRD.text, "Sure?"]
    assert all(f'"text": "{step.text}"' in kept for step in (FIRST, SECOND, THIRD)), "nothing is lost"


async def test_facts_that_were_recalled_for_it_are_before_the_model_again(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST, SECOND, THIRD) as (here, model):
        await here.people.ask("/remember The key hangs in the shed.")
        await here.people.ask(QUESTION)
        await here.people.ask("/again")
        await here.people.ask(f"{QUESTION} Really?")

    assert ["The key hangs in the shed." in request.history[-1].text for request in model.requests] == [
        True,
        True,
        False,
    ]


async def test_what_cannot_be_asked_again_is_said(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST) as (here, _):
        assert await here.people.ask("/again") == NOTHING
        await here.people.ask("/help")
        assert await here.people.ask("/again") == NOTHING
        await here.people.ask(QUESTION)
        await here.people.ask("/new")
        assert await here.people.ask("/again") == NOTHING


async def test_a_choice_that_was_typed_is_no_question(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST) as (here, _):
        await here.people.ask(QUESTION)
        await here.people.ask("/remember The key hangs in the shed.")
        await here.people.ask("/forget key")
        assert "Forgotten" in await here.people.ask("yes")
        assert await here.people.ask("/again") == NOTHING


async def test_a_question_that_is_asked_again_is_no_answer_to_what_is_offered_by_now(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST, SECOND) as (here, _):
        await here.people.ask("yes")
        await here.people.ask("/remember The key hangs in the shed.")
        await here.people.ask("/forget key")
        assert await here.people.ask("/again") == DOOR
        found = await here.agent.memory.recall("key shed", scope=OWNER, limit=5)

    assert found.hits


async def test_it_works_after_a_restart(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST, SECOND) as (here, model):
        await here.people.ask("Hello!")
        await here.people.ask(QUESTION)
    async with talking(tmp_path, THIRD) as (here, later):
        for _ in range(2):
            here.people.say("seen before", chat="home")
        assert await here.people.ask("/again") == THIRD.text

    assert later.requests[0].history == model.requests[1].history


async def test_only_who_asked_and_the_owner_may_and_neither_gains_power(tmp_path: Path) -> None:
    async with talking(tmp_path, FIRST, SECOND, THIRD) as (here, model):
        await ask(here, "See https://keys.example, please.", "ana")
        assert await ask(here, "/again", "bo") == NOT_YOURS
        assert await ask(here, "/again", "ana") == SECOND.text
        assert await ask(here, "/again", "owner") == THIRD.text
        sessions = await here.coordinator.sessions(here.agent.name)
        recorded = await here.coordinator.transcript("personal", sessions[0].key)

    assert model.requests[2].history[-1].text == model.requests[0].history[-1].text, "the words are still Ana's"
    asked = [one.entry.body for one in recorded if '"again"' in one.entry.body]
    assert len(asked) == 2
    assert all('"sender": "volatile:ana"' in body and '\\"is_owner\\":true' not in body for body in asked)


async def test_what_the_owner_asked_as_a_guest_is_not_the_owners_word_later(tmp_path: Path) -> None:
    fact = "The safe opens with a song."
    async with talking(tmp_path, FIRST, rules=AccessRules(guests=frozenset({"volatile:ana"}))) as (here, _):
        await here.people.ask(f"/remember {fact}")
        await here.people.ask("How does the safe open?", chat="hers", sender="ana")
    with ScriptedModel(SECOND) as model:
        clock = FrozenClock(NOON)
        rules = AccessRules(groups=frozenset({"volatile:team"}))
        setting = ServiceOptions(clock=clock, pause=InstantPause(), health=ModelHealth(clock), rules=rules)
        async with asyncio.timeout(20), running_service(tmp_path, model, setting) as here:
            came = here.people.say("nothing", chat="nowhere", sender="nobody")
            at = replace(came.address, chat="hers")
            owner = Sender("owner", "Owner")
            here.people.repeat(replace(came, update="again", address=at, sender=owner, text="/again"))
            assert await here.people.answer() == SECOND.text

    assert fact not in str(model.requests[0])
    assert "write_file" not in {tool.name for tool in model.requests[0].tools}


async def test_pictures_and_quotes_are_before_the_model_again_as_foreign_as_they_were(tmp_path: Path) -> None:
    picture = BytesIO()
    Image.new("RGB", (30, 20), "green").save(picture, "JPEG")
    async with talking(tmp_path, FIRST, SECOND) as (here, model):
        here.people.files["p"] = picture.getvalue()
        photo = Attachment("photo", "p", "image/jpeg", len(picture.getvalue()), "p", is_forwarded=True)
        came = here.people.say("nothing", photo, chat="nowhere", sender="nobody")
        to, who = replace(came.address, chat="home"), Sender("owner", "Owner")
        quote = replace(
            came, update="q", address=to, sender=who, text="What is it?", quote="a jay", quote_by=came.sender
        )
        here.people.repeat(quote)
        await here.people.answer()
        here.people.files.clear()
        await here.people.ask("/again")

    first, second = (request.history[-1] for request in model.requests)
    assert second.pictures == first.pictures
    assert len(second.pictures) == 1
    assert "a jay" in second.text
    assert {tool.name for tool in model.requests[1].tools} == {tool.name for tool in model.requests[0].tools}
    assert "remember" not in {tool.name for tool in model.requests[1].tools}
    assert here.people.fetched == ["p"]


async def test_what_was_said_in_the_group_before_is_before_the_model_again(tmp_path: Path) -> None:
    rules = AccessRules(
        groups=frozenset({"volatile:team"}), chats=(ChatRule("volatile", "team", {"speakers": "owner"}),)
    )
    async with talking(tmp_path, FIRST, SECOND, rules=rules) as (here, model):
        here.people.say("It moved to 15:00.", chat="team", sender="bo", kind=ChatKind.GROUP, addressed=False)
        await ask(here, "When?", "owner")
        await ask(here, "/again", "owner")

    assert "moved to 15:00" in model.requests[1].history[-1].text
    assert "remember" not in {tool.name for tool in model.requests[1].tools}


async def test_a_fact_that_was_noted_is_not_noted_twice(tmp_path: Path) -> None:
    note = Step(calls=(ToolCall("c1", "remember", {"text": "The key hangs in the shed."}),))
    async with talking(tmp_path, note, FIRST, note, SECOND) as (here, _):
        await here.people.ask("The key hangs in the shed.")
        await here.people.ask("/again")
        found = await here.agent.memory.recall("key shed", scope=OWNER, limit=5)

    assert [hit.content for hit in found.hits] == ["The key hangs in the shed."]


class Counting:
    """Answers each question with its words and how many there were before."""

    def __init__(self) -> None:
        self.count = 0

    async def __call__(self, turn: Turn) -> Reply:
        self.count += 1
        return Reply(f"{turn.text} {self.count}")


async def test_the_new_answer_takes_the_place_of_the_old_one() -> None:
    stand = ServiceHarness(Counting(), capabilities=EDITS)
    asked = stand.adapter.say("Well?")
    stand.adapter.say("/again")
    stand.adapter.repeat(replace(asked, update="edit", text="So?", happening=Happening.EDIT))

    assert await stand.run() == ["So? 3"]
    assert stand.adapter.shown[0].reply_to == asked.message


async def test_an_answer_of_several_messages_stays_and_the_new_one_answers_the_command() -> None:
    stand = ServiceHarness(Counting(), capabilities=Capabilities(32, edits=True))
    stand.adapter.say("one two three four " * 3)
    command = stand.adapter.say("/again")

    shown = await stand.run()

    assert len(shown) == 4
    assert shown[1].endswith(" 1")
    assert shown[3].endswith(" 2")
    assert stand.adapter.shown[2].reply_to == command.message


async def test_messages_that_were_answered_together_are_asked_again_together() -> None:
    stand = ServiceHarness(Counting(), capabilities=EDITS)
    for text in ("Where", "does it", "hang?", "/again"):
        stand.adapter.say(text)

    assert await stand.run() == ["Where\ndoes it\nhang? 2"]


async def test_a_platform_that_waits_for_an_answer_gets_one() -> None:
    stand = ServiceHarness(Counting(), capabilities=EDITS)
    asked = stand.adapter.say("Well?")
    stand.adapter.repeat(replace(asked, update="c", text="/again", awaits_answer=True, reply_token="token"))

    assert await stand.run() == ["Well? 1", "Well? 2"]
    assert stand.adapter.shown[1].reply_token == "token"


async def test_pressed_twice_it_is_answered_once() -> None:
    stand = ServiceHarness(Counting(), capabilities=EDITS)
    stand.adapter.say("Well?")
    stand.adapter.say("/again")
    stand.adapter.say("/again")

    assert await stand.run() == ["Well? 2", TWICE]
