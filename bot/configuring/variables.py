"""`${VAR}`, `${VAR:-default}`, `${file:path}` and `$$` in the texts of a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bot.suggest import did_you_mean

REFERENCE = re.compile(r"\$(?:\$|\{(?P<inside>[^{}]*)(?P<end>\})?)")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LARGEST_FILE = 64 * 1024
"""Bytes of a file named by `${file:...}`: they are tokens and passwords."""


class Unfilled(Exception):
    """A reference that leads nowhere."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Variables:
    """What references stand for.

    Args:
        environment: where `${VAR}` is looked up.
        folder: what the path in `${file:path}` is relative to.
    """

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._environment = environment
        self._folder = folder

    def fill(self, text: str) -> str:
        """Replace every reference in a text; `$$` becomes `$`, and a lone `$` is one.

        Raises:
            Unfilled: a variable that is not set, a file that cannot be read, a reference that is not closed.
        """
        return REFERENCE.sub(self._one, text)

    def _one(self, found: re.Match[str]) -> str:
        if found.group() == "$$":
            return "$"
        inside = found["inside"]
        if found["end"] is None:
            raise Unfilled(
                f"found ${{{inside} without a closing brace", hint="Write ${NAME}, or $${ for the two signs themselves."
            )
        if inside.startswith("file:"):
            return self._file(inside.removeprefix("file:").strip())
        name, _, default = inside.partition(":-")
        if not NAME.fullmatch(name):
            raise Unfilled(
                f"found ${{{inside}}}, allowed ${{NAME}}, ${{NAME:-default}} or ${{file:path}}",
                hint="A name is made of letters, digits and _; write $${ for the two signs themselves.",
            )
        if ":-" in inside:
            return self._environment.get(name) or default
        return self._variable(name)

    def _variable(self, name: str) -> str:
        value = self._environment.get(name)
        if value is None:
            guess = did_you_mean(name, self._environment)
            raise Unfilled(
                f"the environment variable {name} is not set",
                hint=f"{guess} Set it (export {name}=...), or give a default: ${{{name}:-...}}".lstrip(),
            )
        return value

    def _file(self, written: str) -> str:
        path = self._folder / Path(written).expanduser()
        try:
            with path.open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
            if len(content) > LARGEST_FILE:
                raise Unfilled(
                    f"the file {path} is larger than {LARGEST_FILE // 1024} KB", hint="It should hold one value."
                )
            return content.decode("utf-8").rstrip("\r\n")
        except OSError as error:
            raise Unfilled(
                f"the file {path} cannot be read ({error.strerror})",
                hint="A relative path starts at the folder of config.yaml.",
            ) from error
        except UnicodeDecodeError as error:
            raise Unfilled(f"the file {path} is not UTF-8 text", hint="It should hold one value as text.") from error
