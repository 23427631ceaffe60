from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path, PosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from adapters.in_memory import InMemoryAdapter
from adapters.port import Ambiguous, Attachment, Inbound, NotSent, SlowDown
from bot.config.options.media import FilesSection
from bot.paths import safe_name
from bot.pipeline.attachments import DAY_S, LIMIT, AttachmentStore, FileSweeper, names
from bot.pipeline.delivery.outbox import Adapters
from bot.pipeline.responder import TurnResponder
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.objects import SharedFiles
from bot.turn import FetchFailure, Reply, Turn
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.conversation import FakeCommandContext
from tests.support.factories import NOON, envelope, outbound
from tests.support.service import ServiceHarness


class Desk:
    """A chat whose turns end with what was seen of their files."""

    def __init__(self, folder: Path, *, then: Callable[[Turn], Awaitable[Reply]] | None = None) -> None:
        self.adapter = InMemoryAdapter(now=lambda: NOON)
        self.pause = InstantPause()
        self.folder = folder / "files"
        self.turns: list[Turn] = []
        self.coordinator = InMemoryCoordinator()
        self._then = then

    async def answer(self, turn: Turn) -> Reply:
        self.turns.append(turn)
        return await self._then(turn) if self._then else Reply(turn.text or "Seen.")

    def sends(self, *names: str, data: bytes = b"hello", text: str = "") -> Inbound:
        """Somebody sends files; a name that ends in `?` is not there any more."""
        files = []
        for name in names:
            ref = f"ref-{name}"
            if not name.endswith("?"):
                self.adapter.files[ref] = data
            files.append(Attachment("document", name, "text/plain", len(data), ref))
        return self.adapter.say(text, *files)

    async def run(self) -> list[str]:
        """Serve until everybody has left; what was shown."""
        cabinet = AttachmentStore(self.folder, adapters=Adapters([self.adapter]), pause=self.pause)
        responder = TurnResponder(FakeCommandContext({}), {"personal": self.answer}, attachments=cabinet)
        stand = ServiceHarness(responder.respond, self.coordinator, adapter=self.adapter, burst=1)
        return await stand.run()

    def kept(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()
        }


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_a_file_lies_in_the_folder_of_its_turn_for_the_owner_alone_before_the_turn_is_answered(
    desk: Desk,
) -> None:
    desk.sends("../../Plan für März.txt", text="look")

    assert await desk.run() == ["look"]
    (file,) = desk.turns[0].files
    assert desk.kept() == {"personal/volatile.bot_1/Plan_für_März.txt": b"hello"}
    assert (file.name, file.size, str(file)) == ("Plan_für_März.txt", 5, "Plan_für_März.txt (5 B)")
    assert file.place == "files/personal/volatile.bot_1/Plan_für_März.txt"
    assert file.path
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


async def test_a_repeated_turn_finds_its_file_and_does_not_fetch_it_again(tmp_path: Path) -> None:
    attempts = []

    async def breaks_once(turn: Turn) -> Reply:
        attempts.append(turn.files)
        if len(attempts) == 1:
            raise ZeroDivisionError
        return Reply("done")

    desk = Desk(tmp_path, then=breaks_once)
    desk.sends("a.txt")

    assert await desk.run() == ["done"]
    assert attempts[0] == attempts[1]
    assert desk.adapter.fetched == ["ref-a.txt"]


async def test_files_of_one_name_do_not_overwrite_one_another(desk: Desk) -> None:
    desk.sends("image.png", "IMAGE.PNG", "image.png")
    await desk.run()

    assert sorted(path.rpartition("/")[2] for path in desk.kept()) == ["1-image.png", "2-IMAGE.PNG", "3-image.png"]


async def test_nothing_that_a_stranger_sends_is_fetched(desk: Desk) -> None:
    file = Attachment("document", "a.txt", "text/plain", 1, "ref")
    desk.adapter.say("look", file, sender="mallory")
    await desk.run()

    assert desk.adapter.fetched == []
    assert not desk.folder.exists()


async def test_a_file_that_is_too_large_is_not_asked_for_and_the_text_is_answered_all_the_same(desk: Desk) -> None:
    desk.adapter.say("look", Attachment("document", "film.mkv", "video/mp4", LIMIT + 1, "ref"))

    assert await desk.run() == ["look\n\n`film.mkv` (20 MB) was not fetched: I take 20 MB a file, and 100 MB at once."]
    assert desk.adapter.fetched == []
    assert [file.lack for file in desk.turns[0].files] == [FetchFailure.TOO_LARGE]


