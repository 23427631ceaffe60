"""`scrubjay service` where a stub stands for systemctl."""

import os
from pathlib import Path

import pytest

from tests.unit.bot.cli.conftest import Scrubjay


@pytest.fixture(autouse=True)
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manager of services that starts whatever it is told to."""
    folder = tmp_path / "commands"
    folder.mkdir()
    for name in ("systemctl", "loginctl"):
        script = folder / name
        script.write_text("#!/bin/sh\necho ActiveState=active\n")
        script.chmod(0o755)
    (folder / "journalctl").write_text('#!/bin/sh\necho "journal $*"\n')
    (folder / "journalctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.defpath}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_it_is_shown_installed_looked_at_and_removed(scrubjay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "config" / "systemd" / "user" / "scrubjay.service"

    shown = scrubjay("service", "install", "--show")
    assert shown.out.startswith("# Written by")
    assert not file.exists()

    installed = scrubjay("service", "install", "--yes")
    assert str(file) in installed.out
    assert file.read_text() == shown.out

    status = scrubjay("service", "status", "--json")
    assert status.code == 0
    (unit,) = status.json["units"]
    assert (unit["kind"], unit["state"], unit["is_current"]) == ("user", "active", True)

    assert scrubjay("service", "remove", "--yes").code == 0
    assert not file.exists()
    assert scrubjay("service", "status").code == 1


def test_without_one_there_is_nothing_to_remove_and_a_second_is_refused(scrubjay: Scrubjay) -> None:
    missing = scrubjay("service", "remove", "--yes")
    assert missing.code == 1
    assert "scrubjay service install" in missing.err

    assert scrubjay("service", "install", "--as", "robin").code == 2


def test_doctor_sees_a_unit_of_another_version(scrubjay: Scrubjay, tmp_path: Path) -> None:
    scrubjay("service", "install", "--yes")
    file = tmp_path / "config" / "systemd" / "user" / "scrubjay.service"
    file.write_text(file.read_text().replace("WatchdogSec=120", "WatchdogSec=1"))

    found = {one["id"]: one["severity"] for one in scrubjay("doctor", "--json").json["findings"]}

    assert found["service.outdated"] == "warning"
    assert found["service.runs"] == "note"
