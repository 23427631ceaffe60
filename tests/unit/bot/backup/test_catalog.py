"""Which backups are kept."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bot.backup.catalog import Backup, LastBackup, backups, last_backup, note_last, superfluous
from bot.paths import Home

BEGIN = datetime(2026, 1, 1, 4, 45, tzinfo=UTC)


def at(days: float) -> Backup:
    moment = BEGIN + timedelta(days=days)
    return Backup(Path(f"scrubjay-{moment:%Y-%m-%dT%H%M%S}.tar.gz"), moment, 1)


def test_a_year_of_nights_leaves_days_weeks_and_months() -> None:
    kept: list[Backup] = []
    for night in range(365):
        kept = [at(night), *kept]
        gone = {one.path for one in superfluous(kept, daily=7, weekly=4, monthly=6)}
        kept = [one for one in kept if one.path not in gone]

    assert [one.at.date().isoformat() for one in kept][:7] == [f"2026-12-{31 - day}" for day in range(7)]
    assert len({one.at.isocalendar()[:2] for one in kept}) >= 4
    assert {one.at.month for one in kept} == {7, 8, 9, 10, 11, 12}
    assert len(kept) <= 7 + 4 + 6


@given(st.lists(st.integers(0, 400), unique=True), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_the_newest_is_always_kept_and_nothing_is_invented(
    days: list[int], daily: int, weekly: int, monthly: int
) -> None:
    every = [at(day) for day in sorted(days, reverse=True)]
    gone = superfluous(every, daily=daily, weekly=weekly, monthly=monthly)

    assert every[:1] == [one for one in every[:1] if one not in gone]
    assert len(every) - len(gone) <= max(1, daily + weekly + monthly + 1)


def test_only_what_is_a_backup_is_listed(tmp_path: Path) -> None:
    for name in (
        "scrubjay-2026-11-21T044500.tar.gz",
        "scrubjay-2026-11-22T044500.tar.gz.age",
        "notes.md",
        ".scrubjay-x",
    ):
        (tmp_path / name).write_text("x")

    assert [(one.at.day, one.is_encrypted) for one in backups(tmp_path)] == [(22, True), (21, False)]
    assert backups(tmp_path / "missing") == []


def test_what_is_known_of_the_last_one_is_kept(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    assert last_backup(home) is None
    note_last(home, LastBackup("/x", "2026-11-21", "2026-11-22"))
    assert last_backup(home) == LastBackup("/x", "2026-11-21", "2026-11-22")
    (home.state / "backup.json").write_text("[]")
    assert last_backup(home) is None
