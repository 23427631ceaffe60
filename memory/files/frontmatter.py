"""The flat properties at the head of a note, as Obsidian writes them: `key: value` and lists, nothing nested."""

from __future__ import annotations

import re
from collections.abc import Sequence

Properties = dict[str, str | list[str]]

FENCE = "---"
_ITEM = re.compile(r"\s*-(?:\s+(.*))?\Z", re.DOTALL)
_FLOW_ITEM = re.compile(r"\s*(\"[^\"]*\"|'[^']*'|[^,]*)\s*(?:,|\Z)")


def frontmatter_end(lines: Sequence[str]) -> int:
    """How many of these lines are frontmatter, both `---` included; 0 if the note begins otherwise.

    Two rules with prose, headings or bullets between them are not taken for properties.
    """
    if not lines or lines[0].rstrip() != FENCE:
        return 0
    has_key = False
    for count, line in enumerate(lines[1:], 2):
        bare = line.rstrip()
        if bare in {FENCE, "..."}:
            return count
        if _pair(bare):
            has_key = True
        elif bare and not (has_key and bare.startswith((" ", "\t", "-"))):
            return 0
    return 0


def properties(text: str) -> Properties:
    """Read a frontmatter block, with or without its `---`. What is not flat is left out; nothing raises."""
    found: Properties = {}
    key = ""
    for line in text.splitlines():
        bare = line.rstrip()
        if item := _ITEM.match(bare) if key and bare != FENCE else None:
            _append(found, key, _plain(item[1] or ""))
        elif pair := _pair(bare):
            key = pair[0]
            found[key] = _value(pair[1])
    return found


def _pair(line: str) -> tuple[str, str] | None:
    """The key and the value of a line; None for any other line."""
    key, colon, value = line.partition(":")
    if not colon or not key or key[0].isspace() or key[0] in "#[{" or not (value[:1].isspace() or not value):
        return None
    return key.rstrip(), value.lstrip()


def _append(found: Properties, key: str, item: str) -> None:
    values = found[key]
    if isinstance(values, str):
        found[key] = values = [values] if values else []
    if item:
        values.append(item)


def _value(raw: str) -> str | list[str]:
    raw = raw.strip()
    if raw.startswith("[") and raw.endswith("]"):
        return [plain for item in _FLOW_ITEM.finditer(raw[1:-1]) if (plain := _plain(item[1]))]
    return _plain(raw)


def _plain(raw: str) -> str:
    """A scalar without its quotes, or without the comment after it."""
    raw = raw.strip()
    if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "\"'":
        return raw[1:-1]
    return raw.split(" #", 1)[0].rstrip()
