from __future__ import annotations

import pytest

from bot.doctor import disk
from bot.doctor.base import Severity
from tests.unit.bot.doctor.conftest import Look


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
