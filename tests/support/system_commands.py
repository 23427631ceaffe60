"""Commands of the system as little programs that record how they were called: a folder for the beginning of PATH."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

_RECORDER = """#!{python}
import json, subprocess, sys
with open({log!r}, "a") as log:
    log.write(json.dumps([{name!r}, *sys.argv[1:]]) + "\\n")
{body}
"""


class SystemCommands:
    """A folder of recording commands.

    Attributes:
        folder: to be put first on PATH.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "commands"
        self.folder.mkdir()
        self._log = folder / "commands.jsonl"

    def add(self, name: str, body: str = "") -> None:
        """Make a command that records its call and then does what a few lines of Python say; nothing by default."""
        script = self.folder / name
        script.write_text(_RECORDER.format(python=sys.executable, log=str(self._log), name=name, body=body))
        script.chmod(0o755)

    def calls(self, name: str = "") -> Sequence[str]:
        """What was called so far, as one would type it; of one command, if it is named."""
        lines = self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []
        return [shlex.join(words) for words in map(json.loads, lines) if name in {"", words[0]}]
