from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.port import ChatKind, Happening, Inbound
from bot.agent.offline.offline import OfflineResponder
from bot.pipeline.responder import TurnResponder
from bot.storage.keys import Principal
from bot.storage.port import Envelope
from bot.turn import STOPPED, Agent, Reply, Responder, Turn
from memory import OWNER as EVERYTHING
from memory import Embedding, FrozenClock, Memory, Origin
from memory.embed.endpoint import Endpoint
from memory.embed.lazy import endpoint
from memory.errors import Busy
from memory.journal.records import Operation
from memory.life.reviews import pin
from tests.fakes.embedder import LetterEmbedder
from tests.support.conversation import Conversation, FakeCommandContext, NoEffects, conversation
from tests.support.factories import NOON, OWNER, agent, chat, inbound, session
from tests.support.texts import ENGLISH, GERMAN
from tests.unit.memory.embed.scripted import serving

TEAM = chat("-100", kind=ChatKind.GROUP)
ANA, BO = Principal("volatile:1", "Ana", is_owner=False), Principal("volatile:2", "Bo", is_owner=False)


def responder(agents: Mapping[str, Agent], respond: Responder) -> TurnResponder:
    return TurnResponder(FakeCommandContext(agents), {"personal": respond})


async def cancelled(turn: Turn, *by: Principal) -> tuple[list[bool], str]:
    """Which of these cancelled a turn that never ends by itself, one after the other, and what it answered."""
    begun = asyncio.Event()

    async def endless(_: Turn) -> Reply:
        begun.set()
        await asyncio.Event().wait()
        return Reply("")

    answering = responder({}, endless)
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(answering.respond(turn))
        await begun.wait()
        done = [answering.cancel(str(turn.session), who) for who in by]
    return done, answer.result().text


async def test_a_turn_is_stopped_by_whoever_began_it_or_by_the_owner(here: Conversation) -> None:
    turn = here.turn("Tell a story.", who=ANA, at=TEAM)

    assert await cancelled(turn, BO, ANA) == ([False, True], STOPPED)
    assert await cancelled(turn, BO, OWNER) == ([False, True], STOPPED)


async def test_to_ask_again_for_an_end_while_a_tool_is_let_end_changes_nothing(here: Conversation) -> None:
    turn = here.turn("The bike is red.")
    begun, ending, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def writing(_: Turn) -> Reply:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ending.set()
            await go_on.wait()
        return Reply("")

    answering = responder({}, writing)
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(answering.respond(turn))
        await begun.wait()
        done = [answering.cancel(str(turn.session), OWNER)]
        await ending.wait()
        done.append(answering.cancel(str(turn.session), OWNER))
        go_on.set()

    assert done == [True, True]
    assert answer.result().text == STOPPED


async def test_what_code_answers_is_not_cut_short(here: Conversation) -> None:
    turn = here.turn("The bike is red.")
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def noting(_: Turn) -> Reply:
        begun.set()
        await go_on.wait()
        return Reply("Noted.")

    agents: dict[str, Responder] = {}
    answering = TurnResponder(FakeCommandContext({}), agents)
    agents["personal"] = answering.uncancellable(noting)
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(answering.respond(turn))
        await begun.wait()
        assert not answering.cancel(str(turn.session), turn.principal)
        go_on.set()

    assert answer.result().text == "Noted."


async def test_what_is_written_on_a_button_chooses_it_in_private(here: Conversation) -> None:
    await here.say("remind me in 20 minutes to drink tea")

    assert "Nothing was noted" in await here.say("Done!")
    await here.say("remind me in 20 minutes to drink tea")
    assert (await here.say("cancel, please")).startswith("Cancelled:")


async def test_in_a_group_what_is_typed_chooses_for_whoever_was_asked(here: Conversation) -> None:
    await here.say("/remember The bikes are in the cellar.", who=BO, at=TEAM)
    await here.say("/forget bikes", who=BO, at=TEAM)

    assert "Forgotten" not in await here.say("yes", at=TEAM)
    assert "Forgotten" in await here.say("yes", who=BO, at=TEAM)


async def test_a_tap_that_is_refused_is_answered_to_whoever_has_tapped(here: Conversation) -> None:
    await here.say("/remember The bikes are in the cellar.", who=BO, at=TEAM)
    preview = await here.reply("/forget bikes", who=BO, at=TEAM)
    answering = TurnResponder(here.context, {})
    for data, who in ((preview.buttons[0].data, OWNER), ("/reminders cancel ^nothing", BO), ("/status", BO)):
        refused = await answering.respond(replace(here.turn(data, who=who, at=TEAM), is_tap=True))
        assert (refused.private, refused.in_place or refused.closes) == (True, "")


