from __future__ import annotations

from bot.doctor.base import Severity
from bot.doctor.config import CHECK
from bot.paths import Home
from tests.unit.bot.doctor.conftest import Look


async def test_no_file_is_no_fault(look: Look) -> None:
    assert [finding.id for finding in await look(CHECK)] == ["config.absent"]


async def test_a_file_without_mistakes_is_noted(look: Look, home: Home) -> None:
    home.prepare()
    home.config.write_text("log:\n  level: debug\n")

    assert [finding.id for finding in await look(CHECK)] == ["config.valid"]


async def test_each_mistake_is_a_finding_with_its_line(look: Look, home: Home) -> None:
    home.prepare()
    home.config.write_text("log:\n  level: loud\n  colour: red\n")

    found = await look(CHECK)

    assert [(finding.id, finding.severity, finding.place) for finding in found] == [
        ("config.invalid", Severity.ERROR, f"{home.config}:2"),
        ("config.unknown", Severity.WARNING, f"{home.config}:3"),
    ]


async def test_an_option_with_another_name_now_is_rewritten_and_the_old_file_kept(look: Look, home: Home) -> None:
    home.prepare()
    before = "# mine\nlog_level: debug  # to see more\nowner:\n  tz: Europe/Berlin\n"
    home.config.write_text(before)

    found = await look(CHECK)
    assert [finding.id for finding in found] == ["config.retired", "config.retired"]
    assert found[0].fix
    await found[0].fix.apply()

    assert [finding.id for finding in await look(CHECK)] == ["config.valid"]
    assert "level: debug  # to see more" in home.config.read_text()
    assert home.config.with_name("config.yaml.bak").read_text() == before
