"""Help pages, and options that commands share."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

from cyclopts import App, Group, Parameter

from bot.cli.front import entry
from bot.cli.invocation import Invocation
from bot.errors import UsageError
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

    from memory import Filter, Scope


F = TypeVar("F", bound=Callable[..., Any])

Answer: TypeAlias = dict[str, Any]
"""What a command comes to, as `--json` prints it."""

JSON: Final = "Print one JSON object instead of text."


def group(name: str, page: str, **more: Any) -> App:
    """A group of commands, or the whole program; `more` goes to `cyclopts.App`.

    Its page has one line on what it is for, then examples; a group that is called without arguments shows it.
    """
    settings: dict[str, Any] = {"version_flags": ()} | more
    return App(
        name=name,
        help=inspect.cleandoc(page).partition("\n")[0],
        help_format="plaintext",
        help_formatter=Page(inspect.cleandoc(page)),
        default_parameter=Parameter(negative=()),
        group_parameters=Group("Options"),
        **settings,
    )


def command(
    parent: App, name: str = "", *, above: str = "scrubjay", alias: str | None = None, json: str = ""
) -> Callable[[F], F]:
    """Add a function to a group under its own name, and a second one if need be; its docstring is its page.

    `above` is what is typed before the group's name, `json` as for `single`.
    """

    def add(function: F) -> F:
        called = name or function.__name__.replace("_", "-")
        under = f"{above} {parent.name[0]}"
        parent.command(single(called, function, under=under, sort_key=len([*parent]), alias=alias, json=json))
        return function

    return add


def single(
    name: str,
    function: Callable[..., Any],
    *,
    under: str = "scrubjay",
    sort_key: int | None = None,
    alias: str | None = None,
    json: str = "",
) -> App:
    """A command of its own; the function's docstring is its page.

    With `json`, what the page says of it, there is an option `--json`. It is no parameter of the function: `main` takes
    it, leaves out whatever the function prints for people, and prints the `Answer` that it returns.
    """
    if json:
        described: Any = function  # `inspect.signature`, by which cyclopts reads it, takes one that is set
        *others, run = inspect.signature(function).parameters.values()
        option = Annotated[bool, Parameter(help=json)]
        added = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=option)
        described.__signature__ = inspect.Signature([*others, added, run])
    usage = f"{under} {name}{_arguments(function)}"
    # as a setting it is checked when it is called, and not each of them at every start
    return group(name, function.__doc__ or "", default_command=function, usage=usage, sort_key=sort_key, alias=alias)


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
    """Lays out what a command does, with its examples, and then what cyclopts knows about it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print one panel: a title, and under it a line for each command, argument or option."""
        entries = [row for row in panel.entries if row.display_labels]
        if not entries:
            return
        console.print(f"{panel.title}:", style="bold", highlight=False, markup=False)
        for row in entries:
            labels = row.display_labels_with_metavar if row.metavar else row.display_labels
            inner = getattr(row.description, "primary_renderable", row.description)
            about = str(getattr(inner, "plain", inner or "")).strip()
            if row.default not in {None, "", '""', "()", "False"}:
                about += f" [default: {row.default}]"
            line = entry(", ".join(labels), about, options.max_width)
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        console.print()

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Print what the command does, in lines that the terminal has room for, and how it is called."""
        for part in self.text.split("\n\n"):
            stays = part.startswith("Examples:") or all(len(line) <= options.max_width for line in part.splitlines())
            told = part if stays else textwrap.fill(part, options.max_width)
            console.print(f"{told}\n", highlight=False, markup=False, soft_wrap=True)
        line = str(usage).strip().removeprefix("Usage:").strip()
        console.print(f"Usage: {line}", highlight=False, markup=False, soft_wrap=True)
        console.print()

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Print nothing: the page begins with it."""


def _check_count(_type: object, count: int) -> None:
    if count < 1:
        raise UsageError(tr("--limit is {count}.", count=count), hint=tr("Ask for one or more."))


Run: TypeAlias = Annotated[Invocation, Parameter(parse=False)]
"""How a command asks for its invocation."""

AgentOption: TypeAlias = Annotated[
    str | None, Parameter(alias="-a", metavar="NAME", help="Whose memory; the default agent if left out.")
]
LimitOption: TypeAlias = Annotated[
    int | None, Parameter(alias=("--k", "-k", "-n"), metavar="N", help="How many passages at most, 1 to 50.")
]
CountOption: TypeAlias = Annotated[
    int, Parameter(alias="-n", metavar="N", help="How many at most.", validator=_check_count)
]
WordsOption: TypeAlias = Annotated[
    bool, Parameter(help="Search words alone: nothing that meaning needs is loaded, which is faster.")
]
NoInputOption: TypeAlias = Annotated[bool, Parameter(help="Never ask; fail where an answer would be needed.")]
YesOption: TypeAlias = Annotated[bool, Parameter(alias="-y", help="Do it without asking.")]


def most_passages(limit: int | None, usual: int) -> int:
    """How many passages are wanted, of at most 50; raises `UsageError` for another number."""
    if limit is not None and not 1 <= limit <= 50:
        message = tr("{count} passages cannot be handed over.", count=limit)
        raise UsageError(message, hint=tr("Give --limit a number from 1 to 50."))
    return usual if limit is None else limit


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Whose:
    """Whose memory, and whose facts in it."""

    agent: AgentOption = None
    facts: Annotated[
        str, Parameter(name="--scope", metavar="SCOPE", help="Whose facts: owner, or chat:<id> for one group or guest.")
    ] = "owner"

    @property
    def scope(self) -> Scope:
        """The scope of these facts; raises `UsageError` if it is neither `owner` nor `chat:<id>`."""
        from memory import OWNER, chat_scope

        if self.facts == OWNER:
            return OWNER
        kind, _, chat = self.facts.partition(":")
        if kind != "chat" or not chat:
            message = tr('"{written}" is not a scope.', written=self.facts)
            raise UsageError(message, hint=tr("Write owner, or chat:<id> (see /whoami in the chat)."))
        return chat_scope(chat)


OWNERS = Whose()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class FilterArguments:
    """What narrows a search."""

    entity: Annotated[tuple[str, ...], Parameter(metavar="NAME")] = ()
    """Only what is about NAME, or another name of it."""
    kind: Annotated[tuple[str, ...], Parameter(metavar="KIND")] = ()
    """Only world, experience, opinion, observation, procedure, intention or note."""
    category: Annotated[tuple[str, ...], Parameter(metavar="NAME")] = ()
    """Only facts of a category: decision, preference."""
    tag: Annotated[tuple[str, ...], Parameter(metavar="NAME")] = ()
    """Only facts with a hashtag of yours: garden."""
    since: Annotated[str | None, Parameter(metavar="DAY")] = None
    """Only what is about DAY or later: 2026-01-31, 30d, "last week"."""
    until: Annotated[str | None, Parameter(metavar="DAY")] = None
    """Only what is about DAY or earlier."""
    as_of: Annotated[str | None, Parameter(metavar="DAY")] = None
    """Only what held on DAY, or in a month: 2025-11."""
    believed: Annotated[str | None, Parameter(metavar="DAY")] = None
    """Only what had been written down by the end of DAY."""
    faded: bool = False
    """Find what has faded, or was merged into another fact, too."""
    under: Annotated[tuple[str, ...], Parameter(name="--in", metavar="PLACE")] = ()
    """Only what is in one file or folder, or an extra folder, by its name."""

    def resolve(self, run: Invocation) -> Filter:
        """What it lets through; days are counted from the owner's today. Raises `FilterRefused`."""
        from memory.recall.filters import FilterOptions

        return FilterOptions(*astuple(self)).resolve(run.today)


ANYTHING = FilterArguments()


def joined(words: Sequence[str]) -> str:
    """The words of a question or statement, which need no quotes; raises `UsageError` if they are not UTF-8 text."""
    text = " ".join(words).strip()
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        message = tr("What was typed is not UTF-8 text.")
        raise UsageError(message, hint=tr("Check the terminal's character set.")) from error
    return text