async def test_a_guest_in_a_group_is_told_what_stop_means(here: Conversation) -> None:
    assert (await here.say("/stop", who=BO, at=TEAM)).endswith("with personal. What still waits is answered.")
    assert (await here.say("/stop", at=TEAM)).startswith("Nothing is under way")


PATIENCE_S = 60
ASKED = Turn("t1", agent(), session(), OWNER, Origin.OWNER, EVERYTHING, "hello", NOON, NoEffects())


async def until_embedded(memory: Memory, count: int) -> None:
    """Ask again and again; each time the memory's thread has had a turn."""
    async with asyncio.timeout(PATIENCE_S):
        while (await memory.status()).embedded < count:
            pass


async def test_while_somebody_is_answered_nothing_is_embedded_and_afterwards_everything(tmp_path: Path) -> None:
    async with serving() as server:
        embedder = endpoint(Endpoint(server.url, "letters"), clock=FrozenClock(NOON))
        embedding = Embedding(embedder, tmp_path / "vectors.sqlite")
        async with (
            await Memory.open(tmp_path / "other", index=tmp_path / "other.sqlite", embedding=embedding) as memory,
            asyncio.TaskGroup() as group,
        ):

            async def respond(turn: Turn) -> Reply:
                for number in range(3):
                    note = f"Number {number} is under the blue pot."
                    await memory.remember(note, origin=Origin.OWNER, scope=EVERYTHING, op_id=str(number), actor="owner")
                before = len(server.requests)
                for _ in range(20):  # round trips to the memory's thread, in which something could have been embedded
                    await memory.status()
                return Reply(f"{before} {len(server.requests)} {(await memory.status()).embedded}")

            keeping = group.create_task(memory.keep_embedding())
            reply = await responder({"other": replace(agent(), memory=memory)}, respond).respond(ASKED)
            assert reply.text == "0 0 0"
            await until_embedded(memory, 3)
            keeping.cancel()
        await embedder.close()


SPOKEN = "Where does the spare key hang?"


@pytest.mark.parametrize(
    ("event", "is_expected"),
    [
        (inbound(SPOKEN, update="1"), True),
        (inbound("Thank you!", update="1"), False),
        (inbound(f"/recall {SPOKEN}", update="1"), False),
        (replace(inbound(SPOKEN, update="1"), happening=Happening.BUTTON), False),
        (replace(inbound(SPOKEN, update="1"), happening=Happening.EDIT), False),
    ],
)
async def test_what_will_be_looked_up_is_embedded_before_its_turn_begins(
    tmp_path: Path, event: Inbound, *, is_expected: bool
) -> None:
    embedder = LetterEmbedder()
    embedding = Embedding(embedder, tmp_path / "vectors.sqlite")
    index = tmp_path / "index.sqlite"
    async with await Memory.open(tmp_path / "notes", index=index, embedding=embedding) as memory:
        agents = {"personal": replace(agent(), memory=memory)}
        answering = TurnResponder(FakeCommandContext(agents), {}, looks_up=["personal"])
        without = TurnResponder(FakeCommandContext(agents), {}, looks_up=["personal"], offline=["personal"])
        await memory.remember("The boiler is warm.", origin=Origin.OWNER, scope=EVERYTHING, op_id="1", actor="owner")
        await memory.embed()
        await memory.recall("What is warm?", scope=EVERYTHING)
        embedder.questions.clear()

        without.expect(Envelope("personal", OWNER, event))
        await memory.status()
        answering.expect(Envelope("personal", OWNER, event))
        await memory.status()

        assert embedder.questions == [SPOKEN] * is_expected
        await memory.recall(SPOKEN, scope=EVERYTHING)
        assert embedder.questions == [SPOKEN]


GUEST = Principal("volatile:7", "Grace", is_owner=False)


async def test_a_button_to_stop_what_has_ended_says_nothing_and_leaves_the_answer(here: Conversation) -> None:
    tapped = await TurnResponder(here.context, {}).respond(replace(ASKED, text="/stop", is_tap=True))

    assert (tapped.is_silent, tapped.shown, tapped.by_command) == (True, "", True)


async def test_commands_run_and_everything_else_goes_on(here: Conversation) -> None:
    assert (await here.say("/today")).startswith("Nothing has been written")
    assert await here.say("hello") == ENGLISH.greeting


@pytest.mark.parametrize("data", ["The bike is red.", "vote:3", "/mood fine", "/forgive yes 1"])
async def test_what_no_button_of_ours_brings_is_nobodys_words(here: Conversation, data: str) -> None:
    answering = TurnResponder(
        here.context, {"personal": OfflineResponder(here.context.commands, here.context.offers, here.context.said)}
    )

    reply = await answering.respond(replace(here.turn(data), is_tap=True))

    assert reply.shown.startswith("That button is no longer valid.")
    assert (await here.say("/today")).startswith("Nothing has been written")


