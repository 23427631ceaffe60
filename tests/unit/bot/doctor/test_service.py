from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from bot.config.loader import load
from bot.doctor.service import CHECK
from bot.paths import Home
from bot.system import service_manager
from bot.system.service_manager import Kind, describe
from tests.support.system_commands import SystemCommands
from tests.unit.bot.doctor.conftest import Look, wrong


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SystemCommands:
    """It calls everything enabled and active, until a test says otherwise."""
    commands = SystemCommands(tmp_path)
    commands.add("systemctl", "print({'is-enabled': 'enabled', 'is-active': 'active'}[sys.argv[-2]])")
    monkeypatch.setenv("PATH", str(commands.folder), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    return commands


@pytest.fixture
def units(home: Home, tmp_path: Path, systemd: SystemCommands) -> tuple[Path, Path]:
    """A healthy unit of the user's, and where the machine's would be."""
    home.prepare()
    folder = tmp_path / "etc"
    folder.mkdir()
    one, other = (place.file for place in service_manager.places(platform="linux", folder=folder))
    one.parent.mkdir(parents=True)
    one.write_text(describe(home, load(home, environment={}).config, Kind.USER), encoding="utf-8")
    return one, other


async def test_a_home_without_a_service_is_no_mistake(look: Look, systemd: SystemCommands) -> None:
    (finding,) = await look(CHECK)

    assert finding.id == "service.none"
    assert wrong([finding]) == []


async def test_a_healthy_service_wants_no_look(look: Look, units: tuple[Path, Path]) -> None:
    found = await look(CHECK)

    assert [finding.id for finding in found] == ["service.state"]
    assert wrong(found) == []


async def test_a_unit_of_an_older_version_is_written_anew(look: Look, units: tuple[Path, Path]) -> None:
    units[0].write_text(units[0].read_text().replace("UMask=0077\n", ""), encoding="utf-8")

    (finding,) = wrong(await look(CHECK))

    assert finding.id == "service.outdated"
    assert finding.hint.endswith("scrubjay service install")


async def test_a_program_that_has_gone_a_stop_and_a_missing_variable_are_told(
    look: Look, home: Home, units: tuple[Path, Path], systemd: SystemCommands
) -> None:
    text = units[0].read_text()
    units[0].write_text(text.replace(service_manager.program()[0], "/gone/scrubjay"), encoding="utf-8")
    home.config.write_text("owner: {name: '${WHO}'}\n", encoding="utf-8")
    systemd.add("systemctl", "print({'is-enabled': 'disabled', 'is-active': 'failed'}[sys.argv[-2]])")

    found = wrong(await look(CHECK))

    assert [finding.id for finding in found] == [
        "service.program",
        "service.variables",
        "service.disabled",
        "service.stopped",
    ]
    assert "WHO" in found[1].message


async def test_a_unit_of_another_home_is_none_of_ours(look: Look, units: tuple[Path, Path]) -> None:
    text = units[0].read_text().replace("Environment=SCRUBJAY_HOME=", "Environment=SCRUBJAY_HOME=/elsewhere")
    units[0].write_text(text, encoding="utf-8")

    (finding,) = await look(CHECK)

    assert finding.id == "service.other"
    assert wrong([finding]) == []


async def test_two_services_at_once_are_told(
    look: Look, units: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = units
    other.write_text(one.read_text(), encoding="utf-8")
    monkeypatch.setattr(service_manager, "places", partial(service_manager.places, folder=other.parent))

    found = [finding.id for finding in wrong(await look(CHECK))]

    assert found[0] == "service.two"
