"""The commands as the platforms' own menus show them."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.offer import MenuEntry
from bot.commands.base import Command


def menu(commands: Iterable[Command]) -> tuple[MenuEntry, ...]:
    """An entry for each command, in order."""
    return tuple(map(_entry, commands))


def _entry(command: Command) -> MenuEntry:
    """`/new [TITLE]` takes an argument called "title", which may be left out."""
    argument = command.usage.removeprefix(f"/{command.name}").strip()
    return MenuEntry(
        command.name,
        command.summary,
        argument=argument.strip("[]").lower(),
        required=bool(argument) and not argument.startswith("["),
        private=command.private,
        on_message=command.on_message,
    )
