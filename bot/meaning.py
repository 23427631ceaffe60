"""How far an agent's memory can be searched by meaning, in words for a person."""

from __future__ import annotations

from memory import Status

_MODES = {"hybrid": "words and meaning", "words": "words"}


def mode(name: str) -> str:
    """What a question is searched by, from `Status.mode` or `Recall.mode`."""
    return _MODES.get(name, name)


def told(stands: Status) -> str:
    """How a memory is searched, and why if it is by words alone."""
    if stands.mode == "words":
        return stands.mode_reason or "Words are searched alone."
    total = stands.embedded + stands.unembedded
    share = f" {stands.embedded:,} of {total:,} passages are embedded." if total else ""
    return f"Searched by {mode(stands.mode)}.{share} {stands.mode_reason}".rstrip()
