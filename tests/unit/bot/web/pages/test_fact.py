"""A fact: all that is known of it; edited, pinned, forgotten, and taken back."""

from __future__ import annotations

import re
from pathlib import Path

from memory import OWNER, FrozenClock, Origin
from memory.journal.records import Operation
from memory.life.reviews import review
from memory.strength import Rating
from tests.support.dashboard import OpenSite, open_site
from tests.support.factories import NOON
from tests.support.facts import MARTA, note


async def token(site: OpenSite, fact: str) -> str:
    """Ask what would be forgotten, and return what confirms it."""
    return str((await site.data(f"/fact/{fact}", forget="yes"))["preview"]["token"])


async def test_a_fact_is_shown_with_its_place_its_writer_its_links_and_its_curve(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with open_site(tmp_path, clock=clock) as site:
        _, lisbon, tea = await note(site.app.context.agents, *MARTA)
        clock.advance(days=30)
        memory = site.app.context.agents["personal"].memory
        operation = Operation("r", "terminal:owner", Origin.OWNER, OWNER)
        await memory.run(review, {lisbon: Rating.GOOD}, operation, reason="cited")

        page = await site.page(f"/fact/^{lisbon}", q="Marta in Lisbon?")
        data = await site.data(f"/fact/{lisbon}")

        assert "- W @Marta: Marta lives in Lisbon." in page
        assert "Hit 1 of" in page
        assert "used 1 time" in page
        assert page.count("fades on") == 1
        assert f'href="/fact/{tea}?agent=personal"' in page
        assert '<svg class="chart sparkline"' in page
        assert data["trace"]["by"] == "terminal:owner"
        assert [reason for _, reason in data["curve"]["reviews"]] == ["written", "cited"]
        assert [one["done"] for one in data["history"]] == ["reviewed", "noted"]


async def test_an_edit_takes_the_place_of_the_fact_and_leaves_what_it_is(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        *_, tea = await note(site.app.context.agents, *MARTA)
        await site.change(f"/fact/{tea}/pin")

        page = await site.changed(f"/fact/{tea}/edit", text="Marta likes coffee.", op="web:1")
        again = await site.changed(f"/fact/{tea}/edit", text="Marta likes coffee.", op="web:1")

        assert "Changed. It stands in memory/2026-11-21.md" in page
        assert "<del" in page
        assert "fades on" not in page, "it is pinned"
        (hit,) = (await site.data("/memory", q="What does Marta like?", kind="opinion"))["hits"]
        assert hit["hit"]["content"] == "Marta likes coffee."
        assert dict(hit["hit"]["attributes"])["c"] == "0.8"
        assert hit["hit"]["strength"]["pinned"]
        assert f"^{hit['hit']['id']}" in again
        assert f"^{hit['hit']['id']}" in await site.page(f"/fact/{tea}")


async def test_an_edit_is_undone_as_a_whole(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        key, *_ = await note(site.app.context.agents, *MARTA)
        page = await site.changed(f"/fact/{key}/edit", text="The spare key is under the pot.", op="web:1")
        new = re.findall(r"/fact/(\w+)/undo", page)[0]

        back = await site.changed(f"/fact/{new}/undo", operation="web:1")

        assert "Back in memory/2026-11-21.md" in back
        assert "hangs behind the meter box" in back
        assert "This fact was taken back." in await site.page(f"/fact/{new}")


async def test_forgetting_shows_first_what_goes_and_is_undone_for_a_day(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with open_site(tmp_path, clock=clock) as site:
        key, lisbon, _ = await note(site.app.context.agents, *MARTA)
        preview = await site.page(f"/fact/{key}", forget="yes")
        assert "- W: The spare key hangs behind the meter box." in preview

        gone = await site.changed(f"/fact/{key}/forget", token=await token(site, key), op="web:1")
        assert "This fact is forgotten." in gone
        assert key not in await site.page("/memory")
        assert "meter box" not in gone
        assert "The spare key" in await site.changed(f"/fact/{key}/undo", operation="web:1")

        await site.change(f"/fact/{lisbon}/forget", token=await token(site, lisbon), op="web:2")
        clock.advance(days=1, minutes=1)
        late = await site.page(f"/fact/{lisbon}")
        assert "It cannot be put back any more." in late
        assert "/undo" not in late
        assert (await site.change(f"/fact/{lisbon}/undo", operation="web:2")).status_code == 409


async def test_forgetting_masks_what_repeats_it_in_conversations(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        key, *_ = await note(site.app.context.agents, *MARTA)
        # the preview and the masking are those of `/forget`, whose tests say what they find
        done = await site.change(f"/fact/{key}/forget", token=await token(site, key), op="web:1")
        marks = await site.app.coordinator.marks.load("agent:personal")
        assert done.status_code == 303
        assert key in marks["forgettings"]


async def test_a_preview_is_confirmed_by_its_own_token_alone(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        key, *_ = await note(site.app.context.agents, *MARTA)

        assert (await site.change(f"/fact/{key}/forget", token="xxxxx")).status_code >= 400
        assert (await site.change(f"/fact/{key}/forget")).status_code == 400
        assert "meter box" in await site.page(f"/fact/{key}")


async def test_a_secret_is_kept_only_if_that_is_said(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        key, *_ = await note(site.app.context.agents, *MARTA)
        text = "The wifi password is Xk9#mQ2$vL7p."

        refused = await site.change(f"/fact/{key}/edit", text=text)
        kept = await site.changed(f"/fact/{key}/edit", text=text, keep="yes")

        assert refused.status_code >= 400
        assert "Xk9#mQ2" in kept


async def test_what_was_edited_elsewhere_meanwhile_is_said_to_be_gone_with_what_was_typed(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        key, *_ = await note(site.app.context.agents, *MARTA)
        form = {"text": "The key is in the shed.", "op": "web:1"}

        first, again = [await site.change(f"/fact/{key}/edit", **form) for _ in range(2)]
        late = await site.change(f"/fact/{key}/edit", text="The key is in the car.", op="web:2")

        assert first.headers["location"] == again.headers["location"]
        assert (late.status_code, late.json()["error"]) == (404, "This fact is forgotten.")


async def test_an_id_that_is_none_is_said_to_be_none(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        for name in ("zzzzzzzz", "<b>", "%2e%2e", "\u202e"):
            answer = await site.client.get(f"/fact/{name}", headers={"accept": "text/html"})
            assert (answer.status_code, "<b>" in answer.text) == (404, False)
            assert (await site.change(f"/fact/{name}/pin")).status_code == 404


async def test_a_fact_is_edited_whole_and_what_is_too_long_for_that_is_cut(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        folder = tmp_path / "workspaces" / "personal" / "memory"
        folder.mkdir()
        memory = site.app.context.agents["personal"].memory
        for name, words in (("long0001", 500), ("long0002", 10_000), ("long0003", 100_000)):
            text = f"# 2026-11-20\n\n## Retain\n- W: Long {'word and ' * words}end. ^{name}\n"
            (folder / f"2026-11-1{name[-1]}.md").write_text(text)
        await memory.sync()

        assert (await site.data("/fact/long0001"))["text"].endswith("and end.")
        page = await site.page("/fact/long0002")
        assert "more characters" in page
        assert "textarea" not in page
        (piece,) = [
            one["hit"] for one in (await site.data("/memory", q="long word"))["hits"] if one["hit"]["id"][0] == "h"
        ]
        assert "change the file itself" in await site.page(f"/fact/{piece['id']}")
        assert len(await site.page("/memory")) < 50_000
