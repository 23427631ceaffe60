"""Pieces of streamed tool calls -> whole calls, each with its arguments or the reason why it has none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.llm.port import ToolCall
from bot.text import well_formed

KNOWN = {"index", "id", "type", "function"}
"""What we understand of a call; the rest goes back to the provider as it came (Gemini's signatures)."""


@dataclass(slots=True)
class _Pieces:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


class Calls:
    """Collects the calls of one answer while it streams.

    Pieces belong together by their index. Some servers give every parallel call the index 0, or none at all: another
    id together with a name then begins another call.
    """

    def __init__(self) -> None:
        self._order: list[_Pieces] = []
        self._at: dict[object, _Pieces] = {}

    def feed(self, deltas: object) -> int:
        """Take in the `tool_calls` of one chunk; the number of characters that came."""
        if not isinstance(deltas, Sequence) or isinstance(deltas, str):
            return 0
        return sum(self._take(delta) for delta in deltas if isinstance(delta, Mapping))

    def whole(self, *, cut: bool) -> tuple[ToolCall, ...]:
        """The calls as far as they have come; `cut` says that the output limit ended them."""
        ids: set[str] = set()
        return tuple(_call(pieces, id=_unused(pieces.id, ids), cut=cut) for pieces in self._order)

    def _take(self, delta: Mapping[str, Any]) -> int:
        function = delta.get("function")
        function = function if isinstance(function, Mapping) else {}
        given, name = _text(delta.get("id")), _text(function.get("name"))
        pieces = self._pieces(delta.get("index"), id=given, name=name)
        pieces.id = pieces.id or given
        pieces.name = pieces.name or name  # a few servers repeat it with every piece
        arguments = function.get("arguments")
        text = json.dumps(arguments) if isinstance(arguments, Mapping) else _text(arguments)
        pieces.arguments.append(text)
        pieces.extra.update({key: value for key, value in delta.items() if key not in KNOWN and value is not None})
        return len(text) + len(name)

    def _pieces(self, index: object, *, id: str, name: str) -> _Pieces:
        key = index if isinstance(index, int) else None
        known = self._at.get(key)
        if known and not (name and id and known.id and id != known.id):
            return known
        self._at[key] = pieces = _Pieces()
        self._order.append(pieces)
        return pieces


def _call(pieces: _Pieces, *, id: str, cut: bool) -> ToolCall:
    arguments, fault = _parsed("".join(pieces.arguments).strip(), cut=cut)
    if not pieces.name:
        fault = "The call names no tool. Call one of the tools on offer by its name."
    return ToolCall(id, well_formed(pieces.name), {} if fault else arguments, fault, pieces.extra)


def _parsed(text: str, *, cut: bool) -> tuple[Mapping[str, Any], str]:
    """The arguments, or what the model has to hear about them."""
    if cut and not text.endswith("}"):
        return {}, "The arguments were cut off at the output limit. Call again with less in one call."
    value, fault = _decoded(text)
    if not fault and not isinstance(value, dict):
        fault = f"The arguments are {_kind(value)}. Send one JSON object, with a name for each argument."
    return ({}, fault) if fault else (_clean(value), "")


def _decoded(text: str) -> tuple[object, str]:
    """The JSON, or its fault. Nothing at all, and `null`, are how some models call a tool without arguments."""
    try:
        value = json.loads(text or "{}", parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return None, f"The arguments are not valid JSON: {error.msg} at character {error.pos}. Send one JSON object."
    except (ValueError, RecursionError):
        return None, "The arguments hold a number or a nesting that is out of bounds. Send one plain JSON object."
    return ({} if value is None else value), ""


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _clean(value: Any) -> Any:
    """The value with texts that can be written to files and databases."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed(key): _clean(inner) for key, inner in value.items()}
    return [_clean(inner) for inner in value] if isinstance(value, list) else value


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a number")


def _unused(id: str, used: set[str]) -> str:
    """This id, or the next one that no other call of the answer has."""
    fresh = next(name for name in _variants(id) if name not in used)
    used.add(fresh)
    return fresh


def _variants(id: str) -> Iterator[str]:
    if id:
        yield id
    number = 1
    while True:
        yield f"{id or 'call'}_{number}"
        number += 1


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
