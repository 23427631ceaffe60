from __future__ import annotations

from pathlib import Path

import pytest

from bot.agent.phrases import all_phrases
from bot.turn import Principal
from tests.rooms import Room, room
from tests.samples import chat

ENGLISH, GERMAN = (all_phrases()[code] for code in ("en", "de"))

GUEST = Principal("volatile:7", "Grace", is_owner=False)


async def test_commands_run_and_everything_else_goes_on(here: Room) -> None:
    assert (await here.say("/today")).startswith("Nothing has been written")
    assert await here.say("hello") == ENGLISH.greeting


async def test_an_unknown_command_is_not_noted_but_answered_with_the_nearest(here: Room) -> None:
    assert await here.say("/rembmer the milk") == "There is no command `/rembmer`. Did you mean `/remember`?"
    assert (await here.say("/today")).startswith("Nothing has been written")


async def test_what_only_the_owner_may_do_is_refused_to_others(here: Room) -> None:
    assert await here.say("/agent", who=GUEST) == "Only my owner may use `/agent`."
    assert "You are a guest" in await here.say("/whoami", who=GUEST)


async def test_the_first_answer_of_each_session_says_in_its_language_that_there_is_no_model(tmp_path: Path) -> None:
    async with room(tmp_path, notice=True) as here:
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


async def test_a_failure_is_answered_with_what_to_do_and_with_the_notice_if_it_comes_first(tmp_path: Path) -> None:
    async with room(tmp_path, notice=True) as here:
        first, second = [await here.say(f"/remember {'long ' * 50_000}") for _ in range(2)]

    assert "Say it shorter" in first
    assert ENGLISH.no_model in first
    assert ENGLISH.no_model not in second


@pytest.mark.parametrize("text", ["/etc/hosts is the file with the names.", "/42 is half."])
async def test_a_path_is_a_statement(here: Room, text: str) -> None:
    assert (await here.say(text)).startswith("Noted in ")
