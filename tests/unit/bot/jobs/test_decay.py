"""What the owner hears once a week: which facts fade next."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.texts.catalogue import in_language
from memory import OWNER, FrozenClock, Origin
from tests.support.conversation import ToolHarness
from tests.support.jobs import Owner, job_context, job_runner


async def test_what_fades_next_is_told_in_the_language_of_the_owner(at: ToolHarness) -> None:
    noted = await at.agent.memory.remember(
        "W(i=0.25): The bus was late.", origin=Origin.OWNER, scope=OWNER, op_id="w1", actor="telegram:1"
    )
    owner = Owner()
    clock = FrozenClock(datetime(2026, 11, 21, 12, tzinfo=UTC))

    with in_language("de"):
        await job_runner(job_context({"personal": at.agent}, clock, owner=owner)).run("decay", "personal", id="d1")

    [(text, _)] = owner.heard
    place = f"`memory/2026-11-21.md#L4` · `^{noted.fact.id}`"
    assert f"- The bus was late. ({place}) verblasst am 2026-12-18" in text.splitlines()
