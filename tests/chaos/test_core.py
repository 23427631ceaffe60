from __future__ import annotations

import errno
import random
from pathlib import Path

import pytest

from tests.chaos import ptrace
from tests.chaos.core import Home, Ledger, sweep
from tests.chaos.tracer import SYNCS

pytestmark = pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())

POINTS = 1
"""Other ones in each run; `python -m tests.chaos.core` takes more."""

LIFE = 350
"""About how many changes a life without a crash makes."""


def points() -> list[int]:
    """Choose places of a life; they are printed with a failure."""
    chosen = sorted(random.SystemRandom().sample(range(1, LIFE), POINTS))
    print(f"killed before the changes {chosen}")
    return chosen


@pytest.mark.parametrize("power_cut", [False, True], ids=["kill", "power cut"])
def test_where_repetitions_are_recognised_every_message_is_answered_once(tmp_path: Path, *, power_cut: bool) -> None:
    found = sweep(tmp_path, points(), recognises=True, power_cut=power_cut)

    assert found == {"points": POINTS, "lost": 0, "doubled": 0, "disordered": 0, "on_record": 0}


@pytest.mark.parametrize("power_cut", [False, True], ids=["kill", "power cut"])
def test_where_texts_are_edited_into_placeholders_every_message_is_answered_once(
    tmp_path: Path, *, power_cut: bool
) -> None:
    found = sweep(tmp_path, points(), edits=True, power_cut=power_cut)

    assert found == {"points": POINTS, "lost": 0, "doubled": 0, "disordered": 0, "on_record": 0}


@pytest.mark.parametrize("power_cut", [False, True], ids=["kill", "power cut"])
def test_elsewhere_none_is_answered_twice_and_what_may_be_missing_is_on_record(
    tmp_path: Path, *, power_cut: bool
) -> None:
    found = sweep(tmp_path, points(), recognises=False, power_cut=power_cut)

    assert (found["lost"], found["doubled"], found["disordered"]) == (0, 0, 0)


def test_a_crash_during_the_recovery_from_a_crash_changes_nothing(tmp_path: Path) -> None:
    for number in points():
        home = Home(tmp_path / str(number), recognises=True)
        home.live(until=number)
        home.live(until=number // 2)
        home.live()

        assert home.ledger() == Ledger()


@pytest.mark.parametrize(("error", "number"), [(errno.EIO, 9), (errno.ENOSPC, 10), (errno.EIO, 14)])
def test_when_the_disk_fails_the_service_ends_with_a_reason_and_the_next_start_loses_nothing(
    tmp_path: Path, error: int, number: int
) -> None:
    home = Home(tmp_path, recognises=True)

    run = home.fail(number, error, names=SYNCS)

    assert run.hit
    assert run.status == 1
    assert b"StateError" in run.errors
    assert b"Nothing that failed was acknowledged" in run.errors
    home.live()
    assert home.ledger() == Ledger()
