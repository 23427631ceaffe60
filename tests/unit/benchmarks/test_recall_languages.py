from __future__ import annotations

import pytest

from benchmarks.recall_languages import LANGUAGES, of_size, report


def test_every_language_is_measured_beside_english() -> None:
    found = of_size(30, seed=1)
    assert tuple(found) == LANGUAGES
    for one in found.values():
        assert 0 < one["p50_ms"] <= one["p95_ms"]
        assert one["p95_ratio"] == pytest.approx(one["p95_ms"] / found["en"]["p95_ms"])
    assert found["en"]["p50_ratio"] == 1
    assert "30 notes" in report(30, found)
