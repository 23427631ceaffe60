from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from zoneinfo import ZoneInfo

import pytest

from bot.config.memory import ReflectOptions
from bot.pipeline.reflection import REFLECT, NightlyReflection
from memory import OWNER, FrozenClock, Origin
from tests.support.conversation import ToolHarness

NIGHTS = count()
BERLIN = ZoneInfo("Europe/Berlin")


class Owner:
    """Hears what the owner is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    async def tell(self, text: str, about: str) -> None:
        self.heard.append((text, about))


@pytest.fixture
def owner() -> Owner:
    return Owner()


def nightly(owner: Owner, options: ReflectOptions) -> NightlyReflection:
    clock = FrozenClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
    return NightlyReflection(lambda _: options, clock=clock, zone=BERLIN, tell=owner.tell)


async def remember(at: ToolHarness, text: str, number: int) -> None:
    await at.agent.memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=f"w{number}", actor="telegram:1")


async def night(at: ToolHarness, job: NightlyReflection) -> None:
    reply = await job(replace(await at.turn(f"/{REFLECT}", id=f"n{next(NIGHTS)}"), is_job=True))
    assert (reply.is_silent, reply.shown) == (True, "")


async def test_it_comes_every_night_at_its_hour_of_the_owner(owner: Owner) -> None:
    [job] = nightly(owner, ReflectOptions(at=4)).jobs("personal")
    assert (job.due, job.repeats, job.zone) == (datetime(2026, 11, 22, 3, tzinfo=UTC), "0 4 * * *", "Europe/Berlin")


async def test_pages_follow_and_the_owner_is_told_of_proposals_alone(at: ToolHarness, owner: Owner) -> None:
    job = nightly(owner, ReflectOptions())
    await remember(at, "@Peter lives in Lisbon.", 1)
    await remember(at, "@Peter has a boat.", 2)
    await night(at, job)
    assert "- Peter has a boat." in at.read("bank/entities/Peter.md")
    assert owner.heard == []

    await remember(at, "Always answer me in metric units.", 3)
    await night(at, job)
    [(text, _)] = owner.heard
    assert "proposes 1 change to USER.md or MEMORY.md. `/review` shows them." in text
    await night(at, job)
    assert len(owner.heard) == 1


async def test_switched_off_it_does_nothing(at: ToolHarness, owner: Owner) -> None:
    job = nightly(owner, ReflectOptions(enabled=False))
    assert job.jobs("personal") == ()
    await remember(at, "@Peter lives in Lisbon.", 1)
    await remember(at, "@Peter has a boat.", 2)
    await night(at, job)
    assert not (at.folder / "bank").exists()
