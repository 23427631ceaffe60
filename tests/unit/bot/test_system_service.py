"""The service of the system: what stands in its unit, and which commands are run for it."""

import os
import plistlib
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot import system_service
from bot.errors import BotError, Missing, Refused, UsageError
from bot.paths import Home
from bot.system_service import ServiceManager

Stub = Callable[..., None]


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """Commands that write down how they were called; returns what makes one."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.defpath}")

    def make(name: str, *, code: int = 0, prints: str = "") -> None:
        script = folder / name
        script.write_text(f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/called\necho "{prints}"\nexit {code}\n')
        script.chmod(0o755)

    for name in ("systemctl", "loginctl", "journalctl"):
        make(name)
    return make


def called(tmp_path: Path) -> list[str]:
    return (tmp_path / "called").read_text().splitlines() if (tmp_path / "called").exists() else []


def manager(tmp_path: Path, *, platform: str = "linux") -> ServiceManager:
    home = Home.at(tmp_path / "my home")
    elsewhere = tmp_path / "notes"
    return ServiceManager(
        home,
        workspaces=[elsewhere],
        user_units=tmp_path / "user",
        system_units=tmp_path / "system",
        platform=platform,
    )


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here that could judge the units")
@pytest.mark.parametrize("whose", ["user", "system"])
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path, commands: Stub, whose: str) -> None:
    is_system = whose == "system"
    unit = manager(tmp_path).unit(is_system=is_system, user="daemon" if is_system else "")
    file = tmp_path / "scrubjay.service"
    file.write_text(unit.text)

    scope = [] if is_system else ["--user"]
    environment = {"PATH": os.defpath, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        ["systemd-analyze", *scope, "verify", str(file)], env=environment, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_only_a_service_of_the_system_is_kept_from_the_disk_and_it_may_write_where_memory_is(
    tmp_path: Path, commands: Stub
) -> None:
    of_user, of_system = manager(tmp_path).unit(), manager(tmp_path).unit(is_system=True, user="robin")

    assert f'Environment="SCRUBJAY_HOME={tmp_path}/my home"' in of_user.text
    assert "ProtectSystem" not in of_user.text
    assert "User=robin" in of_system.text
    (writable,) = [line for line in of_system.text.splitlines() if line.startswith("ReadWritePaths=")]
    assert f'"-{tmp_path}/my home/workspaces"' in writable
    assert f'"-{tmp_path}/notes"' in writable
    for unit in (of_user, of_system):
        assert "Type=notify" in unit.text
        assert "RestartPreventExitStatus=2 3 7" in unit.text
        assert "NoNewPrivileges=yes" in unit.text


async def test_installing_writes_the_unit_starts_it_and_lets_it_outlive_the_login(
    tmp_path: Path, commands: Stub
) -> None:
    unit = manager(tmp_path).unit()

    assert await system_service.install(unit) == []

    assert unit.is_current
    assert unit.path.stat().st_mode & 0o777 == 0o644
    assert called(tmp_path) == [
        "systemctl --user daemon-reload",
        "systemctl --user enable scrubjay.service",
        "systemctl --user restart scrubjay.service",
        "loginctl enable-linger",
    ]


async def test_a_login_that_cannot_linger_is_told_and_a_manager_that_refuses_leaves_nothing(
    tmp_path: Path, commands: Stub
) -> None:
    commands("loginctl", code=1, prints="Access denied")
    (unmet,) = await system_service.install(manager(tmp_path).unit())
    assert "It ends when you log out" in unmet
    assert "Access denied" in unmet

    commands("systemctl", code=1, prints="Failed to connect to bus")
    unit = manager(tmp_path).unit(is_system=True, user="robin")
    with pytest.raises(BotError, match="Failed to connect to bus"):
        await system_service.install(unit)
    assert not unit.is_installed


async def test_removing_ends_it_first(tmp_path: Path, commands: Stub) -> None:
    unit = manager(tmp_path).unit()
    await system_service.install(unit)
    (tmp_path / "called").unlink()

    await system_service.remove(unit)

    assert not unit.is_installed
    assert called(tmp_path) == ["systemctl --user disable --now scrubjay.service", "systemctl --user daemon-reload"]


async def test_its_state_is_what_the_manager_says(tmp_path: Path, commands: Stub) -> None:
    commands("systemctl", prints="ActiveState=active\nSubState=running\nNRestarts=0")
    told = await system_service.state(manager(tmp_path).unit())
    assert (told.state, told.is_running, told.details["SubState"]) == ("active", True, "running")

    commands("systemctl", code=1, prints="no bus")
    assert not (await system_service.state(manager(tmp_path).unit())).is_running


async def test_an_older_unit_and_a_second_one_are_seen(tmp_path: Path, commands: Stub) -> None:
    for unit in (manager(tmp_path).unit(), manager(tmp_path).unit(is_system=True, user="robin")):
        await system_service.install(unit)
    first = manager(tmp_path).installed()["user"]
    first.path.write_text(first.text.replace("WatchdogSec=120", "WatchdogSec=60"))

    found = manager(tmp_path).installed()

    assert list(found) == ["user", "system"]
    assert not found["user"].is_current


async def test_a_mac_has_an_agent_of_launchd(tmp_path: Path, commands: Stub) -> None:
    commands("launchctl", prints="state = running")
    unit = manager(tmp_path, platform="darwin").unit()
    agent = plistlib.loads(unit.text.encode())

    await system_service.install(unit)

    assert agent["ProgramArguments"][1:] == ["-m", "scrubjay", "run"]
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["EnvironmentVariables"]["SCRUBJAY_HOME"] == str(tmp_path / "my home")
    assert called(tmp_path) == [f"launchctl bootstrap gui/{os.getuid()} {unit.path}"]
    assert (await system_service.state(unit)).is_running


def test_where_there_is_no_manager_and_where_it_would_not_last_it_says_what_else_there_is(
    tmp_path: Path, commands: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = replace(Home.at(tmp_path), chosen_by="the system's folders")
    with pytest.raises(UsageError, match="SCRUBJAY_HOME is not set"):
        ServiceManager(home, user_units=tmp_path, system_units=tmp_path).unit(is_system=True)
    with pytest.raises(Refused, match="cannot hold the path"):
        ServiceManager(Home.at(tmp_path / 'a "b"'), user_units=tmp_path, system_units=tmp_path).unit(
            is_system=True, user="robin"
        )

    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(Missing, match="no systemd"):
        manager(tmp_path).unit()

    monkeypatch.setattr("sys.prefix", "/home/robin/.cache/uv/archive-v0/abc")
    with pytest.raises(BotError, match="temporary environment"):
        manager(tmp_path).unit()
