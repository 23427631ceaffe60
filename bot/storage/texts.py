"""Which parts of what is kept are texts that somebody wrote, and the same with these texts rewritten.

Ids, addresses, instants and whatever else the program reads stay as they are. A text that is JSON itself, as results of
tools are, is rewritten inside.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from adapters.port import Inbound, Outbound
from bot.formatting import well_formed

Rewrite = Callable[[str], str]
"""Gives a text in the place of a text; it depends on nothing else, and gives a text of its own back as it is."""

_TEXTS = frozenset(
    "text shown_as told shown content query entities reason notice path extra arguments result problems".split()
)
"""The fields of a transcript entry whose strings, however deep, are what people and models wrote."""


def body(written: str, rewrite: Rewrite) -> str:
    """The body of a transcript entry, a JSON object, with its texts rewritten; anything else is one text."""
    try:
        found = json.loads(written)
    except ValueError:
        return rewrite(written)
    new = fields(found, rewrite)
    return written if new == found else _dumped(new)


def inbound(event: Inbound, rewrite: Rewrite) -> Inbound:
    """An event with what was said and quoted, and the names of its files, rewritten."""
    files = tuple(replace(file, name=rewrite(file.name)) for file in event.attachments)
    return replace(event, text=rewrite(event.text), quote=rewrite(event.quote), attachments=files)


def outbound(message: Outbound, rewrite: Rewrite) -> Outbound:
    """A message with its text and buttons rewritten."""
    buttons = tuple(
        replace(button, label=rewrite(button.label), data=rewrite(button.data)) for button in message.buttons
    )
    return replace(message, text=rewrite(message.text), buttons=buttons)


def fields(value: Any, rewrite: Rewrite, *, within: str = "") -> Any:
    """The value of a body, or of one of its fields that is no text by itself, with the texts in it rewritten."""
    if isinstance(value, dict):
        return {name: _field(name, one, rewrite, within=within) for name, one in value.items()}
    return [fields(one, rewrite, within=within) for one in value] if isinstance(value, list) else value


def _field(name: str, value: Any, rewrite: Rewrite, *, within: str) -> Any:
    """One field of an object; the names of files are texts, those of tools and people are not.

    What the parts of a score are called has words of the question in it.
    """
    if name == "parts" and isinstance(value, dict):
        renamed: dict[str, Any] = {}
        for part, number in value.items():
            renamed[rewrite(part)] = renamed.get(rewrite(part), 0) + number
        return renamed
    if name in _TEXTS or (within, name) == ("files", "name"):
        new = deep(value, rewrite)
        # What a provider wants back unchanged is worth nothing once it was changed.
        return {} if name == "extra" and new != value else new
    return fields(value, rewrite, within=name)


def deep(value: Any, rewrite: Rewrite) -> Any:
    """A JSON value with all of its strings rewritten."""
    if isinstance(value, dict):
        return {name: deep(one, rewrite) for name, one in value.items()}
    if isinstance(value, list):
        return [deep(one, rewrite) for one in value]
    return _text(value, rewrite) if isinstance(value, str) else value


def _text(text: str, rewrite: Rewrite) -> str:
    if text[:1] in {"{", "["} and text[-1:] in {"}", "]"}:
        try:
            found = json.loads(text)
            new = deep(found, rewrite)
        except (ValueError, RecursionError):
            return rewrite(text)
        if isinstance(found, dict | list):
            return text if new == found else _dumped(new)
    return rewrite(text)


def _dumped(value: object) -> str:
    return well_formed(json.dumps(value, ensure_ascii=False))
