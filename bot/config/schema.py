"""The declared options, and the example file made from them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import methodcaller
from typing import Any, TypeAlias

from pydantic import BaseModel

from bot.config.model import Config
from bot.config.yaml_tree import Key

Node: TypeAlias = dict[str, Any]
"""One node of a JSON schema."""

ANY_NAME = "<name>"
"""Stands in a key for a name that the user chooses."""

MAX_COLUMNS = 100

PLAIN_TEXT = re.compile(r"(?!(?i:true|false|null)$)[A-Za-z][\w/-]*")
"""Texts that YAML takes for texts without quotes."""

HEAD = """\
# Scrubjay's configuration. Every option is here, with what holds when it is left out.
# A line that begins with #name: is out of force; take the # away to change it.
#
#   scrubjay config check     finds mistakes and names their lines
#   scrubjay config show      shows what holds now, and who set it
#   scrubjay paths            shows where this file belongs
#
# Texts may hold ${VAR}, ${VAR:-default} and ${file:path}; $$ stands for a dollar sign.
# A variable wins over the file: SCRUBJAY__MEMORY__RECALL__LIMIT=10 sets memory.recall.limit.
"""


@dataclass(frozen=True, slots=True)
class Option:
    """One option, or a section of them.

    Attributes:
        key: the way to it; `<name>` where the user chooses a name.
        allowed: completes "allowed: ...".
        default: what holds when it is left out; None when that is nothing.
        example: a value that would make sense, None for a section.
        takes_names: a section whose entries the user names.
    """

    key: tuple[str, ...]
    about: str
    allowed: str
    default: object
    example: object
    is_section: bool
    takes_names: bool

    @property
    def dotted(self) -> str:
        """The key as people write it: `memory.recall.limit`."""
        return ".".join(self.key)


_schema = cache(methodcaller("model_json_schema"))  # the configuration's takes longer than to read one


class Options:
    """What a configuration model declares, read out of its JSON schema."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._root = _schema(model)

    def __iter__(self) -> Iterator[Option]:
        return self._walk(self._root, ())

    def names(self, section: Key) -> tuple[str, ...]:
        """The options that a section has; empty when it is not one, or takes names of the user's choice."""
        return tuple(self._at(section).get("properties", ()))

    def allowed(self, key: Key) -> str:
        """What one option takes, for the end of a sentence."""
        node = self._at(key)
        return self._describe(node) if node else "nothing"

    def is_secret(self, key: Key) -> bool:
        """Its value, or what its list holds, must not be shown."""
        node = self._at(key)
        return bool(node.get("writeOnly") or self._follow(node.get("items") or {}).get("writeOnly"))

    def option(self, key: Key) -> Option | None:
        """What one option takes; None if there is no such option."""
        node = self._at(key)
        return self._option(node, tuple(map(str, key))) if node else None

    def is_text(self, key: Key) -> bool:
        """Its value is text, whatever it looks like."""
        return self._at(key).get("type") == "string"

    def is_list(self, key: Key) -> bool:
        """Its value is a list."""
        return self._at(key).get("type") == "array"

    def _option(self, node: Node, key: tuple[str, ...]) -> Option:
        return Option(
            key=key,
            about=node.get("description", ""),
            allowed=self._describe(node),
            default=node.get("default"),
            example=next(iter(node.get("examples", ())), None),
            is_section=_is_section(node),
            takes_names=_holds_sections(node),
        )

    def _walk(self, node: Node, key: tuple[str, ...]) -> Iterator[Option]:
        for name, raw in node.get("properties", {}).items():
            inner = self._follow(raw)
            yield self._option(inner, (*key, name))
            yield from self._walk(inner, (*key, name))
        free = _free(node)
        if free:
            yield from self._walk(self._follow(free), (*key, ANY_NAME))

    def _at(self, key: Key) -> Node:
        """The node of an option or section; an empty one if there is no such option."""
        node: Node = self._root
        for step in key:
            inner = node.get("properties", {}).get(step) or _free(node) or node.get("items")
            if not isinstance(inner, dict):
                return {}
            node = self._follow(inner)
        return node

    def _follow(self, node: Node) -> Node:
        """The node that a reference, or an "or nothing", stands for; what it says of itself wins."""
        for alternative in node.get("anyOf", ()):
            if alternative.get("type") != "null":
                return self._follow({**alternative, **{k: v for k, v in node.items() if k != "anyOf"}})
        if "$ref" not in node:
            return node
        target = self._root["$defs"][node["$ref"].rpartition("/")[2]]
        return {**target, **{name: value for name, value in node.items() if name != "$ref"}}

    def _describe(self, node: Node) -> str:
        if "allowed" in node:
            return str(node["allowed"])
        if "properties" in node:
            return f"a section with {_listed(tuple(node['properties']), 'and')}"
        if _is_section(node):
            return "one section or more, each under a name of your choice"
        if "enum" in node:
            return _listed(tuple(map(str, node["enum"])), "or")
        kind = node.get("type")
        return _whole(node) if kind == "integer" else _DESCRIBED.get(str(kind)) or _text(node)


