"""The SQL that changes something, one function per operation, in forms that SQLite and PostgreSQL share.

They run inside the writer's transaction. Where an agent is at stake they touch its row first, so that the epoch is
checked under that row's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import aiosqlite

from bot.storage.port import Grant, PartState, ToolEffect, TranscriptEntry


async def accept(db: aiosqlite.Connection, account: str, update: str, *, at: str) -> bool:
    """Note an update as seen; False if it was."""
    sql = "INSERT INTO seen (account, update_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    return (await db.execute(sql, (account, update, at))).rowcount == 1


async def number(db: aiosqlite.Connection, agent: str) -> int:
    """Take one sequence number of an agent that anybody may hold."""
    sql = """INSERT INTO agent (agent, next_seq) VALUES (?, 2)
             ON CONFLICT (agent) DO UPDATE SET next_seq = agent.next_seq + 1 RETURNING next_seq - 1"""
    ((seq,),) = await db.execute_fetchall(sql, (agent,))
    return int(seq)


async def enqueue(db: aiosqlite.Connection, agent: str, session: str, *, at: str, body: str) -> None:
    """Put a message at the end of an agent's inbox."""
    seq = await number(db, agent)
    sql = "INSERT INTO inbox (agent, seq, session, at, body) VALUES (?, ?, ?, ?, ?)"
    await db.execute(sql, (agent, seq, session, at, body))


async def claim(db: aiosqlite.Connection, agent: str, owner: str) -> Grant:
    """Give an agent a new owner and epoch."""
    sql = """INSERT INTO agent (agent, owner, epoch) VALUES (?, ?, 1)
             ON CONFLICT (agent) DO UPDATE SET owner = excluded.owner, epoch = agent.epoch + 1
             RETURNING epoch, next_seq"""
    ((epoch, first),) = await db.execute_fetchall(sql, (agent, owner))
    return Grant(agent, epoch, first)


async def release(db: aiosqlite.Connection, grant: Grant) -> None:
    """Leave an agent without an owner, unless it has another one by now."""
    await db.execute("UPDATE agent SET owner = '' WHERE agent = ? AND epoch = ?", (grant.agent, grant.epoch))


async def allocate(db: aiosqlite.Connection, grant: Grant, count: int) -> int:
    """Take `count` sequence numbers, and check the epoch on the way; the first of them."""
    sql = "UPDATE agent SET next_seq = next_seq + ? WHERE agent = ? AND epoch = ? RETURNING next_seq"
    rows = list(await db.execute_fetchall(sql, (count, grant.agent, grant.epoch)))
    if not rows:
        raise grant.fenced()
    return int(rows[0][0]) - count


async def begin(db: aiosqlite.Connection, grant: Grant, messages: Sequence[int], *, attempt: int) -> None:
    """Bind messages to the turn of the first of them."""
    await allocate(db, grant, 0)
    sql = "UPDATE inbox SET turn = ?, attempts = ? WHERE agent = ? AND seq = ?"
    await db.executemany(sql, [(messages[0], attempt, grant.agent, seq) for seq in messages])


async def finish(db: aiosqlite.Connection, grant: Grant, messages: Sequence[int], *, set_aside: str) -> None:
    """Take messages out of the inbox, or set them aside with the reason."""
    if set_aside:
        sql = "UPDATE inbox SET state = 'dead', reason = ? WHERE agent = ? AND seq = ? AND state = 'waiting'"
        rows = [(set_aside, grant.agent, seq) for seq in messages]
        done = await db.executemany(sql, rows)
    else:
        sql = "DELETE FROM inbox WHERE agent = ? AND seq = ? AND state = 'waiting'"
        done = await db.executemany(sql, [(grant.agent, seq) for seq in messages])
    if done.rowcount != len(messages):
        raise grant.fenced()


async def owe(
    db: aiosqlite.Connection, agent: str, parts: Iterable[tuple[int, str, str, str]], *, at: str, session: str = "",
    is_foreign: bool = True,
) -> None:  # fmt: skip
    """Put parts, as (seq, id, account, body), into the outbox; `session` is the conversation that they answer in."""
    sql = """INSERT INTO outbox (agent, at, session, is_foreign, seq, id, account, body)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
    await db.executemany(sql, [(agent, at, session, is_foreign, *part) for part in parts])


async def write_down(
    db: aiosqlite.Connection, agent: str, session: str, entries: Iterable[tuple[int, TranscriptEntry]]
) -> None:
    """Add entries, as (seq, entry), to a session's transcript."""
    sql = "INSERT INTO transcript (agent, session, seq, kind, turn, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
    rows = [(agent, session, seq, e.kind.value, e.turn, e.at.isoformat(), e.body) for seq, e in entries]
    await db.executemany(sql, rows)


async def place(db: aiosqlite.Connection, grant: Grant, id: str, message: str) -> None:
    """Note the placeholder of the part with this id, in the place of an earlier one."""
    await allocate(db, grant, 0)
    sql = """INSERT INTO placed (agent, id, message) VALUES (?, ?, ?)
             ON CONFLICT (agent, id) DO UPDATE SET message = excluded.message"""
    await db.execute(sql, (grant.agent, id, message))


async def move(db: aiosqlite.Connection, grant: Grant, part: int, *, state: PartState, note: str) -> None:
    """Put a part into another state, with the platform's receipt or the reason."""
    await allocate(db, grant, 0)
    sql = "UPDATE outbox SET state = ?, note = ? WHERE agent = ? AND seq = ?"
    await db.execute(sql, (state.value, note, grant.agent, part))
    if state in {PartState.DELIVERED, PartState.DEAD}:
        sql = "DELETE FROM placed WHERE agent = ? AND id = (SELECT id FROM outbox WHERE agent = ? AND seq = ?)"
        await db.execute(sql, (grant.agent, grant.agent, part))


async def give_up(
    db: aiosqlite.Connection, grant: Grant, table: Literal["inbox", "outbox"], seqs: Sequence[int], *, reason: str
) -> None:
    """Set messages or parts aside, whatever they hold."""
    await allocate(db, grant, 0)
    sql = {
        "inbox": "UPDATE inbox SET state = 'dead', reason = ? WHERE agent = ? AND seq = ?",
        "outbox": "UPDATE outbox SET state = 'dead', note = ? WHERE agent = ? AND seq = ?",
    }
    await db.executemany(sql[table], [(reason, grant.agent, seq) for seq in seqs])


async def note_effect(db: aiosqlite.Connection, grant: Grant, effect: ToolEffect) -> None:
    """Write down an effect, or its result."""
    await allocate(db, grant, 0)
    sql = """INSERT INTO effect (agent, turn, number, call, result) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (agent, turn, number) DO UPDATE SET call = excluded.call, result = excluded.result"""
    await db.execute(sql, (grant.agent, effect.turn, effect.number, effect.call, effect.result))


async def drop_effects(db: aiosqlite.Connection, agent: str, turn: str) -> None:
    """Forget the effects of a turn that has ended."""
    await db.execute("DELETE FROM effect WHERE agent = ? AND turn = ?", (agent, turn))
