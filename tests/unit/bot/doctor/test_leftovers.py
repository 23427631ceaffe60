from __future__ import annotations

import os
from pathlib import Path

from bot.doctor.leftovers import CHECK
from bot.paths import Home
from tests.unit.bot.doctor.conftest import Look


def old(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("half")
    os.utime(path, (0, 0))
    return path


async def test_what_was_left_behind_is_told_and_deleted_and_nothing_else(look: Look, home: Home) -> None:
    left = [
        old(home.workspace("personal") / "bank" / ".scrubjay-0123"),
        old(home.state / "mcp-tokens.json.tmp"),
        old(home.state / "memory" / "work.sqlite.broken-20260101T000000Z"),
        old(home.cache / "model.part"),
        old(home.state / "doctor-x1" / "trial.sqlite").parent,
    ]
    os.utime(left[-1], (0, 0))
    kept = [
        old(home.workspace("personal") / "notes.tmp"),
        old(home.workspace("personal") / "old.broken"),
        old(home.files / "personal" / "1" / "sent.part"),
        old(home.state / "memory" / "work.sqlite"),
    ]
    young = home.state / "control.json.tmp"
    young.write_text("half")
    os.utime(young, (1_795_253_400, 1_795_253_400))  # the clock of these tests

    (finding,) = await look(CHECK)
    assert finding.fix
    await finding.fix.apply()

    assert "5 files" in finding.fix.description
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in (*kept, young))
    assert await look(CHECK) == []
