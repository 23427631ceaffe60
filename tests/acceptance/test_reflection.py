"""Sixty days of notes: what they say about time is found, and a new index knows what the old one knew."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.reflection import run


async def test_most_questions_about_time_have_the_right_fact_first_and_a_rebuilt_index_knows_the_same(
    tmp_path: Path,
) -> None:
    figures = await run(tmp_path, None)

    assert figures.facts == 300
    assert figures.entities == 40
    assert figures.time_questions == 100
    assert figures.time_by_words >= 87
    assert figures.rebuilt_differs == ()