async def test_a_file_that_is_gone_is_named_in_the_language_of_the_message_beside_one_that_came(desk: Desk) -> None:
    desk.sends("a.txt", "b.txt?", text="Die Rechnung und der Brief sind nicht gut lesbar.")

    (shown,) = await desk.run()
    assert "\n\n`b.txt` (5 B) wurde nicht geholt: Es gibt die Datei nicht mehr" in shown
    assert [path.rpartition("/")[2] for path in desk.kept()] == ["a.txt"]


async def test_what_all_files_of_a_message_may_have_together_is_limited(desk: Desk) -> None:
    desk.sends(*(f"{number}.bin" for number in range(6)), data=bytes(LIMIT))
    await desk.run()

    assert [file.lack for file in desk.turns[0].files] == [None] * 5 + [FetchFailure.TOO_LARGE]


async def test_a_fetch_that_does_not_come_through_is_tried_again_at_the_platforms_pace(desk: Desk) -> None:
    desk.adapter.faults.extend([NotSent("no way"), SlowDown("slowly", seconds=7)])
    desk.sends("a.txt", text="look")

    assert await desk.run() == ["look"]
    assert desk.pause.waited == [2.0, 7]
    assert list(desk.kept().values()) == [b"hello"]


async def test_a_fetch_that_never_comes_through_is_given_up_and_leaves_no_half_file(desk: Desk) -> None:
    desk.adapter.faults.extend([Ambiguous("broke off")] * 3)
    desk.sends("a.txt", text="look")

    assert await desk.run() == ["look\n\n`a.txt` (5 B) could not be fetched; please send it once more."]
    assert desk.kept() == {}


async def test_half_a_file_of_a_process_that_was_killed_is_never_taken_for_the_file(desk: Desk) -> None:
    half = desk.folder / "personal" / "volatile.bot_1" / ".a.txt"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"half of something longer")
    desk.sends("a.txt", text="look")

    assert await desk.run() == ["look"]
    assert list(desk.kept().values()) == [b"hello"]
    assert [file.size for file in desk.turns[0].files] == [5]


async def test_a_disk_that_refuses_costs_the_file_and_not_the_answer(desk: Desk) -> None:
    desk.folder.write_bytes(b"a file where the folder should be")
    desk.sends("a.txt", text="look")

    assert await desk.run() == ["look\n\n`a.txt` (5 B) could not be fetched; please send it once more."]


@settings(deadline=None)
@given(st.lists(st.text(alphabet=st.characters(), max_size=300), max_size=5))
def test_names_are_safe_apart_and_the_same_every_time(told: list[str]) -> None:
    attachments = [Attachment("document", name, "", 0, "") for name in told]
    found = names(attachments)

    assert found == names(attachments)
    assert len({name.casefold() for name in found}) == len(told)
    for name in found:
        assert name
        assert name[0] != "."
        assert not set(name) & set("/\\`\0\n ")
        assert len(f".{name}.part".encode()) <= 255


MB = 2**20


def put(folder: Path, turn: str, *, days: float, size: int = 5, agent: str = "personal") -> Path:
    """The files of a turn, last changed so many days before noon."""
    path = folder / agent / turn / "a.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    os.truncate(path, size)
    for one in (path, path.parent):
        os.utime(one, (NOON.timestamp() - days * DAY_S,) * 2)
    return path


def sweeper(folder: Path, coordinator: InMemoryCoordinator, **options: int) -> FileSweeper:
    section = FilesSection.model_validate(options)
    return FileSweeper(folder, section, coordinator, clock=FrozenClock(NOON), pause=InstantPause())


async def test_files_go_when_they_are_old_and_the_oldest_where_there_are_too_many(tmp_path: Path) -> None:
    kept = {name: put(tmp_path, name, days=days, size=60 * MB) for name, days in (("a", 31), ("b", 3), ("c", 2))}
    kept["d"] = put(tmp_path, "d", days=1, size=30 * MB, agent="work")

    assert await sweeper(tmp_path, InMemoryCoordinator(), keep_days=30, quota_mb=100).sweep() == 2
    assert [name for name, path in kept.items() if path.exists()] == ["c", "d"]
    assert await sweeper(tmp_path / "none", InMemoryCoordinator()).sweep() == 0


