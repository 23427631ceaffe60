"""People in the state file: who has access, how much they have asked, and what they think of answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Self

from adapters.port import Address, Inbound
from bot.storage.database import is_there, open_reader
from bot.storage.keys import chat_key
from bot.storage.statements import PUT_MARK, State, StatementReader, StatementStore, StatementWriter, execute


class Role(StrEnum):
    """What a person with access may do."""

    OWNER = "owner"
    GUEST = "guest"


@dataclass(frozen=True, slots=True)
class Person:
    """A person with access; `identity` is `platform:id`, the name is for display."""

    identity: str
    role: Role
    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Pairing:
    """A stranger's request for access.

    Attributes:
        account: the bot account that was written to.
        identity: who, as `platform:id`.
        name: for display.
        update: the event with which they asked.
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
    """Return the key under which the choice of an agent is kept."""
    return address.account, address.lasting, address.thread or ""


class AccessStore:
    """What is known of people and chats before an agent is found. Queries are answered from memory.

    Args:
        writer: makes changes durable; without it they last as long as the process.

    Attributes:
        is_closed: only the owner is answered, whoever else has access.
    """

    def __init__(self, writer: StatementWriter | None = None) -> None:
        self._writer = writer
        self._people: dict[str, Person] = {}
        self._pairings: dict[tuple[str, str], Pairing] = {}
        self._choices: dict[Place, str] = {}
        self._links: dict[str, str] = {}
        self._moves: dict[tuple[str, str], str] = {}
        self._settings: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self.is_closed = False

    async def load(self, reader: StatementReader) -> Self:
        """Take what a state knows, at once, as other processes may have changed it; raises `StateError`."""
        people = await reader.rows("SELECT identity, role, name, at FROM person ORDER BY at, identity")
        asking = await reader.rows("SELECT account, identity, name, code, update_id, at FROM pairing ORDER BY at")
        choices = await reader.rows("SELECT account, chat, thread, agent FROM choice")
        links = await reader.rows("SELECT identity, principal FROM link")
        moves = await reader.rows("SELECT account, chat, known_as FROM move")
        settings = await reader.rows("SELECT account, chat, name, value FROM chat_setting")
        closed = await reader.rows("SELECT 1 FROM mark WHERE account = 'access' AND name = 'closed' AND value = 'yes'")
        known = {who: Person(who, Role(role), name, datetime.fromisoformat(at)) for who, role, name, at in people}
        pairings = {
            (account, who): Pairing(account, who, name, code, update, datetime.fromisoformat(at))
            for account, who, name, code, update, at in asking
        }
        self._people, self._pairings = known, pairings  # all could be read, so nothing is half taken
        self._choices = {(account, chat, thread): agent for account, chat, thread, agent in choices}
        self._links = dict(links)
        self._moves = {(account, chat): known_as for account, chat, known_as in moves}
        self._settings = defaultdict(dict)
        for account, chat, name, value in settings:
            self._settings[account, chat][name] = value
        self.is_closed = bool(closed)
        return self

    @property
    def people(self) -> tuple[Person, ...]:
        """Everybody with access."""
        return tuple(self._people.values())

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """All requests for access, expired ones included."""
        return tuple(self._pairings.values())

    def role(self, identity: str) -> Role | None:
        """Return the role of a person; None without access."""
        person = self._people.get(self.principal(identity)) or self._people.get(identity)
        return person.role if person else None

    def principal(self, identity: str) -> str:
        """Return the identity that an identity is linked to, or itself."""
        return self._links.get(identity, identity)

    def linked(self, principal: str) -> tuple[str, ...]:
        """Return the identities that are linked to this one."""
        return tuple(identity for identity, other in self._links.items() if other == principal)

    def chosen(self, address: Address) -> str | None:
        """Return the agent that was chosen for a chat."""
        return self._choices.get(place(address))

    def known(self, address: Address) -> Address:
        """Return the address with the id under which its chat was first known."""
        first = self._moves.get((address.account, address.chat))
        return address if address.known_as == first else replace(address, known_as=first)

    def settings(self, address: Address) -> Mapping[str, str]:
        """Return what was set for a chat, by name; it holds in all of its threads."""
        return self._settings.get((address.account, address.lasting), {})

    async def grant(self, person: Person) -> None:
        """Give a person access, or another role."""
        sql = """INSERT INTO person (identity, role, name, at) VALUES (?, ?, ?, ?)
                 ON CONFLICT (identity) DO UPDATE SET role = excluded.role, name = excluded.name, at = excluded.at"""
        await self._execute(sql, person.identity, person.role.value, person.name, person.at.isoformat())
        self._people[person.identity] = person

    async def revoke(self, identity: str) -> bool:
        """Revoke the access of a person and of all that is linked to them; return False if there was none."""
        gone = {identity, *self.linked(identity)}
        was_known = not gone.isdisjoint(self._people.keys() | self._links.keys())
        for one in gone:
            await self._execute("DELETE FROM person WHERE identity = ?", one)
            self._people.pop(one, None)
        await self._execute("DELETE FROM link WHERE identity = ? OR principal = ?", identity, identity)
        self._links = {linked: other for linked, other in self._links.items() if linked not in gone}
        return was_known

    async def close(self, *, closed: bool) -> None:
        """Answer only the owner from now on, or everybody with access again."""
        await self._execute(PUT_MARK, "access", "closed", "yes" if closed else "no")
        self.is_closed = closed

    async def ask(self, pairing: Pairing) -> None:
        """Record a request for access, in the place of an earlier one."""
        sql = """INSERT INTO pairing (account, identity, name, code, update_id, at) VALUES (?, ?, ?, ?, ?, ?)
                 ON CONFLICT (account, identity) DO UPDATE SET
                 name = excluded.name, code = excluded.code, update_id = excluded.update_id, at = excluded.at"""
        whom = (pairing.account, pairing.identity, pairing.name)
        await self._execute(sql, *whom, pairing.code, pairing.update, pairing.at.isoformat())
        self._pairings[pairing.account, pairing.identity] = pairing

    async def settle(self, pairings: Iterable[Pairing]) -> None:
        """Remove requests for access."""
        for pairing in pairings:
            sql = "DELETE FROM pairing WHERE account = ? AND identity = ?"
            await self._execute(sql, pairing.account, pairing.identity)
            self._pairings.pop((pairing.account, pairing.identity), None)

    async def choose(self, address: Address, agent: str) -> None:
        """Choose the agent of a chat."""
        sql = """INSERT INTO choice (account, chat, thread, agent) VALUES (?, ?, ?, ?)
                 ON CONFLICT (account, chat, thread) DO UPDATE SET agent = excluded.agent"""
        await self._execute(sql, *place(address), agent)
        self._choices[place(address)] = agent

    async def set(self, address: Address, name: str, value: str | None) -> None:
        """Set something for a chat; None takes back what was set."""
        chat = (address.account, address.lasting)
        if value is None:
            sql = "DELETE FROM chat_setting WHERE account = ? AND chat = ? AND name = ?"
            await self._execute(sql, *chat, name)
            self._settings[chat].pop(name, None)
            return
        sql = """INSERT INTO chat_setting (account, chat, name, value) VALUES (?, ?, ?, ?)
                 ON CONFLICT (account, chat, name) DO UPDATE SET value = excluded.value"""
        await self._execute(sql, *chat, name, value)
        self._settings[chat][name] = value

    async def move(self, address: Address, *, to: str) -> None:
        """Map the new id of a chat to the one under which it was first known."""
        sql = """INSERT INTO move (account, chat, known_as) VALUES (?, ?, ?)
                 ON CONFLICT (account, chat) DO UPDATE SET known_as = excluded.known_as"""
        await self._execute(sql, address.account, to, address.lasting)
        self._moves[address.account, to] = address.lasting

    async def link(self, identity: str, principal: str, *, at: datetime) -> None:
        """Link an identity to the principal that counts for it."""
        sql = """INSERT INTO link (identity, principal, at) VALUES (?, ?, ?)
                 ON CONFLICT (identity) DO UPDATE SET principal = excluded.principal, at = excluded.at"""
        await self._execute(sql, identity, principal, at.isoformat())
        self._links[identity] = principal

    async def _execute(self, sql: str, *parameters: str) -> None:
        if self._writer:
            await execute(self._writer, sql, *parameters)


