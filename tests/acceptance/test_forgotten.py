"""What is forgotten is gone: canary facts are forgotten in twelve ways, and looked for everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.forgotten import WAYS, forgotten


@pytest.mark.parametrize("way", WAYS)
async def test_a_fact_that_is_forgotten_is_found_nowhere_and_after_a_purge_not_even_in_the_journal(
    way: str, tmp_path: Path
) -> None:
    outcome = await forgotten(way, tmp_path)

    assert outcome.before > 2
    assert (outcome.shown, outcome.sent, outcome.exported) == ([], 0, 0)
    assert outcome.left == []
    assert outcome.purged == []
    assert not outcome.lost
