from __future__ import annotations

import errno
import os
import random
from dataclasses import dataclass
from pathlib import Path
from secrets import randbits

import pytest

from adapters.terminal import REMARK
from tests.chaos import ptrace
from tests.chaos.remember import (
    ANOTHER,
    CHECKPOINT,
    CORE_LOG,
    FACT,
    JOURNAL,
    RECEIPT,
    Home,
    Select,
    Verdict,
    at_step,
    in_order,
    index_verdict,
    on,
    on_the_index,
    printed,
    stratified,
    taken_in,
    templates,
    verdict,
    written_for_the_fact,
)
from tests.chaos.tracer import SYNCS, Call

pytestmark = pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())

UNHARMED = Verdict(lost=False, doubled=False, broken=False)
POINTS, POWER_CUTS = 2, 1
"""Other ones in each run; `python -m tests.chaos.remember` takes more."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A home to copy, the calls between a fact and its receipt when told there, and how many follow on the index."""

    template: Path
    calls: list[Call]
    taken_in: int


def fresh_chance() -> random.Random:
    """Another choice in each run; the seed is printed with a failure."""
    seed = randbits(32)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """Of a home that was never told anything, and of one that was."""
    folder = tmp_path_factory.mktemp("recorded")
    whole = {kind: Home(folder / f"{kind} whole", home).live().calls for kind, home in templates(folder).items()}
    return {
        kind: Recorded(folder / kind, written_for_the_fact(calls), taken_in(calls)) for kind, calls in whole.items()
    }


def test_killed_anywhere_between_a_fact_and_its_receipt_nothing_is_lost_or_doubled(
    tmp_path: Path, recorded: dict[str, Recorded]
) -> None:
    fresh = recorded["fresh"]
    files = {path.name for call in fresh.calls for path in call.paths}
    assert {CORE_LOG, JOURNAL, "2026-11-21.md", CHECKPOINT} <= files

    for step in stratified(fresh.calls, POINTS, fresh_chance()):
        home = Home(tmp_path / str(step), fresh.template)
        crash = home.live(until=at_step(step))

        assert crash.hit, step
        assert verdict(home, crash) == UNHARMED, str(crash.hit)


@pytest.mark.parametrize("power_cut", [False, True])
def test_killed_while_the_index_takes_the_fact_in_nothing_is_lost_and_the_next_start_finds_it(
    tmp_path: Path, recorded: dict[str, Recorded], *, power_cut: bool
) -> None:
    used = recorded["used"]
    number = fresh_chance().randint(1, used.taken_in)
    home = Home(tmp_path / "home", used.template)

    crash = home.live(until=in_order(printed, *[on_the_index] * number), power_cut=power_cut)

    assert index_verdict(home, crash) == UNHARMED, str(crash.hit)


def test_power_cuts_lose_nothing_either(tmp_path: Path, recorded: dict[str, Recorded]) -> None:
    used = recorded["used"]

    for step in stratified(used.calls, POWER_CUTS, fresh_chance()):
        home = Home(tmp_path / str(step), used.template)
        crash = home.live(until=at_step(step), power_cut=True)

        assert crash.hit, step
        assert verdict(home, crash) == UNHARMED, str(crash.hit)


def test_a_power_cut_before_the_first_write_to_a_home_that_was_copied_loses_nothing(
    tmp_path: Path, recorded: dict[str, Recorded]
) -> None:
    call = fresh_chance().choice(["openat", "write", "fsync"])
    home = Home(tmp_path / "home", recorded["used"].template)

    crash = home.live(until=in_order(printed, on("2026-11-21.md", call)), power_cut=True)

    assert verdict(home, crash) == UNHARMED, str(crash.hit)


@pytest.mark.parametrize(
    ("failing", "error"),
    [
        (on(JOURNAL, "write"), errno.ENOSPC),
        (on(JOURNAL, *SYNCS), errno.EIO),
        (on("2026-11-21.md", "openat", "openat2"), errno.EROFS),
        (on("2026-11-21.md", "write"), errno.ENOSPC),
        (on("2026-11-21.md", *SYNCS), errno.EIO),
    ],
    ids=["journal, full", "journal, sync", "log, read-only", "log, full", "log, sync"],
)
def test_when_the_disk_refuses_the_fact_the_person_is_told_and_the_next_one_is_taken(
    tmp_path: Path, recorded: dict[str, Recorded], failing: Select, error: int
) -> None:
    home = Home(tmp_path / "home", recorded["used"].template)

    run = home.fail(failing, error)

    assert run.hit
    _, refused, receipt = run.output.decode().split("\n", 2)
    assert f"was not written ({os.strerror(error)})." in refused
    assert receipt.startswith(RECEIPT)
    assert run.status == 0
    assert (home.lines(), home.lines(ANOTHER)) == (0, 1)
    assert home.is_verified()


@pytest.mark.parametrize(
    ("failing", "error"),
    [(on(CHECKPOINT, "write"), errno.ENOSPC), (on("personal.sqlite-wal", "pwrite64"), errno.ENOSPC)],
    ids=["marks", "index"],
)
def test_when_only_what_is_derived_cannot_follow_the_fact_is_safe_and_found(
    tmp_path: Path, recorded: dict[str, Recorded], failing: Select, error: int
) -> None:
    home = Home(tmp_path / "home", recorded["used"].template)

    run = home.fail(failing, error)

    assert run.hit
    assert run.status == 0
    assert run.output.decode().count(RECEIPT) == 2
    assert (home.lines(), home.lines(ANOTHER)) == (1, 1)
    assert f"> {FACT}\n" in home.again()


@pytest.mark.parametrize("failing", [on(CORE_LOG, "pwrite64"), on(CORE_LOG, *SYNCS)], ids=["write", "sync"])
def test_when_the_core_cannot_accept_the_message_the_program_ends_with_a_reason(
    tmp_path: Path, recorded: dict[str, Recorded], failing: Select
) -> None:
    home = Home(tmp_path / "home", recorded["used"].template)

    run = home.fail(failing, errno.EIO)

    assert run.hit
    assert run.status == 1, f"{run.hit}: {run.output!r} {run.errors!r}"
    assert run.errors.startswith(b"error: ")
    assert b"Traceback" not in run.errors
    assert RECEIPT.encode() not in run.output
    later = home.again()
    assert home.lines() == later.count(f"{REMARK}\n{RECEIPT}")
    assert (home.lines(), home.lines(ANOTHER)) in {(0, 1), (1, 1)}
    assert home.is_verified()