def _is_section(node: Node) -> bool:
    return "properties" in node or _holds_sections(node)


def _holds_sections(node: Node) -> bool:
    """Whether the user chooses names for sections; under chosen names there may be plain values, too."""
    free = _free(node)
    return free is not None and free.get("type", "object") == "object"


def _free(node: Node) -> Node | None:
    """What every entry is like, where the user chooses the names."""
    for inner in (*node.get("patternProperties", {}).values(), node.get("additionalProperties")):
        if isinstance(inner, dict):
            return inner
    return None


def _whole(node: Node) -> str:
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None and high is not None:
        return f"a whole number from {low} to {high}"
    return f"a whole number from {low} on" if low is not None else "a whole number"


def _text(node: Node) -> str:
    if node.get("format") == "path":
        return "a path"
    longest = node.get("maxLength")
    return f"text of at most {longest} characters" if longest else "text"


_DESCRIBED = {"number": "a number", "boolean": "true or false", "array": "a list"}


def _listed(words: tuple[str, ...], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def example(config: Config | None = None) -> str:
    """The text of a configuration file that says everything, with the values of `config` or else the defaults.

    What says no more than the default is out of force, so that a better default can reach its reader one day; an
    option without a value shows its example.
    """
    lines = _section(list(Options(Config)), (), (config or Config()).model_dump(mode="json"))
    return "\n".join([HEAD, *lines]).rstrip() + "\n"


def written(value: object) -> str:
    """A value as YAML; texts in double quotes unless they are plain words. A dollar sign is no reference."""
    return typed(value.replace("$", "$$") if isinstance(value, str) else value)


def typed(value: object) -> str:
    """A value as YAML, as somebody would type it into a file: `${NAME}` is a reference."""
    is_plain = isinstance(value, str) and PLAIN_TEXT.fullmatch(value)
    return str(value) if is_plain else json.dumps(value, ensure_ascii=False)


def _section(
    options: list[Option], key: tuple[str, ...], values: Mapping[str, object], *, told: bool = False
) -> Iterator[str]:
    """The lines of one section; without comments when they were told before."""
    for option in options:
        if option.key[:-1] != key:
            continue
        if not told:
            yield from _comment(option)
        value = values[option.key[-1]]
        if not option.is_section or not isinstance(value, dict):
            if value is not None or not told:
                # out of force when it says what holds anyway
                off = "#" if value in (option.default, {}) else ""
                content = typed(option.example) if value in (None, {}) else written(value)
                yield f"{_indent(option)}{off}{option.key[-1]}: {content}"
            continue
        yield f"{_indent(option)}{option.key[-1]}:"
        if option.takes_names:
            for number, (name, entry) in enumerate(value.items()):
                yield f"{_indent(option)}  {name}:"
                yield from _section(options, (*option.key, ANY_NAME), entry, told=number > 0)
        else:
            yield from _section(options, option.key, value)
        if not key:
            yield ""


def _comment(option: Option) -> Iterator[str]:
    texts = [option.about]
    if not option.is_section:
        shown = "" if option.default is None else f" Example: {typed(option.example)}"
        texts.append(f"Allowed: {option.allowed}.{shown}")
    lead = f"{_indent(option)}# "
    for text in texts:
        yield from textwrap.wrap(text, MAX_COLUMNS, initial_indent=lead, subsequent_indent=lead, break_on_hyphens=False)


def _indent(option: Option) -> str:
    return "  " * (len(option.key) - 1)
