"""Discord's gateway over a websocket: identify, heartbeat, events, resume, and the ways in which it ends."""

from __future__ import annotations

import asyncio
import copy
import json
import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import discord
from aiohttp import WSMsgType, web
from simcord import intents as visibility
from simcord.backend import serializers

from tests.servers.discord.backend import RecordedBackend
from tests.servers.discord.rest import gateway_url, localised
from tests.servers.ledger import Ledger
from tests.servers.serving import reset

HEARTBEAT_MS = 41250
REMEMBERED_EVENTS = 1000
REMEMBERED_SESSIONS = 4
"""Of clients that are gone; one that was killed never comes back for its session."""


class Op(IntEnum):
    """Opcodes."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    VOICE_STATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Closed(Exception):
    """The server ends the connection with a close code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(slots=True, eq=False)
class Connection:
    """One websocket, and the frames that wait to go out."""

    request: web.Request
    socket: web.WebSocketResponse
    outgoing: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    session: Session | None = None

    def send(self, op: Op, data: Any = None) -> None:
        self.outgoing.put_nowait({"op": int(op), "d": data, "s": None, "t": None})

    async def write(self) -> None:
        """Send what is to go out, compressed as one stream if the client asked for that."""
        stream = zlib.compressobj() if self.request.query.get("compress") == "zlib-stream" else None
        while True:
            raw = json.dumps(localised(await self.outgoing.get(), self.request))
            if stream:
                await self.socket.send_bytes(stream.compress(raw.encode()) + stream.flush(zlib.Z_SYNC_FLUSH))
            else:
                await self.socket.send_str(raw)


@dataclass(slots=True, eq=False)
class Session:
    """What a client identified for: it outlives connections, so that a client can resume."""

    id: str
    intents: discord.Intents
    sequence: int = 0
    sent: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=REMEMBERED_EVENTS))
    connection: Connection | None = None

    def dispatch(self, event: Any, data: Any) -> None:
        self.sequence += 1
        frame = {"op": int(Op.DISPATCH), "t": event, "s": self.sequence, "d": data}
        self.sent.append(frame)
        if self.connection:
            self.connection.outgoing.put_nowait(frame)

    def missed(self, sequence: int) -> list[dict[str, Any]] | None:
        """The events after a sequence number; None if they are no longer known."""
        if sequence > self.sequence or (self.sent and sequence < self.sent[0]["s"] - 1):
            return None
        return [frame for frame in self.sent if frame["s"] > sequence]


