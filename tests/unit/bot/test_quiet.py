from __future__ import annotations

import asyncio
from pathlib import Path

from bot.quiet import Quiet
from bot.turn import Reply, Turn
from memory import OWNER as EVERYTHING
from memory import Embedding, FrozenClock, Memory, Origin
from memory.embed.endpoint import Endpoint
from memory.embed.on_demand import endpoint
from tests.rooms import NoEffects
from tests.samples import NOON, OWNER, agent, session
from tests.unit.memory.embed.scripted import serving

PATIENCE_S = 60
ASKED = Turn("t1", agent(), session(), OWNER, Origin.OWNER, EVERYTHING, "hello", NOON, NoEffects())


async def until_embedded(memory: Memory, count: int) -> None:
    """Ask again and again; each time the memory's thread has had a turn."""
    async with asyncio.timeout(PATIENCE_S):
        while (await memory.status()).embedded < count:
            pass


async def test_while_somebody_is_answered_nothing_is_embedded_and_afterwards_everything(
    tmp_path: Path,
) -> None:
    async with serving() as server:
        embedder = endpoint(Endpoint(server.url, "letters"), clock=FrozenClock(NOON))
        embedding = Embedding(embedder, tmp_path / "vectors.sqlite")
        async with (
            await Memory.open(tmp_path / "other", index=tmp_path / "other.sqlite", embedding=embedding) as memory,
            asyncio.TaskGroup() as group,
        ):

            async def respond(turn: Turn) -> Reply:
                for number in range(3):
                    note = f"Number {number} is under the blue pot."
                    await memory.remember(note, origin=Origin.OWNER, scope=EVERYTHING, op_id=str(number), actor="owner")
                before = len(server.requests)
                for _ in range(20):  # round trips to the memory's thread, in which something could have been embedded
                    await memory.status()
                return Reply(f"{before} {len(server.requests)} {(await memory.status()).embedded}")

            keeping = group.create_task(memory.keep_embedding())
            reply = await Quiet(respond, [memory])(ASKED)
            assert reply.text == "0 0 0"
            await until_embedded(memory, 3)
            keeping.cancel()
        await embedder.close()
