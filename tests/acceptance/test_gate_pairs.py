"""The gate on a part of the pairs, by words; `python -m tests.acceptance.gate_pairs` measures all, and the embedder."""

from __future__ import annotations

import pytest

from tests.acceptance.gate_pairs import LANGUAGES, measure


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_near_miss_is_merged_and_most_paraphrases_are_linked(language: str) -> None:
    shares = await measure(language, limit=20, embedding=None)
    assert shares.merged_wrongly == 0
    assert shares.known >= 0.8
