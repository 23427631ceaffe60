"""The SQL that rewrites what was said, page by page, inside one transaction of the writer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import aiosqlite
from pydantic import TypeAdapter

from adapters.port import Outbound
from bot.storage import texts
from bot.storage.keys import SessionKey
from bot.storage.port import Among, EntryKind, Envelope
from bot.storage.texts import Rewrite

PAGE = 500
SAID = frozenset({EntryKind.MESSAGE.value, EntryKind.REPLY.value})
"""Entries that count: what people said, and what was answered."""

_ENVELOPES = TypeAdapter(Envelope)
_OUTBOUNDS = TypeAdapter(Outbound)


async def redact(db: aiosqlite.Connection, agent: str, rewrite: Rewrite, among: Among) -> int:
    """Rewrite the texts of one agent; how many messages and answers of its transcripts changed."""
    turns = await _inbox(db, agent, rewrite, among)
    await _outbox(db, agent, rewrite, among)
    await _effects(db, agent, rewrite, turns)
    return await _transcript(db, agent, rewrite, among)


async def scrub(db: aiosqlite.Connection, *, compact: bool) -> bool:
    """Leave nothing in the file of what was rewritten or removed; False if a reader holds on to an older state.

    Pages are overwritten when they are given up (`secure_delete`); `compact` writes all of them anew, for what was
    removed before that was so.
    """
    if compact:
        await db.execute("VACUUM")
    ((busy, _, _),) = await db.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
    return not busy


async def _transcript(db: aiosqlite.Connection, agent: str, rewrite: Rewrite, among: Among) -> int:
    at, count = ("", 0), 0
    while True:
        sql = """SELECT session, seq, kind, body FROM transcript
                 WHERE agent = ? AND (session, seq) > (?, ?) ORDER BY session, seq LIMIT ?"""
        rows = list(await db.execute_fetchall(sql, (agent, *at, PAGE)))
        if not rows:
            return count
        at = (rows[-1][0], rows[-1][1])
        own = [(session, seq, kind, body) for session, seq, kind, body in rows if among(session)]
        new = await _changed([body for *_, body in own], lambda body: texts.body(body, rewrite))
        changes = [(new[n], agent, *own[n][:2]) for n in new]
        await db.executemany("UPDATE transcript SET body = ? WHERE agent = ? AND session = ? AND seq = ?", changes)
        count += sum(own[n][2] in SAID for n in new)


async def _inbox(db: aiosqlite.Connection, agent: str, rewrite: Rewrite, among: Among) -> set[str]:
    """Messages that a turn has begun with; the ids of these turns. What only waits is still to be heard."""
    sql = "SELECT seq, session, body FROM inbox WHERE agent = ? AND (attempts > 0 OR state = 'dead')"
    rows = [row for row in await db.execute_fetchall(sql, (agent,)) if among(row[1])]
    new = await _changed([row[2] for row in rows], lambda body: _envelope(body, rewrite))
    changes = [(new[n], agent, rows[n][0]) for n in new]
    await db.executemany("UPDATE inbox SET body = ? WHERE agent = ? AND seq = ?", changes)
    return {turn for row in rows if (turn := _turn(row[2]))}


async def _outbox(db: aiosqlite.Connection, agent: str, rewrite: Rewrite, among: Among) -> None:
    at = 0
    while True:
        sql = "SELECT seq, body FROM outbox WHERE agent = ? AND seq > ? ORDER BY seq LIMIT ?"
        rows = list(await db.execute_fetchall(sql, (agent, at, PAGE)))
        if not rows:
            return
        at = rows[-1][0]
        new = await _changed([row[1] for row in rows], lambda body: _outbound(agent, body, rewrite, among))
        changes = [(new[n], agent, rows[n][0]) for n in new]
        await db.executemany("UPDATE outbox SET body = ? WHERE agent = ? AND seq = ?", changes)


async def _effects(db: aiosqlite.Connection, agent: str, rewrite: Rewrite, turns: set[str]) -> None:
    """Results alone: a call is what a turn that is repeated is recognised by, and goes away when it ends."""
    sql = "SELECT turn, number, result FROM effect WHERE agent = ? AND result IS NOT NULL"
    rows = [row for row in await db.execute_fetchall(sql, (agent,)) if row[0] in turns]
    new = await _changed([row[2] for row in rows], lambda result: str(texts.deep(result, rewrite)))
    changes = [(new[n], agent, *rows[n][:2]) for n in new]
    await db.executemany("UPDATE effect SET result = ? WHERE agent = ? AND turn = ? AND number = ?", changes)


def _turn(body: str) -> str:
    """The id of a message's turn; empty if it cannot be read."""
    try:
        return _ENVELOPES.validate_json(body).turn
    except ValueError:
        return ""


def _envelope(body: str, rewrite: Rewrite) -> str:
    try:
        envelope = _ENVELOPES.validate_json(body)
    except ValueError:  # written by a newer version, or damaged
        return texts.body(body, rewrite)
    new = replace(envelope, inbound=texts.inbound(envelope.inbound, rewrite))
    return body if new == envelope else _ENVELOPES.dump_json(new).decode()


def _outbound(agent: str, body: str, rewrite: Rewrite, among: Among) -> str:
    try:
        out = _OUTBOUNDS.validate_json(body)
    except ValueError:  # written by a newer version, or damaged; whose chat it was for is not known
        return texts.body(body, rewrite)
    new = texts.outbound(out, rewrite) if among(str(SessionKey(agent, out.to))) else out
    return body if new == out else _OUTBOUNDS.dump_json(new).decode()


async def _changed(bodies: list[str], rewritten: Callable[[str], str]) -> dict[int, str]:
    """Those that come out otherwise, by their place; worked out beside the event loop."""

    def work() -> dict[int, str]:
        found = ((number, rewritten(body)) for number, body in enumerate(bodies))
        return {number: new for number, new in found if new != bodies[number]}

    return await asyncio.to_thread(work) if bodies else {}
