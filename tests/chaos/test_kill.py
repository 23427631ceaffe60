from __future__ import annotations

from pathlib import Path
from random import SystemRandom

import pytest

from tests.chaos import bugs, ptrace
from tests.chaos.kill import MESSAGES, Scene, again_as, convicted, killed
from tests.chaos.script import talk
from tests.chaos.stages import PLATFORMS, Verdict, stage

randint, choice = SystemRandom().randint, SystemRandom().choice  # other points in each run

pytestmark = [pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not()), pytest.mark.timeout(300)]

LIFE = 1200
"""About how many changes of files a life makes in which nobody is killed."""


@pytest.mark.parametrize("power_cut", [False, True], ids=["kill", "power cut"])
def test_killed_anywhere_every_message_is_answered_once_and_every_fact_is_kept_once(
    tmp_path: Path, *, power_cut: bool
) -> None:
    platform, at = choice(PLATFORMS), randint(1, LIFE)

    found, _ = killed(Scene(platform), tmp_path, at, power_cut=power_cut)

    assert found.is_clean, f"{again_as(platform, at, power_cut=power_cut)}: {found}"


def test_killed_again_while_it_recovers_it_still_loses_and_doubles_nothing(tmp_path: Path) -> None:
    platform, at, again = choice(PLATFORMS), randint(1, LIFE), randint(1, LIFE // 4)

    found, _ = killed(Scene(platform), tmp_path, at, again=again)

    assert found.is_clean, f"{again_as(platform, at, again=again)}: {found}"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_nobody_fetches_is_lost(tmp_path: Path, platform: str) -> None:
    with stage(platform, tmp_path) as scene:
        scene.say(talk(MESSAGES), between_s=0)

        assert scene.verdict() == Verdict(lost=MESSAGES)


@pytest.mark.parametrize("bug", ["blind_retry", "random_nonce"])
def test_a_planted_mistake_is_found(tmp_path: Path, bug: str) -> None:
    assert convicted(bug, tmp_path, tries=3, seed=1)


@pytest.mark.parametrize("bug", bugs.BUGS)
def test_each_mistake_is_planted_into_something_that_is_there(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = list[str]()

    def plant(owner: object, name: str, wrong: object) -> None:
        monkeypatch.setattr(owner, name, wrong)
        planted.append(name)

    monkeypatch.setattr(bugs, "plant", plant)

    bugs.BUGS[bug]()

    assert planted


@pytest.mark.parametrize("platform", PLATFORMS)
def test_left_alone_it_answers_everything_once(tmp_path: Path, platform: str) -> None:
    with stage(platform, tmp_path, unclear=0) as scene:
        scene.live(talk(MESSAGES))

        assert scene.verdict().is_clean
        assert scene.verdict().orphans == 0
