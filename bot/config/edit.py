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
    below = range(at + 1, len(lines))
    # the section ends before the next line that begins at the margin with a name
    end = next((number for number in below if lines[number][:1] not in {"", " ", "\t", "#"}), len(lines))
    inside = lines[at + 1 : end]
    for name, value in reversed([*options.items()]):
        indent = next((found[1] for line in inside if (found := re.match(r"( +)[\w-]+:", line))), "  ")
        present = re.compile(rf"{indent}#?{re.escape(name)}:(\s|$)")
        place = next((number for number, line in enumerate(inside) if present.match(line)), None)
        if place is None:
            inside.insert(0, f"{indent}{name}: {value}")
        else:
            inside[place] = f"{indent}{name}: {value}"
    return "\n".join([*lines[: at + 1], *inside, *lines[end:]]) + "\n"
