"""The watch over the folders, on real files, by real memories whose looks are counted."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from bot.service.watcher import Watched, Watcher
from bot.waiting import Pause, pause
from memory import OWNER, Memory, Mode
from memory.errors import NotFound

PATIENCE_S = 60


class Looks:
    """A memory that lets others wait for its looks."""

    def __init__(self, memory: Memory, workspace: Path, index: Path) -> None:
        self.workspace = workspace
        self.count = 0
        self.files = 0
        self.broken = False
        self.failure: Exception = NotFound("The workspace is not there.")
        self._memory = memory
        self._index = index
        self._looked = asyncio.Condition()

    async def sync(self) -> None:
        try:
            if self.broken:
                raise self.failure
            self.files = (await self._memory.sync()).files
        finally:
            async with self._looked:
                self.count += 1
                self._looked.notify_all()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S), self._looked:
            await self._looked.wait_for(holds)

    async def until_more_than(self, count: int) -> None:
        await self.until(lambda: self.count > count)

    async def until_found(self, question: str) -> None:
        """Wait until the index answers; asked through a reader, who does not look at the files."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                count = self.count
                async with await Memory.open(self.workspace, index=self._index, mode=Mode.READ_ONLY) as reader:
                    if (await reader.recall(question, scope=OWNER)).hits:
                        return
                await self.until_more_than(count)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let changes be told sooner than people need it."""
    for name, milliseconds in {"DEBOUNCE_MS": 200, "QUIET_MS": 50, "TICK_MS": 100}.items():
        monkeypatch.setattr(f"bot.service.watcher.{name}", milliseconds)


@pytest.fixture
async def looks(tmp_path: Path) -> AsyncIterator[Sequence[Looks]]:
    """Two agents' memories."""
    async with AsyncExitStack() as stack:
        opened = []
        for name in ("personal", "work"):
            workspace, index = tmp_path / "workspaces" / name, tmp_path / f"{name}.sqlite"
            memory = await stack.enter_async_context(await Memory.open(workspace, index=index))
            opened.append(Looks(memory, workspace, index))
        yield opened


@asynccontextmanager
async def watching(*agents: Watched, wait: Pause = pause) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(Watcher(agents, pause=wait).run())
        yield
        running.cancel()


@asynccontextmanager
async def watched(*agents: Looks) -> AsyncIterator[None]:
    """Watch, from when every agent has taken its first look: the watch stands then."""
    async with watching(*(Watched(one.workspace.name, one, (one.workspace,)) for one in agents)):
        for one in agents:
            await one.until_more_than(0)
        yield


