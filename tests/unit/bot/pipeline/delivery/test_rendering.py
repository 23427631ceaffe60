from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from adapters.port import Button, Capabilities, ChatKind, Happening, Inbound, Sender
from bot.agent.context.history import read_history
from bot.pipeline.delivery.rendering import EMPTY, Quote, quoted
from bot.sessions.archive import told_on
from bot.sessions.turns import decode_turns, unrepeated
from bot.turn import Reply, Turn
from memory import Origin
from tests.support.factories import inbound, session
from tests.support.service import ServiceHarness, echo


async def choice(turn: Turn) -> Reply:
    if turn.text.startswith("/yes"):
        return Reply("Done.", in_place=turn.text == "/yes, here", closes="k" if turn.text == "/yes, closed" else "")
    return Reply("Sure?", buttons=(Button("Yes", "/yes"),))


@pytest.mark.parametrize(
    ("kind", "tapped", "shown"),
    [
        (ChatKind.PRIVATE, "/yes", ["Done."]),
        (ChatKind.GROUP, "/yes", ["Sure?", "Done."]),
        (ChatKind.GROUP, "/yes, here", ["Done."]),
        (ChatKind.GROUP, "/yes, closed", ["Done."]),
    ],
)
async def test_what_a_tap_achieves_takes_the_place_of_the_question_where_nobody_else_is_asked(
    kind: ChatKind, tapped: str, shown: list[str]
) -> None:
    first = ServiceHarness(choice, capabilities=Capabilities(4096, edits=True))
    asked = first.adapter.say("go", kind=kind)
    assert await first.run() == ["Sure?"]
    assert [button.data for button in first.adapter.shown[0].buttons] == ["/yes"]

    second = ServiceHarness(choice, first.coordinator, adapter=first.adapter)
    tap = replace(asked, update="tap", text=tapped, message="0", happening=Happening.BUTTON)
    second.adapter.repeat(tap)

    assert await second.run() == shown
    assert second.adapter.shown[-1].buttons == ()
    assert second.adapter.shown[-1].reply_to is None


SAID = inbound("", update="1")
BOB = Sender("bob", "Bob")
BOT = Sender(SAID.address.bot, "Scrubjay", is_bot=True)
OWN_ANSWER = "m7"


async def is_own_answer(message: str) -> bool:
    return message == OWN_ANSWER


async def read(*messages: Inbound) -> Quote:
    return await quoted(messages, origin=Origin.OWNER, is_own_answer=is_own_answer)


def quoting(text: str, by: Sender | None, message: str = "") -> Inbound:
    return replace(SAID, quote=text, quote_by=by, quote_message=message)


@pytest.mark.parametrize(
    ("author", "message", "by", "origin"),
    [
        (SAID.sender, "m1", "", Origin.OWNER),
        (SAID.sender, "", "", Origin.OWNER),
        (BOT, OWN_ANSWER, "Scrubjay", Origin.AGENT),
        (BOT, "m6", "Scrubjay", Origin.UNTRUSTED),
        (BOT, "", "Scrubjay", Origin.UNTRUSTED),
        (replace(BOT, id="another-bot"), OWN_ANSWER, "Scrubjay", Origin.UNTRUSTED),
        (BOB, OWN_ANSWER, "Bob", Origin.UNTRUSTED),
        (replace(BOB, name=SAID.sender.name), "m1", SAID.sender.name, Origin.UNTRUSTED),
        (None, "", "", Origin.UNTRUSTED),
    ],
)
async def test_whose_words_a_quote_is_goes_by_ids_and_never_by_a_name(
    author: Sender | None, message: str, by: str, origin: Origin
) -> None:
    assert await read(quoting("words", author, message)) == Quote("words", by, origin)


async def test_nothing_quoted_is_nothing() -> None:
    assert (await read()).text == ""


async def test_several_quotes_become_one_and_count_as_the_worst_of_them() -> None:
    own, bobs, answer = quoting("two", SAID.sender), quoting("one", BOB), quoting("three", BOT, OWN_ANSWER)

    assert await read(bobs, own) == Quote("Bob: one\ntwo", "Bob", Origin.UNTRUSTED)
    assert await read(own, answer) == Quote("two\nScrubjay: three", "Scrubjay", Origin.AGENT)


async def silent(turn: Turn) -> Reply:
    return Reply("Stopped.", is_silent=True)


async def test_a_silent_reply_is_sent_only_where_a_platform_waits_for_an_answer() -> None:
    stand = ServiceHarness(silent, capabilities=Capabilities(4096, edits=True))
    asked = stand.adapter.say("/stop", chat="elsewhere")
    stand.adapter.repeat(replace(asked, update="tap", happening=Happening.BUTTON, reply_token="token"))
    stand.adapter.repeat(replace(asked, update="command", awaits_answer=True))

    assert await stand.run() == ["Stopped."]


@pytest.mark.parametrize("words", ["", " \n", "\u200b\u2060"])
async def test_an_answer_in_which_nothing_is_to_be_seen_is_told_as_an_empty_one(words: str) -> None:
    async def respond(_: Turn) -> Reply:
        return Reply(words)

    assert await ServiceHarness(respond).run("hello") == [EMPTY]


def changed(asked: Inbound, text: str) -> Inbound:
    return replace(asked, update=f"{asked.update} edited", text=text, happening=Happening.EDIT)


