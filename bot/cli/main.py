"""The `scrubjay` command. Each group of commands is imported when it is called."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cyclopts import App

from bot import __version__
from bot.cli.errors import ExitHandler
from bot.cli.help import group
from bot.cli.invocation import Invocation
from bot.paths import machine_language, one_heap_for_threads, one_thread_for_products, private_by_default
from bot.texts import in_language

if TYPE_CHECKING:
    from bot.doctor.base import Machine
    from memory import Clock

PAGE = """
Scrubjay: chat with agents that remember, in Markdown files that are yours.

Examples:
  scrubjay init                                     set it up, two minutes
  scrubjay chat                                     talk to your default agent
  scrubjay memory recall "where is the spare key?"  look something up
  scrubjay doctor                                   find out what is wrong
"""

COMMANDS = {
    "init": ("init:app", "Set up a home: agents, memory, language model, bots."),
    "run": ("serve:run_app", "Serve the bots on Telegram and Discord."),
    "chat": ("chat:app", "Talk to an agent in this terminal, or ask it one thing."),
    "dashboard": ("dashboard:app", "Open the dashboard: what the bot knows, and why."),
    "memory": ("memory:app", "Look into what an agent remembers, and change it."),
    "sessions": ("sessions:app", "Look conversations up, read them, take them along."),
    "agents": ("agents:app", "Who there is to talk to."),
    "mcp": ("mcp:app", "Give other programs an agent's memory (MCP)."),
    "pair": ("pair:app", "Let people in."),
    "jobs": ("jobs:app", "What is done for each agent again and again."),
    "import": ("imports:app", "Move in what other programs remember."),
    "backup": ("backup:app", "Save the whole home in one file, and bring it back."),
    "export": ("export:app", "Write all that an agent has as plain files."),
    "purge-person": ("purge:app", "Remove all that a person said."),
    "store": ("store:app", "Move agents between this home and a shared database."),
    "workspace": ("workspace:app", "An agent's files as a folder, from a shared database."),
    "config": ("config:app", "Show, check and change the configuration."),
    "service": ("service:app", "Have the system start the bot, and keep it running."),
    "status": ("status:app", "Show on one screen what is here and whether it runs."),
    "doctor": ("doctor:app", "Look for what could be wrong, and say what to do."),
    "logs": ("logs:app", "Show what the log says."),
    "diagnostics": ("diagnostics:app", "Collect what helps to find a fault in one file."),
    "demo": ("demo:app", "Make a home with half a year in it, to look around."),
    "paths": ("config:paths_app", "Show where everything lives."),
    "completion": ("completion:app", "Print what makes a shell complete words at Tab."),
}
"""Name -> (module of this package and object in it, the line that `scrubjay --help` shows without importing it)."""


def build() -> App:
    """The command line as a whole; the groups are resolved lazily."""
    app = group("scrubjay", PAGE, version=__version__, version_flags=("--version",))
    for place, (name, (target, about)) in enumerate(COMMANDS.items()):
        app.command(f"bot.cli.{target}", name=name, help=about, sort_key=place)
    return app


def main(argv: Sequence[str] | None = None, *, clock: Clock | None = None, machine: Machine | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after `scrubjay`; those of this process if left out.
        clock: source of time; the machine's if left out.
        machine: what the system says, for `doctor`; the system itself if left out.

    Returns:
        The exit code, see `docs/errors.md`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # "?" for a sign that the terminal's character set lacks
            stream.reconfigure(errors="replace")
    one_thread_for_products()
    one_heap_for_threads()
    invocation = Invocation(clock=clock, machine=machine)
    with in_language(machine_language()), private_by_default(), ExitHandler(invocation) as exit_handler:
        words = sys.argv[1:] if argv is None else list(argv)
        command, bound, wanted = build().parse_args(words, print_error=False, exit_on_error=False)
        bound.arguments.update(dict.fromkeys(wanted, invocation))
        result = command(*bound.args, **bound.kwargs)
        if inspect.iscoroutine(result):
            import asyncio

            result = asyncio.run(result)
        exit_handler.code = result if isinstance(result, int) else 0
        sys.stdout.flush()
    return exit_handler.code
