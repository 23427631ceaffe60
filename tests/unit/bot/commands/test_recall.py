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


async def test_without_words_it_says_how(here: Conversation) -> None:
    assert "/recall spare key" in await here.say("/recall")


async def test_query_syntax_is_only_words(here: Conversation) -> None:
    await here.say("/remember The tent is in the cellar.")

    for typed in ('"tent" AND (cellar', "tent NEAR/3 *", "tent* OR -cellar", "'; drop table units; -- tent"):
        assert "The tent is in the cellar." in await here.say(f"/recall {typed}")
