"""A turn in which a tool writes is killed anywhere, begun anew, and has written once and answered once."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from secrets import randbits

import pytest

from tests.chaos import ptrace
from tests.chaos.turn import POINTS, RECEIPT, UNHARMED, killed, template, unharmed

pytestmark = pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())

COUNT = 2
"""Other points in each run; `python -m tests.chaos.turn` takes them all."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with template(tmp_path_factory.mktemp("turn")) as made:
        yield made


def test_killed_anywhere_in_a_turn_that_writes_by_tool_the_fact_is_there_once_and_answered_once(
    tmp_path: Path, home: Path
) -> None:
    seed = randbits(32)
    print(f"seed {seed}")

    for number, point in enumerate(random.Random(seed).sample(sorted(POINTS), COUNT)):
        copied = Path(shutil.copytree(home, tmp_path / str(number)))
        crash, found = killed(copied, POINTS[point], power_cut=bool(number % 2))

        assert crash.hit, point
        assert found == UNHARMED, f"{point}: {crash.hit}"


def test_each_point_is_a_place_of_the_turn(tmp_path: Path, home: Path) -> None:
    whole = unharmed(Path(shutil.copytree(home, tmp_path / "whole")))

    places = {
        point: [n for n in range(len(whole.calls)) if when(whole.calls[: n + 1])] for point, when in POINTS.items()
    }

    assert whole.output.decode().count(RECEIPT) == 1
    assert {point: len(found) for point, found in places.items()} == dict.fromkeys(POINTS, 1)
    assert len({found[0] for found in places.values()}) == len(POINTS)
