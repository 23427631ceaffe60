from __future__ import annotations

from dataclasses import asdict
from random import SystemRandom

import pytest

from tests.chaos.cluster import Setting, Trouble, figures
from tests.chaos.lease_machine import check
from tests.chaos.stages import PLATFORMS
from tests.servers.postgresql import PostgresServer

choice = SystemRandom().choice  # another one in each run

COUNTED = ("lost", "doubled", "misordered", "memory_lost", "memory_doubled")


@pytest.mark.timeout(240)
def test_workers_that_are_killed_lose_and_double_nothing(postgresql: PostgresServer) -> None:
    platform, trouble = choice(PLATFORMS), Trouble(choice(("kill", "freeze")), times=2, every_s=0)

    found = figures(Setting(platform, messages=21, seed=SystemRandom().randrange(1000)), trouble)

    assert {name: found[name] for name in COUNTED} == dict.fromkeys(COUNTED, 0), (platform, asdict(trouble), found)


def test_two_processes_agree_whatever_happens(postgresql: PostgresServer) -> None:
    check(postgresql, runs=15)
