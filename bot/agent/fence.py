"""Fences: text that is data and no instruction, marked so that it cannot pretend to end."""

from __future__ import annotations

import re
import secrets

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_TEMPLATE = re.compile(r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>")


def boundary() -> str:
    """A word that nobody can know beforehand."""
    return secrets.token_hex(4)


def fenced(text: str, *, label: str, mark: str) -> str:
    """The text between marks.

    Invisible characters go, so that no mark can be spelled with them; the sequences with which chat templates separate
    speakers are taken apart; and the mark itself, should it occur, too.
    """
    return f"<<{label} {mark}>>\n{harmless(text).replace(mark, mark[:4] + ' ' + mark[4:])}\n<<end {label} {mark}>>"


def harmless(text: str) -> str:
    """The text without invisible characters, and with a model's own separators spelled out."""
    return _TEMPLATE.sub(lambda found: " ".join(found[0]), _INVISIBLE.sub("", text))
