"""Conversations as Markdown: one paragraph or more for each contribution, opened by its time and its speaker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import tzinfo

from bot.durable.port import Session
from bot.session.talk import Exchange, Said

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BLOCK = re.compile(r"`{3}|~{3}|[-*+>|] |\d+[.)] ")
_BLOCK_ID = re.compile(r"\s(\^[\w-]+)\s*$")
_STRUCTURE = re.compile(r"^(\s*)(#{1,6}(?:\s|$)|<!--)")


def document(session: Session, turns: Iterable[Exchange], *, zone: tzinfo) -> str:
    """A whole session, commands included, with what the agent did and what was printed under its answers."""
    began = session.began.astimezone(zone)
    state = "over" if session.is_over else "open"
    opening = f"# {session.agent}, {began:%Y-%m-%d %H:%M}\n\nSession `{session.id}` of `{session.key}`, {state}."
    said = (one for turn in turns for one in turn.said)
    return "\n\n".join([opening, *(_whole(one, zone) for one in said)]) + "\n"


def minutes(said: Iterable[Said], *, zone: tzinfo, longest: int) -> str:
    """The words alone, each contribution cut to so many characters.

    An answer that only quotes memory becomes the places that it quotes: what is remembered once is not noted again.
    """
    return "\n\n".join(_paragraph(_brief(one, longest), zone) for one in said)


def quiet(text: str) -> str:
    """Markdown that does not reach beyond itself: no heading, comment, name of a block, or fence that is left open."""
    return "\n".join(_quiet_lines(text.strip()))


def _brief(said: Said, longest: int) -> Said:
    if said.quoted:
        return replace(said, text=f"(Quoted {', '.join(map(str, said.quoted))}.)")
    left_out = len(said.text) - longest
    return said if left_out <= 0 else replace(said, text=f"{said.text[:longest]} [… {left_out:,} more characters]")


def _whole(said: Said, zone: tzinfo) -> str:
    did = [f"*{said.who} called* `{call}`" for call in said.did]
    return "\n\n".join(filter(None, [*did, _paragraph(said, zone), "\n".join(said.told)]))


def _paragraph(said: Said, zone: tzinfo) -> str:
    """`[14:02] **Ada**: words`."""
    words = quiet(said.text)
    gap = "\n\n" if _BLOCK.match(words) else " "
    who = " ".join(said.who.replace("*", "").split())
    return f"[{said.at.astimezone(zone):%H:%M}] **{who}**:{gap}{words}"


def _quiet_lines(text: str) -> Iterator[str]:
    mark = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found and not mark:
            mark = found[1]
        elif found and found[1].startswith(mark) and not line.strip().strip(mark[0]):
            mark = ""
        yield line if mark or found else _BLOCK_ID.sub(r" (\1)", _STRUCTURE.sub(r"\1\\\2", line))
    if mark:
        yield mark
