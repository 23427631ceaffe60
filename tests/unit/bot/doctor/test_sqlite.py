from __future__ import annotations

import sys

import pytest

from bot.doctor import sqlite
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_the_database_that_came_along_is_fine(look: Look) -> None:
    (finding,) = await look(sqlite.CHECK)

    assert finding.id == "sqlite.version"
    assert finding.message.startswith("SQLite 3.")


async def test_an_old_one_is_an_error(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "OLDEST", (99, 0, 0))

    (finding,) = wrong(await look(sqlite.CHECK))

    assert finding.id == "sqlite.old"
    assert "Install" in finding.hint


async def test_a_missing_driver_is_an_error_and_no_traceback(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apsw", None)

    (finding,) = await look(sqlite.CHECK)

    assert finding.id == "sqlite.absent"
