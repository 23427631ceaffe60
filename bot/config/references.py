"""References in the texts of a configuration: `${VAR}` and `${file:path}`, replaced by what they stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bot.errors import ConfigError
from bot.texts.formatting import did_you_mean

REFERENCE = re.compile(r"\$(?:\$|\{(?P<inside>[^{}]*)(?P<end>\})?)")
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_VALUE_BYTES = 64 * 1024
"""Bytes of a file named by `${file:...}`: they are tokens and passwords."""


class Unfilled(ConfigError):
    """A reference that leads nowhere."""


def fill(text: str, environment: Mapping[str, str], folder: Path) -> str:
    """Replace every reference: `${VAR}` by the environment's, `${file:path}` by a file's content, relative to a folder.

    `$$` becomes `$`, and a lone `$` is one.

    Raises:
        Unfilled: a variable that is not set, a file that cannot be read, a reference that is not closed.
    """
    return REFERENCE.sub(partial(_value, environment=environment, folder=folder), text)


def _value(reference: re.Match[str], environment: Mapping[str, str], folder: Path) -> str:
    if reference.group() == "$$":
        return "$"
    inside = reference["inside"]
    if reference["end"] is None:
        message = f"found ${{{inside} without a closing brace"
        raise Unfilled(message, hint="Write ${NAME}, or $${ for the two signs themselves.")
    if inside.startswith("file:"):
        return _file_value(folder, inside.removeprefix("file:").strip())
    name, _, default = inside.partition(":-")
    if not VARIABLE_NAME.fullmatch(name):
        message = f"found ${{{inside}}}, allowed ${{NAME}}, ${{NAME:-default}} or ${{file:path}}"
        hint = "A name is made of letters, digits and _; write $${ for the two signs themselves."
        raise Unfilled(message, hint=hint)
    if ":-" in inside:
        return environment.get(name) or default
    if name not in environment:
        guess = did_you_mean(name, environment)
        message = f"the environment variable {name} is not set"
        hint = f"{guess} Set it (export {name}=...), or give a default: ${{{name}:-...}}".lstrip()
        raise Unfilled(message, hint=hint)
    return environment[name]


def _file_value(folder: Path, written: str) -> str:
    path = folder / written
    try:
        path = folder / Path(written).expanduser()
        with path.open("rb") as file:
            content = file.read(MAX_VALUE_BYTES + 1)
        if len(content) > MAX_VALUE_BYTES:
            message = f"the file {path} is larger than {MAX_VALUE_BYTES // 1024} KB"
            raise Unfilled(message, hint="It should hold one value.")
        return content.decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        message = f"the file {path} cannot be read ({error.strerror})"
        raise Unfilled(message, hint="A relative path starts at the folder of config.yaml.") from error
    except UnicodeDecodeError as error:
        raise Unfilled(f"the file {path} is not UTF-8 text", hint="It should hold one value as text.") from error
    except (RuntimeError, ValueError) as error:  # a `~name` of nobody
        message = f"the file {path} cannot be read ({error})"
        raise Unfilled(message, hint="Write the path from / on, or from config.yaml.") from error
