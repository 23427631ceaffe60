from __future__ import annotations

from pathlib import Path
from secrets import randbits

import pytest

from tests.chaos import ptrace
from tests.chaos.consolidate import sweep

pytestmark = pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())


def test_a_consolidation_that_is_killed_is_finished_with_the_same_bytes(tmp_path: Path) -> None:
    seed = randbits(32)
    sums = sweep(tmp_path, points=2, seed=seed)
    assert sums["calls"] > 100
    assert (sums["points"], sums["different"], sums["broken"]) == (2, 0, 0), f"--points 2 --seed {seed}"
