"""Help pages: what the command does, examples, how it is called, its options; plain lines that fit any terminal."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from cyclopts import App, Group, Parameter

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

F = TypeVar("F", bound=Callable[..., Any])

WIDEST = 100
"""Columns; longer lines are hard to read even where there is room."""

LABELS = 22
"""Columns for names; a longer name has its explanation on the next line."""


def group(name: str, page: str, **more: Any) -> App:
    """A group of commands, or the whole program.

    Args:
        name: what is typed.
        page: one line on what it is for, then examples; the page that a group shows when called without arguments.
        more: further arguments of `cyclopts.App`.
    """
    settings: dict[str, Any] = {"version_flags": ()} | more
    return App(
        name=name,
        help=_first_line(page),
        help_prologue=inspect.cleandoc(page),
        help_format="plaintext",
        help_formatter=Page(),
        default_parameter=Parameter(negative=()),
        group_parameters=Group("Options"),
        **settings,
    )


def command(parent: App, name: str = "") -> Callable[[F], F]:
    """Add a function to a group under its own name; its docstring is its page."""

    def add(function: F) -> F:
        called = name or function.__name__.replace("_", "-")
        under = f"scrubjay {parent.name[0]}"
        parent.command(single(called, function, under=under, sort_key=len([*parent])))
        return function

    return add


def single(name: str, function: Callable[..., Any], *, under: str = "scrubjay", sort_key: int | None = None) -> App:
    """A command of its own; the function's docstring is its page."""
    usage = f"{under} {name}{_arguments(function)}"
    app = group(name, function.__doc__ or "", usage=usage, sort_key=sort_key)
    app.default(function)
    return app


def _first_line(page: str) -> str:
    return inspect.cleandoc(page).partition("\n")[0]


def _arguments(function: Callable[..., Any]) -> str:
    """What follows a command's name: ` QUERY... [OPTIONS]`. Nobody types `run`: it brings the collaborators."""
    words = options = ""
    for parameter in inspect.signature(function).parameters.values():
        name = parameter.name.upper()
        if parameter.kind is parameter.VAR_POSITIONAL:
            words += f" {name}..."
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            words += f" [{name}]" if parameter.default is not parameter.empty else f" {name}"
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "run":
            options = " [OPTIONS]"
    return words + options


class Page:
    """Lays out what cyclopts knows about a command. What the command does was said before, with its examples."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print one panel: a title, and under it a line for each command, argument or option."""
        entries = [entry for entry in panel.entries if entry.display_labels]
        if not entries:
            return
        console.print(f"{panel.title}:", style="bold", highlight=False, markup=False)
        width = min(options.max_width, WIDEST)
        for entry in entries:
            console.print(_entry(entry, width), highlight=False, markup=False, soft_wrap=True)
        console.print()

    def render_usage(self, console: Console, _options: ConsoleOptions, usage: Any) -> None:
        """Print how the command is called."""
        line = str(usage).strip().removeprefix("Usage:").strip()
        console.print(f"Usage: {line}", highlight=False, markup=False, soft_wrap=True)
        console.print()

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Print nothing: the page began with it."""


def _entry(entry: HelpEntry, width: int) -> str:
    labels = entry.display_labels_with_metavar if entry.metavar else entry.display_labels
    label = ", ".join(labels)
    about = _about(entry)
    lines = textwrap.wrap(about, max(width - LABELS - 2, 20)) or [""]
    if len(label) > LABELS - 2:
        lines.insert(0, "")
    first, *rest = lines
    return "\n".join([f"  {label:<{LABELS}}{first}".rstrip(), *(" " * (LABELS + 2) + line for line in rest)])


def _about(entry: HelpEntry) -> str:
    inner = getattr(entry.description, "primary_renderable", entry.description)
    about = str(getattr(inner, "plain", inner or "")).strip()
    return f"{about} [default: {entry.default}]" if entry.default not in {None, "", '""', "False"} else about
