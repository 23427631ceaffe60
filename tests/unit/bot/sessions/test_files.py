from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.sessions.files import INDEX, ChangedSessions, Projection, SessionFile
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.port import Effects, EntryKind, TranscriptEntry
from tests.support.conversation import SESSION_ID, TranscriptBuilder, summarize_session
from tests.support.factories import HOME, NOON, chat, envelope, session

TALK = TranscriptBuilder().turn("eins", "1").turn("zwei 🐦", "2")
SESSION = summarize_session("personal", SESSION_ID, TALK.recorded)


def last(path: Path) -> int:
    """The `seq` of the last entry in a file."""
    return SessionFile(path).add(SESSION, ())


def whole(path: Path) -> bytes:
    SessionFile(path).add(SESSION, TALK.recorded)
    return path.read_bytes()


@pytest.mark.parametrize("damage", ["[" * 5_000, '{"seq": ' + "[" * 5_000 + "]" * 5_000 + "}", "\0", "[]"])
def test_a_line_that_is_none_of_ours_is_cut_off_and_what_was_behind_it_written_again(
    tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "s.jsonl"
    undamaged = whole(path)
    first = undamaged.splitlines(keepends=True)[0]
    path.write_bytes(first + damage.encode() + b"\n")

    assert last(path) == 0
    assert whole(path) == undamaged


def test_a_file_is_a_heading_and_a_line_for_each_entry(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in whole(tmp_path / "a" / "s.jsonl").splitlines()]

    assert lines[0] == {
        "type": "session",
        "id": SESSION.id,
        "agent": "personal",
        "key": SESSION_ID,
        "began": "2026-11-21T12:00:00+00:00",
    }
    assert [(line["type"], line["seq"], line["body"]["text"]) for line in lines[1:]] == [
        ("message", 1, "eins"),
        ("reply", 2, "1"),
        ("message", 5, "zwei 🐦"),
        ("reply", 6, "2"),
    ]
    assert stat.S_IMODE((tmp_path / "a" / "s.jsonl").stat().st_mode) == 0o600


def test_what_is_there_is_not_written_twice(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    SessionFile(file).add(SESSION, TALK.recorded[:2])
    assert last(file) == 2

    assert whole(file) == whole(tmp_path / "other.jsonl") == whole(file)
    assert last(file) == 6


def test_wherever_a_crash_cut_it_off_the_file_is_made_whole(tmp_path: Path) -> None:
    complete = whole(tmp_path / "whole.jsonl")
    for length in range(len(complete)):
        file = tmp_path / "cut.jsonl"
        file.write_bytes(complete[:length])

        assert whole(file) == complete


@pytest.mark.parametrize("junk", [b"\0" * 100, b"{}\n", b"[1]\n", b'{"type": "reply"', b"\xff\xfe\n"])
def test_what_is_no_line_of_ours_at_its_end_is_cut_off(tmp_path: Path, junk: bytes) -> None:
    complete = whole(tmp_path / "s.jsonl")
    (tmp_path / "s.jsonl").write_bytes(complete + junk)

    assert last(tmp_path / "s.jsonl") == 6
    assert (tmp_path / "s.jsonl").read_bytes() == complete


def test_a_line_that_is_longer_than_what_is_read_at_once_is_found(tmp_path: Path) -> None:
    talk = TranscriptBuilder().turn("x" * 300_000, "y" * 300_000)
    session = summarize_session("personal", SESSION_ID, talk.recorded)

    SessionFile(tmp_path / "s.jsonl").add(session, talk.recorded)

    assert last(tmp_path / "s.jsonl") == 2


ELSEWHERE = chat("elsewhere")


class Recorder:
    """Commits the turns of talks, and writes them out as a service does."""

    def __init__(self, folder: Path) -> None:
        self.coordinator = InMemoryCoordinator()
        self.changed = ChangedSessions()
        self.folder = folder
        self._updates = 0

    async def commit(self, talk: TranscriptBuilder, at: object = HOME) -> None:
        assert at in {HOME, ELSEWHERE}
        place = HOME if at == HOME else ELSEWHERE
        (grant,) = await self.coordinator.claim("test", ["personal"])
        self._updates += 1
        await self.coordinator.publish(envelope("x", update=str(self._updates), at=place))
        (message,) = await self.coordinator.pending(grant, after=0)
        entries: Sequence[TranscriptEntry] = [one.entry for one in talk.recorded]
        key = session(at=place)
        await self.coordinator.commit(grant, Effects(key, (message.seq,), entries=tuple(entries), turn="t"))
        self.changed.add(key)

    async def write_out(self, projection: Projection | None = None) -> Projection:
        projection = projection or Projection(self.coordinator, self.changed, folder=lambda agent: self.folder / agent)
        (grant,) = await self.coordinator.claim("test", ["personal"])
        await projection.finish(grant)
        return projection

    @property
    def index(self) -> dict[str, dict[str, object]]:
        listed = json.loads((self.folder / "personal" / INDEX).read_text(encoding="utf-8"))
        assert isinstance(listed, dict)
        return listed

    def kinds(self) -> dict[str, list[str]]:
        """File -> the types of its lines."""
        return {
            path.stem: [json.loads(line)["type"] for line in path.read_text(encoding="utf-8").splitlines()]
            for path in sorted((self.folder / "personal").glob("*.jsonl"))
        }


async def test_a_turn_that_has_ended_is_in_the_file_of_its_session(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    await recorder.commit(TranscriptBuilder().turn("one", "1"))
    projection = await recorder.write_out()
    await recorder.commit(TranscriptBuilder().turn("two", "2"))

    await recorder.write_out(projection)

    (kinds,) = recorder.kinds().values()
    assert kinds == ["session", "message", "reply", "message", "reply"]
    (listed,) = recorder.index.values()
    assert (listed["key"], listed["is_over"]) == (str(session()), False)


async def test_after_a_reset_there_is_another_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    await recorder.commit(TranscriptBuilder().turn("one", "1").reset())
    await recorder.commit(TranscriptBuilder().turn("two", "2"))

    await recorder.write_out()

    assert sorted(len(kinds) for kinds in recorder.kinds().values()) == [3, 4]
    assert sorted(str(listed["is_over"]) for listed in recorder.index.values()) == ["False", "True"]
    assert set(recorder.index) == set(recorder.kinds())


async def test_the_list_of_sessions_says_how_often_each_was_summarised_and_when_it_was_flushed(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    await recorder.commit(TranscriptBuilder().turn("one", "1"))
    projection = await recorder.write_out()
    (listed,) = recorder.index.values()
    assert (listed["compactions"], listed["last_flush"]) == (0, None)

    talk = TranscriptBuilder().turn("two", "2").add(EntryKind.FLUSH, {"upto": 1, "written": 0})
    for summary, is_failed in (("They counted.", False), ("", False), ("They counted.", True)):
        talk.add(EntryKind.COMPACTION, {"summary": summary, "first": 3, "is_failed": is_failed})
    await recorder.commit(talk)
    await recorder.write_out(projection)

    (listed,) = recorder.index.values()
    assert (listed["compactions"], listed["last_flush"]) == (1, "2026-11-21T12:01:00+00:00")


async def test_the_list_of_sessions_says_what_models_took_for_each(tmp_path: Path) -> None:
    recorder, asked = Recorder(tmp_path), list[tuple[datetime, datetime]]()

    async def tokens(agent: str, key: str, after: datetime, upto: datetime) -> int:
        assert (agent, key) == ("personal", str(session()))
        asked.append((after, upto))
        return 100 * len(asked)

    projection = Projection(
        recorder.coordinator, recorder.changed, folder=lambda agent: tmp_path / agent, tokens=tokens
    )
    await recorder.commit(TranscriptBuilder().turn("one", "1").reset())
    await recorder.write_out(projection)
    await recorder.commit(TranscriptBuilder(began=NOON + timedelta(hours=1)).turn("two", "2"))
    await recorder.write_out(projection)

    assert sorted(str(listed["tokens"]) for listed in recorder.index.values()) == ["100", "200"]
    assert asked[0][1] == asked[1][0] < asked[1][1]


async def test_each_conversation_has_its_own_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    await recorder.commit(TranscriptBuilder().turn("one", "1"))
    await recorder.commit(TranscriptBuilder().turn("two", "2"), ELSEWHERE)

    await recorder.write_out()

    assert {str(listed["key"]) for listed in recorder.index.values()} == {str(session()), str(session(at=ELSEWHERE))}


async def test_a_disk_that_refuses_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "personal").write_text("a file where the folder belongs")
    recorder = Recorder(tmp_path)
    await recorder.commit(TranscriptBuilder().turn("one", "1"))

    projection = await recorder.write_out()
    (tmp_path / "personal").unlink()
    await recorder.commit(TranscriptBuilder().turn("two", "2"))
    await recorder.write_out(projection)

    (kinds,) = recorder.kinds().values()
    assert kinds == ["session", "message", "reply", "message", "reply"]
