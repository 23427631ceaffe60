"""Sixty days of notes: what becomes of opinions, pages and conflicts, what is found, and what a new index knows."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.reflection import run


async def test_sixty_days_come_to_what_was_reckoned_by_hand(tmp_path: Path) -> None:
    figures = await run(tmp_path, None)

    assert (figures.facts, figures.opinions, figures.entities, figures.time_questions) == (300, 25, 40, 100)
    assert figures.confidence_right == 25
    assert figures.conflicts_shown == figures.conflicts == 12
    assert figures.conflicts_besides <= 2
    assert figures.superseded_shown >= 9
    assert figures.pages_right == 40
    assert figures.second_changed_bytes == 0
    assert figures.time_by_words >= 87
    assert figures.kinds_answered >= 19
    assert figures.rebuilt_differs == ()