async def read_access_store(state: State) -> AccessStore:
    """Read the access store of a state as `open_reader` does; an empty one if there is no state yet."""
    register = AccessStore()
    if is_there(state):
        async with open_reader(state) as reader:
            if await reader.has("chat_setting"):
                await register.load(reader)
    return register


_SAID = """WITH place AS (SELECT agent, 'agent:' || agent || ':' || ?1 AS key FROM agent)
          SELECT said.agent, said.session, {0}
          FROM place CROSS JOIN outbox AS said
          WHERE said.state = 'delivered' AND said.agent = place.agent AND said.session = key AND said.note = ?2
          UNION
          SELECT said.agent, said.session, {0}
          FROM place CROSS JOIN outbox AS said
          WHERE said.state = 'delivered' AND said.agent = place.agent
                AND said.session > key || ':' AND said.session < key || ';' AND said.note = ?2"""
RATED = _SAID.format("said.id")
"""Finds the message that was rated, as it went out."""
RATE = f"""INSERT INTO rating (agent, session, message, who, what, at)
          {_SAID.format("said.note, ?3, ?4, ?5")}
          ON CONFLICT (agent, session, message, who) DO UPDATE SET what = excluded.what, at = excluded.at"""
"""Keeps a rating of a message in a chat, or a thread of it; each half looks into the index of what was said there."""


