"""config.yaml and the environment -> the configuration, or every problem with file, line and column."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.config import Config, standard_agents
from bot.configuring.check import ConfigProblem, Locator, check
from bot.configuring.complaints import Place, Unparsed
from bot.configuring.options import Options
from bot.configuring.tree import Key, Tree, read
from bot.configuring.variables import Unfilled, Variables
from bot.errors import ConfigError
from bot.llm.options import ModelOptions
from bot.llm.providers import Found, with_keys
from bot.paths import Home, reason
from bot.suggest import did_you_mean

PREFIX = "SCRUBJAY__"
"""`SCRUBJAY__MEMORY__RECALL__LIMIT=10` sets `memory.recall.limit` and wins over the file."""

LARGEST = 1024 * 1024
"""Bytes of a configuration. The whole example is a few KB; anything larger is another file by mistake."""

RETIRED: Mapping[str, str] = {}
"""Options that older versions had -> what to do now. Each stays here for two minor versions."""


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


def load(home: Home, *, environment: Mapping[str, str] = os.environ) -> Loaded:
    """Read the configuration of a home; a home without a file has the defaults.

    Raises:
        ConfigError: it cannot be used; the message holds every reason with its line.
    """
    found = examine(home, environment=environment)
    if found.config is None:
        fatal = [str(problem) for problem in found.problems if problem.fatal]
        raise ConfigError(
            "The configuration cannot be used.\n" + "\n".join(fatal),
            hint="\nNothing was started. `scrubjay config check` shows every problem, `scrubjay config example` every "
            "option.",
        )
    return Loaded(found.config, found.problems, found.origins)


def examine(home: Home, *, draft: str | None = None, environment: Mapping[str, str] = os.environ) -> Examined:
    """Look at the configuration of a home without raising, whatever the file holds.

    Args:
        home: whose file it is.
        draft: the file's text as it would be, in the place of the one on the disk.
        environment: the variables.
    """
    path = home.config
    try:
        tree = _tree(path) if draft is None else read(draft)
    except Unparsed as error:
        whole = error.place.line == 0
        problem = ConfigProblem(str(path), None if whole else error.place, "", error.message, error.hint, fatal=True)
        return Examined(None, (problem,), {})
    locator = Locator(str(path), tree, _override(tree, environment))
    problems = _fill(locator, Variables(environment, path.parent))
    if any(problem.fatal for problem in problems):
        return Examined(None, tuple(problems), {})
    checked = check(Config, locator, retired=RETIRED)
    problems += checked.problems
    if checked.model is not None:
        problems += [*_overlaps(checked.model, home, locator), *_doubts(checked.model, locator)]
    usable = None if any(problem.fatal for problem in problems) else checked.model
    return Examined(usable, tuple(sorted(problems, key=_by_line)), _origins(locator, path.name))


def detected(environment: Mapping[str, str] = os.environ) -> tuple[Found, ...]:
    """Providers of language models whose key stands in the environment; nothing is sent."""
    return with_keys(environment)


def _tree(path: Path) -> Tree:
    return read(_text(path)) if path.exists() or path.is_symlink() else Tree()


def _text(path: Path) -> str:
    if path.is_dir():
        raise _unread("this is a folder, not a file", "Move it away, then run: scrubjay init")
    if path.exists() and not path.is_file():
        raise _unread("this is not a regular file", "Put a text file in its place, or run: scrubjay config example")
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= LARGEST else b""
    except OSError as error:
        raise _unread(f"the file cannot be read ({reason(error)})", "Check who owns it and its permissions.") from error
    if size > LARGEST:
        raise _unread(f"the file has {size // 1024} KB, allowed 1024 KB", "Is it another file by mistake?")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _unread("the file is UTF-16 text, allowed UTF-8", "Save it as UTF-8 in your editor.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Place(before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1)
        found = f"found the byte 0x{content[error.start]:02x}, which is not UTF-8 text"
        raise Unparsed(found, place, hint="Save the file as UTF-8 in your editor.") from error


def _unread(message: str, hint: str) -> Unparsed:
    return Unparsed(message, Place(0, 0), hint=hint)


def _override(tree: Tree, environment: Mapping[str, str]) -> dict[Key, str]:
    """Put the options that variables set into the tree; which variable set which option."""
    wanted = sorted(name for name in environment if name.startswith(PREFIX))
    if not wanted:
        return {}
    options, variables = Options(Config), dict[Key, str]()
    for variable in wanted:
        key = _key(variable, options)
        if key[0] == "agents" and "agents" not in tree.root:
            tree.root["agents"] = {name: {"about": agent.about} for name, agent in standard_agents().items()}
        tree.put(key, environment[variable].replace("$", "$$"))
        variables[key] = variable
    return variables


def _key(variable: str, options: Options) -> tuple[str, ...]:
    key: tuple[str, ...] = ()
    for step in variable.removeprefix(PREFIX).lower().split("__"):
        # where the user chooses the names, they have hyphens, which a variable cannot have
        key = (*key, step if options.names(key) else step.replace("_", "-"))
    return key


def _fill(locator: Locator, variables: Variables) -> list[ConfigProblem]:
    problems: list[ConfigProblem] = []

    def filled(key: Key, text: str) -> str:
        try:
            return variables.fill(text)
        except Unfilled as error:
            problems.append(locator.problem(key, error.message, hint=error.hint))
            return text

    locator.tree.replace_texts(filled)
    return problems


def _overlaps(config: Config, home: Home, locator: Locator) -> Iterator[ConfigProblem]:
    """No agent may see another's memory, so no workspace may be, or lie in, another one; nor may an extra folder."""
    places = {name: home.workspace(name, agent.workspace) for name, agent in config.agents.items()}
    yield from _extra_overlaps(config, home, locator, places)
    for name, place in places.items():
        for other, theirs in places.items():
            inside = place.is_relative_to(theirs) and name != other
            if inside and (place != theirs or name > other):
                yield locator.problem(
                    ("agents", name, "workspace"),
                    f"found {place}, allowed a folder apart from the one of {other} ({theirs})",
                    hint=f"Otherwise {other} would see what {name} remembers.",
                )


