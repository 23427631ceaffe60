"""What the model saw last in each session: for `/context`, to the byte."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from bot.agent.loop import Course
from bot.llm.port import Request
from bot.llm.tokens import TokenCounter
from bot.turn import Turn


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a request: what it is, its tokens, its text."""

    what: str
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """The last request of a session. `left_out` counts earlier exchanges that had no room in it."""

    session: str
    at: str
    window: int
    tokens: int
    left_out: int
    pieces: tuple[Piece, ...]


class ContextLog:
    """One file for each session, replaced with every turn. It is for looking at; losing it loses nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, turn: Turn, course: Course) -> None:
        """Note the last request of a turn."""
        if course.last is None:
            return
        frame = course.frame
        context = Context(
            session=str(turn.session),
            at=turn.agent.clock.now().isoformat(timespec="seconds"),
            window=frame.window.tokens,
            tokens=sum(piece.tokens for piece in pieces(course.last.request, frame.counter)),
            left_out=course.last.dropped,
            pieces=pieces(course.last.request, frame.counter),
        )
        await asyncio.to_thread(_write, self._path(turn.session.agent, str(turn.session)), context)

    async def last(self, agent: str, session: str) -> Context | None:
        """What the model saw last; None if it saw nothing, or the file is gone."""
        return await asyncio.to_thread(_read, self._path(agent, session))

    def _path(self, agent: str, session: str) -> Path:
        return self._folder / agent / f"{sha256(session.encode()).hexdigest()[:16]}.context.json"


def pieces(request: Request, counter: TokenCounter) -> tuple[Piece, ...]:
    """A request in its parts, in the order in which the model reads them."""
    tools = [
        Piece(f"tool {tool.name}", counter.tool(tool), json.dumps(asdict(tool), ensure_ascii=False))
        for tool in request.tools
    ]
    said = [
        Piece(
            message.role.value,
            counter.message(message),
            "\n".join([message.text, *map(_called, message.calls)]).strip(),
        )
        for message in request.messages
    ]
    return (*said[: len(request.prefix)], *tools, *said[len(request.prefix) :])


def _called(call: Any) -> str:
    return f"→ {call.name}({json.dumps(dict(call.arguments), ensure_ascii=False)})"


def _write(path: Path, context: Context) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    with open(temporary, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        json.dump(asdict(context), file, ensure_ascii=False)
    temporary.replace(path)


def _read(path: Path) -> Context | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Context(**found | {"pieces": tuple(Piece(**piece) for piece in found["pieces"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
