from __future__ import annotations

import pytest

from memory.index.dates import day_in, day_of_file, day_of_section


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-01-20", "2026-01-20"),
        ("Jon and Gina, 2023-01-20 16:04", "2023-01-20"),
        ("20.1.2026", "2026-01-20"),
        ("Sitzung vom 03.11.2025, 9 Uhr", "2025-11-03"),
        ("2026年1月20日的会议", "2026-01-20"),
        ("2026-13-40 or 2026-02-03", "2026-02-03"),
        ("12026-01-20", None),
        ("version 1.2.3", None),
        ("", None),
    ],
)
def test_a_calendar_day_in_a_title_is_found(text: str, day: str | None) -> None:
    assert day_in(text) == day


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("memory/2026-01-20.md", "2026-01-20"),
        ("memory/2026-01-20-dentist.md", "2026-01-20"),
        ("2026-01-20/notes.md", None),
        ("bank/world.md", None),
    ],
)
def test_a_file_is_dated_by_its_name(path: str, day: str | None) -> None:
    assert day_of_file(path) == day


def test_the_innermost_dated_heading_counts() -> None:
    assert day_of_section(("2026-01-01", "Week of 2026-01-05", "Monday")) == "2026-01-05"
    assert day_of_section(("Notes",)) is None