def _doubts(config: Config, locator: Locator) -> Iterator[ConfigProblem]:
    """What is possible, and hardly meant, about the models."""
    sections: list[tuple[Key, ModelOptions]] = [(("model",), config.model)]
    for agent, own in config.agents.items():
        if own.model and own.model.name:
            sections.append((("agents", agent, "model"), config.model_of(agent)))
    for key, options in sections:
        for name, message, hint in options.doubts():
            yield locator.problem((*key, name), message, hint=hint, fatal=False)
    yield from _trusted_doubts(config, locator)


def _trusted_doubts(config: Config, locator: Locator) -> Iterator[ConfigProblem]:
    """Names of trusted folders that no agent has."""
    common: Key = ("memory",)
    found: dict[Key, tuple[Collection[str], set[str]]] = {
        common: (config.memory.extra_trusted, {*config.memory.extra_paths})
    }
    for name, agent in config.agents.items():
        folders = {*config.memory_of(name).extra_paths}
        found[common][1].update(folders)
        if agent.memory and "extra_trusted" in agent.memory.model_fields_set:
            found["agents", name, "memory"] = (agent.memory.extra_trusted, folders)
    for key, (trusted, known) in found.items():
        for name in trusted:
            if name not in known:
                hint = did_you_mean(name, sorted(known)) or "Name one of the folders in extra_paths."
                message = f'found "{name}", which is no folder in extra_paths'
                yield locator.problem((*key, "extra_trusted"), message, hint=hint, fatal=False)


def _extra_overlaps(
    config: Config, home: Home, locator: Locator, places: Mapping[str, Path]
) -> Iterator[ConfigProblem]:
    owns: list[tuple[Key, Mapping[str, Path]]] = [(("memory",), config.memory.extra_paths)]
    owns += [
        (("agents", name, "memory"), agent.memory.extra_paths) for name, agent in config.agents.items() if agent.memory
    ]
    for key, folders in owns:
        for name, written in folders.items():
            folder = home.folder(written)
            for agent, place in places.items():
                if folder.is_relative_to(place) or place.is_relative_to(folder):
                    yield locator.problem(
                        (*key, "extra_paths", name),
                        f"found {folder}, allowed a folder apart from the workspace of {agent} ({place})",
                        hint="What lies in a workspace is remembered anyway.",
                    )


def _origins(locator: Locator, file: str) -> dict[str, str]:
    origins = {
        ".".join(map(str, key)): f"{file}:{place.line}" for key, place in locator.tree.values.items() if place.line
    }
    return origins | {".".join(map(str, key)): variable for key, variable in locator.variables.items()}


def _by_line(problem: ConfigProblem) -> tuple[int, int]:
    return (problem.place.line, problem.place.column) if problem.place else (0, 0)
