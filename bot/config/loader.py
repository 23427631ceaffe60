"""The configuration from file and environment: its options, or every problem with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.config.environment import VARIABLES
from bot.config.model import Config, standard_agents
from bot.config.options.memory import MemoryOptions
from bot.config.options.providers import PrimaryModelOptions
from bot.config.options.usage import COST_CAPS
from bot.config.references import Unfilled, fill
from bot.config.retired import SINCE, take_over
from bot.config.schema import Options
from bot.config.yaml_tree import Key, Position, Tree, Unparsed, dotted, read, value_below
from bot.errors import ConfigError
from bot.paths import Home, reason
from bot.texts.formatting import did_you_mean

PREFIX = "SCRUBJAY__"
"""`SCRUBJAY__MEMORY__RECALL__LIMIT=10` sets `memory.recall.limit` and wins over the file."""

MAX_CONFIG_BYTES = 1024 * 1024
"""Bytes of a configuration. The whole example is a few KB; anything larger is another file by mistake."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Something in the configuration that is wrong.

    Attributes:
        source: the file, or the environment variable that sets the option.
        place: where in the file; None for a variable, or when the whole file is meant.
        key: the option, dotted; empty when the file as such is meant.
        message: what was found and what is allowed.
        fatal: the program cannot start with it. What is merely unknown is left out with a warning.
        is_retired: the option has another name now, and is understood by its old one.
    """

    source: str
    place: Position | None
    key: str
    message: str
    hint: str
    fatal: bool
    is_retired: bool = False

    def __str__(self) -> str:
        where = f"{self.source}:{self.place.line}:{self.place.column}" if self.place else self.source
        named = f"{self.key}: " if self.key else ""
        return f"{where}: {named}{self.message}. {self.hint}".rstrip()


@dataclass(frozen=True, slots=True)
class Examined:
    """What a configuration says, and what is wrong with it.

    Attributes:
        config: the options; None when a problem is fatal.
        problems: everything that is wrong, in the order of the file.
        origins: dotted option -> who set it (`config.yaml:12` or a variable); the others have their default.
    """

    config: Config | None
    problems: tuple[ConfigProblem, ...]
    origins: dict[str, str]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration that can be used; the options that nothing knows were left out of it with a warning."""

    config: Config
    warnings: tuple[ConfigProblem, ...]
    origins: dict[str, str]


def load(home: Home, *, environment: Mapping[str, str] = VARIABLES) -> Loaded:
    """Read the configuration of a home; a home without a file has the defaults.

    Raises:
        ConfigError: it cannot be used; the message holds every reason with its line.
    """
    examined = examine(home, environment=environment)
    if examined.config is None:
        fatal = [str(problem) for problem in examined.problems if problem.fatal]
        good = f"\nThe last one that could be used is kept: {home.config_good}" if home.config_good.exists() else ""
        raise ConfigError(
            "The configuration cannot be used.\n" + "\n".join(fatal),
            hint="\nNothing was started. `scrubjay config check` shows every problem, `scrubjay config example` every "
            f"option.{good}",
        )
    return Loaded(examined.config, examined.problems, examined.origins)


def examine(home: Home, *, draft: str | None = None, environment: Mapping[str, str] = VARIABLES) -> Examined:
    """Look at the configuration of a home, or a draft of its text, without raising, whatever it holds."""
    path = home.config
    try:
        if draft is None:
            draft = read_text(path)
        tree = read(draft)
    except Unparsed as error:
        whole = error.place.line == 0
        problem = ConfigProblem(str(path), None if whole else error.place, "", error.message, error.hint, fatal=True)
        return Examined(None, (problem,), {})
    locator = Locator(str(path), tree, _override(tree, environment))
    problems = [*_retired(locator)]
    problems += _fill(locator, environment, path.parent)
    if any(problem.fatal for problem in problems):
        return Examined(None, tuple(problems), {})
    config, mistakes = check(Config, locator)
    problems += mistakes
    if config is not None:
        problems += _overlaps(config, home, locator)
        problems += _model_doubts(config, locator)
        problems += _trusted_doubts(config, locator)
    usable = None if any(problem.fatal for problem in problems) else config
    problems.sort(key=lambda problem: (problem.place.line, problem.place.column) if problem.place else (0, 0))
    origins = {dotted(key): f"{path.name}:{place.line}" for key, place in tree.values.items() if place.line}
    origins |= {dotted(key): variable for key, variable in locator.variables.items()}
    return Examined(usable, tuple(problems), origins)