async def test_no_file_goes_by_a_clock_that_was_wrong_when_the_machine_started(tmp_path: Path) -> None:
    clock, kept = FrozenClock(NOON + timedelta(days=365)), put(tmp_path, "a", days=1)

    async def set_clock(_: float) -> None:
        if clock.now() == NOON:
            raise asyncio.CancelledError
        clock.advance(days=-365)

    sweeping = FileSweeper(tmp_path, FilesSection(), InMemoryCoordinator(), clock=clock, pause=set_clock)
    with pytest.raises(asyncio.CancelledError):
        await sweeping.run()
    assert kept.exists()


async def test_files_of_a_turn_that_waits_or_of_an_answer_that_is_owed_stay(tmp_path: Path) -> None:
    coordinator = InMemoryCoordinator()
    waiting = envelope("a")
    await coordinator.publish(waiting)
    owed = put(tmp_path, "t9", days=400)
    sent = owed.parent / ".sent" / "b.bin"
    await coordinator.tell("personal", replace(outbound("o"), files=(str(sent),)), update="u")
    first, old = put(tmp_path, safe_name(waiting.turn), days=400), put(tmp_path, "t8", days=400)

    assert await sweeper(tmp_path, coordinator, quota_mb=100).sweep() == 1
    assert (first.exists(), owed.exists(), old.exists()) == (True, True, False)


class VanishingPath(PosixPath):
    """A folder in which a file called `gone` is removed at the moment at which it is looked at."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        if self.name == "gone":
            self.unlink(missing_ok=True)
        return super().stat(follow_symlinks=follow_symlinks)


async def test_a_file_that_vanishes_meanwhile_ends_no_sweep(tmp_path: Path) -> None:
    old, changing = put(tmp_path, "a", days=400), put(tmp_path, "b", days=400)
    (changing.parent / "gone").touch()

    assert await sweeper(VanishingPath(tmp_path), InMemoryCoordinator()).sweep() == 1
    assert (old.exists(), changing.exists()) == (False, True)


def store(folder: Path, shared: Path, adapter: InMemoryAdapter) -> AttachmentStore:
    """The store of one machine."""
    platforms, pause = Adapters([adapter]), InstantPause()
    return AttachmentStore(folder / "files", adapters=platforms, pause=pause, shared=SharedFiles(shared.as_uri()))


async def test_what_one_machine_has_fetched_another_one_has_too_and_what_goes_out(desk: Desk, tmp_path: Path) -> None:
    desk.sends("a.txt")
    await desk.run()
    (turn,) = desk.turns
    gone = InMemoryAdapter(now=lambda: NOON)
    here = store(tmp_path / "here", tmp_path / "shared", desk.adapter)
    there = store(tmp_path / "there", tmp_path / "shared", gone)

    (first,) = await here.receive(turn)
    (second,) = await there.receive(turn)
    assert second.path
    assert (second.path.read_bytes(), second.place) == (b"hello", first.place)

    spoken = here.folder(turn) / ".sent" / "answer.ogg"
    spoken.parent.mkdir()
    spoken.write_bytes(b"ogg")
    assert await there.here([str(spoken)]) == (str(spoken),)
    await here.share([spoken])
    moved = spoken.rename(tmp_path / "moved")

    (found,) = await there.here([str(spoken)])
    assert found == str(there.folder(turn) / ".sent" / "answer.ogg")
    assert Path(found).read_bytes() == moved.read_bytes()


async def test_a_shared_folder_that_fails_keeps_nothing_from_being_answered(desk: Desk, tmp_path: Path) -> None:
    desk.sends("a.txt")
    await desk.run()
    (turn,) = desk.turns
    shared = tmp_path / "shared"
    here = store(tmp_path / "here", shared, desk.adapter)
    shared.rmdir()
    shared.write_bytes(b"in the way")

    with capture_logs() as log:
        (file,) = await here.receive(turn)

    assert file.path
    assert [event["event"] for event in log] == ["file.not_brought", "file.not_shared"]


async def test_old_files_go_from_where_they_are_shared_too(tmp_path: Path) -> None:
    shared, came = SharedFiles((tmp_path / "shared").as_uri()), tmp_path / "came"
    came.write_bytes(b"hello")
    await shared.put("personal/old/a.txt", came)
    os.utime(next((tmp_path / "shared").rglob("a.txt")), (1, 1))
    clock = FrozenClock(NOON)

    await FileSweeper(
        tmp_path / "files", FilesSection(), InMemoryCoordinator(), clock=clock, pause=InstantPause(), shared=shared
    ).sweep()

    assert await shared.get("personal/old/a.txt") is None
