"""Tests of the page of opinions."""

from __future__ import annotations

from pathlib import Path

from bot.paths import Home
from tests.support.dashboard import open_site

COUNT = 260


async def test_a_long_list_of_opinions_comes_page_by_page_and_none_is_missing(tmp_path: Path) -> None:
    notes = Home.at(tmp_path).workspace("personal") / "memory"
    notes.mkdir(parents=True)
    bullets = [f"- O(c=0.6) @Marta: Marta likes cake number {number}." for number in range(COUNT)]
    (notes / "2026-11-20.md").write_text("\n".join(["## Retain", *bullets, ""]), encoding="utf-8")

    async with open_site(tmp_path) as site:
        first = await site.page("/opinions")
        pages = [await site.data("/opinions", offset=offset) for offset in range(0, COUNT, 50)]
        beyond = await site.page("/opinions", offset=5000)

    assert "1 to 50 of 260" in first
    assert first.count("<article") == 50
    assert len({one["opinion"]["id"] for page in pages for one in page["opinions"]}) == COUNT
    assert "There is no opinion yet" not in beyond
    assert 'rel="prev"' in beyond
