"""What an account offers in the menu of its platform."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A command as a platform's own menu shows it.

    Attributes:
        name: without the slash.
        summary: one line.
        argument: what to type after the name, in a word or two; empty if nothing.
        required: whether it makes no sense without the argument.
        private: the answer is only for the person who asked.
        on_message: what the command is called in the menu of a message, which it is then applied to; empty if it is
            not offered there.
    """

    name: str
    summary: str
    argument: str = ""
    required: bool = False
    private: bool = False
    on_message: str = ""
