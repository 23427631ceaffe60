"""The `scrubjay` command. Each group of commands is imported when it is called."""

from __future__ import annotations

import atexit
import gc
import inspect
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot import __version__
from bot.cli import front
from bot.cli.errors import ExitHandler
from bot.cli.invocation import Invocation
from bot.config.environment import machine_language, no_plugins, one_heap_for_threads, one_thread_for_products
from bot.errors import UsageError
from bot.paths import private_by_default
from bot.texts.catalogue import in_language, tr

if TYPE_CHECKING:
    from cyclopts import App

    from bot.doctor.base import Machine
    from memory import Clock


START_OBJECTS = 200_000
"""New objects after which rings of them are looked for: what a start makes stays, and a look through it takes long."""


def build() -> App:
    """The command line as a whole; the groups are resolved lazily."""
    from bot.cli.help import group  # cyclopts takes half of the time of `scrubjay --help`, which needs none of it

    app = group("scrubjay", front.PAGE, version=__version__, version_flags=("--version",))
    for place, (name, (target, about)) in enumerate(front.COMMANDS.items()):
        app.command(f"bot.cli.commands.{target}", name=name, help=about, sort_key=place)
    return app


def main(argv: Sequence[str] | None = None, *, clock: Clock | None = None, machine: Machine | None = None) -> int:
    """Run one command: the words after `scrubjay`, those of this process if left out; return its exit code.

    `docs/errors.md` has the codes; `Invocation` says what `clock` and `machine` are for.
    """
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        if getattr(sys, name) is None:  # closed; else the next file that is opened gets its number, and what is printed
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # "?" for a sign that the terminal's character set lacks
            stream.reconfigure(errors="replace")
    gc.set_threshold(START_OBJECTS)
    atexit.register(gc.freeze)  # at the end of the process all of it goes, looked through or not
    one_thread_for_products()
    no_plugins()
    one_heap_for_threads()
    invocation = Invocation(clock=clock, machine=machine)
    with in_language(machine_language()), private_by_default(), ExitHandler(invocation) as exit_handler:
        words = sys.argv[1:] if argv is None else list(argv)
        if words in ([], ["--help"], ["-h"]):
            front.show(invocation.terminal.console)
            return 0
        command, bound, wanted = build().parse_args(words, print_error=False, exit_on_error=False)
        is_named = any(word and Path(word) == Path() for word in words)  # the folder itself, as "." or "./"
        if not is_named and any(word == "" or word.endswith("=") for word in words):
            # as of a variable of the shell that is not set; as a path it would be the current folder
            for name in (name for name, value in bound.arguments.items() if repr(Path()) in repr(value)):
                hint = tr("Try: {command}", command=f"scrubjay {words[0]} --help")
                raise UsageError(tr("A value for {name} is missing.", name=name.upper()), hint=hint)
        bound.arguments.update(dict.fromkeys(wanted, invocation))
        invocation.terminal.as_json = bound.arguments.pop("json", False)
        answer = command(*bound.args, **bound.kwargs)
        if inspect.iscoroutine(answer):
            import asyncio

            answer = asyncio.run(answer)
        if invocation.terminal.as_json and answer is not None:
            invocation.terminal.json(answer)
        exit_handler.code = invocation.exit_code
        sys.stdout.flush()
    return exit_handler.code
