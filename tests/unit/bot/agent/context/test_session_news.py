from __future__ import annotations

from pathlib import Path

from bot.llm.scripted import ScriptedModel, Step
from memory import OWNER, Origin
from tests.support.service import RunningService
from tests.unit.bot.agent.test_responder import talk

HELLO = Step(text="Hello.")


async def observe(here: RunningService, text: str, origin: Origin = Origin.OWNER) -> None:
    await here.agent.memory.observe(text, origin=origin, scope=OWNER, op_id=f"observe:{text}", actor="owner")


async def test_a_surprise_is_told_once_when_the_next_session_begins(tmp_path: Path) -> None:
    with ScriptedModel(*[HELLO] * 4) as model:
        async with talk(tmp_path, model) as here:
            await observe(here, "We decided to move to Graz.")
            await observe(here, "We decided to sell the boat.", Origin.UNTRUSTED)
            await here.people.ask("good morning")
            await observe(here, "I prefer tea to coffee.")
            await here.people.ask("and now?")
            await here.people.ask("/new")
            await here.people.ask("good evening")
            await here.people.ask("/new")
            await here.people.ask("good night")

    told = {request.history[-1].text.rpartition("\n")[2]: request.history[-1].text for request in model.requests}
    assert "- We decided to move to Graz. (`memory/2026-11-21.md#L4`" in told["good morning"]
    assert "observed lately" in told["good morning"]
    assert "boat" not in told["good morning"]
    assert "observed lately" not in told["and now?"]
    assert "I prefer tea" in told["good evening"]
    assert "Graz" not in told["good evening"].partition("observed lately")[2]
    assert "observed lately" not in told["good night"]
