"""A tree of values -> a checked model, and every problem with its place, what was found and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.configuring.complaints import Place
from bot.configuring.options import Options
from bot.configuring.tree import Key, Tree
from bot.suggest import did_you_mean

M = TypeVar("M", bound=BaseModel)

WORD = re.compile(r"[\w-]+")

ROUNDS = 3
"""Checks over several options run only once each of them is right by itself."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Something in the configuration that is wrong.

    Attributes:
        source: the file, or the environment variable that sets the option.
        place: where in the file; None for a variable, or when the whole file is meant.
        key: the option, dotted; empty when the file as such is meant.
        message: what was found and what is allowed.
        hint: what to do.
        fatal: the program cannot start with it. What is merely unknown is left out with a warning.
    """

    source: str
    place: Place | None
    key: str
    message: str
    hint: str
    fatal: bool

    def __str__(self) -> str:
        where = f"{self.source}:{self.place.line}:{self.place.column}" if self.place else self.source
        named = f"{self.key}: " if self.key else ""
        return f"{where}: {named}{self.message}. {self.hint}".rstrip()


@dataclass(frozen=True, slots=True)
class Checked(Generic[M]):
    """What came out: a model unless a problem is fatal."""

    model: M | None
    problems: tuple[ConfigProblem, ...]


@dataclass(frozen=True, slots=True)
class Locator:
    """Knows who set an option: a place in the file, or an environment variable."""

    file: str
    tree: Tree
    variables: Mapping[Key, str]

    def problem(
        self, key: Key, message: str, *, hint: str = "", fatal: bool = True, of_name: bool = False
    ) -> ConfigProblem:
        """A problem at the place where the option was set; at its name if that is what is wrong."""
        variable = self._variable(key)
        place = None if variable else self.tree.place(key, of_name=of_name or not fatal)
        return ConfigProblem(variable or self.file, place, ".".join(map(str, key)), message, hint, fatal)

    def _variable(self, key: Key) -> str | None:
        """The variable that set an option, or that made a section which the file does not have."""
        if key in self.variables or key in self.tree.names:
            return self.variables.get(key)
        return next((name for inner, name in self.variables.items() if inner[: len(key)] == key), None)


def check(model: type[M], locator: Locator, *, retired: Mapping[str, str]) -> Checked[M]:
    """Validate what the locator's tree holds. Unknown options are taken out of it, with a problem that is not fatal.

    Args:
        model: what the values have to fit.
        locator: the values, and where each comes from.
        retired: old option, dotted -> what to do now.
    """
    tree = locator.tree
    problems: list[ConfigProblem] = []
    for _ in range(ROUNDS):
        try:
            return Checked(model.model_validate(tree.root), tuple(problems))
        except ValidationError as error:
            found = list(_Reader(Options(model), locator, retired).problems(error))
        problems += [problem for _, problem in found]
        if any(problem.fatal for problem in problems):
            break
        for key, _ in found:
            tree.drop(key)
    return Checked(None, tuple(problems))


class _Reader:
    """Reads pydantic's errors."""

    def __init__(self, options: Options, locator: Locator, retired: Mapping[str, str]) -> None:
        self._options = options
        self._locator = locator
        self._retired = retired

    def problems(self, error: ValidationError) -> Iterator[tuple[Key, ConfigProblem]]:
        for details in error.errors(include_url=False):
            key = tuple(details["loc"])
            if details["type"] == "extra_forbidden":
                yield key, self._unknown(key)
            elif key[-1:] == ("[key]",):
                yield key, self._bad_name(key[:-1])
            else:
                yield key, self._wrong(key, details)

    def _unknown(self, key: Key) -> ConfigProblem:
        dotted, name = ".".join(map(str, key)), str(key[-1])
        if dotted in self._retired:
            return self._locator.problem(key, "this option is no longer used", hint=self._retired[dotted], fatal=False)
        here = self._options.names(key[:-1])
        hint = did_you_mean(name, here) or f"Here there are: {', '.join(here)}."
        return self._locator.problem(key, "there is no such option", hint=hint, fatal=False)

    def _bad_name(self, key: Key) -> ConfigProblem:
        return self._locator.problem(
            key,
            f'found the name "{key[-1]}", allowed small letters a-z, digits and -, a letter first, 32 at most',
            hint="It is also the name of a folder.",
            of_name=True,
        )

    def _wrong(self, key: Key, details: ErrorDetails) -> ConfigProblem:
        context = details.get("ctx", {})
        at = str(context.get("at", ""))
        steps = tuple(int(step) if step.isdigit() else step for step in at.split("."))
        place = (*key, *steps) if at else key
        ours = details["type"] == "refused"
        given = _inside(details["input"], place[len(key) :] if at else ())
        value = "nothing" if details["type"] == "missing" else self._found(place, given)
        allowed = str(context.get("allowed", "")) or self._options.allowed(place)
        hint = str(context["hint"]) if ours else _hint(details, secret=self._options.is_secret(place))
        return self._locator.problem(place, f"found {value}, allowed {allowed}", hint=hint)

    def _found(self, key: Key, given: object) -> str:
        if self._options.is_secret(key):
            return "something else"
        return "nothing" if given is None else shown(given)


def _inside(given: object, key: Key) -> object:
    for step in key:
        if isinstance(given, list) and isinstance(step, int):
            given = given[step]
        elif isinstance(given, dict):
            given = given.get(step)
    return given


def shown(value: object) -> str:
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
        return "Put it in quotes." if secret else f'Put it in quotes: "{shown(given)}"'
    if kind == "literal_error":
        return did_you_mean(str(given), WORD.findall(str(details["ctx"]["expected"])))
    if kind in {"model_type", "model_attributes_type", "dict_type"}:
        return "Put its options on the lines below, indented by two spaces."
    return ""