async def test_an_unknown_command_is_not_noted_but_answered_with_the_nearest(here: Conversation) -> None:
    assert await here.say("/rembmer the milk") == "There is no command `/rembmer`. Did you mean `/remember`?"
    assert (await here.say("/today")).startswith("Nothing has been written")


async def test_what_only_the_owner_may_do_is_refused_to_others(here: Conversation) -> None:
    assert await here.say("/agent", who=GUEST) == "Only my owner may use `/agent`."
    assert "You are a guest" in await here.say("/whoami", who=GUEST)


async def test_the_first_answer_of_each_session_says_in_its_language_that_there_is_no_model(tmp_path: Path) -> None:
    async with conversation(tmp_path, notice=True) as here:
        elsewhere = chat("elsewhere", platform="terminal")
        said = [
            await here.say("hello"),
            await here.say("hello"),
            await here.say("Guten Abend, wie geht es dir?", at=elsewhere),
            await here.say("/today", at=elsewhere),
            await here.say("/agent work"),
            await here.say("/today"),
        ]

    assert [ENGLISH.no_model in text or GERMAN.no_model in text for text in said] == [
        True, False, True, False, False, True,
    ]  # fmt: skip
    assert GERMAN.no_model in said[2]


async def test_a_guest_who_can_add_no_model_is_not_told_how(tmp_path: Path) -> None:
    async with conversation(tmp_path, notice=True) as here:
        assert ENGLISH.no_model not in await here.say("The bike is red.", who=GUEST)


async def test_a_failure_is_answered_with_what_to_do_and_with_the_notice_if_it_comes_first(tmp_path: Path) -> None:
    async with conversation(tmp_path, notice=True) as here:
        first, second = [await here.say(f"/remember {'long ' * 50_000}") for _ in range(2)]

    assert "Say it shorter" in first
    assert ENGLISH.no_model in first
    assert ENGLISH.no_model not in second


@pytest.mark.parametrize("text", ["/etc/hosts is the file with the names.", "/42 is half."])
async def test_a_path_is_a_statement(here: Conversation, text: str) -> None:
    assert (await here.say(text)).startswith("Noted in ")


async def test_a_pin_outlives_an_edit_of_the_message_that_told_the_fact(here: Conversation) -> None:
    context, memory = FakeCommandContext(here.agents), here.agents["personal"].memory
    answering = responder(here.agents, OfflineResponder(context.commands, context.offers, context.said))
    noted = here.turn("The car is blue.")
    await answering.respond(noted)
    [was] = await memory.recent(5, scope=noted.scope)
    await memory.run(pin, was.id, Operation("pin:0", "owner", Origin.OWNER, noted.scope))

    await answering.respond(replace(here.turn("The car is red."), edited=(noted.id,)))

    [now] = await memory.recent(5, scope=noted.scope)
    assert (now.content, now.strength and now.strength.pinned) == ("The car is red.", True)
    await memory.undo(op_id="undo:0", scope=noted.scope, actor="owner")
    assert await memory.recent(5, scope=noted.scope) == ()


@pytest.mark.parametrize("words", ["undo that", "Undo", "scratch that", "streich das wieder"])
async def test_a_message_that_is_edited_to_be_taken_back_takes_back_no_other(here: Conversation, words: str) -> None:
    await here.say("The bike is red.")
    context = FakeCommandContext(here.agents)
    answering = responder(here.agents, OfflineResponder(context.commands, context.offers, context.said))
    noted = here.turn("The car is blue.")
    await answering.respond(noted)

    reply = await answering.respond(replace(here.turn(words), edited=(noted.id,)))

    assert "bike" not in str(reply)
    assert "/undo" not in reply.text
    known = await here.agents["personal"].memory.recent(5, scope=noted.scope)
    assert [hit.content for hit in known] == ["The bike is red."]


@pytest.mark.parametrize(
    ("now", "known"),
    [
        ("What time is it?\nMy sister is called Ana.", ["The dog is called Rex.\nMy sister is called Ana."]),
        ("What time is it?", []),
        ("/remember Whose is it?\nMy sister is called Ana.", ["Whose is it?\nMy sister is called Ana."]),
    ],
)
async def test_a_message_edited_into_a_question_leaves_what_is_said_beside_it_as_before(
    here: Conversation, now: str, known: list[str]
) -> None:
    context = FakeCommandContext(here.agents)
    answering = responder(here.agents, OfflineResponder(context.commands, context.offers, context.said))
    noted = here.turn("The dog is called Rex.\nMy sister is called Ana.")
    await answering.respond(noted)

    edit = f"{noted.id}:1"  # as on Discord, where it begins like the message's own
    await answering.respond(replace(here.turn(now), id=edit, edited=(noted.id,), edited_text=noted.text))

    left = await here.agents["personal"].memory.recent(5, scope=noted.scope)
    assert [hit.content for hit in left] == known


