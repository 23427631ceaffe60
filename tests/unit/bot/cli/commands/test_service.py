"""`scrubjay service`, with commands of the system that record how they were called."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from bot.paths import Home
from bot.system import service_manager
from tests.support.system_commands import SystemCommands
from tests.unit.bot.cli.conftest import Scrubjay

TOKEN = 'telegram: {token: "7000000001:test-token-of-the-scrubjay-bot"}\n'


@pytest.fixture(autouse=True)
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SystemCommands:
    """A systemd that calls everything enabled and active; root is who asks for it."""
    commands = SystemCommands(tmp_path)
    commands.add("systemctl", "print({'is-enabled': 'enabled', 'is-active': 'active'}.get(sys.argv[-2], ''))")
    commands.add("sudo", "sys.exit(subprocess.run(sys.argv[1:]).returncode)")
    commands.add("journalctl", "subprocess.run(['echo', 'service.started'])")
    commands.add("loginctl")
    monkeypatch.setenv("PATH", str(commands.folder), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "etc"
    monkeypatch.setattr(service_manager, "places", partial(service_manager.places, platform="linux", folder=folder))
    return commands


@pytest.fixture
def with_token(home: Home) -> None:
    home.prepare()
    home.config.write_text(TOKEN, encoding="utf-8")


@pytest.fixture
def unit() -> Path:
    """The file of the user's service."""
    return service_manager.places()[0].file


def test_without_a_bot_there_is_nothing_to_install(scrubjay: Scrubjay, unit: Path) -> None:
    done = scrubjay("service", "install", "--yes")

    assert done.code == 3
    assert "scrubjay init" in done.err
    assert not unit.exists()


@pytest.mark.usefixtures("with_token")
def test_the_file_is_shown_and_nothing_is_written_without_a_yes(scrubjay: Scrubjay, unit: Path) -> None:
    done = scrubjay("service", "install", "--no-input")

    assert done.code == 2
    assert "[Service]" in done.out
    assert "--yes" in done.err
    assert not unit.exists()


@pytest.mark.usefixtures("with_token")
def test_installed_shown_logged_and_removed(scrubjay: Scrubjay, unit: Path) -> None:
    installed = scrubjay("service", "install", "--yes")
    status = scrubjay("service", "status", "--json")
    logs = scrubjay("service", "logs", "-n", "5")
    asked = scrubjay("service", "remove")
    removed = scrubjay("service", "remove", "--yes")
    after = scrubjay("service", "status")

    assert (installed.code, status.code, logs.code, removed.code, after.code) == (0, 0, 0, 0, 1)
    (service,) = status.json["services"]
    assert service | {"program": ""} == {
        "kind": "user", "file": str(unit), "enabled": True, "running": True, "is_current": True, "is_ours": True,
        "program": "",
    }  # fmt: skip
    assert asked.code == 2
    assert not unit.exists()
    assert "Installed" in installed.out


@pytest.mark.usefixtures("with_token")
def test_the_machines_service_goes_to_its_folder_by_way_of_install(
    scrubjay: Scrubjay, commands: SystemCommands
) -> None:
    commands.add(
        "install", "import os, shutil; os.makedirs(os.path.dirname(sys.argv[-1])); shutil.copy(*sys.argv[-2:])"
    )

    assert scrubjay("service", "install", "--system", "--yes").code == 0
    logs = scrubjay("service", "logs", "--system")
    there = scrubjay("service", "logs")

    assert "PrivateTmp=yes" in service_manager.places()[1].text
    assert logs.code == there.code == 0
    assert "machine" in there.err
    assert all("--unit" in call for call in commands.calls("journalctl"))


@pytest.mark.usefixtures("with_token")
def test_two_at_once_are_refused_and_said(scrubjay: Scrubjay, unit: Path) -> None:
    assert scrubjay("service", "install", "--yes").code == 0
    refused = scrubjay("service", "install", "--system", "--yes")
    machine = service_manager.places()[1].file
    machine.parent.mkdir(exist_ok=True)
    machine.write_text(unit.read_text(), encoding="utf-8")

    assert refused.code == 7
    assert "service remove" in refused.err
    assert "two services" in scrubjay("service", "status").err


@pytest.mark.usefixtures("with_token")
def test_a_variable_that_the_service_would_lack_is_told_at_once(scrubjay: Scrubjay, home: Home) -> None:
    home.config.write_text(TOKEN + "owner: {name: '${COLUMNS}'}\n", encoding="utf-8")

    done = scrubjay("service", "install", "--yes")

    assert "not given COLUMNS" in done.err
    assert "service.env" in done.err


def test_what_is_not_installed_cannot_be_removed(scrubjay: Scrubjay) -> None:
    assert scrubjay("service", "remove", "--yes").code == 4
    assert scrubjay("service", "logs", "-n", "0").code == 2


@pytest.mark.usefixtures("with_token")
def test_a_service_that_would_end_for_want_of_a_library_is_not_installed(
    scrubjay: Scrubjay, unit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "telegram", None)

    done = scrubjay("service", "install", "--yes")

    assert done.code == 3
    assert 'pip install "scrubjay' in done.err
    assert not unit.exists()
