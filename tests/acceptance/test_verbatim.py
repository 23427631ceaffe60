"""What is noted is what was said, to the letter."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from pathlib import Path

from tests.chaos.verbatim import measure

SEED = 20_261_122


async def test_texts_of_every_shape_are_kept_whole_or_told_as_not_noted(tmp_path: Path) -> None:
    judged = await asyncio.to_thread(partial(measure, large_by=["tool"]), tmp_path, 100, SEED)

    wrong = [(sent, found) for sent, found in judged if found not in {"kept", "told"}]
    assert wrong == [], f"seed {SEED}"
    counts = Counter((sent.way, found) for sent, found in judged)
    assert all(counts[way, "told"] <= 1 for way in ("command", "tool", "cli"))
    assert counts["chat", "kept"] >= 15