@pytest.mark.parametrize("polite", ["yes", "no", "ok", "ja", "nein", "好的"])
async def test_a_yes_or_a_no_behind_a_reminder_leaves_it_and_a_number_calls_it_off(
    here: Conversation, polite: str
) -> None:
    await here.say("remind me tomorrow at 9 to call the vet")

    await here.say(polite)
    assert "call the vet" in await here.say("/reminders")
    await here.say("1")
    assert "call the vet" not in await here.say("/reminders")


NUMBERED = ["one", "First.", "the first one", "the 1st", "eins", "die erste", "一", "第一个", "1号"]


@pytest.mark.parametrize("said", NUMBERED)
async def test_a_number_in_words_calls_no_reminder_off(here: Conversation, said: str) -> None:
    for hour in (9, 10, 11):
        await here.say(f"remind me tomorrow at {hour} to call {hour}")
    await here.say(said)
    await here.say("/reminders")
    await here.say(said)

    assert [f"call {hour}" in await here.say("/reminders") for hour in (9, 10, 11)] == [True] * 3


@pytest.mark.parametrize("said", NUMBERED)
async def test_a_number_in_words_is_no_yes(here: Conversation, said: str) -> None:
    await here.say("I like tea.")
    await here.say("forget that I like tea")
    await here.say(said)

    assert "I like tea." in await here.say("/recall tea")


@pytest.mark.parametrize("said", ["the second one", "Die zweite.", "第二个", "2", "two"])
async def test_a_number_in_words_answers_which_of_several_is_meant(here: Conversation, said: str) -> None:
    await here.say("The spare key is under the blue pot.")
    await here.say("The bike key is in the red drawer.")
    assert "Which of these do you mean?" in await here.say("forget the key")

    await here.say(said)
    assert len(await here.agents["personal"].memory.recent(5, scope=EVERYTHING)) == 1


async def test_a_no_to_a_list_of_reminders_calls_none_of_them_off(here: Conversation) -> None:
    await here.say("remind me tomorrow at 9 to call the vet")
    await here.say("remind me tomorrow at 10 to feed the cat")

    await here.say("/reminders")
    await here.say("no")
    assert "feed the cat" in await here.say("/reminders")


async def test_a_command_that_takes_nothing_says_so_instead_of_passing_over_what_was_typed(here: Conversation) -> None:
    takes_nothing = [one.name for one in here.context.commands.values() if not one.argument]
    answers = {name: await here.say(f"/{name} nonsense") for name in takes_nothing}
    refused = {name for name in takes_nothing if answers[name] == f"I did not understand that. Type `/{name}`."}

    assert {"today", "usage", "status", "reset", "whoami"} <= refused
    assert {*takes_nothing} - refused == {"start", "stop"}


async def busy(_: Turn) -> Reply:
    raise Busy("The index is in use.", hint="Try again in a moment.")


async def test_what_passes_is_no_answer_yet_and_what_stays_is_one_beside_what_was_taken_back(
    here: Conversation,
) -> None:
    answering, noted = responder(here.agents, busy), here.turn("/remember The lamp is red.")
    await answering.respond(noted)
    turn = replace(here.turn("What is red?"), edited=(noted.id,), edited_text=noted.text)
    with pytest.raises(Busy):
        await answering.respond(turn)
    reply = await answering.respond(replace(turn, is_last=True))
    assert reply.text == "The index is in use. Try again in a moment."
    assert "The lamp is red." in reply.shown


async def test_a_turn_that_waits_to_begin_again_is_stopped_as_one_under_way(here: Conversation) -> None:
    answering, turn, stop = responder({}, busy), here.turn("A story.", who=ANA, at=TEAM), here.turn("/stop", at=TEAM)
    with pytest.raises(Busy):
        await answering.respond(turn)
    assert [answering.cancel(str(turn.session), who) for who in (BO, ANA)] == [False, True]

    assert (await answering.respond(turn)).text == STOPPED
    assert (await answering.respond(stop)).is_silent, "the answer itself says so"
    assert not answering.cancel(str(turn.session), ANA)
    with pytest.raises(Busy):
        await answering.respond(here.turn("Another one.", who=ANA, at=TEAM))
