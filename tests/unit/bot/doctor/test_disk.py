from __future__ import annotations

import resource

import pytest

from bot.doctor import disk
from bot.doctor.base import Machine, Severity
from bot.paths import Home
from bot.texts.catalogue import in_language
from tests.unit.bot.doctor.conftest import Look, wrong


@pytest.mark.parametrize(
    ("full", "tight", "id", "severity"),
    [
        (0, 0, "disk.free", Severity.NOTE),
        (0, 10**18, "disk.low", Severity.WARNING),
        (10**18, 10**18, "disk.full", Severity.ERROR),
    ],
)
async def test_free_space_is_weighed(
    look: Look, monkeypatch: pytest.MonkeyPatch, full: int, tight: int, id: str, severity: Severity
) -> None:
    monkeypatch.setattr(disk, "FULL", full)
    monkeypatch.setattr(disk, "TIGHT", tight)

    (finding,) = await look(disk.CHECK)

    assert (finding.id, finding.severity) == (id, severity)
    assert finding.message.endswith(" MB free")


async def test_free_space_is_written_as_the_language_writes_numbers(look: Look) -> None:
    with in_language("de"):
        (finding,) = await look(disk.CHECK, machine=Machine(free=lambda _: 60_502 << 20))

    assert finding.message == "60.502 MB frei"


async def test_state_on_a_drive_of_another_machine_is_told(look: Look) -> None:
    (finding,) = wrong(await look(disk.CHECK, machine=Machine(filesystem=lambda _: "cifs")))

    assert (finding.id, finding.severity) == ("disk.network", Severity.WARNING)
    assert "SCRUBJAY_HOME" in finding.hint


async def test_a_folder_that_takes_no_database_is_an_error_and_the_trial_leaves_nothing(look: Look, home: Home) -> None:
    home.prepare()
    before = sorted(home.state.iterdir())
    assert wrong(await look(disk.CHECK)) == []
    assert sorted(home.state.iterdir()) == before
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, limits[1]))
    try:
        (finding,) = wrong(await look(disk.CHECK))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert (finding.id, finding.severity) == ("disk.unusable", Severity.ERROR)
