"""What people say, in blocks with one saying a line, and what each is to be taken for."""

from __future__ import annotations

from collections.abc import Mapping

from memory.capture import Act


def each(blocks: Mapping[Act, str]) -> list[tuple[Act, str]]:
    """Every saying, with what it is."""
    return [(act, line) for act, block in blocks.items() for line in block.strip().splitlines()]
