"""YAML with line numbers, and a parser's complaints in plain words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode
from ruamel.yaml.scanner import Scanner

Key: TypeAlias = tuple[str | int, ...]
"""The way to a value: names of sections and options, numbers of list entries."""

NULL = "tag:yaml.org,2002:null"
COMMENTS = re.compile(r"(?: *(?:#[^\0\r\n\x85\u2028\u2029]*)?\n)+")  # lines with nothing else in them

MAX_VALUES = 10_000
"""A few lines of aliases of aliases are millions of values; a configuration has dozens."""

MAX_LEVELS = 100
"""Levels of sections. An alias of what it stands in has no end."""

MAX_OPEN_BRACKETS = 500
"""So many may be open at once. The parser's time grows with their square."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where something stands, counted from 1."""

    line: int
    column: int


class Unparsed(Exception):
    """The text is not YAML, or not the part of it that a configuration needs."""

    def __init__(self, message: str, place: Position, *, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.place, self.hint = message, place, hint


@dataclass(slots=True)
class Tree:
    """What a file says. `names` holds where each name stands, `values` where a text or number does."""

    root: dict[str, object] = field(default_factory=dict)
    names: dict[Key, Position] = field(default_factory=dict)
    values: dict[Key, Position] = field(default_factory=dict)

    def place(self, key: Key, *, of_name: bool = False) -> Position | None:
        """Where a value, or its name, stands; for one that is missing, where the section stands that lacks it."""
        for length in range(len(key), 0, -1):
            name, value = self.names.get(key[:length]), self.values.get(key[:length])
            if place := (name or value) if of_name else (value or name):
                return place
        return None

    def replace_texts(self, new: Callable[[Key, str], str]) -> None:
        """Put another text in the place of every text."""
        self.root = {name: _replaced(value, (name,), new) for name, value in self.root.items()}

    def get(self, key: Key) -> object:
        """Return what stands under a key; None if nothing does."""
        return value_below(self.root, key)

    def put(self, key: Key, value: object) -> None:
        """Set one option, or an entry of a list that is there, making the sections that lead to it."""
        section: Any = self.root
        for step, following in pairwise(key):
            inner = value_below(section, (step,))
            if not isinstance(inner, dict | list if isinstance(following, int) else dict):
                inner = section[step] = {}
            section = inner
        section[key[-1]] = value

    def drop(self, key: Key) -> None:
        """Take one option away."""
        section = self.get(key[:-1])
        if isinstance(section, dict):
            section.pop(key[-1], None)


def dotted(key: Key) -> str:
    """A key as people write it: `memory.recall.limit`."""
    return ".".join(map(str, key))


def value_below(value: object, key: Key) -> object:
    """Return what stands under a key in a section or list; None if nothing does."""
    for step in key:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def read(text: str) -> Tree:
    """Parse a configuration's text; raises `Unparsed` with the line of the mistake, or where the parser noticed it."""
    top, yaml = compose(text)
    return Tree() if top is None else _Builder(yaml).build(top)


def compose(text: str) -> tuple[MappingNode | None, YAML]:
    """Parse a text into nodes with their places, None where it says nothing; with the parser. Raises `Unparsed`."""
    # those in quotes and comments count as well
    brackets_open = accumulate(1 if bracket in "[{" else -1 for bracket in re.findall(r"[\[\]{}]", text))
    if max(brackets_open, default=0) > MAX_OPEN_BRACKETS:
        raise Unparsed("brackets within brackets without end", Position(1, 1), hint=FEW)
    yaml = YAML(typ="safe", pure=True)
    yaml.Scanner = CommentScanner
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReusedAnchorWarning)  # YAML 1.2 allows it: the newest one counts
            top = yaml.compose(text)
    except YAMLError as error:
        raise explain(text, error) from error
    except RecursionError as error:
        raise Unparsed("sections within sections without end", Position(1, 1), hint=FEW) from error
    if top is None or str(top.tag) == NULL:
        return None, yaml
    if not isinstance(top, MappingNode):
        raise Unparsed(
            "found no options", _place(top), hint="A configuration is made of lines like `owner:` and `  name: Robin`."
        )
    return top, yaml


class CommentScanner(Scanner):
    """Passes over lines of comments as a whole; sign by sign, a configuration that explains itself would take long."""

    def scan_to_next_token(self) -> None:
        reader = self.reader
        if passed := COMMENTS.match(reader.buffer, reader.pointer):
            reader.index += len(passed[0])
            reader.line += passed[0].count("\n")
            reader.pointer, reader.column = passed.end(), 0
            self.allow_simple_key |= not self.flow_level
        super().scan_to_next_token()


