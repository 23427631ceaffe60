"""Writes the pages, and the parts of pages, that follow from the code: `python -m docs.generate`."""

from __future__ import annotations

import inspect
import io
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from cyclopts import App
from rich.console import Console

import adapters.port
import bot.commands
import bot.doctor
import bot.errors
import bot.llm.errors
import memory.errors
from bot import plugins
from bot.cli.errors import FAILED, MEMORY_CODES
from bot.cli.main import build
from bot.commands.base import Command
from bot.config.model import Config
from bot.config.schema import Option, Options, example, written
from bot.doctor.base import Check

ROOT = Path(__file__).parent.parent

PLATFORM_CODE = 6
"""How a command ends when a platform fails it."""


def cli_page(_old: str = "") -> str:
    """Every help page once, in the order in which the groups list their commands."""
    parts = [
        "# Command line",
        "",
        "Every page below is what `--help` prints.",
        "Data goes to standard output, everything else to standard error; `--json` prints one object.",
        "Exit codes are on the page about [errors](errors.md).",
        "",
    ]
    first: dict[str, str] = {}
    for chain in _chains(build()):
        title, text = " ".join(("scrubjay", *chain)), _help(chain).rstrip()
        named = first.setdefault(text, title)
        is_other_name = named != title
        shown = [f"The same as [{named}](#{named.replace(' ', '-')})."] if is_other_name else ["```", text, "```"]
        parts += [f"## {title}", "", *shown, ""]
    return "\n".join(parts).rstrip() + "\n"


def configuration_page(old: str) -> str:
    """The page about configuration, its table made anew."""
    return _replaced(old, "options", "\n".join(_option_rows()))


def errors_page(old: str) -> str:
    """The page about errors, its tables made anew."""
    service = _error_rows(bot.errors, lambda kind: int(getattr(kind, "exit_code", FAILED)))
    library = _error_rows(memory.errors, lambda kind: MEMORY_CODES.get(kind.__name__, FAILED))
    platforms = _error_rows(adapters.port, lambda _: PLATFORM_CODE)
    models = _error_rows(bot.llm.errors, lambda kind: int(getattr(kind, "exit_code", FAILED)))
    parts = {"service": service, "memory": library, "models": models, "platforms": platforms}
    for part, rows in parts.items():
        old = _replaced(old, part, "\n".join(rows))
    return old


def commands_page(old: str) -> str:
    """The page about slash commands, its table made anew."""
    rows = ["| command | what it does | for example |", "|---|---|---|"]
    for command in plugins.load_all(bot.commands, "COMMAND", Command).values():
        usage = command.usage.replace("|", "\\|")
        whose = " (owner only)" if command.owner_only else ""
        rows.append(f"| `{usage}` | {command.summary}{whose} | `{command.example or f'/{command.name}'}` |")
    return _replaced(old, "commands", "\n".join(rows))


def troubleshooting_page(old: str) -> str:
    """The page about troubles, the findings of `scrubjay doctor` made anew, check by check."""
    rows: list[str] = []
    for group, check in plugins.load_all(bot.doctor, "CHECK", Check).items():
        rows += [f"### {group}: {check.title}", "", "| finding | what it means, and what to do |", "|---|---|"]
        rows += [f"| `{group}.{name}` | {text} |" for name, text in check.explains.items()]
        rows.append("")
    return _replaced(old, "findings", "\n".join(rows).rstrip())


PAGES: dict[str, Callable[[str], str]] = {
    "config.example.yaml": lambda _old: example(),
    "docs/cli.md": cli_page,
    "docs/commands.md": commands_page,
    "docs/configuration.md": configuration_page,
    "docs/errors.md": errors_page,
    "docs/troubleshooting.md": troubleshooting_page,
}
"""File -> its text as it should be, from its text as it is."""


def main() -> int:
    """Write every page."""
    for name, made in PAGES.items():
        path = ROOT / name
        path.write_text(made(path.read_text(encoding="utf-8") if path.exists() else ""), encoding="utf-8")
    return 0


def _chains(app: App, chain: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield chain
    for name in app:
        if not name.startswith("-"):
            yield from _chains(app[name], (*chain, name))


def _help(chain: tuple[str, ...]) -> str:
    output = io.StringIO()
    build().help_print(list(chain), console=Console(file=output, width=80, no_color=True, force_terminal=False))
    return "\n".join(line.rstrip() for line in output.getvalue().splitlines())


def _option_rows() -> Iterator[str]:
    yield "| option | what it is | allowed | default |"
    yield "|---|---|---|---|"
    for option in Options(Config):
        yield f"| `{option.dotted}` | {option.about} | {option.allowed} | {_default(option)} |"


def _default(option: Option) -> str:
    if option.is_section:
        return ""
    return "nothing" if option.default in (None, "") else f"`{written(option.default)}`"


def _error_rows(module: ModuleType, code: Callable[[type[Exception]], int]) -> Iterator[str]:
    yield "| error | exit code | when |"
    yield "|---|---|---|"
    for kind in vars(module).values():
        if inspect.isclass(kind) and issubclass(kind, Exception) and kind.__module__ == module.__name__:
            yield f"| `{kind.__name__}` | {code(kind)} | {inspect.cleandoc(kind.__doc__ or '').splitlines()[0]} |"


def _replaced(page: str, part: str, made: str) -> str:
    begin, end = f"<!-- generated: begin {part} -->\n", f"<!-- generated: end {part} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    return pattern.sub(lambda _: f"{begin}\n{made}\n\n{end}", page)


if __name__ == "__main__":
    sys.exit(main())
