from __future__ import annotations

from tests.support.conversation import Conversation


async def test_passages_are_numbered_and_quoted_with_their_source(here: Conversation) -> None:
    await here.say("/remember The tent is in the cellar.")
    await here.say("/remember The tent pegs are in the attic.")

    found = await here.reply("/recall tent")

    assert found.evidence
    assert [hit.source.path for hit in found.evidence.hits] == ["memory/2026-11-21.md"] * 2
    for number, hit in enumerate(found.evidence.hits, 1):
        assert f"{number}. > {hit.content}\n   `{hit.source}` · 2026-11-21 · `^{hit.id}`" in found.text
    assert found.text.endswith("`/why` explains this order, `/forget ID` takes one away.")


async def test_finding_nothing_says_why(here: Conversation) -> None:
    assert (await here.say("/recall unicorn")).startswith("Nothing found. ")


async def test_what_only_comes_close_is_not_shown_as_if_it_fitted(here: Conversation) -> None:
    await here.say("/remember The tent is in the cellar.")
    closest = "Nothing fits for certain. What comes closest:\n1. > The tent is in the cellar."
    assert (await here.say("/recall which dragon guards castles, towers or a tent")).startswith(closest)
    assert (await here.say("/recall tent")).startswith("1. > The tent is in the cellar.")


async def test_without_words_it_says_how(here: Conversation) -> None:
    assert "/recall spare key" in await here.say("/recall")


async def test_query_syntax_is_only_words(here: Conversation) -> None:
    await here.say("/remember The tent is in the cellar.")

    for typed in ('"tent" AND (cellar', "tent NEAR/3 *", "tent* OR -cellar", "'; drop table units; -- tent"):
        assert "The tent is in the cellar." in await here.say(f"/recall {typed}")


async def test_options_anywhere_in_the_line_narrow_it(here: Conversation) -> None:
    await here.say("/remember O(c=0.8) @Peter: Prefers tents of cotton. #preference")
    await here.say("/remember W @Anna: Has a tent.")

    found = await here.say('/recall --entity "Peter" tent —kind opinion')
    assert "Prefers tents of cotton." in found
    assert "O 0.80 · #preference" in found
    assert "Has a tent." not in found
    assert "Has a tent." in await here.say("/recall --kind world -k 1")
    assert (await here.say("/why")).startswith('"--kind world -k 1": Listed, newest first. Narrowed to kind world.')
    assert "/recall" not in await here.say("/recall what does --force do")


async def test_a_wrong_option_is_told_with_what_there_is(here: Conversation) -> None:
    assert "Did you mean `--kind`?" in await here.say("/recall tent --knd opinion")
    assert "`whenever` names no day." in await here.say("/recall tent --since whenever")


async def test_a_plain_question_asks_what_held_or_was_known_at_a_time(here: Conversation) -> None:
    await here.say("/remember W(since=2025-11-01, until=2025-11-30) @Anna: Lives in Oslo.")
    await here.say("/remember W(since=2026-02-01) @Anna: Lives in Rome.")

    for question in ("what held in November 2025?", "was galt im November 2025?", "2025年11月有什么是有效的？"):
        found = await here.say(f"/recall {question}")
        assert "Lives in Oslo." in found
        assert "Lives in Rome." not in found
    assert "Nothing found." in await here.say("/recall what did we know about Anna in March 2026?")
    assert "Lives in Rome." in await here.say("/recall what did we know about Anna this week?")
