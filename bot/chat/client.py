"""The other end of a chat with a running service: `scrubjay chat` while another process holds the home."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from secrets import token_hex

from adapters.terminal import Interrupted, Screen, ScreenClosed, Shown, Typed
from bot import __version__
from bot.chat.server import LEFT, MAX_FRAME_BYTES, frames, send
from bot.service.control import CHAT, request
from bot.texts.catalogue import tr

LOST = "lost"
"""Why a connection ended that nobody has ended: the service was killed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a chat with a running service has ended.

    Attributes:
        why: one of `LEFT`, `CHAT_CLOSED`, `SERVICE_ENDED`, `LOST`.
        agent: who was spoken to last.
        unaccepted: what was said last, and is not known to be on disk.
    """

    why: str
    agent: str
    unaccepted: Typed | None = None


class ChatClient:
    """A connection to a running service, for one chat; `session` is the key of the conversation."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, agent: str, session: str) -> None:
        self.session = session
        self._agent = agent
        self._reader = reader
        self._writer = writer
        self._unaccepted: Typed | None = None
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    async def connect(cls, card: Path, screen: Screen, *, agent: str, greeting: str = "") -> ChatClient:
        """Open a chat with an agent, or the default one if none is named; `card` has the service's port and key.

        Raises:
            Unreachable: no service answers there.
            BotError: it refuses.
        """
        about: dict[str, object] = {"version": __version__, "agent": agent, "run": token_hex(8), "greeting": greeting}
        about |= {"waits": screen.waits, "is_attended": screen.is_attended}
        silent = tr("The running Scrubjay does not answer.")
        answer, reader, writer = await request(card, CHAT, about, limit=MAX_FRAME_BYTES, silent=silent)
        return cls(reader, writer, str(answer["agent"]), str(answer["session"]))

    async def converse(self, screen: Screen, *, first: Typed | None = None) -> Ended:
        """Do at the screen what the service says, until it or the person ends it."""
        why = LOST
        try:
            async with asyncio.TaskGroup() as group:
                why = await self._follow(screen, group, first)
                if self._reading:
                    self._reading.cancel()
        except* ConnectionError:
            why = LOST
        except* ScreenClosed:  # the program at the other end of the pipe has ended
            why = LEFT
        finally:
            self._writer.close()
        return Ended(why, self._agent, None if why == LEFT else self._unaccepted)

    async def _follow(self, screen: Screen, group: asyncio.TaskGroup, first: Typed | None) -> str:
        """Do what the service says; returns why it has ended the connection."""
        async for frame in frames(self._reader):
            match frame.get("do"):
                case "read":
                    (said, first), self._agent = (first, None), str(frame["agent"])
                    self._reading = group.create_task(self._read(screen, self._agent, said))
                case "accepted":
                    self._unaccepted = None
                    await screen.accepted()
                case "progress":
                    await screen.progress(partial(str, frame["text"]), str(frame["doing"]))
                case "show":
                    values = {field.name: frame[field.name] for field in fields(Shown)}
                    choices = tuple((str(key), str(label)) for key, label in values["choices"])
                    shown = Shown(**values | {"choices": choices, "files": tuple(values["files"])})
                    self._agent = shown.prompt
                    await screen.show(shown)
                    send(self._writer, shown=frame["id"])
                case "end":
                    return str(frame["why"])
        return LOST

    async def _read(self, screen: Screen, agent: str, said: Typed | None) -> None:
        try:
            typed = said or await screen.read(agent)
        except Interrupted:
            send(self._writer, interrupt=True)
            return
        if typed is None:
            send(self._writer, left=True)
        else:
            self._unaccepted = typed if typed.text.strip() else None
            send(self._writer, say=typed.text, quote=typed.quote)
