"""Whatever a user can meet is explained somewhere in docs/."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
from cyclopts import App

import adapters.port
import bot.commands
import bot.errors
import bot.llm.errors
import memory.errors
from bot import plugins
from bot.cli.main import build
from bot.commands.base import Command
from bot.config.model import Config
from bot.config.schema import Options
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


@pytest.mark.parametrize("dotted", [option.dotted for option in Options(Config)])
def test_every_option_is_explained(dotted: str) -> None:
    assert f"`{dotted}`" in page("configuration.md")


@pytest.mark.parametrize("chain", COMMANDS, ids=" ".join)
def test_every_command_is_explained(chain: tuple[str, ...]) -> None:
    assert f"\n## {' '.join(('scrubjay', *chain))}\n" in page("cli.md")


@pytest.mark.parametrize("chain", COMMANDS, ids=" ".join)
def test_every_help_page_has_an_example_that_calls_the_command(chain: tuple[str, ...]) -> None:
    help_page = COMMANDS[chain].help_prologue or ""

    examples = help_page.partition("Examples:\n")[2]
    assert " ".join(("scrubjay", *chain)) in examples


@pytest.mark.parametrize("chain", COMMANDS, ids=" ".join)
def test_every_help_page_fits_a_terminal_of_eighty_columns(chain: tuple[str, ...]) -> None:
    lines = (COMMANDS[chain].help_prologue or "").splitlines()

    assert [line for line in lines if len(line) > 79 or line != line.rstrip()] == []


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_every_error_is_explained(kind: type[Exception]) -> None:
    assert f"| `{kind.__name__}` |" in page("errors.md")


@pytest.mark.parametrize("name", plugins.names(bot.commands))
def test_every_slash_command_is_explained(name: str) -> None:
    command = plugins.load(bot.commands, name, "COMMAND", Command)

    assert f"`{command.usage}`" in page("commands.md").replace("\\|", "|")
    assert command.example.startswith(f"/{name}")
