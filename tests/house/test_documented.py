"""Whatever a user can meet is explained somewhere in docs/."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from cyclopts import App

import adapters.port
import bot.commands
import bot.doctor
import bot.errors
import bot.jobs
import bot.llm.errors
import bot.tools
import memory.errors
from bot import plugins
from bot.cli.help import Page
from bot.cli.main import build
from bot.commands.base import Command
from bot.config.model import Config
from bot.config.schema import Options
from bot.doctor.base import Check
from tests.house.tree import ROOT


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def walk(app: App, chain: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    """Every command and group with the words that call it."""
    yield chain, app
    for name in app:
        if not name.startswith("-"):
            yield from walk(app[name], (*chain, name))


COMMANDS = dict(walk(build()))
ERRORS = [
    kind
    for module in (bot.errors, bot.llm.errors, memory.errors, adapters.port)
    for kind in vars(module).values()
    if inspect.isclass(kind) and issubclass(kind, Exception) and kind.__module__ == module.__name__
]


CHECKS = plugins.load_all(bot.doctor, "CHECK", Check)


def test_every_option_is_explained() -> None:
    text = page("configuration.md")

    assert [option.dotted for option in Options(Config) if f"`{option.dotted}`" not in text] == []


def test_every_command_is_explained() -> None:
    text = page("cli.md")

    called = [" ".join(("scrubjay", *chain)) for chain in COMMANDS]
    assert [line for line in called if f"\n## {line}\n" not in text] == []


def help_page(app: App) -> str:
    """What a command's page says before its options."""
    assert isinstance(app.help_formatter, Page)
    return app.help_formatter.text


def test_every_help_page_has_an_example_that_calls_the_command() -> None:
    examples = {
        " ".join(("scrubjay", *chain)): help_page(app).partition("Examples:\n")[2] for chain, app in COMMANDS.items()
    }

    assert [line for line, text in examples.items() if line not in text] == []


def test_every_help_page_fits_a_terminal_of_eighty_columns() -> None:
    lines = [(chain, line) for chain, app in COMMANDS.items() for line in help_page(app).splitlines()]

    assert [(chain, line) for chain, line in lines if len(line) > 79 or line != line.rstrip()] == []


def test_every_error_is_explained() -> None:
    text = page("errors.md")

    assert len(ERRORS) > 30
    assert [f"{kind.__module__}.{kind.__name__}" for kind in ERRORS if f"| `{kind.__name__}` |" not in text] == []


def test_every_finding_of_the_doctor_is_explained() -> None:
    text = page("troubleshooting.md")
    sources = {name: (ROOT / "bot/doctor" / f"{name}.py").read_text(encoding="utf-8") for name in CHECKS}

    found = {one for name, source in sources.items() for one in re.findall(rf'"({name}\.[a-z_]+)"', source)}
    assert len(found) > 70
    assert [one for one in sorted(found) if f"| `{one}` |" not in text] == []
    explained = {f"{name}.{what}" for name, check in CHECKS.items() for what in check.explains}
    assert sorted(explained - found) == [], "explained, and never found"


def test_every_slash_command_is_explained() -> None:
    text = page("commands.md").replace("\\|", "|")

    loaded = plugins.load_all(bot.commands, "COMMAND", Command)
    assert [name for name, command in loaded.items() if f"`{command.usage}`" not in text] == []
    assert [
        name for name, command in loaded.items() if not (command.example or f"/{name}").startswith(f"/{name}")
    ] == []


def test_every_tool_and_every_job_is_explained() -> None:
    tools, jobs = page("models.md"), page("commands.md")

    assert [
        name for name in plugins.names(bot.tools) if not re.search(rf"^\| .*`{name}`.*\|", tools, re.MULTILINE)
    ] == []
    assert [name for name in plugins.names(bot.jobs) if f"| `{name}` |" not in jobs] == []