class _Builder:
    """Turns the parser's nodes into values and notes their places on the way."""

    def __init__(self, yaml: YAML) -> None:
        self._scalars = yaml.constructor
        self._tree = Tree()
        self._left = MAX_VALUES

    def build(self, top: MappingNode) -> Tree:
        self._tree.root = self._mapping(top, ())
        return self._tree

    def _value(self, node: Node, key: Key) -> object:
        self._left -= 1
        if self._left < 0:
            raise Unparsed(
                f"found more than {MAX_VALUES} values", _place(node), hint="Write the text out; use fewer aliases."
            )
        if len(key) > MAX_LEVELS:
            raise Unparsed(f"found more than {MAX_LEVELS} levels", _place(node), hint=FEW)
        if isinstance(node, MappingNode):
            return self._mapping(node, key)
        if isinstance(node, SequenceNode):
            self._tree.names |= {(*key, number): _place(entry) for number, entry in enumerate(node.value)}
            return [self._value(entry, (*key, number)) for number, entry in enumerate(node.value)]
        self._tree.values[key] = _place(node)
        kind = str(node.tag).removeprefix("tag:yaml.org,2002:")
        if kind == "null":
            return None
        if kind == "bool":
            return bool(self._scalars.construct_yaml_bool(node))
        if kind in {"int", "float"}:
            return _number(node.value)
        if kind in {"str", "timestamp"}:
            return str(node.value)
        raise Unparsed(f"found the tag !{kind}", _place(node), hint="Tags are not used here; remove it.")

    def _mapping(self, node: MappingNode, key: Key) -> dict[str, object]:
        values: dict[str, object] = {}
        for name_node, value_node in node.value:
            name = name_node.value
            if not isinstance(name, str):
                raise Unparsed("found a name that is not a word", _place(name_node), hint="Write `name: value`.")
            if name in values:
                first = self._tree.names[(*key, name)].line
                raise Unparsed(
                    f'found "{name}" twice, the first time in line {first}',
                    _place(name_node),
                    hint="Keep one of them: only one can count.",
                )
            self._tree.names[(*key, name)] = _place(name_node)
            values[name] = self._value(value_node, (*key, name))
        return values


def _number(written: str) -> int | float | str:
    digits = written.replace("_", "").lower()
    for kind in (int, lambda text: int(text, 0), float):
        with suppress(ValueError):
            return kind(digits)
    return written  # `.inf`: no option takes it, so its text goes into the message


def _replaced(value: object, key: Key, new: Callable[[Key, str], str]) -> object:
    if isinstance(value, str):
        return new(key, value)
    if isinstance(value, dict):
        return {name: _replaced(inner, (*key, name), new) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, (*key, number), new) for number, inner in enumerate(value)]
    return value


def _place(node: Node) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)


FEW = "A few levels are enough."
QUOTES = "Put the text in quotes."
COLON = "Write `name: value`, or `name:` for a section."

MEANINGS = (
    ("another document", "found a second document (after ---)", "Remove the line --- and what is twice.", False),
    ("undefined alias", "found a text that begins with *, which YAML reads as an alias", QUOTES, False),
    ("node content", "found the end where a value was expected", "Close every bracket.", False),
    ("could not find expected ':'", "found a line without a colon", COLON, True),
    ("block end", "found a line that is indented unlike its neighbours", "Align it with them.", False),
)
"""The parser's words, what they mean, what to do, and whether the mistake is where the parser began to wonder."""

NO_SPACE = re.compile(r"^\s*(?:- )?[\w.-]+:(?=[^\s:/\\])")
"""`name:value`, which YAML reads as one word; not a URL and not a Windows path."""


def explain(text: str, error: YAMLError) -> Unparsed:
    """Describe a parser's error, and locate the mistake: an open quote is noticed at the end of the file only."""
    if not isinstance(error, MarkedYAMLError):
        return _unprintable(text, error)
    began = _marked_place(error, "context_mark")
    noticed = _marked_place(error, "problem_mark") or began or Position(1, 1)
    problem = str(error.problem or "")
    if "mapping values are not allowed" in problem:
        return _second_colon(text, noticed)
    message, place, hint = f"found something that YAML does not allow here ({problem})", noticed, QUOTES
    if "\\t" in problem:
        message, hint = "found a tab", "YAML is indented with spaces only; replace the tab."
    elif "end of stream" in problem and began:
        message, place, hint = "found a quote that is never closed", began, "Add the closing quote."
    elif "expected ',' or" in problem and began:
        bracket = "brace { }" if "}" in problem else "bracket [ ]"
        message, place, hint = f"found a {bracket} that is never closed", began, "Close it, or remove it."
    elif "cannot start any token" in problem:
        sign = problem.split("'")[1] if "'" in problem else "this sign"
        message = f"found a text that begins with {sign}"
    else:
        for words, meaning, advice, from_start in MEANINGS:
            if words in problem:
                message, place, hint = meaning, (began if from_start else None) or noticed, advice
                break
    return Unparsed(message, place, hint=hint)


def _second_colon(text: str, noticed: Position) -> Unparsed:
    lines = text.splitlines()
    for number in range(noticed.line, max(noticed.line - 3, 0), -1):
        glued = NO_SPACE.match(lines[number - 1])
        if glued:
            return Unparsed(
                "found no space after the colon", Position(number, glued.end() + 1), hint="Write `name: value`."
            )
    line = lines[noticed.line - 1]
    before = lines[noticed.line - 2] if noticed.line > 1 else ""
    if ":" in line[: noticed.column - 1]:
        return Unparsed("found a second colon in one line", noticed, hint=QUOTES)
    if ":" not in before:
        place = Position(noticed.line - 1, len(before) - len(before.lstrip()) + 1)
        return Unparsed("found a line without a colon", place, hint=COLON)
    return Unparsed("found a line indented further than its neighbours", noticed, hint="Align it with them.")


def _unprintable(text: str, error: YAMLError) -> Unparsed:
    before = text[: getattr(error, "position", 0)]
    place = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
    code = getattr(error, "character", None)
    sign = f" (U+{code:04X})" if isinstance(code, int) else ""
    return Unparsed(f"found a control character{sign}", place, hint="Remove it; it is invisible in most editors.")


def _marked_place(error: MarkedYAMLError, name: str) -> Position | None:
    mark = getattr(error, name, None)
    return Position(mark.line + 1, mark.column + 1) if mark else None
