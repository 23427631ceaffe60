"""The options and their values -> a commented configuration file."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping

from bot.config import Config
from bot.configuring.options import ANY_NAME, Option, Options

WIDTH = 100
BARE = re.compile(r"(?!(?i:true|false|null)$)[A-Za-z][\w/-]*")
"""Texts that YAML takes for texts without quotes."""

NO_VALUE = '  #token: ""'
"""The line of a platform's token, as long as there is none."""

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


def example(config: Config | None = None) -> str:
    """The text of a configuration file that says everything, with the values of `config` or else the defaults.

    What says no more than the default is out of force, so that a better default can reach its reader one day; an
    option without a value shows its example.
    """
    values = (config or Config()).model_dump(mode="json")
    lines = _section(list(Options(Config)), (), values)
    return "\n".join([HEAD, *lines]).rstrip() + "\n"


def written(value: object) -> str:
    """A value as YAML; texts in double quotes unless they are plain words."""
    if isinstance(value, str):
        text = value.replace("$", "$$")
        return text if BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)
    return json.dumps(value)


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
        if not isinstance(value, dict):
            yield from () if told and value is None else (_assignment(option, value),)
            continue
        yield f"{_indent(option)}{option.key[-1]}:"
        if option.takes_names:
            yield from _entries(options, option, value)
        else:
            yield from _section(options, option.key, value)
        if not key:
            yield ""


def _entries(options: list[Option], section: Option, values: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    for number, (name, entry) in enumerate(values.items()):
        yield f"{_indent(section)}  {name}:"
        yield from _section(options, (*section.key, ANY_NAME), entry, told=number > 0)


def _comment(option: Option) -> Iterator[str]:
    texts = [option.about]
    if not option.is_section:
        shown = "" if option.default is None else f" Example: {written(option.example).replace('$$', '$')}"
        texts.append(f"Allowed: {option.allowed}.{shown}")
    lead = f"{_indent(option)}# "
    for text in texts:
        yield from textwrap.wrap(text, WIDTH, initial_indent=lead, subsequent_indent=lead, break_on_hyphens=False)


def _assignment(option: Option, value: object) -> str:
    """`name: value`, out of force when it says what holds anyway."""
    name, off = option.key[-1], "#" if value == option.default else ""
    return f"{_indent(option)}{off}{name}: {written(option.example if value is None else value)}"


def _indent(option: Option) -> str:
    return "  " * (len(option.key) - 1)
