from __future__ import annotations

from pathlib import Path
from secrets import randbits

import pytest

from tests.chaos import ptrace
from tests.chaos.backup import sweep

pytestmark = pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())


def test_a_backup_that_is_killed_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    seed = randbits(32)
    for sums in sweep(tmp_path, points=1, seed=seed).values():
        assert sums["calls"] > 50
        assert (sums["points"], sums["half"], sums["again"]) == (1, 0, 0), f"--points 1 --seed {seed}"
