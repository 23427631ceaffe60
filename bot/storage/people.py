"""People and adapters in the state file: who is let in, what adapters keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import aiosqlite

from adapters.port import Address
from bot.storage import schema
from bot.storage.database import Writer, failures, read_only
from bot.storage.transcripts import Reader


class Role(StrEnum):
    """What somebody may do who was let in."""

    OWNER = "owner"
    GUEST = "guest"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was let in; `identity` is `platform:id`, the name is for display."""

    identity: str
    role: Role
    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Pairing:
    """A stranger who asks to be let in.

    Attributes:
        account: the bot account that was written to.
        identity: who, as `platform:id`.
        name: for display.
        code: what they were told.
        update: the event with which they asked.
        at: when.
    """

    account: str
    identity: str
    name: str
    code: str
    update: str
    at: datetime


Place = tuple[str, str, str]
"""A bot account, a chat, and a thread in it or nothing."""


def place(address: Address) -> Place:
    """What a choice of an agent is kept under."""
    return address.account, address.lasting, address.thread or ""


@dataclass(frozen=True, slots=True)
class Rows:
    """All that a register knows."""

    people: tuple[Person, ...] = ()
    pairings: tuple[Pairing, ...] = ()
    choices: tuple[tuple[Place, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    moves: tuple[tuple[tuple[str, str], str], ...] = ()
    is_closed: bool = False


class AccessWriter(Protocol):
    """What changes a register's rows for good."""

    async def write(self, sql: str, *values: str) -> None:
        """Carry one statement out; it is on disk when this returns."""
        ...


class NullAccessWriter:
    """A pen that leaves no trace: for tests, and for what may be forgotten."""

    async def write(self, sql: str, *values: str) -> None:
        pass


class SqliteAccessWriter:
    """A pen that writes into the state file."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    async def write(self, sql: str, *values: str) -> None:
        async def change(db: aiosqlite.Connection) -> None:
            await db.execute(sql, values)

        await self._writer.write(change)


class AccessStore:
    """What is known of people and chats before an agent is found. Questions are answered from memory."""

    def __init__(self, pen: AccessWriter | None = None, rows: Rows | None = None) -> None:
        self._pen = pen or NullAccessWriter()
        known = rows or Rows()
        self._people = {person.identity: person for person in known.people}
        self._pairings = {(pairing.account, pairing.identity): pairing for pairing in known.pairings}
        self._choices = dict(known.choices)
        self._links = dict(known.links)
        self._moves = dict(known.moves)
        self._is_closed = known.is_closed

    @property
    def is_closed(self) -> bool:
        """Whether nobody but the owner is heard, whoever was let in."""
        return self._is_closed

    @property
    def people(self) -> tuple[Person, ...]:
        """Everybody who was let in."""
        return tuple(self._people.values())

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """Everybody who asks to be, and those whose code has expired."""
        return tuple(self._pairings.values())

    def role(self, identity: str) -> Role | None:
        """What somebody was let in as; None if they were not."""
        person = self._people.get(self.principal(identity)) or self._people.get(identity)
        return person.role if person else None

    def principal(self, identity: str) -> str:
        """The identity that counts for somebody: the one that theirs was linked to, or their own."""
        return self._links.get(identity, identity)

    def linked(self, principal: str) -> tuple[str, ...]:
        """The identities that were linked to somebody's."""
        return tuple(identity for identity, other in self._links.items() if other == principal)

    def chosen(self, address: Address) -> str | None:
        """The agent that was chosen for a chat."""
        return self._choices.get(place(address))

    def known(self, address: Address) -> Address:
        """The address with the id under which its chat was first met."""
        return replace(address, known_as=self._moves.get((address.account, address.chat)))

    async def let_in(self, person: Person) -> None:
        """Let somebody in, or give them another role."""
        sql = """INSERT INTO person (identity, role, name, at) VALUES (?, ?, ?, ?)
                 ON CONFLICT (identity) DO UPDATE SET role = excluded.role, name = excluded.name, at = excluded.at"""
        await self._pen.write(sql, person.identity, person.role.value, person.name, person.at.isoformat())
        self._people[person.identity] = person

    async def put_out(self, identity: str) -> bool:
        """Let somebody in no longer, under no identity; False if they were not."""
        await self._pen.write("DELETE FROM link WHERE identity = ? OR principal = ?", identity, identity)
        await self._pen.write("DELETE FROM person WHERE identity = ?", identity)
        self._links = {one: other for one, other in self._links.items() if identity not in {one, other}}
        return self._people.pop(identity, None) is not None

    async def close(self, *, closed: bool) -> None:
        """Hear nobody but the owner from now on, or everybody again who was let in."""
        sql = """INSERT INTO mark (account, name, value) VALUES ('access', 'closed', ?)
                 ON CONFLICT (account, name) DO UPDATE SET value = excluded.value"""
        await self._pen.write(sql, "yes" if closed else "no")
        self._is_closed = closed

    async def ask(self, pairing: Pairing) -> None:
        """Note that somebody asks to be let in; it replaces what they asked before."""
        sql = """INSERT INTO pairing (account, identity, name, code, update_id, at) VALUES (?, ?, ?, ?, ?, ?)
                 ON CONFLICT (account, identity) DO UPDATE SET
                 name = excluded.name, code = excluded.code, update_id = excluded.update_id, at = excluded.at"""
        whom = (pairing.account, pairing.identity, pairing.name)
        await self._pen.write(sql, *whom, pairing.code, pairing.update, pairing.at.isoformat())
        self._pairings[pairing.account, pairing.identity] = pairing

    async def settle(self, pairings: Iterable[Pairing]) -> None:
        """Forget that these asked."""
        for pairing in pairings:
            sql = "DELETE FROM pairing WHERE account = ? AND identity = ?"
            await self._pen.write(sql, pairing.account, pairing.identity)
            self._pairings.pop((pairing.account, pairing.identity), None)

    async def choose(self, address: Address, agent: str) -> None:
        """Let an agent answer in a chat from now on."""
        sql = """INSERT INTO choice (account, chat, thread, agent) VALUES (?, ?, ?, ?)
                 ON CONFLICT (account, chat, thread) DO UPDATE SET agent = excluded.agent"""
        await self._pen.write(sql, *place(address), agent)
        self._choices[place(address)] = agent

    async def move(self, address: Address, *, to: str) -> None:
        """Take a chat's new id for the one under which it was first met."""
        sql = """INSERT INTO move (account, chat, known_as) VALUES (?, ?, ?)
                 ON CONFLICT (account, chat) DO UPDATE SET known_as = excluded.known_as"""
        await self._pen.write(sql, address.account, to, address.lasting)
        self._moves[address.account, to] = address.lasting

    async def link(self, identity: str, principal: str, *, at: datetime) -> None:
        """Take two identities for one person; the second one counts."""
        sql = """INSERT INTO link (identity, principal, at) VALUES (?, ?, ?)
                 ON CONFLICT (identity) DO UPDATE SET principal = excluded.principal, at = excluded.at"""
        await self._pen.write(sql, identity, principal, at.isoformat())
        self._links[identity] = principal


async def read_rows(db: aiosqlite.Connection) -> Rows:
    """What a state file knows of people and chats."""
    people = await db.execute_fetchall("SELECT identity, role, name, at FROM person ORDER BY at, identity")
    asking = await db.execute_fetchall("SELECT account, identity, name, code, update_id, at FROM pairing ORDER BY at")
    choices = await db.execute_fetchall("SELECT account, chat, thread, agent FROM choice")
    links = await db.execute_fetchall("SELECT identity, principal FROM link")
    moves = await db.execute_fetchall("SELECT account, chat, known_as FROM move")
    closed = await db.execute_fetchall(
        "SELECT value FROM mark WHERE account = 'access' AND name = 'closed' AND value = 'yes'"
    )
    return Rows(
        people=tuple(Person(one, Role(role), name, datetime.fromisoformat(at)) for one, role, name, at in people),
        pairings=tuple(
            Pairing(account, who, name, code, update, datetime.fromisoformat(at))
            for account, who, name, code, update, at in asking
        ),
        choices=tuple(((account, chat, thread), agent) for account, chat, thread, agent in choices),
        links=tuple((one, other) for one, other in links),
        moves=tuple(((account, chat), known_as) for account, chat, known_as in moves),
        is_closed=bool(list(closed)),
    )


async def saved(path: Path) -> AccessStore:
    """What a state file knows, to be looked at beside a running service; nothing if there is no file yet.

    Raises:
        StateError: the file is not ours, of a newer schema, or damaged.
    """
    if not path.exists():
        return AccessStore()
    async with read_only(path) as db:
        with failures(path, "Reading"):
            if await schema.check(db, path) < schema.WITH_REGISTER:
                return AccessStore()
            return AccessStore(rows=await read_rows(db))


class SqliteAdapterState:
    """`adapters.port.Marks`. A power cut may take the newest ones back, unless they are to last."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def load(self, account: str) -> Mapping[str, str]:
        return {str(name): str(value) for name, value in await self._reader.marks(account)}

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        async def put(db: aiosqlite.Connection) -> None:
            sql = """INSERT INTO mark (account, name, value) VALUES (?, ?, ?)
                     ON CONFLICT (account, name) DO UPDATE SET value = excluded.value"""
            await db.execute(sql, (account, name, value))

        await self._writer.write(put, flush=lasting)
