"""The page that `scrubjay` shows by itself; it is drawn without the library that reads the words of a command."""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

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
    "paths": ("status:paths_app", "Show where everything lives."),
    "completion": ("completion:app", "Print what makes a shell complete words at Tab."),
}
"""Name -> (module of this package and object in it, the line that `scrubjay --help` shows without importing it)."""

OWN_OPTIONS = {"--help, -h": "Display this message and exit.", "--version": "Display application version."}

MAX_COLUMNS = 100
"""Columns; longer lines are hard to read even where there is room."""

LABEL_COLUMNS = 22
"""Columns for names; a longer name has its explanation on the next line."""


def entry(label: str, about: str, columns: int) -> str:
    """A name with its explanation beside it, or below where there is little room; for a page of so many columns."""
    indent = LABEL_COLUMNS + 2 if columns >= 2 * LABEL_COLUMNS + 2 else 4
    lines = textwrap.wrap(about, max(min(columns, MAX_COLUMNS) - indent, 16)) or [""]
    if len(label) > indent - 4:
        lines.insert(0, "")
    first, *rest = lines
    return "\n".join([f"  {label:<{indent - 2}}{first}".rstrip(), *(" " * indent + line for line in rest)])


def show(console: Console) -> None:
    """Print the page."""
    console.print(inspect.cleandoc(PAGE) + "\n\nUsage: scrubjay COMMAND\n")
    console.print("Commands:", style="bold")
    for name, about in ({name: about for name, (_, about) in COMMANDS.items()} | OWN_OPTIONS).items():
        console.print(entry(name, about, console.width))
    console.print()