class Gateway:
    """The handler of the websocket, and its levers."""

    def __init__(self, backend: RecordedBackend, *, token: str, ledger: Ledger) -> None:
        self.token = token
        self.approved = discord.Intents.all()
        self.acknowledges = True
        self.refusals: list[bool] = []
        self.spoiled = 0
        self._backend = backend
        self._ledger = ledger
        self._sessions: dict[str, Session] = {}
        self._connections: set[Connection] = set()
        backend.subscribers.append(self.publish)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        connection = Connection(request, socket)
        self._connections.add(connection)
        connection.send(Op.HELLO, {"heartbeat_interval": HEARTBEAT_MS})
        try:
            async with asyncio.TaskGroup() as group:
                writer = group.create_task(connection.write())
                await self._read(connection)
                writer.cancel()
        except* ConnectionError:
            self._ledger.record("gateway_lost")
        finally:
            self._connections.discard(connection)
            if connection.session and connection.session.connection is connection:
                connection.session.connection = None
        return socket

    def send_all(self, event: Any, data: Any) -> None:
        """Send one frame to everybody, whatever they asked for and whatever is in it."""
        for session in self._sessions.values():
            session.dispatch(event, data)

    def drop(self, *, reconnect: bool = False, forget: bool = False) -> int:
        """End all connections: politely by op 7, or by a TCP reset. Forgotten sessions cannot be resumed."""
        if forget:
            self._sessions.clear()
        for connection in list(self._connections):
            if reconnect:
                connection.send(Op.RECONNECT)
            else:
                reset(connection.request)
        return len(self._connections)

    def invalidate(self, *, resumable: bool) -> None:
        """Tell everybody that their session is over (op 9)."""
        for connection in self._connections:
            connection.send(Op.INVALID_SESSION, data=resumable)
        if not resumable:
            self._sessions.clear()

    async def close(self, code: int) -> None:
        """Close all connections with a code."""
        for connection in list(self._connections):
            await connection.socket.close(code=code, message=b"the fault script")

    async def _read(self, connection: Connection) -> None:
        try:
            async for message in connection.socket:
                if message.type is WSMsgType.TEXT:
                    self._take(connection, _decoded(message.data))
        except Closed as closed:
            self._ledger.record("gateway_closed", code=closed.code)
            await connection.socket.close(code=closed.code, message=str(closed).encode())

    def _take(self, connection: Connection, frame: Mapping[str, Any]) -> None:
        op, data = frame.get("op"), frame.get("d")
        if op == Op.HEARTBEAT:
            if self.acknowledges:
                connection.send(Op.HEARTBEAT_ACK)
        elif op == Op.IDENTIFY and isinstance(data, dict):
            self._identify(connection, data)
        elif op == Op.RESUME and isinstance(data, dict):
            self._resume(connection, data)
        elif op not in {Op.PRESENCE, Op.VOICE_STATE, Op.REQUEST_MEMBERS}:
            raise Closed(4001, "Unknown opcode.")
        elif connection.session is None:
            raise Closed(4003, "Not authenticated.")
        elif op == Op.REQUEST_MEMBERS and isinstance(data, dict):
            self._send_members(connection.session, data)

    def _identify(self, connection: Connection, data: Mapping[str, Any]) -> None:
        if connection.session:
            raise Closed(4005, "Already authenticated.")
        if data["token"] != self.token:
            raise Closed(4004, "Authentication failed.")
        if self._refused(connection, "identify"):
            return
        intents = discord.Intents._from_value(data["intents"])
        if visibility.missing_privileged_intents(intents, self.approved):
            raise Closed(4014, "Disallowed intent(s).")
        self._forget_stale()
        session = Session(f"session-{self._backend.snowflake()}", intents, connection=connection)
        connection.session = self._sessions[session.id] = session
        self._ledger.record(
            "identify", session=session.id, intents=data["intents"], presence=data.get("presence") or {}
        )
        guilds = list(self._backend.guilds.values())
        self._backend.sessions_left -= 1
        ready = self._ready(connection, session)
        if self.spoiled:
            self.spoiled -= 1
            del ready["user"]
        session.dispatch("READY", ready)
        for guild in guilds:
            self._show(session, "GUILD_CREATE", serializers.guild_create_payload(self._backend, guild))

    def _forget_stale(self) -> None:
        stale = [name for name, session in self._sessions.items() if session.connection is None]
        for old in stale[:-REMEMBERED_SESSIONS]:
            del self._sessions[old]

    def _ready(self, connection: Connection, session: Session) -> dict[str, Any]:
        return {
            "v": 10,
            "user": dict(serializers.user_payload(self._backend.bot_user)),
            "session_id": session.id,
            "resume_gateway_url": gateway_url(connection.request),
            "shard": [0, 1],
            "guilds": [{"id": str(guild), "unavailable": True} for guild in self._backend.guilds],
            "application": {"id": str(self._backend.application_id), "flags": 0},
        }

    def _resume(self, connection: Connection, data: Mapping[str, Any]) -> None:
        if data["token"] != self.token:
            raise Closed(4004, "Authentication failed.")
        if self._refused(connection, "resume"):
            return
        session = self._sessions.get(data["session_id"])
        missed = session.missed(data["seq"]) if session else None
        if session is None or missed is None:
            self._ledger.record("resume_refused", session=data["session_id"])
            connection.send(Op.INVALID_SESSION, data=False)
            return
        self._ledger.record("resume", session=session.id, missed=len(missed))
        connection.session, session.connection = session, connection
        for frame in missed:
            connection.outgoing.put_nowait(frame)
        session.dispatch("RESUMED", {})

    def _refused(self, connection: Connection, what: str) -> bool:
        """Whether a test wanted the next identify or resume to be refused."""
        if not self.refusals:
            return False
        connection.send(Op.INVALID_SESSION, data=self.refusals.pop(0))
        self._ledger.record(f"{what}_refused")
        return True

    def _send_members(self, session: Session, data: Mapping[str, Any]) -> None:
        guild = self._backend.guilds.get(int(data["guild_id"]))
        wanted = {int(user) for user in data.get("user_ids") or ()}
        members = [m for m in guild.members.values() if not wanted or m.user_id in wanted] if guild else []
        chunk = {"guild_id": str(data["guild_id"]), "chunk_index": 0, "chunk_count": 1, "nonce": data.get("nonce")}
        shown = [serializers.member_payload(self._backend, guild, member) for member in members] if guild else []
        session.dispatch("GUILD_MEMBERS_CHUNK", chunk | {"members": shown})

    def publish(self, event: str, payload: Mapping[str, Any]) -> None:
        for session in self._sessions.values():
            self._show(session, event, payload)

    def _show(self, session: Session, event: str, payload: Mapping[str, Any]) -> None:
        """Send an event, or what the session's intents let it see of it."""
        gate = visibility.required_intent(event, payload)
        if gate is not None and not getattr(session.intents, gate):
            return
        data = copy.deepcopy(dict(payload))
        if event in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} and not session.intents.message_content:
            visibility.censor_message(data, self._backend.bot_user.id, backend=self._backend)
        if event == "GUILD_CREATE":
            visibility.prune_guild_create(data, session.intents, self._backend.bot_user.id)
            threads = data.get("threads", ())
            data["threads"] = [one for one in threads if not one["thread_metadata"]["archived"]]
        session.dispatch(event, data)


def _decoded(text: str) -> dict[str, Any]:
    try:
        frame = json.loads(text)
    except ValueError:
        raise Closed(4002, "Error while decoding payload.") from None
    if not isinstance(frame, dict):
        raise Closed(4002, "Error while decoding payload.")
    return frame
