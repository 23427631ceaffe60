"""Sessions as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import tzinfo

from bot.sessions.turns import Said, decode_turns
from bot.storage.port import Recorded, Session
from memory.files.markdown import BlockKind, line_kind

_BLOCK_ID = re.compile(r"(?<!\S)\^(?=[\w-]++\W*+\Z)")
"""Wider than `memory.files.markdown.block_id`, so that other readers find no block id, either."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f]")
"""Control characters that neither separate words nor end a line."""


def document(session: Session, recorded: Iterable[Recorded], *, zone: tzinfo) -> str:
    """Format a whole session as Markdown, with commands, tool calls and the lines printed under answers."""
    began = session.began.astimezone(zone)
    state = "over" if session.is_over else "open"
    paragraphs = [f"# {session.agent}, {began:%Y-%m-%d %H:%M}\n\nSession `{session.id}` of `{session.key}`, {state}."]
    for said in (one for turn in decode_turns(recorded) for one in turn.said(session.agent)):
        paragraphs += [as_paragraph(f"*{said.who} called* `{call}`") for call in said.did]
        paragraphs += [contribution(said, zone=zone), *map(as_paragraph, said.told)]
    return "\n\n".join(paragraphs) + "\n"


def contribution(said: Said, *, zone: tzinfo, max_chars: int | None = None) -> str:
    """Format the words of a contribution alone, cut to `max_chars`, as `[14:02] **Ada**: words`."""
    text = said.text[:max_chars]
    if left_out := len(said.text) - len(text):
        text += f" [… {left_out:,} more characters]"
    who = as_rest_of_line(said.who.replace("*", ""))
    opening, lines = f"[{said.at.astimezone(zone):%H:%M}] **{who}**:", _lines(text)
    return f"{opening} {lines[0]}" if len(lines) == 1 else f"{opening}\n\n{_as_quote(lines)}"


def as_paragraph(text: str) -> str:
    """Format a text as a paragraph of its own that Markdown reads as nothing but words."""
    lines = _lines(text)
    return lines[0] if len(lines) == 1 and line_kind(lines[0]) is BlockKind.PARAGRAPH else _as_quote(lines)


def as_rest_of_line(text: str) -> str:
    """Format a text as the rest of a line that something else begins."""
    return " ".join(filter(None, _lines(text)))


def _as_quote(lines: Iterable[str]) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _lines(text: str) -> list[str]:
    """Split a text into lines, at least one, wherever any reader may see one end; escape block ids at their ends."""
    found = [_CONTROL.sub(" ", line).rstrip() for line in text.strip().splitlines()]
    return [_BLOCK_ID.sub(r"\\^", line) for line in found] or [""]
