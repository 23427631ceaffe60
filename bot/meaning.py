"""How far an agent's memory can be searched by meaning, in words for a person."""

from __future__ import annotations

from memory import Status

_MODES = {"hybrid": "words and meaning", "words": "words"}


def mode(stands: Status) -> str:
    """What a question is searched by."""
    return _MODES.get(stands.mode, stands.mode)


def told(stands: Status) -> str:
    """One sentence, and the reason if words are searched alone."""
    total = stands.embedded + stands.unembedded
    share = f" {stands.embedded:,} of {total:,} passages are embedded." if stands.embedder and total else ""
    return f"Searched by {mode(stands)}.{share} {stands.mode_reason}".rstrip()
