"""What was typed at the prompt, for the arrow keys: prompt_toolkit's history, read anew when its file was rewritten."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

from prompt_toolkit.history import FileHistory


class KeptHistory(FileHistory):
    """Every prompt begins with what the file holds then: what was taken out of it comes up no more."""

    def __init__(self, path: Path) -> None:
        """Make the file, for its owner alone, if there is none."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        super().__init__(str(path))
        self._path = path
        self._inode = path.stat().st_ino

    async def load(self) -> AsyncGenerator[str, None]:
        """What was typed, newest first."""
        inode = self._path.stat().st_ino if self._path.exists() else 0
        if inode != self._inode:
            self._inode, self._loaded, self._loaded_strings = inode, False, []
        async for line in super().load():
            yield line
