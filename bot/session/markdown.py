"""Conversations as Markdown: one paragraph or more for each contribution, opened by its time and its speaker.

What somebody said is theirs to word, and nothing in it may be read as anything but words: no heading, fact, block id,
comment or property of the page that it stands in. A single line stands behind its speaker's name, where nothing but a
block id could begin; of several lines each is quoted (`> `), code and lists with all of their marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import tzinfo

from bot.durable.port import Session
from bot.session.talk import Exchange, Said
from memory.files.lines import BlockKind, line_kind

_BLOCK_ID = re.compile(r"(?<!\S)\^(?=[\w-]++\W*+\Z)")
"""Wider than what `memory.files.lines.block_id` takes for one, so that no other reader finds one, either."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f]")
"""Control characters that neither set words apart nor end a line."""


def document(session: Session, turns: Iterable[Exchange], *, zone: tzinfo) -> str:
    """A whole session, commands included, with what the agent did and what was printed under its answers."""
    began = session.began.astimezone(zone)
    state = "over" if session.is_over else "open"
    opening = f"# {session.agent}, {began:%Y-%m-%d %H:%M}\n\nSession `{session.id}` of `{session.key}`, {state}."
    said = (one for turn in turns for one in turn.said)
    return "\n\n".join([opening, *(_whole(one, zone) for one in said)]) + "\n"


def contribution(said: Said, *, zone: tzinfo, longest: int) -> str:
    """The words alone, cut to so many characters.

    An answer that only quotes memory becomes the places that it quotes: what is remembered once is not noted again.
    """
    return _paragraph(_brief(said, longest), zone)


def quiet(text: str) -> str:
    """A text as a paragraph of its own that is read as nothing but words."""
    lines = _lines(text)
    return lines[0] if len(lines) == 1 and line_kind(lines[0]) is BlockKind.PARAGRAPH else _quoted(lines)


def quiet_line(text: str) -> str:
    """A text as the rest of a line that something else begins."""
    return " ".join(filter(None, _lines(text)))


def _brief(said: Said, longest: int) -> Said:
    if said.quoted:
        return replace(said, text=f"(Quoted {', '.join(map(str, said.quoted))}.)")
    left_out = len(said.text) - longest
    return said if left_out <= 0 else replace(said, text=f"{said.text[:longest]} [… {left_out:,} more characters]")


def _whole(said: Said, zone: tzinfo) -> str:
    did = [quiet(f"*{said.who} called* `{call}`") for call in said.did]
    return "\n\n".join([*did, _paragraph(said, zone), *map(quiet, said.told)])


def _paragraph(said: Said, zone: tzinfo) -> str:
    """`[14:02] **Ada**: words`."""
    who = quiet_line(said.who.replace("*", ""))
    opening, lines = f"[{said.at.astimezone(zone):%H:%M}] **{who}**:", _lines(said.text)
    return f"{opening} {lines[0]}" if len(lines) == 1 else f"{opening}\n\n{_quoted(lines)}"


def _quoted(lines: Iterable[str]) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines, at least one, wherever any reader may see one end; their closing words are no block ids."""
    found = [_CONTROL.sub(" ", line).rstrip() for line in text.strip().splitlines()]
    return [_BLOCK_ID.sub(r"\\^", line) for line in found] or [""]
