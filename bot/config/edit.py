"""Sets options in the text of a configuration, and leaves every other line of it as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping


def with_section(text: str, section: str, options: Mapping[str, str]) -> str:
    """The text with these options of a top-level section in force.

    An option that is there, in force or behind its `#`, is set where it stands; one that is missing comes first in the
    section; a section that is missing comes last in the file. What came of it is for the caller to check.

    Args:
        text: the configuration, written in lines (`section:`, and its options indented below).
        section: its name.
        options: name -> value as YAML.
    """
    lines = text.splitlines()
    heading = re.compile(rf"{re.escape(section)}:\s*(\{{\}}|null|~)?\s*(#.*)?$")
    at = next((number for number, line in enumerate(lines) if heading.match(line)), None)
    if at is None:
        lines += ["", f"{section}:"]
        at = len(lines) - 1
    else:
        lines[at] = f"{section}:"
    end = _end(lines, at)
    inside = lines[at + 1 : end]
    for name, value in reversed([*options.items()]):
        _set(inside, name, value)
    return "\n".join([*lines[: at + 1], *inside, *lines[end:]]) + "\n"


def _end(lines: list[str], at: int) -> int:
    """The line after a section's last one: the next that begins at the margin with a name."""
    below = range(at + 1, len(lines))
    return next((number for number in below if lines[number][:1] not in {"", " ", "\t", "#"}), len(lines))


def _set(inside: list[str], name: str, value: str) -> None:
    indent = next((found[1] for line in inside if (found := re.match(r"( +)[\w-]+:", line))), "  ")
    standing = re.compile(rf"{indent}#?{re.escape(name)}:(\s|$)")
    at = next((number for number, line in enumerate(inside) if standing.match(line)), None)
    written = f"{indent}{name}: {value}"
    if at is None:
        inside.insert(0, written)
    else:
        inside[at] = written
