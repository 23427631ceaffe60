from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.doctor.base import Machine, Severity
from bot.doctor.home import CHECK
from bot.paths import Home
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_private_folders_are_fine(look: Look, home: Home) -> None:
    home.prepare()

    assert wrong(await look(CHECK)) == []


async def test_folders_that_others_can_write_to_are_told_with_the_command_that_repairs_them(
    look: Look, home: Home
) -> None:
    home.prepare()
    home.state.chmod(0o770)
    home.workspaces.chmod(0o777)

    found = wrong(await look(CHECK))

    assert [(finding.severity, finding.place) for finding in found] == [
        (Severity.ERROR, str(home.state)),
        (Severity.WARNING, str(home.workspaces)),
    ]
    assert found[0].hint == f'Run: chmod 700 "{home.state}"'


async def test_what_others_can_read_is_told_with_the_command_that_closes_it(look: Look, home: Home) -> None:
    home.prepare()
    files = [home.config, home.config.with_name(".env")]
    for file in files:
        file.write_text("model:\n")
        file.chmod(0o644)
    home.config.parent.chmod(0o755)

    found = wrong(await look(CHECK))

    assert {(finding.id, finding.severity) for finding in found} == {("home.readable", Severity.WARNING)}
    assert [finding.hint for finding in found] == [
        f'Run: chmod 700 "{home.config.parent}"',
        *(f'Run: chmod 600 "{file}"' for file in files),
    ]


async def test_what_is_not_a_part_of_a_home_is_told_to_be_moved_and_not_to_be_closed(look: Look, home: Home) -> None:
    home.state.parent.mkdir(parents=True, exist_ok=True)
    home.state.touch(mode=0o644)
    home.config.mkdir(mode=0o755)

    found = wrong(await look(CHECK))

    assert {(finding.id, finding.place) for finding in found if finding.id != "home.readable"} == {
        ("home.file", str(home.state))
    }
    assert {finding.place for finding in found if finding.fix} <= {str(home.config.parent)}


async def test_a_new_home_beside_an_old_one_is_told(
    look: Look, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "me" / "state"))
    old = Home.of_system()
    old.state.mkdir(parents=True)
    old.database.touch()

    (finding,) = wrong(await look(CHECK))

    assert finding.id == "home.other"
    assert finding.place == str(old.state)
    assert "unset SCRUBJAY_HOME" in finding.hint

    home.prepare()
    home.database.touch()
    assert wrong(await look(CHECK)) == []


async def test_what_belongs_to_another_user_is_told_and_never_touched(look: Look, home: Home) -> None:
    home.prepare()

    (finding,) = wrong(await look(CHECK, machine=Machine(user=home.state.stat().st_uid + 1)))

    assert (finding.id, finding.fix) == ("home.owner", None)
    assert "sudo chown" in finding.hint


async def test_the_repair_closes_the_folder_and_the_file(look: Look, home: Home) -> None:
    home.prepare()
    home.config.write_text("")
    home.config.chmod(0o666)
    home.state.chmod(0o777)

    for finding in wrong(await look(CHECK)):
        assert finding.fix
        await finding.fix.apply()

    assert wrong(await look(CHECK)) == []


async def test_a_file_in_the_place_of_a_folder_is_told_with_the_command_that_moves_it(look: Look, home: Home) -> None:
    home.prepare()
    home.logs.rmdir()
    home.logs.touch()

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.severity, finding.place) == ("home.file", Severity.ERROR, str(home.logs))
    assert finding.hint == f'Run: mv "{home.logs}" "{home.logs}.old"'


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")
async def test_a_folder_of_options_that_cannot_be_written_to_is_told(look: Look, home: Home) -> None:
    home.prepare()
    home.config.parent.chmod(0o500)

    found = [finding for finding in wrong(await look(CHECK)) if finding.place == str(home.config.parent)]
    home.config.parent.chmod(0o700)

    assert [(finding.id, finding.severity) for finding in found] == [("home.fixed", Severity.WARNING)]
    assert found[0].hint == f'Run: chmod u+rwx "{home.config.parent}"'
    assert wrong(await look(CHECK)) == []
