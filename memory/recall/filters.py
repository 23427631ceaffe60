"""What a recall is narrowed by: read from options, told in words."""

from __future__ import annotations

from collections.abc import Iterator

from memory.types import Filter


def format_filter(where: Filter) -> str:
    """Return in words for a person what a filter lets through; empty for one that lets everything through."""
    return ", ".join(_limits(where))


def _limits(where: Filter) -> Iterator[str]:
    if where.entities:
        yield f"about {' or '.join(where.entities)}"
    if where.kinds:
        yield f"kind {' or '.join(where.kinds)}"
    if where.categories:
        yield f"category {' or '.join(where.categories)}"
    if where.since or where.until:
        yield " ".join(f"{word} {day}" for word, day in (("from", where.since), ("to", where.until)) if day)
    if where.valid:
        first, last = where.valid
        yield f"what held on {first}" if first == last else f"what held from {first} to {last}"
    if where.known:
        yield f"what had been written down by {where.known}"
    if where.under:
        yield f"in {where.under}"
