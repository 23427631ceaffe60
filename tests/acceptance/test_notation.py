"""What is written in the notation of facts comes back, from any page."""

from __future__ import annotations

from tests.acceptance.notation import run


def test_two_thousand_facts_come_back_from_pages_to_the_letter() -> None:
    counts = run(2_000, seed=7)

    assert counts.pop("bullets") == 2_000
    assert counts.pop("pages") > 50
    assert not any(counts.values()), counts
