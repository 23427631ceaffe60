"""The options that a model declares: where each stands, what it allows, its default, its sentence, its example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel

from bot.configuring.tree import Key

Node: TypeAlias = dict[str, Any]
"""One node of a JSON schema."""

ANY_NAME = "<name>"
"""Stands in a key for a name that the user chooses."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option, or a section of them.

    Attributes:
        key: the way to it; `<name>` where the user chooses a name.
        about: its sentence.
        allowed: completes "allowed: ...".
        default: what holds when it is left out; None when that is nothing.
        example: a value that would make sense, None for a section.
        is_section: it holds further options.
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


class Options:
    """What a configuration model declares, read out of its JSON schema."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._root: Node = model.model_json_schema()

    def __iter__(self) -> Iterator[Option]:
        return self._walk(self._root, ())

    def names(self, section: Key) -> tuple[str, ...]:
        """The options that a section has; empty when it is not one, or takes names of the user's choice."""
        node = self._at(section)
        return tuple(node.get("properties", ())) if node else ()

    def allowed(self, key: Key) -> str:
        """What one option takes, for the end of a sentence."""
        node = self._at(key)
        return self._describe(node) if node else "nothing"

    def is_secret(self, key: Key) -> bool:
        """Its value must not be shown."""
        node = self._at(key)
        return bool(node and node.get("writeOnly"))

    def _walk(self, node: Node, key: tuple[str, ...]) -> Iterator[Option]:
        for name, raw in node.get("properties", {}).items():
            inner = self._follow(raw)
            yield self._option((*key, name), inner)
            yield from self._walk(inner, (*key, name))
        free = _free(node)
        if free:
            yield from self._walk(self._follow(free), (*key, ANY_NAME))

    def _option(self, key: tuple[str, ...], node: Node) -> Option:
        return Option(
            key=key,
            about=node.get("description", ""),
            allowed=self._describe(node),
            default=node.get("default"),
            example=next(iter(node.get("examples", ())), None),
            is_section=_is_section(node),
            takes_names=_holds_sections(node),
        )

    def _at(self, key: Key) -> Node | None:
        node: Node = self._root
        for step in key:
            inner = node.get("properties", {}).get(step) or _free(node) or node.get("items")
            if not isinstance(inner, dict):
                return None
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
        return _DESCRIBED.get(node.get("type", ""), _text)(node)


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


_DESCRIBED = {
    "integer": _whole,
    "number": lambda _: "a number",
    "boolean": lambda _: "true or false",
    "array": lambda _: "a list",
    "string": _text,
}


def _listed(words: tuple[str, ...], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
