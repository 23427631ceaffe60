"""Somebody said a word in every place, and asks to be forgotten."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.agent.context.context_log import ContextLog
from bot.paths import Home, safe_name
from bot.sessions.files import ChangedSessions, Projection
from bot.sessions.purge import PersonPurge
from bot.storage.keys import SessionKey
from bot.storage.objects import SharedFiles
from bot.storage.sqlite import SqliteCoordinator
from memory import OWNER, FrozenClock, Memory, Origin, chat_scope
from tests.support.canaries import ADA, GROUP, KEPT, MIA, OWN, PLACES, Filling, fill, message, words_in
from tests.support.factories import NOON


@dataclass
class Stage:
    """A filled home, with its state file and a memory open."""

    home: Home
    core: SqliteCoordinator
    memory: Memory

    def purge(self, shared: SharedFiles | None = None) -> PersonPurge:
        derived = (
            Projection(self.core, ChangedSessions(), folder=self.home.sessions),
            ContextLog(self.home.state / "sessions"),
        )
        return PersonPurge(self.core, self.home, derived, {"personal": self.memory}, shared)

    def rows(self, sql: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(self.home.database)) as db:
            return db.execute(sql).fetchall()

    async def bodies(self, key: str) -> list[dict[str, str]]:
        return [json.loads(one.entry.body) for one in await self.core.transcript("personal", key)]


@pytest.fixture(scope="module")
def model_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    asyncio.run(fill(Home.at(folder), FrozenClock(NOON)))
    return folder


@pytest.fixture
async def stage(tmp_path: Path, model_home: Path) -> AsyncIterator[Stage]:
    home, clock = Home.at(tmp_path), FrozenClock(NOON)
    shutil.copytree(model_home, tmp_path, dirs_exist_ok=True)
    workspace, index = home.workspace("personal"), home.index("personal")
    async with (
        await Memory.open(workspace, index=index, clock=clock, blanks=False) as memory,
        SqliteCoordinator.open(home.database, clock=clock) as core,
    ):
        yield Stage(home, core, memory)


async def test_what_a_group_was_told_about_them_is_named_with_where_it_is(stage: Stage) -> None:
    group = chat_scope("telegram.bot:-100")
    await stage.memory.remember("Mia likes jazz at night.", origin=Origin.GUEST, scope=group, op_id="b", actor="x:1")

    plan = await stage.purge().plan(MIA.id)

    assert [(KEPT[2] in line.text, scope) for line, scope in plan.about["personal"].items()] == [
        (True, OWNER),
        (False, group),
    ]


async def test_of_every_place_nothing_is_left_in_any_byte_of_the_home(stage: Stage, tmp_path: Path) -> None:
    assert set(words_in(tmp_path)) == set(PLACES)
    (tmp_path / "state" / "scrubjay.sqlite.v3.bak").write_text("an old copy")

    plan = await stage.purge().plan(MIA.id)
    await stage.purge().carry_out(plan)

    assert words_in(tmp_path) == {}
    assert not list((tmp_path / "state").glob("*.bak"))


async def test_that_a_secret_was_told_in_their_chat_is_forgotten_too(stage: Stage) -> None:
    plan = await stage.purge().plan(MIA.id)
    for agent, key in plan.person.private:
        await stage.core.marks.save(f"secrets.{agent}", key, "", lasting=True)
    assert list(await stage.core.marks.load("secrets.personal")) != []

    await stage.purge().carry_out(plan)

    assert dict(await stage.core.marks.load("secrets.personal")) == {}


async def test_what_others_said_and_what_is_told_about_them_stays_and_is_named(stage: Stage) -> None:
    plan = await stage.purge().plan(MIA.id)
    await stage.purge().carry_out(plan)

    said = await stage.bodies(str(SessionKey("personal", GROUP)))
    own = await stage.bodies(str(SessionKey("personal", OWN)))
    assert [one.get("text") for one in said] == ["[forgotten]", "[forgotten]", None, KEPT[0], "Fine."]
    assert [(one["sender"], one["name"]) for one in said if "name" in one] == [
        ("", "[forgotten]"),
        ("telegram:815", "Ben"),
    ]
    assert said[2]["summary"] == "[forgotten]\nEnd."
    assert said[3]["shown_as"] == f"[forgotten]\n[12:01] Bea: Hi\n{KEPT[0]}"
    assert [one["text"] for one in own] == [KEPT[1], "[forgotten]\nAnd you like the lake."]
    in_group = await stage.memory.recent(scope=chat_scope("telegram.bot:-100"))
    kept = [hit.content for hit in (*in_group, *await stage.memory.recent(scope=OWNER))]
    assert [KEPT[3] in kept[0], KEPT[2] in kept[1], len(kept)] == [True, True, 2]
    assert [KEPT[2] in line.text for line in plan.about["personal"]] == [True]
    assert [job.name for job in await stage.core.jobs("personal")] == ["r2"]
    assert (stage.home.state / "unreadable" / "telegram.bot-78.json").exists()
    assert await stage.memory.problems() == ()


async def test_they_are_found_by_every_name_under_which_they_wrote(stage: Stage) -> None:
    (grant,) = await stage.core.claim("renamed", ["personal"])
    await Filling(stage.home, stage.core, grant).turn(message(replace(MIA, name="Mimi"), "Hi all.", "20", GROUP), "Hi.")

    assert (await stage.purge().plan(MIA.id)).person.names == {"Mia", "Mimi"}


async def test_a_reminder_of_theirs_that_cannot_be_read_goes_too(stage: Stage) -> None:
    with closing(sqlite3.connect(stage.home.database, isolation_level=None)) as db:
        db.execute("UPDATE job SET body = ? WHERE name = 'r1'", (f'{{"by": "{MIA.id}", "to": 3}}',))

    await stage.purge().carry_out(await stage.purge().plan(MIA.id))

    assert stage.rows("SELECT name FROM job") == [("r2",)]


async def test_the_agents_that_others_have_chosen_stay_chosen(stage: Stage) -> None:
    await stage.core.register.choose(OWN, "work")

    await stage.purge().carry_out(await stage.purge().plan(MIA.id))

    assert stage.rows("SELECT chat FROM choice") == [(OWN.chat,)]


async def test_what_they_sent_is_removed_where_machines_share_it_too(stage: Stage, tmp_path: Path) -> None:
    shared, came = SharedFiles((tmp_path / "shared").as_uri()), tmp_path / "came"
    came.write_bytes(b"hello")
    plan = await stage.purge(shared).plan(MIA.id)
    (agent, turn), *_ = sorted(plan.person.turns)
    theirs, others = f"{agent}/{safe_name(turn)}/a.txt", f"{agent}/another/a.txt"
    for name in (theirs, others):
        await shared.put(name, came)

    await stage.purge(shared).carry_out(plan)

    assert (await shared.get(theirs), await shared.get(others)) == (None, b"hello")


async def test_the_plan_counts_and_changes_nothing(stage: Stage, tmp_path: Path) -> None:
    plan = await stage.purge().plan(MIA.id)

    assert set(words_in(tmp_path)) == set(PLACES)
    expected = {"conversations": 2, "entries": 4, "messages": 1, "facts": 3, "files": 2, "reminders": 1, "waiting": 1}
    assert {kind: plan.counts[kind] for kind in expected} == expected
    assert plan.counts["dead"] == 1
    assert plan.person.ids == {MIA.id, "discord:99"}
    assert (await stage.purge().plan("discord:99")).counts == plan.counts


async def test_models_tokens_are_still_counted_for_nobody(stage: Stage) -> None:
    await stage.purge().carry_out(await stage.purge().plan(MIA.id))

    (entry,) = await stage.core.usage.since(NOON.date())
    assert (entry.person, entry.totals.tokens) == ("", 15)


@pytest.mark.parametrize("step", ["erase", "erase_register"])
async def test_whoever_is_interrupted_calls_it_again(
    stage: Stage, tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise OSError("pulled the plug")

    with monkeypatch.context() as patch:
        patch.setattr(stage.core.erasure, step, fail)
        with pytest.raises(OSError, match="plug"):
            await stage.purge().carry_out(await stage.purge().plan("discord:99"))

    again = await stage.purge().plan("discord:99")
    await stage.purge().carry_out(again)

    assert words_in(tmp_path) == {}
    assert (await stage.purge().plan("discord:99")).is_empty
    assert (await stage.purge().plan(MIA.id)).is_empty


async def test_nothing_is_found_of_somebody_who_never_wrote(stage: Stage) -> None:
    plan = await stage.purge().plan("telegram:47")

    assert plan.is_empty
    assert plan.person.names == frozenset()


async def test_an_owner_is_known_by_their_conversations(stage: Stage) -> None:
    assert (await stage.purge().plan(ADA.id)).counts["conversations"] == 1
