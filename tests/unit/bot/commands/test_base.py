from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access.permissions import Taint
from bot.app import commands
from bot.commands.base import beginning, no_command
from bot.service.run import menu
from bot.storage.keys import Principal
from bot.texts.formatting import split_command
from memory import OWNER as MINE
from tests.support.conversation import Conversation
from tests.support.factories import OWNER, inbound


@pytest.mark.parametrize(
    ("typed", "split"),
    [
        ("/help", ("help", "")),
        ("  /Recall  spare key \n", ("recall", "spare key")),
        ("/remember two\nlines", ("remember", "two\nlines")),
        ("/forget\tyes abcde", ("forget", "yes abcde")),
        ("/recall@scrubjay_bot key", ("recall", "key")),
        ("／help", ("help", "")),
        ("/ help", ("help", "")),
        ("/帮助", ("帮助", "")),
        ("/über uns", ("über", "uns")),
    ],
)
def test_a_slash_and_a_word_are_a_command(typed: str, split: tuple[str, str]) -> None:
    assert split_command(typed) == split


@pytest.mark.parametrize("text", ["", "/", "//", "/etc/hosts is a file", "/42", "either/or", "a /help", "/-", "hello"])
def test_anything_else_is_none(text: str) -> None:
    assert split_command(text) is None


@given(st.text())
def test_no_text_makes_it_raise_and_a_name_is_one_word(text: str) -> None:
    split = split_command(text)

    assert split is None or not any(letter.isspace() for letter in split[0])


def test_an_unknown_command_gets_the_nearest_one() -> None:
    assert no_command("rember", commands()) == "There is no command `/rember`. Did you mean `/remember`?"
    assert no_command("home", commands()) == "There is no command `/home`. `/help` lists what there is."
    assert no_command("帮助", commands()) == "There is no command `/帮助`. `/help` lists what there is."


def test_in_menus_arguments_have_names_of_one_word_and_say_what_to_give() -> None:
    for entry in menu(commands()):
        assert re.fullmatch(r"[a-z]*", entry.argument)
        assert bool(entry.argument) == bool(entry.hint)
        assert len(entry.hint) <= 100


@pytest.mark.parametrize("typed", ["qw", "Qw", "QW"])
def test_a_value_with_a_capital_letter_is_suggested_however_it_is_typed(typed: str) -> None:
    assert [one.value for one in beginning(typed, ["Qwen3", "gpt-5"])] == ["Qwen3"]


GUEST = Principal("volatile:7", "Grace", is_owner=False)


@pytest.mark.parametrize(
    ("typed", "who", "suggested"),
    [
        ("/agent ", OWNER, ["personal", "work"]),
        ("/agent W", OWNER, ["work"]),
        ("/agent ", GUEST, []),
        ("/guests o", OWNER, ["on", "off"]),
        ("/help rec", OWNER, ["recall"]),
        ("/forget BLUE", OWNER, ["The spare key is under the blue pot."]),
        ("/forget ", GUEST, []),
        ("/recall key", OWNER, []),
        ("/nothing ", OWNER, []),
        ("no command", OWNER, []),
    ],
)
async def test_what_a_person_types_is_completed_from_what_they_may_see(
    here: Conversation, typed: str, who: Principal, suggested: list[str]
) -> None:
    await here.say("/remember The spare key is under the blue pot.")
    await here.say("/remember Tea at five.")

    found = await here.context.suggest(inbound(typed, update="1"), who, "personal")

    assert [one.label for one in found] == suggested


async def test_an_answer_that_shows_what_others_said_counts_as_theirs(here: Conversation) -> None:
    """Whatever the command; what was not read out of memory does not."""
    receipt = await here.reply("/remember", quote=("@Marigold has the code of the safe.", "Mallory"))
    name = (await here.agents["personal"].memory.recent(1, scope=MINE))[0].id
    typed = [
        "/recall the code",
        "/why",
        "/today",
        "/memory",
        f"/forget ^{name}",
        "/forget the code of the safe",
        "/undo",
    ]
    shown = {text: await here.reply(text) for text in typed} | {"/remember": receipt}
    shown |= {command.name: await here.reply(command.example) for command in here.context.commands.values()}

    assert [text for text, reply in shown.items() if "Marigold" in reply.shown][:8] == [*typed, "/remember"]
    for text, reply in shown.items():
        is_foreign = here.turn("/x").taint_left(reply) is Taint.FOREIGN
        assert is_foreign or "Marigold" not in reply.shown, text
    for text in ("/help", "/status", "/whoami", "/remember Tea is at five."):
        assert here.turn(text).taint_left(await here.reply(text)) is Taint.CLEAN
