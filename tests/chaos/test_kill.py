from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.chaos import ptrace
from tests.chaos.kill import MESSAGES, convicted, killed
from tests.chaos.script import talk
from tests.chaos.stages import PLATFORMS, stage

pytestmark = [
    pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not()),
    pytest.mark.timeout(300),
]

POINTS = 12
LIFE = 1200
"""About how many changes of files a life makes in which nobody is killed."""


def points(seed: str, count: int) -> list[int]:
    """Places of the life's course, one out of each stretch of it."""
    chance, stretch = random.Random(seed), LIFE // count
    return [number * stretch + chance.randint(1, stretch) for number in range(count)]


@pytest.mark.parametrize("number", range(POINTS))
@pytest.mark.parametrize("platform", PLATFORMS)
def test_killed_anywhere_every_message_is_answered_once_and_every_fact_is_kept_once(
    tmp_path: Path, platform: str, number: int
) -> None:
    at = points(platform, POINTS)[number]

    found = killed(platform, tmp_path, at, power_cut=bool(number % 2))

    assert found.is_clean, (at, found)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_killed_again_while_it_recovers_it_still_loses_and_doubles_nothing(tmp_path: Path, platform: str) -> None:
    found = killed(platform, tmp_path, LIFE // 2, again=LIFE // 8)

    assert found.is_clean, found


@pytest.mark.parametrize("bug", ["blind_retry", "random_nonce"])
def test_a_planted_mistake_is_found(tmp_path: Path, bug: str) -> None:
    assert convicted(bug, tmp_path, tries=3, seed=1)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_left_alone_it_answers_everything_once(tmp_path: Path, platform: str) -> None:
    with stage(platform, tmp_path, unclear=0) as scene:
        scene.live(talk(MESSAGES))

        assert scene.verdict().is_clean
        assert scene.verdict().orphans == 0
