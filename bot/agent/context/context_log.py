"""What the model saw last in each conversation: for `/context`, word for word."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from pydantic import TypeAdapter, ValidationError

from bot.llm.tokens import TokenCounter
from bot.paths import put
from bot.storage.port import Among, Grant, Rewrite, Session
from bot.texts.catalogue import tr, trn
from bot.turn import Turn
from bot.waiting import Pause, pause

if TYPE_CHECKING:
    from bot.agent.context.bootstrap import BootFile
    from bot.agent.context.prompt import AssembledRequest
    from bot.agent.loop import TurnState
    from bot.llm.types import Request

WRITTEN_EVERY_S = 5.0
"""How long a request waits for others to be written with it, or to be replaced by a later one."""

_ENDING = ".context.json"

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a request: what it is, its tokens, its text."""

    what: str
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class File:
    """A workspace file inside the first piece; `left_out` characters had no room."""

    path: str
    tokens: int
    left_out: int

    @property
    def omission(self) -> str:
        """What had no room; empty if it is all there."""
        return f"{self.left_out:,} characters had no room" if self.left_out else ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table of a request: a piece with its number, or, with 0, a file inside the first piece.

    `text` is the whole piece, or what of the file had no room.
    """

    number: int
    name: str
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """The last request of a conversation.

    Attributes:
        session: the conversation's key.
        at: ISO instant of the turn's end.
        tokens: of all pieces, as counted here.
        ratio: what the model counts for each of them, by its reports so far.
        left_out: earlier exchanges that had no room.
        files: what the first piece was made of, beside the fixed words.
        pieces: everything, in the order in which the model reads it.
    """

    session: str
    turn: str
    at: str
    model: str
    window: int
    tokens: int
    ratio: float
    left_out: int
    files: tuple[File, ...]
    pieces: tuple[Piece, ...]

    @property
    def reported(self) -> int:
        """Its tokens as the model counts them."""
        return round(self.tokens * self.ratio)

    @property
    def correction(self) -> str:
        """Its tokens as the model counts them, in words, if they are not as many as we count."""
        return "" if self.reported == self.tokens else tr(", {tokens:,} as the model counts", tokens=self.reported)

    @property
    def share(self) -> str:
        """How much of the window it fills, in per cent."""
        return f"{100 * self.reported / self.window:.0f} %"

    @property
    def omission(self) -> str:
        """How much of the conversation had no room, as a sentence; empty if it is all there."""
        if not self.left_out:
            return ""
        return trn("{count:,} earlier exchange had no room.", "{count:,} earlier exchanges had no room.", self.left_out)

    def rows(self) -> Iterator[Row]:
        """Yield the table of `/context` and of `scrubjay sessions context`."""
        for number, piece in enumerate(self.pieces, 1):
            yield Row(number, piece.what, piece.tokens, piece.text)
            if number == 1:
                yield from (Row(0, file.path, file.tokens, file.omission) for file in self.files)


_CONTEXTS = TypeAdapter(Context)


class ContextLog:
    """One file for each conversation, replaced some seconds after a turn. For information only.

    `folder` has a folder of them for each agent.
    """

    def __init__(self, folder: Path, *, pause: Pause = pause) -> None:
        self._folder = folder
        self._pause = pause
        self._waiting: defaultdict[str, dict[str, Callable[[], Context]]] = defaultdict(dict)
        self._any: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def keep(self, turn: Turn, state: TurnState, *, files: Sequence[BootFile] = (), model: str = "") -> None:
        """Have the last request of a turn written by `run`, with the files in it and the model."""
        if state.last is None:
            return
        now, session = turn.agent.clock.now(), turn.session
        self._waiting[session.agent][str(session)] = partial(_context, turn, state, state.last, now, files, model)
        self._any[session.agent].set()

    async def run(self, grant: Grant) -> None:
        """Write what is kept of an agent's turns until cancelled, that of several at once."""
        while True:
            await self._any[grant.agent].wait()
            await self._pause(WRITTEN_EVERY_S)
            await self._write(grant.agent)

    async def finish(self, grant: Grant) -> None:
        """Write what is kept of an agent's turns until nothing is left; a failure is logged."""
        while self._waiting[grant.agent]:
            await self._write(grant.agent)

    async def last(self, agent: str, session: str) -> Context | None:
        """Return what the model saw last; None if it saw nothing, or the file is gone or of another version."""
        waiting = self._waiting[agent].get(session)
        return waiting() if waiting else await asyncio.to_thread(_read, self._path(agent, session))

    async def _write(self, agent: str) -> None:
        """Write what waits; what another call is writing is written, too, when this returns."""

        def write(waiting: Mapping[str, Callable[[], Context]]) -> None:
            for session, context in waiting.items():
                try:
                    put(self._path(agent, session), _CONTEXTS.dump_json(context()).decode())
                except OSError as error:
                    log.warning("context.not_kept", session=session, reason=str(error))

        async with self._locks[agent]:
            self._any[agent].clear()
            if waiting := self._waiting.pop(agent, {}):
                await asyncio.to_thread(write, waiting)

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite what models saw in an agent's conversations (`bot.sessions.redaction.DerivedTexts`); raises OSError.

        What cannot be read is of another version, and is deleted.
        """

        def redact_file(path: Path) -> None:
            seen = _read(path)
            if seen is None:
                path.unlink(missing_ok=True)
            elif among(seen.session):
                parts = tuple(replace(piece, text=rewrite(piece.text)) for piece in seen.pieces)
                if parts != seen.pieces:
                    put(path, _CONTEXTS.dump_json(replace(seen, pieces=parts)).decode())

        await self._write(agent)
        for path in sorted((self._folder / agent).glob(f"*{_ENDING}")):
            await asyncio.to_thread(redact_file, path)

    async def remove(self, agent: str, gone: Sequence[Session], *, left: Collection[str]) -> None:
        """Remove what models saw in conversations of which nothing is left (`DerivedSessions`)."""
        await self._write(agent)
        for key in {session.key for session in gone}.difference(left):
            self._path(agent, key).unlink(missing_ok=True)

    def _path(self, agent: str, session: str) -> Path:
        return self._folder / agent / f"{sha256(session.encode()).hexdigest()[:16]}{_ENDING}"


def _context(
    turn: Turn, state: TurnState, last: AssembledRequest, at: datetime, files: Sequence[BootFile], model: str
) -> Context:
    counter, seen = state.context.counter, pieces(last.request, state.context.counter)
    return Context(
        session=str(turn.session),
        turn=turn.id,
        at=at.isoformat(timespec="seconds"),
        model=model,
        window=state.context.window.tokens,
        tokens=sum(piece.tokens for piece in seen),
        ratio=counter.ratio(model),
        left_out=last.dropped,
        files=tuple(File(file.path, counter.text(file.text), file.left_out) for file in files),
        pieces=seen,
    )


def pieces(request: Request, counter: TokenCounter) -> tuple[Piece, ...]:
    """Split a request into its parts, in the order in which the model reads them."""
    tools, messages = [], []
    for tool in request.tools:
        parameters = json.dumps(tool.parameters, ensure_ascii=False)
        tools.append(Piece(f"tool {tool.name}", counter.tool(tool), f"{tool.description}\n{parameters}"))
    for message in request.messages:
        calls = [f"→ {call.name}({json.dumps(dict(call.arguments), ensure_ascii=False)})" for call in message.calls]
        text = "\n".join(filter(None, [message.text, *calls]))
        messages.append(Piece(message.role.value, counter.message(message), text))
    return (*messages[: len(request.prefix)], *tools, *messages[len(request.prefix) :])


def _read(path: Path) -> Context | None:
    try:
        return _CONTEXTS.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
