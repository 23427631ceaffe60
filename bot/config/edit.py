"""Sets, moves and removes options in the text of a configuration; every other line and comment of it stays."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeGuard

from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, SequenceNode

from bot.config.yaml_tree import NULL, Key, Tree, Unparsed, compose, dotted, read
from bot.errors import ConfigError
from bot.texts.catalogue import tr

PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]*")
INDENT = 2
"""Columns by which a new section is indented."""


def parse(text: str) -> Tree:
    """Return what the text of a configuration says, nothing checked; raises `ConfigError` if it is not YAML."""
    try:
        return read(text)
    except Unparsed as error:
        message = f"The configuration cannot be edited: line {error.place.line}: {error.message}."
        mend = tr("Nothing was saved. Mend it in an editor: scrubjay config edit")
        raise ConfigError(message, hint=f"{error.hint}\n{mend}") from error


def with_options(text: str, options: Mapping[Key, str]) -> str:
    """Return the text with these options in force.

    An option that is there, in force or behind its `#`, is set where it stands; one that is missing comes last in its
    section, and a missing section last in the one that it belongs to. Whether the options exist is not looked at. Each
    value is YAML on one line.

    Raises:
        ConfigError: the text is not YAML, or is written in a way that cannot be edited without changing something else.
    """
    if not options:
        return text
    before = parse(text)
    for key, value in options.items():
        text = _set(text, key, value)
        before.put(key, parse(f"value: {value}").get(("value",)))
    return _verified(text, before, next(iter(options)))


def without_option(text: str, key: Key, *, default: str = "") -> str:
    """Return the text without an option or section, or as it is if that is not there; raises as `with_options` does.

    Its default stands behind a `#` in its place, if there is one and a comment above explains the option.
    """
    before = parse(text)
    location = _find(text, key)
    if location is None or location.rest:
        return text
    before.drop(key)
    return _verified(_cut(text, location, default=default), before, key)


def with_moved(text: str, old: Key, new: Key) -> str:
    """Return the text with an option or section under another key, its comments with it.

    Where the new key is set already, that stays, and the old one goes. Raises `ConfigError` as `with_options` does.
    """
    location, target = _find(text, old), _find(text, new)
    if location is None or location.rest:
        return text
    before = parse(text)
    value = before.get(old)
    is_set = target is not None and not target.rest
    if not is_set and old[:-1] == new[:-1] and location.name is not None:
        start, end = location.name.start_mark.index, location.name.end_mark.index
        after = f"{text[:start]}{_name(new[-1])}{text[end:]}"
    elif isinstance(value, dict) and value:
        for name in value:
            text = with_moved(text, (*old, name), (*new, name))
        return _without_empty(text, old)
    else:
        above, source = _source(text, location, value)
        # what stands above goes with it, and what stands above a section that is left empty stays
        after = _cut(text, location, above=len(above))
        after = after if is_set else _set(after, new, source, above=above)
    before.drop(old)
    if not is_set:
        before.put(new, value)
    return _without_empty(_verified(after, before, old), old[:-1])


@dataclass(frozen=True, slots=True)
class _Location:
    """Where an option stands, or the section that it would belong to.

    Attributes:
        section: the mapping, or nothing, that was reached last.
        name: the node of its name; None for the whole text.
        rest: the names that are missing below it; none if the option is there.
        parent: the mapping in which it stands.
    """

    section: Node
    name: Node | None
    rest: tuple[str, ...]
    parent: Node | None


def _find(text: str, key: Key) -> _Location | None:
    """Where a key leads; None if the text says nothing at all."""
    top, _ = compose(text)
    if top is None:
        return None
    node: Node = top
    name: Node | None = None
    parent: Node | None = None
    for depth, step in enumerate(key):
        pair: tuple[Node | None, Node] | None = None
        if isinstance(node, MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == step), None)
        elif isinstance(node, SequenceNode) and str(step).isdecimal() and int(step) < len(node.value):
            pair = (None, node.value[int(step)])
        if pair is None:
            return _Location(node, name, tuple(map(str, key[depth:])), parent)
        parent, (name, node) = node, pair
        if name is not None and node.start_mark.index < name.end_mark.index:
            raise _refused(key, "it is an alias of what stands elsewhere")
    return _Location(node, name, (), parent)


def _set(text: str, key: Key, value: str, *, above: Sequence[str] = ()) -> str:
    location = _find(text, key)
    ending = "\r\n" if "\r\n" in text else "\n"
    if location is None:
        lead = f"{text.rstrip()}{ending}{ending}" if text.strip() else ""
        return lead + ending.join(_lines(tuple(map(str, key)), value, 0, above)) + ending
    if not location.rest:
        start = location.section.start_mark.index if location.name is None else _colon(text, location.name)
        space = "" if location.name is None else " "
        return f"{text[:start]}{space}{value}{text[_end(text, location) :]}"
    if not isinstance(location.section, MappingNode) and str(location.section.tag) != NULL:
        raise _refused(key, "what stands above it is no section")
    if isinstance(location.section, MappingNode) and location.section.value and _is_flow(location.section):
        end = location.section.end_mark.index - 1
        inside = text[:end].rstrip()
        comma = "" if inside.endswith((",", "{")) else ","
        for name in reversed(location.rest[1:]):
            value = f"{{{_name(name)}: {value}}}"
        return f"{inside}{comma} {_name(location.rest[0])}: {value}{text[end:]}"
    return _inserted(text, location, value, above, ending)


def _inserted(text: str, location: _Location, value: str, above: Sequence[str], ending: str) -> str:
    """The text with a new option in a section that is written in lines."""
    first, header = 0, -1
    section = location.section
    if isinstance(section, MappingNode) and section.value:  # in lines
        column = section.value[0][0].start_mark.column
        first = section.start_mark.line if location.name else 0
        if location.name and location.name.end_mark.line < first:
            first = location.name.end_mark.line + 1
    else:
        if location.name is None:  # the whole text is `{}`
            return ending.join(_lines(location.rest, value, 0)) + ending
        header, first = location.name.start_mark.column, location.name.end_mark.line + 1
        # `{}`, `null` or `~` on the line of the name
        text = text[: _colon(text, location.name)] + text[_end(text, location) :]
        column = -1
    lines = text.splitlines()
    margin = max(column, header + 1)
    last = first
    for number in range(first, len(lines)):
        if lines[number].strip() and _column(lines[number]) < margin:
            break
        last = number + 1
    if column < 0:  # what is out of force shows how the section is indented
        shown = (re.match(r"( +)#?[\w-]+:", line) for line in lines[first:last])
        column = next((len(match[1]) for match in shown if match), header + INDENT)
    new = _lines(location.rest, value, column, above)
    off = re.compile(rf" {{{column}}}#{re.escape(location.rest[0])}:(\s|$)")
    at = next((number for number in range(first, last) if off.match(lines[number])), None)
    if at is not None:
        lines[at : at + 1] = new
    else:
        while last > first and not lines[last - 1].strip():
            last -= 1
        lines[last:last] = ["", *new] if column == 0 and len(location.rest) > 1 and last else new
    return ending.join(lines) + ending


def _cut(text: str, location: _Location, *, default: str = "", above: int = 0) -> str:
    """The text without an option, and without so many comments above it."""
    name, parent = location.name, location.parent
    if name is None or parent is None:
        raise ConfigError("An entry of a list cannot be taken out by itself.", hint="Set the whole list.")
    if _is_flow(parent):
        names = [node for node, _ in parent.value]
        at = names.index(name)
        if at + 1 < len(names):
            return text[: name.start_mark.index] + text[names[at + 1].start_mark.index :]
        start = parent.value[at - 1][1].end_mark.index if at else parent.start_mark.index + 1
        return text[:start] + text[parent.end_mark.index - 1 :]
    lines, column = text.splitlines(), name.start_mark.column
    first = name.start_mark.line
    if lines[first][:column].strip():
        raise ConfigError("The first option of a list's entry cannot be taken out.", hint="Set the whole list.")
    last = text[: _end(text, location)].count("\n") + 1
    if isinstance(location.section, MappingNode):  # comments below a section's name go with it
        while last < len(lines) and lines[last].lstrip().startswith("#") and _column(lines[last]) > column:
            last += 1
    is_explained = first > 0 and lines[first - 1][column:].startswith("#") and _column(lines[first - 1]) == column
    kept = [f"{' ' * column}#{name.value}: {default}"] if default and is_explained else []
    lines[first - above : last] = kept
    ending = "\r\n" if "\r\n" in text else "\n"
    return ending.join(lines) + ending


def _source(text: str, location: _Location, value: object) -> tuple[list[str], str]:
    """The comments above an option, and its value on one line as it is written, with the comment behind it."""
    lines = text.splitlines()
    assert location.name is not None
    if location.parent is not None and _is_flow(location.parent):
        return [], text[location.section.start_mark.index : _end(text, location)]
    column, line = location.name.start_mark.column, location.name.start_mark.line
    above: list[str] = []
    while line > len(above) and (comment := lines[line - len(above) - 1]).startswith(" " * column + "# "):
        above.insert(0, comment)
    start, end = location.section.start_mark.index, _end(text, location)
    if start >= end:
        return above, "null"
    if "\n" in text[start:end]:
        return above, json.dumps(value, ensure_ascii=False)
    return above, text[start:].splitlines()[0].rstrip()


def _without_empty(text: str, key: Key) -> str:
    """The text without a section that holds nothing any more, nor the ones above it that then hold nothing."""
    while key:
        location = _find(text, key)
        if location is None or location.rest or parse(text).get(key) not in (None, {}):
            return text
        text, key = _cut(text, location), key[:-1]
    return text


def _lines(names: tuple[str, ...], value: str, column: int, above: Sequence[str] = ()) -> list[str]:
    """An option with the comments above it, and the sections that lead to it."""
    headers = [f"{' ' * (column + INDENT * depth)}{_name(name)}:" for depth, name in enumerate(names)]
    margin = " " * _column(headers[-1])
    return [*headers[:-1], *(margin + comment.strip() for comment in above), f"{headers[-1]} {value}"]


def _end(text: str, location: _Location) -> int:
    """Where a value really ends: the parser counts comments and empty lines behind a section to it."""
    node = location.section
    if node.start_mark.index == node.end_mark.index and location.name is not None:
        return _colon(text, location.name)
    while node.value and not isinstance(node.value, str) and not _is_flow(node):
        node = node.value[-1][1] if isinstance(node, MappingNode) else node.value[-1]
    end: int = node.end_mark.index
    return len(text[:end].rstrip()) if text[end - 1 : end].isspace() else end


def _colon(text: str, name: Node) -> int:
    return text.index(":", name.end_mark.index) + 1


def _is_flow(node: Node) -> TypeGuard[CollectionNode]:
    """Whether it is written in brackets."""
    return isinstance(node, CollectionNode) and bool(node.flow_style)


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())


def _name(step: str | int) -> str:
    return str(step) if PLAIN_NAME.fullmatch(str(step)) else json.dumps(str(step), ensure_ascii=False)


def _verified(text: str, wanted: Tree, key: Key) -> str:
    """The text, if it says what it should and nothing else."""
    with suppress(Unparsed):
        if _pruned(read(text).root) == _pruned(wanted.root):
            return text
    raise _refused(key, "aliases or unusual YAML around it would change something else, too")


def _pruned(value: object) -> object:
    """A value without what is empty: a section that lost its last option says the same as none."""
    if not isinstance(value, Mapping):
        return value
    pruned = {name: _pruned(inner) for name, inner in value.items()}
    return {name: inner for name, inner in pruned.items() if inner not in (None, {})}


def _refused(key: Key, why: str) -> ConfigError:
    message = f"{dotted(key)} cannot be set in this file: {why}."
    return ConfigError(message, hint="Change it in an editor: scrubjay config edit")