async def test_a_note_written_by_hand_is_in_the_index_soon(
    looks: Sequence[Looks], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with watched(looks[0]):
        (looks[0].workspace / "garden.md").write_text("The tomatoes stand by the south wall.\n")

        await looks[0].until_found("tomatoes")

    assert [record.name for record in caplog.records] == []  # nobody wants to read of every note


async def test_what_was_written_before_the_watch_began_is_taken_in_too(looks: Sequence[Looks]) -> None:
    (looks[0].workspace / "garden.md").write_text("The tomatoes stand by the south wall.\n")

    async with watched(looks[0]):
        await looks[0].until_found("tomatoes")


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text are possible on Linux only")
async def test_a_file_whose_name_is_no_text_does_not_end_the_watch(looks: Sequence[Looks]) -> None:
    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    notes = looks[0].workspace
    async with watching(Watched("personal", looks[0], (notes,)), wait=at_once):
        await looks[0].until_more_than(0)
        (notes / os.fsdecode(b"\xff.md")).write_text("The lamp is green.\n")
        await looks[0].until_more_than(looks[0].count)
        (notes / "garden.md").write_text("The tomatoes stand by the south wall.\n")

        await looks[0].until_found("tomatoes")


async def test_an_editor_that_saves_by_renaming_is_followed(looks: Sequence[Looks]) -> None:
    note = looks[0].workspace / "garden.md"
    note.write_text("The tomatoes stand by the south wall.\n")

    async with watched(looks[0]):
        for number, plant in enumerate(("beans", "lettuce")):
            backup, fresh = note.with_name("garden.md~"), note.with_name(f".garden.md.{number}.swp")
            fresh.write_text(f"The {plant} stand by the south wall.\n")
            note.replace(backup)
            fresh.replace(note)
            await looks[0].until_found(plant)


async def test_a_folder_that_is_moved_in_is_taken_in_and_leaves_when_it_is_moved_out(
    looks: Sequence[Looks], tmp_path: Path
) -> None:
    outside, inside = tmp_path / "letters", looks[0].workspace / "letters"
    outside.mkdir()
    (outside / "first.md").write_text("Dear Ada, the ferry was late.\n")

    async with watched(looks[0]):
        before = looks[0].files
        outside.rename(inside)
        await looks[0].until(lambda: looks[0].files == before + 1)
        inside.rename(outside)
        await looks[0].until(lambda: looks[0].files == before)


async def test_ten_thousand_files_in_one_go_are_all_taken_in(looks: Sequence[Looks]) -> None:
    folder = looks[0].workspace / "archive"

    def write() -> None:
        for number in range(10_000):
            part = folder / str(number // 500)
            part.mkdir(parents=True, exist_ok=True)
            (part / f"{number}.md").write_text(f"Letter {number}.\n")

    async with watched(looks[0]):
        before = looks[0].files
        await asyncio.to_thread(write)
        await looks[0].until(lambda: looks[0].files == before + 10_000)


async def test_only_the_agent_whose_notes_have_changed_looks_and_nothing_hidden_counts(looks: Sequence[Looks]) -> None:
    personal, work = looks

    async with watched(personal, work):
        count = personal.count
        (personal.workspace / ".memory").mkdir(exist_ok=True)
        (personal.workspace / ".memory" / "extra.jsonl").write_text("{}\n")
        (personal.workspace / ".obsidian").mkdir()
        (personal.workspace / ".obsidian" / "plan.md").write_text("Hidden.\n")
        (personal.workspace / "photo.jpg").write_bytes(b"\xff\xd8")
        (work.workspace / "plan.md").write_text("The offer goes out on Friday.\n")
        await work.until_more_than(work.count)

        assert personal.count == count


async def test_a_folder_that_appears_later_is_watched_from_then_on(looks: Sequence[Looks], tmp_path: Path) -> None:
    later = tmp_path / "handbook"
    async with watching(Watched("personal", looks[0], (looks[0].workspace, later))):
        await looks[0].until(lambda: looks[0].count > 0)
        later.mkdir()
        await looks[0].until_more_than(looks[0].count)
        (later / "rules.md").write_text("Be kind.\n")

        await looks[0].until_more_than(looks[0].count)


@pytest.mark.parametrize("failure", [NotFound("The workspace is not there."), RecursionError()], ids=repr)
async def test_a_memory_that_cannot_look_stops_nobody(looks: Sequence[Looks], failure: Exception) -> None:
    personal, work = looks
    personal.broken, personal.failure = True, failure

    async with watched(personal, work):
        (personal.workspace / "garden.md").write_text("The tomatoes stand by the south wall.\n")
        (work.workspace / "plan.md").write_text("The offer goes out on Friday.\n")
        await work.until_found("offer")
        personal.broken = False
        (personal.workspace / "garden.md").write_text("The beans stand by the south wall.\n")
        await personal.until_found("beans")


class Gate:
    """Waits until it is opened, once for each time."""

    def __init__(self) -> None:
        self.steps = asyncio.Queue[None]()
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await self.steps.get()


async def test_where_the_system_tells_nothing_the_files_are_looked_through_again_and_again(
    looks: Sequence[Looks],
) -> None:
    gate = Gate()
    async with watching(Watched("personal", looks[0], (looks[0].workspace,), "poll"), wait=gate):
        await looks[0].until(lambda: looks[0].count == 1)
        (looks[0].workspace / "garden.md").write_text("The tomatoes stand by the south wall.\n")
        gate.steps.put_nowait(None)
        await looks[0].until(lambda: looks[0].count == 2)
        await looks[0].until_found("tomatoes")

    assert gate.seconds
    assert min(gate.seconds) >= 1


async def test_without_the_library_the_files_are_looked_through_again_and_again(
    looks: Sequence[Looks], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    gate = Gate()
    async with watching(Watched("personal", looks[0], (looks[0].workspace,)), wait=gate):
        await looks[0].until(lambda: looks[0].count == 1)
        gate.steps.put_nowait(None)
        await looks[0].until(lambda: looks[0].count == 2)


async def test_what_is_switched_off_is_not_watched(looks: Sequence[Looks]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await Watcher([Watched("personal", looks[0], (looks[0].workspace,), "off")], pause=pause).run()

    assert looks[0].count == 0