def read_text(path: Path) -> str:
    """The text of a configuration file; nothing if there is none. Raises `Unparsed` if it is too large or no UTF-8."""
    if not path.exists() and not path.is_symlink():
        return ""
    if path.is_dir():
        raise _unread("this is a folder, not a file", "Move it away, then run: scrubjay init")
    if path.exists() and not path.is_file():
        raise _unread("this is not a regular file", "Put a text file in its place, or run: scrubjay config example")
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= MAX_CONFIG_BYTES else b""
    except OSError as error:
        raise _unread(f"the file cannot be read ({reason(error)})", "Check who owns it and its permissions.") from error
    if size > MAX_CONFIG_BYTES:
        raise _unread(f"the file has {size // 1024} KB, allowed 1024 KB", "Is it another file by mistake?")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _unread("the file is UTF-16 text, allowed UTF-8", "Save it as UTF-8 in your editor.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Position(before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1)
        message = f"found the byte 0x{content[error.start]:02x}, which is not UTF-8 text"
        raise Unparsed(message, place, hint="Save the file as UTF-8 in your editor.") from error


def _unread(message: str, hint: str) -> Unparsed:
    return Unparsed(message, Position(0, 0), hint=hint)


def parse_value(given: str, *, is_list: bool) -> object:
    """Return what was typed in one line for an option that is no text: YAML, or of a list words with commas between."""
    try:
        value = read(f"value: {given}").root.get("value")
    except Unparsed:
        value = given
    if is_list and not isinstance(value, list):
        return [word for part in given.split(",") if (word := part.strip())]
    return value


def _override(tree: Tree, environment: Mapping[str, str]) -> dict[Key, str]:
    """Put the options that variables set into the tree; which variable set which option."""
    wanted = sorted(name for name in environment if name.startswith(PREFIX))
    if not wanted:
        return {}
    options, variables = Options(Config), dict[Key, str]()
    for variable in wanted:
        key: tuple[str, ...] = ()
        for step in variable.removeprefix(PREFIX).lower().split("__"):
            # where the user chooses the names, they have hyphens, which a variable cannot have
            key = (*key, step if options.names(key) else step.replace("_", "-"))
        if key[0] == "agents" and "agents" not in tree.root:
            tree.root["agents"] = {name: {"about": agent.about} for name, agent in standard_agents().items()}
        given = environment[variable].replace("$", "$$")
        tree.put(key, parse_value(given, is_list=True) if options.is_list(key) else given)
        variables[key] = variable
    return variables


def _retired(locator: Locator) -> Iterator[ConfigProblem]:
    """Put what stands under retired names under the new ones; what to tell of it."""
    for move in take_over(locator.tree, locator.variables):
        new = dotted(move.new)
        counts = f"Its value is not used, since {new} is set, too." if move.is_set else "Its value is used."
        hint = f"{counts} `scrubjay doctor --fix` writes the new name."
        message = f"since {SINCE} this option is called {new}"
        yield replace(locator.problem(move.old, message, hint=hint, fatal=False), is_retired=True)


def _fill(locator: Locator, environment: Mapping[str, str], folder: Path) -> list[ConfigProblem]:
    problems: list[ConfigProblem] = []

    def filled(key: Key, text: str) -> str:
        try:
            return fill(text, environment, folder)
        except Unfilled as error:
            problems.append(locator.problem(key, error.message, hint=error.hint))
            return text

    locator.tree.replace_texts(filled)
    return problems


M = TypeVar("M", bound=BaseModel)
WORD = re.compile(r"[\w-]+")

ROUNDS = 3
"""Checks over several options run only once each of them is right by itself."""


@dataclass(frozen=True, slots=True)
class Locator:
    """Knows who set an option: a place in the file, or an environment variable."""

    file: str
    tree: Tree
    variables: dict[Key, str]

    def problem(
        self, key: Key, message: str, *, hint: str = "", fatal: bool = True, of_name: bool = False
    ) -> ConfigProblem:
        """A problem at the place where the option was set; at its name if that is what is wrong."""
        variable = self._variable(key)
        place = None if variable else self.tree.place(key, of_name=of_name or not fatal)
        return ConfigProblem(variable or self.file, place, dotted(key), message, hint, fatal)

    def _variable(self, key: Key) -> str | None:
        """The variable that set an option or what it is part of, or made a section which the file does not have."""
        if named := next((key[:end] for end in range(len(key), 0, -1) if key[:end] in self.variables), None):
            return self.variables[named]
        if key in self.tree.names:
            return None
        return next((name for inner, name in self.variables.items() if inner[: len(key)] == key), None)


def check(model: type[M], locator: Locator) -> tuple[M | None, list[ConfigProblem]]:
    """Return the model of what the locator's tree holds, None where a problem is fatal; and all problems.

    Unknown options are taken out of the tree, with a problem that is not fatal.
    """
    tree = locator.tree
    problems: list[ConfigProblem] = []
    for _ in range(ROUNDS):
        try:
            return model.model_validate(tree.root), problems
        except ValidationError as error:
            by_key = [*_problems(Options(model), locator, error)]
        problems += [problem for _, problem in by_key]
        if any(problem.fatal for problem in problems):
            break
        for key, _ in by_key:
            tree.drop(key)
    return None, problems


def _problems(options: Options, locator: Locator, error: ValidationError) -> Iterator[tuple[Key, ConfigProblem]]:
    """Read pydantic's errors."""
    for details in error.errors(include_url=False):
        key = tuple(details["loc"])
        if details["type"] == "extra_forbidden":
            known = options.names(key[:-1])
            hint = did_you_mean(str(key[-1]), known) or f"Here there are: {', '.join(known)}."
            yield key, locator.problem(key, "there is no such option", hint=hint, fatal=False)
        elif key[-1:] == ("[key]",):
            allowed = "allowed small letters a-z, digits and -, a letter first, 32 at most"
            hint = "It is also the name of a folder."
            message = f'found the name "{key[-2]}", {allowed}'
            yield key, locator.problem(key[:-1], message, hint=hint, of_name=True)
        else:
            yield key, _wrong(options, locator, key, details)


def _wrong(options: Options, locator: Locator, key: Key, details: ErrorDetails) -> ConfigProblem:
    context = details.get("ctx", {})
    at = str(context.get("at", ""))
    steps = tuple(int(step) if step.isdigit() else step for step in at.split(".")) if at else ()
    place, given = (*key, *steps), value_below(details["input"], steps)
    is_secret = options.is_secret(place)
    if details["type"] == "missing" or (given is None and not is_secret):
        value = "nothing"
    else:
        value = "something else" if is_secret else format_value(given)
    allowed = str(context.get("allowed", "")) or options.allowed(place)
    hint = str(context["hint"]) if details["type"] == "refused" else _hint(details, secret=is_secret)
    return locator.problem(place, f"found {value}, allowed {allowed}", hint=hint)


def format_value(value: object) -> str:
    """A value for the middle of a sentence."""
    if isinstance(value, dict):
        return "a section" if value else "an empty section"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return f'"{text[:60]}{"..." if len(text) > 60 else ""}"' if isinstance(value, str) else text


def _hint(details: ErrorDetails, *, secret: bool) -> str:
    given, kind = details["input"], details["type"]
    if kind == "string_type" and isinstance(given, int | float):
        return "Put it in quotes." if secret else f'Put it in quotes: "{format_value(given)}"'
    if kind == "literal_error":
        return did_you_mean(str(given), WORD.findall(str(details["ctx"]["expected"])))
    if kind in {"model_type", "model_attributes_type", "dict_type"}:
        return "Put its options on the lines below, indented by two spaces."
    return ""


def _overlaps(config: Config, home: Home, locator: Locator) -> Iterator[ConfigProblem]:
    """No agent may see another's memory, so no workspace may be, or lie in, another one; nor may an extra folder."""
    places = config.workspaces(home)
    owns: list[tuple[Key, Mapping[str, Path]]] = [(("memory",), config.memory.extra_paths)]
    owns += [
        (("agents", name, "memory"), agent.memory.extra_paths) for name, agent in config.agents.items() if agent.memory
    ]
    extra = [(key, name, home.folder(written)) for key, folders in owns for name, written in folders.items()]
    for (key, name, folder), (agent_name, place) in product(extra, places.items()):
        if folder.is_relative_to(place) or place.is_relative_to(folder):
            yield locator.problem(
                (*key, "extra_paths", name),
                f"found {folder}, allowed a folder apart from the workspace of {agent_name} ({place})",
                hint="What lies in a workspace is remembered anyway.",
            )
    for name, place in places.items():
        for other, theirs in places.items():
            inside = place.is_relative_to(theirs) and name != other
            if inside and (place != theirs or name > other):
                yield locator.problem(
                    ("agents", name, "workspace"),
                    f"found {place}, allowed a folder apart from the one of {other} ({theirs})",
                    hint=f"Otherwise {other} would see what {name} remembers.",
                )


def _model_doubts(config: Config, locator: Locator) -> Iterator[ConfigProblem]:
    """What is possible, and hardly meant, about models and their prices."""
    sections: list[tuple[Key, PrimaryModelOptions]] = [(("model",), config.model)]
    for agent, own in config.agents.items():
        if own.model and own.model.name:
            sections.append((("agents", agent, "model"), config.model_of(agent)))
    for key, options in sections:
        for number, model in enumerate(options.in_order or (options,)):
            place = (*key, "fallbacks", number - 1) if number else key
            for name, message, hint in model.doubts():
                yield locator.problem((*place, name), message, hint=hint, fatal=False)
    capped = next((name for name in COST_CAPS if getattr(config.usage, name)), "")
    used = {model.name for agent in config.agents for model in config.model_of(agent).in_order} if capped else set()
    for name in sorted(used - {price.model.partition(" at ")[0] for price in config.usage.prices}):
        message = f"{name} has no price, so what it takes does not count towards this"
        hint = "Add it to usage.prices; what costs nothing has the price 0."
        yield locator.problem(("usage", capped), message, hint=hint, fatal=False)


def _trusted_doubts(config: Config, locator: Locator) -> Iterator[ConfigProblem]:
    """Names of trusted folders that no agent has."""
    folders = {name: {*config.memory_of(name).extra_paths} for name in config.agents}
    anywhere = {*config.memory.extra_paths}.union(*folders.values())
    sections: list[tuple[Key, MemoryOptions, set[str]]] = [(("memory",), config.memory, anywhere)]
    for name, agent in config.agents.items():
        if agent.memory and "extra_trusted" in agent.memory.model_fields_set:
            sections.append((("agents", name, "memory"), agent.memory, folders[name]))
    for key, options, known in sections:
        for name in (folder for folder in options.extra_trusted if folder not in known):
            hint = did_you_mean(name, sorted(known)) or "Name one of the folders in extra_paths."
            message = f'found "{name}", which is no folder in extra_paths'
            yield locator.problem((*key, "extra_trusted"), message, hint=hint, fatal=False)
