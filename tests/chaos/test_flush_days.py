"""Flushes in a zone whose clocks are changed by half an hour, and in one that has gone over the date line."""

from __future__ import annotations

from tests.chaos.flush_days import run


async def test_what_a_flush_notes_stands_once_in_the_log_of_its_day() -> None:
    found = await run(["Australia/Lord_Howe", "Pacific/Apia"])

    assert (found["flushes"], found["facts"]) == (16, 32)
    assert (found["lost"], found["misplaced"], found["doubled"]) == (0, 0, 0)
