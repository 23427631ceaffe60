from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.chaos.hostile import trial
from tests.chaos.hostile_service import service
from tests.chaos.mutations import KINDS, hostile

pytestmark = pytest.mark.timeout(300)

INPUTS = 60


def test_sixty_hostile_inputs_end_nothing(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}")

    with service(tmp_path, gardens=1, apart=False) as made:
        outcome = trial([hostile(seed, index) for index in range(1, INPUTS + 1)], made)

    assert outcome.trouble == "", f"python -m tests.chaos.hostile --inputs {INPUTS + 1} --seed {seed}"


def test_the_same_seed_gives_the_same_inputs() -> None:
    first, second = ([hostile(7, index) for index in range(200)] for _ in range(2))

    assert first == second
    assert {given.kind for given in first} == set(KINDS)
