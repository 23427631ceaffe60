"""Numbers of what lives in a memory."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memory import OWNER, FrozenClock, Memory, Origin, chat_scope
from memory.journal.records import Action, Operation
from memory.knowledge.context import KnowledgeContext
from memory.life.reviews import review
from memory.life.stats import life_stats
from memory.strength import Rating


async def test_stores_strength_links_and_decisions_are_counted(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite", clock=clock) as memory:
        ids = []
        for text in ("W @A: One.", "B @A: Two.", "O(c=0.5): Three.", "P @A: Four.", "T @A: Five.", "W(i=0.25): Six."):
            written = await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="o")
            ids.append(written.fact.id or "")
        clock.advance(days=15)

        def note(context: KnowledgeContext, action: Action, number: int, details: dict[str, object]) -> None:
            operation = Operation(f"{action}{number}", "o", Origin.OWNER, OWNER)
            context.writer.note({ids[number]: ""}, operation, action, {ids[number]: details})
            context.index_manager.refresh([])

        await memory.run(note, Action.LINK, 0, {"links": {ids[1]: 0.7, ids[2]: 0.6}})
        await memory.run(note, Action.LINK, 1, {"links": {ids[0]: 0.7}})
        await memory.run(note, Action.MERGE, 2, {"into": ids[0]})
        await memory.run(note, Action.GATE, 1, {"decision": "link"})
        await memory.run(note, Action.RESTATE, 1, {"similarity": 0.9})
        await memory.run(note, Action.PIN, 3, {})
        operation = Operation("r1", "o", Origin.OWNER, OWNER)
        await memory.run(review, {ids[0]: Rating.GOOD}, operation, reason="cited")
        for number in range(2):
            trifle = f"Saw bird number {number} today."
            await memory.observe(trifle, origin=Origin.OWNER, scope=OWNER, op_id=f"observe:{number}", actor="o")

        found = await memory.run(life_stats, scope=OWNER)
        assert found.stores == {"sensory": 2, "episodic": 1, "semantic": 2, "procedural": 1, "prospective": 1}
        assert found.strength["0.9"] == 4  # reviewed twice, said again, pinned, to come
        assert sum(found.strength.values()) == 5
        assert (found.faded, found.pinned, found.merged, found.due) == (0, 1, 1, 1)
        assert (found.links, found.linked) == (2, 3)
        assert found.gate == {"link": 1, "merge": 1}
        assert found.reviews == {"cited": 1}

        nothing = await memory.run(life_stats, scope=chat_scope("x.y:1"))
        assert "sensory" not in nothing.stores
        assert (sum(nothing.stores.values()), nothing.links, nothing.gate) == (0, 0, {})
