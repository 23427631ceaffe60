"""The file of what was typed at a prompt, as prompt_toolkit keeps it: `# when`, then the lines, each with a `+`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

_TYPED = "+"


def rewrite_typed(path: Path, rewrite: Callable[[str], str]) -> bool:
    """Rewrite every entry of the file, if that changes one; a prompt that has it open takes the new file.

    Returns:
        Whether it changed.

    Raises:
        OSError: the system refuses; the file is as it was.
    """
    if not path.exists():
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    new = "".join(_rewritten(text.splitlines(keepends=True), rewrite))
    if new == text:
        return False
    temporary = path.with_name(f"{path.name}.tmp")
    with open(temporary, "w", encoding="utf-8", opener=_private) as file:
        file.write(new)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return True


def _rewritten(lines: Iterable[str], rewrite: Callable[[str], str]) -> Iterator[str]:
    for is_typed, group in groupby(lines, key=lambda line: line.startswith(_TYPED)):
        if not is_typed:
            yield from group
            continue
        entry = "".join(line.removeprefix(_TYPED) for line in group)
        new = rewrite(entry.removesuffix("\n"))
        yield from (f"{_TYPED}{line}\n" for line in new.split("\n"))


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
