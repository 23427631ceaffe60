"""The `scrubjay` command. Each group of commands is imported when it is called."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cyclopts import App

from bot import __version__
from bot.cli.errors import ExitHandler
from bot.cli.help import group
from bot.cli.invocation import Invocation
from bot.paths import one_heap_for_threads, one_thread_for_products, private_by_default

if TYPE_CHECKING:
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
    "init": "Set up a home: its folders, agents, language model.",
    "run": "Serve the bots on Telegram and Discord.",
    "chat": "Talk to an agent in this terminal.",
    "memory": "Look into what an agent remembers, and change it.",
    "sessions": "Look conversations up, read them, take them along.",
    "agents": "Who there is to talk to.",
    "pair": "Let people in.",
    "config": "Check and show the configuration.",
    "status": "Show on one screen what is here and whether it runs.",
    "doctor": "Look for what could be wrong, and say what to do.",
    "paths": "Show where everything lives.",
}
"""What `scrubjay --help` says of each file in this folder, without importing it."""


def build() -> App:
    """The command line as a whole; the groups are resolved lazily."""
    app = group("scrubjay", PAGE, version=__version__, version_flags=("--version",))
    for place, (name, about) in enumerate(COMMANDS.items()):
        app.command(f"bot.cli.{name}:app", name=name, help=about, sort_key=place)
    return app


def main(argv: Sequence[str] | None = None, *, clock: Clock | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after `scrubjay`; those of this process if left out.
        clock: source of time; the machine's if left out.

    Returns:
        The exit code, see `docs/errors.md`.
    """
    _never_fail_to_print()
    one_thread_for_products()
    one_heap_for_threads()
    invocation = Invocation(clock=clock)
    with private_by_default(), ExitHandler(invocation) as edge:
        edge.code = _run(sys.argv[1:] if argv is None else list(argv), invocation)
        sys.stdout.flush()
    return edge.code


def _run(words: list[str], invocation: Invocation) -> int:
    command, bound, wanted = build().parse_args(words, print_error=False, exit_on_error=False)
    for name in wanted:
        bound.arguments[name] = invocation
    result = command(*bound.args, **bound.kwargs)
    if inspect.iscoroutine(result):
        import asyncio

        result = asyncio.run(result)
    return result if isinstance(result, int) else 0


def _never_fail_to_print() -> None:
    """Where the terminal's character set lacks a sign, print a question mark instead of a traceback."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