async def test_the_answer_to_an_edited_message_takes_the_place_of_the_first_one() -> None:
    stand = ServiceHarness(echo, capabilities=Capabilities(4096, edits=True))
    asked = stand.adapter.say("helo")
    stand.adapter.say("/another")
    stand.adapter.repeat(changed(asked, "hello"))
    stand.adapter.repeat(replace(changed(asked, "hello!"), update="edited again"))

    assert await stand.run() == ["hello!", "/another"]
    assert stand.adapter.shown[0].reply_to == asked.message


async def test_of_an_edited_message_what_it_says_now_is_what_was_told() -> None:
    stand = ServiceHarness(echo, capabilities=Capabilities(4096, edits=True))
    asked = stand.adapter.say("My sister is called Ana.")
    stand.adapter.repeat(changed(asked, "My sister is called Eve."))
    stand.adapter.repeat(replace(changed(asked, "My sister is called Eva."), update="edited again"))
    await stand.run()

    told = await told_on(stand.coordinator, "personal", asked.sent_at.date(), UTC)
    history = read_history(await stand.coordinator.transcript("personal", str(session(at=asked.address))))

    assert [one.text for one in told] == ["My sister is called Eva."]
    assert [one.said for one in history.exchanges] == ["My sister is called Eva."]


async def test_what_was_said_before_a_new_conversation_began_is_edited_as_well() -> None:
    async def respond(turn: Turn) -> Reply:
        return Reply(turn.text, ends_session=turn.text == "/new")

    stand = ServiceHarness(respond, capabilities=Capabilities(4096, edits=True))
    asked = stand.adapter.say("My sister is called Ana.")
    stand.adapter.say("/new")
    stand.adapter.repeat(changed(asked, "My sister is called Eva."))

    assert await stand.run() == ["My sister is called Eva.", "/new"]
    told = await told_on(stand.coordinator, "personal", asked.sent_at.date(), UTC)
    assert [one.text for one in told] == ["My sister is called Eva."]


async def test_where_one_of_several_messages_is_edited_all_are_answered_anew_in_the_first_answers_place() -> None:
    stand = ServiceHarness(echo, capabilities=Capabilities(4096, edits=True))
    said = [stand.adapter.say(text) for text in ("helo", "my sister is called Ana.")]
    stand.adapter.repeat(changed(said[0], "hello"))
    stand.adapter.repeat(changed(said[1], "my sister is called Eve."))
    shown = await stand.run()

    told = await told_on(stand.coordinator, "personal", said[0].sent_at.date(), UTC)
    history = read_history(await stand.coordinator.transcript("personal", str(session(at=said[0].address))))

    assert shown == ["hello\nmy sister is called Eve."]
    assert [one.text for one in told] == ["hello", "my sister is called Eve."]
    assert [one.said for one in history.exchanges] == ["hello\nmy sister is called Eve."]


async def test_one_of_several_messages_that_is_edited_into_a_command_is_given_nothing_of_the_others() -> None:
    stand = ServiceHarness(echo, capabilities=Capabilities(4096, edits=True))
    first, _ = [stand.adapter.say(text) for text in ("rember the milk", "my sister is called Ana.")]
    stand.adapter.repeat(changed(first, "/remember the milk"))

    assert await stand.run() == ["rember the milk\nmy sister is called Ana.", "/remember the milk"]


@pytest.mark.parametrize("words", ["\U0001fa77", "。", "…"])
async def test_an_answer_of_one_sign_is_none_that_came_out_empty(words: str) -> None:
    async def respond(_: Turn) -> Reply:
        return Reply(words)

    assert await ServiceHarness(respond).run("hello") == [words]


async def test_what_was_edited_and_asked_again_stays_one_question() -> None:
    stand = ServiceHarness(echo, capabilities=Capabilities(4096, edits=True))
    asked = stand.adapter.say("My sister is called Ana.")
    stand.adapter.repeat(changed(asked, "My sister is called Eva."))
    stand.adapter.say("/again")
    await stand.run()

    told = await told_on(stand.coordinator, "personal", asked.sent_at.date(), UTC)
    recorded = await stand.coordinator.transcript("personal", str(session(at=asked.address)))
    pages, repeated = [recorded[:2], recorded[2:]], set[str]()
    read = [said for page in reversed(pages) for said in unrepeated(decode_turns(page), repeated)]

    assert {one.text for one in told} == {"My sister is called Eva."}
    assert [one.said for one in read_history(recorded).exchanges] == ["My sister is called Eva."]
    assert [one.by_people[0].text for one in read] == ["My sister is called Eva."]


async def test_an_answer_of_several_messages_is_not_edited() -> None:
    stand = ServiceHarness(echo, capabilities=Capabilities(32, edits=True))
    long = stand.adapter.say("one two three four " * 3, chat="long")
    stand.adapter.repeat(changed(long, "five"))

    shown = await stand.run()

    assert "five" in shown
    assert len(shown) > 2


async def test_the_answer_to_a_job_makes_no_sound_and_answers_no_message() -> None:
    stand = ServiceHarness(echo)
    stand.adapter.repeat(replace(stand.adapter.say("aloud"), update="job", text="/tidy", happening=Happening.JOB))

    await stand.run()

    assert [(out.text, out.quiet, bool(out.reply_to)) for out in stand.adapter.shown] == [
        ("aloud", False, True),
        ("/tidy", True, False),
    ]


async def test_a_table_under_lines_that_end_as_on_old_macs_is_answered() -> None:
    async def prices(_: Turn) -> Reply:
        return Reply("The prices:\r| a | b |\n|---|---|")

    service = ServiceHarness(prices, capabilities=Capabilities(4096, edits=True, tables=False))
    service.adapter.say("What does it cost?")

    assert await service.run() == ["The prices:\n```\na  b\n-  -\n```"]
