from __future__ import annotations

from random import SystemRandom

from tests.chaos.schedule import run


def test_every_instant_of_every_job_is_fired_once_whatever_ends_the_process() -> None:
    seed = SystemRandom().randint(1, 10_000)

    found = run(days=6, jobs=20, kills=3, seed=seed)

    assert (found["missed"], found["doubled"], found["odd"]) == (0, 0, 0), f"seed {seed}"
    assert found["fired"] > 10
