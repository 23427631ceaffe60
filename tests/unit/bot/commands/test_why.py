from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

from bot.commands.why import explain
from bot.texts.receipts import strength
from memory import OWNER, Citation, Hit, Kind, Origin, Recall
from memory.types import HitStrength
from tests.support.conversation import Conversation


def hit(name: str, score: float, **parts: float) -> Hit:
    place = Citation(f"{name}.md", 3, 3)
    return Hit(name, Kind.WORLD, None, (), f"text of {name}", place, place, OWNER, Origin.OWNER, score, parts)


async def test_the_last_answer_is_explained_by_its_words(here: Conversation) -> None:
    await here.say("/remember W: The tent is in the cellar.")
    await here.say("Where is the tent?")
    await here.say("thanks")

    told = await here.say("/why")

    assert told.startswith('"Where is the tent?": ')
    assert "1. `memory/2026-11-21.md#L4` " in told
    assert "word:tent" in told
    assert "The tent is in the cellar." in told


async def test_without_an_answer_there_is_nothing_to_explain(here: Conversation) -> None:
    assert "not answered anything from memory" in await here.say("/why")


def test_scores_are_shown_with_their_parts_and_the_losers_follow() -> None:
    evidence = Recall(
        "q", "words", "By words.", 1.0, (hit("a", 0.75, text=0.5, fact=0.25, tiny=0.001),), (hit("b", 0.1),)
    )

    assert explain(evidence, UTC).splitlines() == [
        '"q": By words.',
        "1. `a.md#L3` 0.75 = text 0.50 + fact 0.25; relevance 0.00 · text of a",
        "Close, but not shown:",
        "- `b.md#L3` 0.10 = nothing; relevance 0.00 · text of b",
    ]


def test_the_day_of_a_review_is_that_of_the_owners_clock() -> None:
    reviewed = replace(hit("a", 1.0), strength=HitStrength(0.9, reviewed="2026-11-21T23:30:00+00:00"))

    assert "last reviewed 2026-11-22" in strength(reviewed, ZoneInfo("Europe/Berlin"))


def test_long_texts_are_cut() -> None:
    told = explain(Recall("word " * 100, "words", "", 1.0, ()), UTC)

    assert len(told) < 70
    assert "…" in told


async def test_what_was_listed_says_so_and_has_no_score(here: Conversation) -> None:
    await here.say("remind me tomorrow at 9 to call Ana")
    await here.say("Dinner with Ben on 22 November")
    await here.say("what do I have tomorrow?")

    lines = (await here.say("/why")).splitlines()

    assert lines[0] == '"what do I have tomorrow?": Listed: reminders and plans of 2026-11-22.'
    assert [line.split(" ")[2] for line in lines if line[:1].isdigit()] == ["listed", "listed"]
    assert not any("nothing" in line or "relevance" in line for line in lines)


async def test_a_number_means_a_passage_of_the_last_answer(here: Conversation) -> None:
    await here.say("The tent is in the cellar.")
    await here.say("The tent is green and has four poles.")
    answer = await here.say("What do you know about the tent?")
    second = answer.split("2. > ")[1].split("\n")[0]

    assert second in await here.say("/why 2")
    assert second not in await here.say("/why 1")
    assert "There is no" in await here.say("/why 7")
