"""Memory: what is remembered, searched, narrowed, listed."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from tests.support.dashboard import open_site
from tests.support.facts import MARTA, note


async def test_a_question_shows_hits_with_marked_words_and_what_their_scores_are_made_of(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        key, lisbon, _ = await note(site.app.context.agents, *MARTA)

        page = await site.page("/memory", q="Marta in Lisbon?")
        data = await site.data("/memory", q="Marta in Lisbon?")

        first = data["hits"][0]
        assert first["hit"]["id"] == lisbon
        assert sum(first["score"]["parts"].values()) == pytest.approx(first["score"]["total"])
        assert "<mark>Marta</mark> lives in <mark>Lisbon</mark>." in page
        assert f'href="/fact/{lisbon}?agent=personal&amp;q=Marta+in+Lisbon%3F"' in page
        assert f"{first['score']['total']:.2f} = text " in page
        assert key not in [one["hit"]["id"] for one in data["hits"]]


async def test_what_came_close_stands_below_with_why_it_lost(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        texts = [f"Marta met neighbour number {number} in street {number}." for number in range(15)]
        await note(site.app.context.agents, "Marta lives in Lisbon, and Marta likes Lisbon.", *texts)

        data = await site.data("/memory", q="Marta Lisbon")

        assert len(data["hits"]) == 12
        assert data["near"][0]["why"] == "There was no room for it."
        assert all(
            re.fullmatch(r"There was no room.*|0\.\d\d behind the last hit.*", one["why"]) for one in data["near"]
        )


async def test_hits_and_lists_are_narrowed_alike(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        _, lisbon, tea = await note(site.app.context.agents, *MARTA)
        await site.change(f"/fact/{tea}/pin")

        async def found(**query: str) -> tuple[list[str], list[str]]:
            hits = await site.data("/memory", q="Marta", **query)
            facts = await site.data("/memory", **query)
            return sorted(one["hit"]["id"] for one in hits["hits"]), sorted(one["id"] for one in facts["facts"])

        assert await found(kind="opinion") == ([tea], [tea])
        assert await found(entity="@Marta") == (sorted([lisbon, tea]),) * 2
        assert await found(state="pinned") == ([tea], [tea])
        assert await found(state="faded") == ([], [])
        assert await found(source="conversation", category="decision") == ([], [])
        assert await found(since="2026-11-22") == ([], [])
        assert "is no day" in (await site.client.get("/memory", params={"since": "soon"})).text


async def test_the_list_sorts_and_is_paged(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        assert "Nothing is remembered yet" in await site.page("/memory")
        ids = await note(site.app.context.agents, *(f"Drawer {number} holds spoons." for number in range(52)))

        newest = await site.data("/memory")
        oldest = await site.data("/memory", order="written", offset=50)

        assert (newest["total"], len(newest["facts"]), newest["facts"][0]["id"]) == (52, 50, ids[-1])
        assert [one["id"] for one in oldest["facts"]] == ids[50:]
        assert "51 to 52 of 52" in await site.page("/memory", offset=50)
        for order in ("-written", "-used"):
            beyond = await site.page("/memory", order=order, offset=100)
            assert "Nothing is remembered" not in beyond
            assert 'rel="prev"' in beyond


async def test_the_most_used_come_first_and_the_heading_says_so(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        await note(site.app.context.agents, *MARTA)
        link = re.search(r'href="(/memory[^"]*order=-?used[^"]*)"', await site.page("/memory", kind="world"))
        assert link

        page = await site.page(html.unescape(link[1]))

        assert re.search(r'aria-sort="descending"><a href="[^"]*order=-used[^"]*kind=world[^"]*">Uses', page)


@pytest.mark.parametrize("name", ["kind", "category", "state", "source", "order"])
async def test_what_cannot_be_narrowed_to_is_told_instead_of_everything(tmp_path: Path, name: str) -> None:
    async with open_site(tmp_path) as site:
        answer = await site.client.get("/memory.json", params={name: "opinions"})

        assert answer.status_code == 400
        assert answer.json()["error"] == f"opinions is no value of {name}."
        assert answer.json()["hint"].startswith("Choose one of: ")


async def test_nothing_of_another_agent_is_found(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        (key,) = await note(site.app.context.agents, MARTA[0])

        assert (await site.data("/memory", q="spare key", agent="work"))["hits"] == []
        assert (await site.client.get(f"/fact/{key}", params={"agent": "work"})).status_code == 404


async def test_hostile_texts_and_questions_are_shown_as_text(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        await note(
            site.app.context.agents, "Evil <script>alert(1)</script> \u202eedoc & <img src=x onerror=alert(1)> words."
        )

        page = await site.page("/memory", q="<script>evil words</script> \u202e \x00 " + 5000 * "a ")

        assert "&lt;<mark>script</mark>&gt;alert(1)" in page
        assert "[U+202E]" in page
        assert "<script>" not in page.replace("<script src", "")
        assert "<img" not in page
