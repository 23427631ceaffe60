from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bot.durable.port import Effects, Entry
from bot.durable.volatile import VolatileCoordinator
from bot.session.projection import INDEX, Endings, Projection
from tests.samples import HOME, chat, envelope, session
from tests.talks import Talk

ELSEWHERE = chat("elsewhere")


class Recorder:
    """Commits the turns of talks, and writes them out as a service does."""

    def __init__(self, folder: Path) -> None:
        self.coordinator = VolatileCoordinator()
        self.endings = Endings()
        self.folder = folder
        self._updates = 0

    async def commit(self, talk: Talk, at: object = HOME) -> None:
        assert at in {HOME, ELSEWHERE}
        place = HOME if at == HOME else ELSEWHERE
        (grant,) = await self.coordinator.claim("test", ["personal"])
        self._updates += 1
        await self.coordinator.publish(envelope("x", update=str(self._updates), at=place))
        (message,) = await self.coordinator.pending(grant, after=0)
        entries: Sequence[Entry] = [one.entry for one in talk.recorded]
        key = session(at=place)
        await self.coordinator.commit(grant, Effects(key, (message.seq,), entries=tuple(entries), turn="t"))
        self.endings.note(key)

    async def write_out(self, projection: Projection | None = None) -> Projection:
        projection = projection or Projection(self.coordinator, self.endings, folder=lambda agent: self.folder / agent)
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
    await recorder.commit(Talk().turn("one", "1"))
    projection = await recorder.write_out()
    await recorder.commit(Talk().turn("two", "2"))

    await recorder.write_out(projection)

    (kinds,) = recorder.kinds().values()
    assert kinds == ["session", "message", "reply", "message", "reply"]
    (listed,) = recorder.index.values()
    assert (listed["key"], listed["is_over"]) == (str(session()), False)


async def test_after_a_reset_there_is_another_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    await recorder.commit(Talk().turn("one", "1").reset())
    await recorder.commit(Talk().turn("two", "2"))

    await recorder.write_out()

    assert sorted(len(kinds) for kinds in recorder.kinds().values()) == [3, 4]
    assert sorted(str(listed["is_over"]) for listed in recorder.index.values()) == ["False", "True"]
    assert set(recorder.index) == set(recorder.kinds())


async def test_each_conversation_has_its_own_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    await recorder.commit(Talk().turn("one", "1"))
    await recorder.commit(Talk().turn("two", "2"), ELSEWHERE)

    await recorder.write_out()

    assert {str(listed["key"]) for listed in recorder.index.values()} == {
        str(session()),
        str(session(at=ELSEWHERE)),
    }


async def test_a_disk_that_refuses_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "personal").write_text("a file where the folder belongs")
    recorder = Recorder(tmp_path)
    await recorder.commit(Talk().turn("one", "1"))

    projection = await recorder.write_out()
    (tmp_path / "personal").unlink()
    await recorder.commit(Talk().turn("two", "2"))
    await recorder.write_out(projection)

    (kinds,) = recorder.kinds().values()
    assert kinds == ["session", "message", "reply", "message", "reply"]
