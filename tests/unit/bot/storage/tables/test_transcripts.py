from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.storage.port import Effects, EntryKind
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.transcripts import HAS_FOREIGN, read_foreign
from memory import FrozenClock
from tests.support.conversation import SESSION_ID, TranscriptBuilder
from tests.support.factories import NOON, chat, session


def is_foreign_message(body: str) -> bool:
    """Whether a single message is foreign and no command, as `HAS_FOREIGN` says in SQL."""
    fields = json.loads(body)
    is_command = str(fields.get("text", "")).startswith("/") and "shown_as" not in fields
    return read_foreign([fields]) and not is_command


@pytest.mark.parametrize(
    ("bodies", "is_foreign"),
    [
        ([], True),
        ([{"text": "quoted by an earlier version, perhaps"}], True),
        ([{}, {"shown_as": "seen by a model"}], False),
        ([{}, {"shown_as": "seen by a model", "is_foreign": True}], True),
        ([{"is_foreign": False}, {}], True),
    ],
)
def test_what_no_message_says_is_taken_for_the_worst(bodies: list[dict[str, Any]], *, is_foreign: bool) -> None:
    assert read_foreign(bodies) == is_foreign


async def test_whether_a_conversation_is_foreign_is_read_from_the_index_alone(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)):
        pass
    with closing(sqlite3.connect(tmp_path / "s")) as db:
        plan = db.execute(f"EXPLAIN QUERY PLAN {HAS_FOREIGN}", ("personal", SESSION_ID, 0, 9)).fetchall()
        ((index,),) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'transcript_foreign'").fetchall()

    assert any("INDEX transcript_foreign (agent=? AND session=? AND seq>? AND seq<?)" in row[3] for row in plan)
    condition = " ".join(index.split()).partition(" WHERE ")[2]
    assert condition in " ".join(HAS_FOREIGN.split())


@pytest.mark.parametrize("said", [{}, {"is_foreign": True}, {"is_foreign": False}])
@pytest.mark.parametrize("shown", [{}, {"shown_as": "hello"}])
@pytest.mark.parametrize("text", ["hello", "/status", 'see "/status"', '"is_foreign": true'])
def test_a_single_message_is_foreign_in_sql_as_in_python(
    said: dict[str, Any], shown: dict[str, Any], text: str
) -> None:
    body = json.dumps({"text": text} | shown | said, ensure_ascii=False)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE transcript (agent, session, seq, kind, body)")
        db.execute("INSERT INTO transcript VALUES ('a', 's', 1, 'message', ?)", (body,))
        sql = HAS_FOREIGN.replace("INDEXED BY transcript_foreign", "")
        ((is_foreign,),) = db.execute(sql, ("a", "s", 0, 9)).fetchall()

    assert bool(is_foreign) == is_foreign_message(body)


async def test_a_conversation_is_cut_after_each_reset(tmp_path: Path) -> None:
    talk = TranscriptBuilder().turn("one", "1").turn("/new", "begun").reset().turn("two", "2").reset().turn("three")
    async with SqliteCoordinator.open(tmp_path / "state.sqlite", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("test", ["personal"])
        for place in (session(), session(at=chat("elsewhere"))):
            await coordinator.commit(grant, Effects(place, (), entries=tuple(one.entry for one in talk.recorded)))
        listed, key = await coordinator.sessions("personal"), str(session())
        third, second, first = own = await coordinator.sessions("personal", key=key)
        later = await coordinator.sessions("personal", key=key, after=first.last)
        kinds = [one.entry.kind for one in await coordinator.transcript("personal", key, limit=first.entries)]
        current = await coordinator.current(session())
        nothing = await coordinator.sessions("personal", key="agent:personal:telegram.1:private:2")

    assert (first.entries, first.messages, first.is_over) == (5, 2, True)
    assert kinds[-1] == "reset"
    assert (second.first, second.entries, second.is_over) == (first.last + 1, 3, True)
    assert (third.entries, third.messages, third.is_over) == (1, 1, False)
    assert (third.began, third.used) == (NOON + timedelta(minutes=3),) * 2
    assert own == tuple(one for one in listed if one.key == key) != listed
    assert later == (third, second)
    assert current == third
    assert nothing == ()


async def test_a_session_tells_how_often_it_was_summarised_and_when_it_was_flushed(tmp_path: Path) -> None:
    talk = TranscriptBuilder().turn("one").add(EntryKind.FLUSH, {"upto": 1, "written": 0})
    for body in (
        {"summary": "s", "is_failed": False},
        {"summary": "", "is_failed": False},
        {"summary": "s", "is_failed": True},
    ):
        talk.add(EntryKind.COMPACTION, body)
    async with SqliteCoordinator.open(tmp_path / "state.sqlite", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("test", ["personal"])
        await coordinator.commit(
            grant, Effects(session(), (), entries=tuple(one.entry for one in talk.recorded), turn="t")
        )
        current, (listed,) = await coordinator.current(session()), await coordinator.sessions("personal")

    assert current == listed
    assert listed.compactions == 1
    assert listed.flushed == NOON + timedelta(minutes=1)
