"""Services of the system: what is written, which commands are run, and what stands in the way."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.config.loader import load
from bot.config.model import Config
from bot.errors import BotError, Refused
from bot.paths import Home
from bot.system import service_manager
from bot.system.service_manager import UNIT, InstalledService, Kind, ServiceFile, describe, places
from tests.support.system_commands import SystemCommands

TOKEN = 'telegram: {token: "7000000001:test-token-of-the-scrubjay-bot"}\n'
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="NO systemd-analyze HERE: units are not verified"
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path / "a home, 100% $mine")
    home.prepare()
    home.config.write_text(TOKEN, encoding="utf-8")
    return home


@pytest.fixture
def config(home: Home) -> Config:
    return load(home, environment={}).config


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SystemCommands:
    commands = SystemCommands(tmp_path)
    for name in ("systemctl", "sudo", "install", "loginctl", "launchctl"):
        commands.add(name)
    monkeypatch.setenv("PATH", str(commands.folder), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    return commands


@pytest.fixture
def user(tmp_path: Path) -> ServiceFile:
    return ServiceFile(Kind.USER, tmp_path / "units" / UNIT)


Verify = Callable[[str], str]
Look = Callable[[str], Awaitable[InstalledService]]


@pytest.fixture
def verify(tmp_path: Path) -> Verify:
    """What systemd says to a unit; empty if nothing is wrong."""

    def run(text: str) -> str:
        file = tmp_path / UNIT
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 and not done.stderr else f"{done.returncode} {done.stderr}"

    return run


@needs_systemd
@pytest.mark.parametrize("kind", [Kind.USER, Kind.SYSTEM])
def test_systemd_accepts_the_unit_whatever_the_folder_is_called(
    home: Home, config: Config, kind: Kind, verify: Verify
) -> None:
    assert verify(describe(home, config, kind)) == ""


@needs_systemd
def test_a_unit_with_a_mistake_would_be_noticed(home: Home, config: Config, verify: Verify) -> None:
    assert verify(describe(home, config, Kind.USER).replace("Restart=on-failure", "Restart=maybe"))


def test_the_machines_unit_may_write_its_own_folders_alone(home: Home, config: Config) -> None:
    text = describe(home, config, Kind.SYSTEM)

    writable = [line for line in text.splitlines() if line.startswith("ReadWritePaths=")]
    root = str(home.state.parent).replace("%", "%%")
    assert writable
    assert all(root in line for line in writable)
    assert "ProtectSystem=strict" in text
    assert "RestartPreventExitStatus=2 3 7" in text
    assert "test-token" not in text


def test_launchd_is_given_a_property_list(home: Home, config: Config) -> None:
    content = plistlib.loads(describe(home, config, Kind.LAUNCHD).encode())

    assert content["ProgramArguments"][-1] == "run"
    assert content["EnvironmentVariables"] == {"SCRUBJAY_HOME": str(home.config.parent)}
    assert content["KeepAlive"] == {"SuccessfulExit": False}


def test_each_system_has_its_places() -> None:
    assert [place.kind for place in places(platform="linux")] == [Kind.USER, Kind.SYSTEM]
    assert [place.kind for place in places(platform="darwin")] == [Kind.LAUNCHD]
    with pytest.raises(BotError, match="scrubjay run"):
        service_manager.choose(system=False, among=places(platform="win32"))


async def test_a_users_service_needs_no_root(
    home: Home, config: Config, user: ServiceFile, commands: SystemCommands
) -> None:
    assert await service_manager.install(home, config, user) == []

    assert user.text == describe(home, config, Kind.USER)
    said = commands.calls("systemctl")
    assert said[1:] == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {UNIT}",
        f"systemctl --user restart {UNIT}",
    ]
    assert commands.calls("sudo") == []
    assert len(commands.calls("loginctl")) == 1


async def test_a_user_who_may_not_linger_is_told_what_to_type(
    home: Home, config: Config, user: ServiceFile, commands: SystemCommands
) -> None:
    commands.add("loginctl", "sys.exit(1)")

    (told,) = await service_manager.install(home, config, user)

    assert "sudo loginctl enable-linger" in told


async def test_the_machines_service_is_installed_by_root_alone(
    home: Home, config: Config, tmp_path: Path, commands: SystemCommands
) -> None:
    commands.add("sudo", "sys.exit(subprocess.run(sys.argv[1:]).returncode)")
    place = ServiceFile(Kind.SYSTEM, tmp_path / "etc" / UNIT)

    await service_manager.install(home, config, place)

    assert not place.file.exists(), "nothing is written but by the command `install`"
    assert any(call.endswith(str(place.file)) or str(place.file) in call for call in commands.calls("install"))
    assert f"systemctl enable {UNIT}" in commands.calls("systemctl")
    assert commands.calls("loginctl") == []


async def test_where_systemd_does_not_answer_nothing_is_written(
    home: Home, config: Config, user: ServiceFile, commands: SystemCommands
) -> None:
    commands.add("systemctl", "sys.exit('no bus')")

    with pytest.raises(BotError, match="no bus"):
        await service_manager.install(home, config, user)

    assert not user.file.exists()


async def test_a_second_service_is_refused(
    home: Home, config: Config, tmp_path: Path, commands: SystemCommands
) -> None:
    usual = places()[0].file
    usual.parent.mkdir(parents=True)
    usual.write_text(describe(home, config, Kind.USER), encoding="utf-8")

    with pytest.raises(Refused, match="another service"):
        await service_manager.install(home, config, ServiceFile(Kind.SYSTEM, tmp_path / UNIT))

    assert commands.calls() == []


@pytest.fixture
def standing(home: Home, config: Config, user: ServiceFile, commands: SystemCommands) -> Look:
    """How a unit of this text stands; systemd calls it failed, and not enabled."""
    commands.add("systemctl", "print({'is-enabled': 'disabled', 'is-active': 'failed'}.get(sys.argv[2], ''))")

    async def run(text: str) -> InstalledService:
        user.file.parent.mkdir(exist_ok=True)
        user.file.write_text(text, encoding="utf-8")
        (found,) = await service_manager.installed_services(home, config, (user,))
        return found

    return run


async def test_how_a_service_stands_is_asked_of_systemd_and_of_its_file(
    home: Home, config: Config, standing: Look
) -> None:
    text = describe(home, config, Kind.USER)
    other = describe(replace(home, config=Path("/elsewhere/config.yaml")), config, Kind.USER)
    shown = [await standing(one) for one in (text, text.replace("WatchdogSec=120", "WatchdogSec=5"), other)]

    assert [(one.enabled, one.running, one.is_current, one.is_ours) for one in shown] == [
        (False, False, True, True),
        (False, False, False, True),
        (False, False, False, False),
    ]
    assert {one.program for one in shown} == {Path(service_manager.program()[0])}


def test_variables_that_the_service_would_lack_are_named(home: Home) -> None:
    home.config.write_text("a: ${ONE}\n#b: ${NO}\nc: ${TWO:-x} ${file:three} ${FOUR}\n", encoding="utf-8")
    service_manager.environment_file(home).write_text("FOUR=4\n", encoding="utf-8")

    assert service_manager.missing_variables(home, Kind.USER) == ["ONE"]
    assert service_manager.missing_variables(home, Kind.LAUNCHD) == ["ONE", "FOUR"]


async def test_removing_it_disables_it_and_takes_the_file_away(
    home: Home, config: Config, user: ServiceFile, commands: SystemCommands
) -> None:
    await service_manager.install(home, config, user)

    await service_manager.remove(user)

    assert not user.file.exists()
    assert f"systemctl --user disable --now {UNIT}" in commands.calls("systemctl")