@dataclass(frozen=True, slots=True)
class RatedPart:
    """A part of an answer: the agent's whose it is, its outbox id, and the thread of the chat, or empty."""

    agent: str
    id: str
    thread: str


class Ratings(StatementStore):
    """What people think of the bot's messages: the last thumb that each of them has put on one."""

    async def keep(self, inbound: Inbound, who: str) -> Sequence[RatedPart]:
        """Keep a rating by somebody, as `platform:id`, and return the message that was rated, as it went out.

        It is of several agents if they have said it. A rating of what is no answer of the bot's is dropped.
        """
        chat, at = chat_key(inbound.address), inbound.sent_at.isoformat()
        await execute(self._writer, RATE, chat, inbound.message, who, inbound.text, at)
        return await self.parts(inbound)

    async def parts(self, inbound: Inbound) -> Sequence[RatedPart]:
        """Return the message of the bot's that a rating or a tap is on, as it went out; nothing if it is none."""
        chat = chat_key(inbound.address)
        rows = await self._reader.rows(RATED, chat, inbound.message)
        return [
            RatedPart(agent, part, session.removeprefix(f"agent:{agent}:{chat}").removeprefix(":"))
            for agent, session, part in rows
        ]


class Span(StrEnum):
    """What is counted together."""

    SHORT = "short"
    DAY = "day"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted of somebody in one span.

    Attributes:
        subject: `sender ID`, `chat ACCOUNT:CHAT`, `guests` or `owner`.
        began: its ISO instant, or its day.
        turns: that were let through.
        tokens: that models took for them.
        refused: messages that were not.
        is_told: they have been told so.
    """

    subject: str
    span: Span
    began: str
    turns: int = 0
    tokens: int = 0
    refused: int = 0
    is_told: bool = False


class SqlCounts(StatementStore):
    """Where counts are kept."""

    async def load(self, since: str) -> Sequence[Count]:
        """Return those that began at that day or later, and the report; older ones are dropped."""
        sql = "DELETE FROM asked WHERE began < ? AND span <> ?"
        await execute(self._writer, sql, since, Span.REPORT.value, flush=False)
        rows = await self._reader.rows("SELECT subject, span, began, turns, tokens, refused, is_told FROM asked")
        return [
            Count(subject, Span(span), began, turns, tokens, refused, bool(is_told))
            for subject, span, began, turns, tokens, refused, is_told in rows
        ]

    async def save(self, counts: Sequence[Count]) -> None:
        """Put counts in the place of those of the same subject and span. A power cut may take it back."""
        sql = """INSERT INTO asked (subject, span, began, turns, tokens, refused, is_told)
                 VALUES (?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (subject, span) DO UPDATE SET began = excluded.began, turns = excluded.turns,
                   tokens = excluded.tokens, refused = excluded.refused, is_told = excluded.is_told"""
        rows = [
            (count.subject, count.span.value, count.began, count.turns, count.tokens, count.refused, count.is_told)
            for count in counts
        ]
        await self._writer.execute_later(sql, rows)
