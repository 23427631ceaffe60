"""Sessions, and what models saw in them, as rows for people and as values for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from bot.session.file import heading, line

if TYPE_CHECKING:
    from bot.agent.context import Context
    from bot.cli.sessions_found import Found
    from bot.durable.port import Session

HEADS = ("session", "agent", "where", "began", "used", "messages", "")
PIECES = ("", "piece", "tokens", "begins")

OPENING = 50
"""Characters of a piece in the table."""


def told(session: Session) -> dict[str, Any]:
    """A session without its words."""
    return {
        "id": session.id,
        "agent": session.agent,
        "key": session.key,
        "began": session.began.isoformat(),
        "used": session.used.isoformat(),
        "entries": session.entries,
        "messages": session.messages,
        "is_over": session.is_over,
    }


def row(session: Session, zone: tzinfo) -> tuple[str, ...]:
    """A session in a table; `HEADS` says what is what."""
    where = session.key.removeprefix(f"agent:{session.agent}:")
    began, used = (at.astimezone(zone) for at in (session.began, session.used))
    state = "over" if session.is_over else "open"
    times = (f"{began:%Y-%m-%d %H:%M}", f"{used:%Y-%m-%d %H:%M}")
    return (session.id, session.agent, where, *times, str(session.messages), state)


def lines(found: Found) -> str:
    """A session as the JSON lines of `state/sessions/<agent>/<session>.jsonl`."""
    return "".join([heading(found.session), *map(line, found.recorded)])


def entries(found: Found) -> list[dict[str, Any]]:
    """The same entries as values."""
    return [json.loads(line(one)) for one in found.recorded]


def told_context(context: Context) -> dict[str, Any]:
    """What a model saw, with every word; `reported` is what the model would count."""
    return asdict(context) | {"reported": context.reported}


def pieces(context: Context) -> list[tuple[str, ...]]:
    """A row for each piece, and one for each file within the first; `PIECES` says what is what."""
    rows: list[tuple[str, ...]] = []
    for number, piece in enumerate(context.pieces, 1):
        rows.append((str(number), piece.what, f"{piece.tokens:,}", _opening(piece.text)))
        if number == 1:
            rows += [("", f"  {file.path}", f"{file.tokens:,}", _cut(file.left_out)) for file in context.files]
    return rows


def words(context: Context) -> Iterator[str]:
    """Every piece under a line that says what it is."""
    for number, piece in enumerate(context.pieces, 1):
        yield f"=== {number}. {piece.what}, {piece.tokens:,} tokens\n{piece.text}"


def sums(context: Context) -> Iterator[str]:
    """What had no room, and how full the window was."""
    if context.left_out:
        earlier = "1 earlier exchange" if context.left_out == 1 else f"{context.left_out} earlier exchanges"
        yield f"{earlier} had no room."
    share = f"{100 * context.reported / context.window:.0f} %"
    counted = "" if context.reported == context.tokens else f", {context.reported:,} as the model counts"
    yield (
        f"{context.model or 'The model'} saw {context.tokens:,} tokens{counted}, {share} of {context.window:,}, "
        f"at {context.at}."
    )


def _opening(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= OPENING else f"{shown[:OPENING]}…"


def _cut(left_out: int) -> str:
    return f"{left_out:,} characters had no room" if left_out else ""
