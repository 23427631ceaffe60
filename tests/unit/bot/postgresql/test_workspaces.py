"""Tests of files in a database: with what changed them, as a folder again, and moved there and back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.errors import Fenced, Locked, Refused, StateError
from bot.postgresql.coordinator import PostgresCoordinator
from bot.postgresql.leases import LASTING_S
from bot.postgresql.migrate import ROWS, Moved, Store, move, of_agent
from bot.postgresql.workspaces import BLOCK, CHECKED_OUT, Checkout, WorkspaceFiles, files, inside
from bot.storage.port import Grant
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.statements import StatementReader
from memory import FrozenClock
from tests.servers.postgresql import PostgresServer
from tests.support.factories import NOON, effects, entry, envelope, outbound
from tests.support.postgresql import DatabaseClock


@pytest.fixture
def url(postgresql: PostgresServer) -> str:
    return postgresql.database()


@asynccontextmanager
async def machine(url: str, folder: Path) -> AsyncIterator[tuple[PostgresCoordinator, Path]]:
    workspace = folder / "personal"
    workspace.mkdir(parents=True, exist_ok=True)
    async with PostgresCoordinator.open(url, clock=FrozenClock(NOON)) as coordinator:
        coordinator.files = WorkspaceFiles({"personal": workspace})
        yield coordinator, workspace


async def claim(coordinator: PostgresCoordinator) -> Grant:
    (grant,) = await coordinator.claim("worker", ["personal"])
    return grant


def content(folder: Path) -> dict[str, bytes]:
    return {path: folder.joinpath(path).read_bytes() for path, _ in files(folder)}


async def test_what_a_turn_has_changed_is_there_with_its_end_and_on_another_machine(url: str, tmp_path: Path) -> None:
    async with machine(url, tmp_path / "a") as (here, folder), machine(url, tmp_path / "b") as (there, other):
        grant = await claim(here)
        await here.publish(envelope("hello"))
        (message,) = await here.pending(grant, after=0)
        (folder / "memory").mkdir()
        (folder / "memory" / "day.md").write_text("- The key hangs in the shed.\n")
        (folder / "journal").write_bytes(os.urandom(3 * BLOCK))
        (folder / "lock").touch()
        await here.commit(grant, effects(message, parts=(outbound("p"),)))

        (other / "stale.md").write_text("from a life before")
        assert await there.pull_files("personal") == 3
        assert content(other) == {name: body for name, body in content(folder).items() if name != "lock"}
        assert (tmp_path / "b" / "personal.before" / "stale.md").exists()
        assert await there.pull_files("personal") == 0


async def test_what_a_person_wrote_while_nobody_worked_here_is_put_aside_and_nothing_else(
    url: str, tmp_path: Path
) -> None:
    async with machine(url, tmp_path / "a") as (here, folder), machine(url, tmp_path / "b") as (there, other):
        grant = await claim(here)
        for name in ("edited.md", "removed.md", "edited and removed.md", "stale.md"):
            folder.joinpath(name).write_text("one")
        await here.push_files(grant)
        await here.push_files(grant)
        other.joinpath("new.md").write_text("mine")
        grant = await claim(there)
        await there.pull_files("personal")
        other.joinpath("removed.md").unlink()
        other.joinpath("edited and removed.md").unlink()
        other.joinpath("edited.md").write_text("two")
        other.joinpath("stale.md").write_text("two")
        await there.push_files(grant)
        folder.joinpath("edited.md").write_text("mine")
        folder.joinpath("edited and removed.md").write_text("mine")

        await here.pull_files("personal")

        assert content(folder) == {"edited.md": b"two", "stale.md": b"two"}
        assert content(tmp_path / "a" / "personal.before") == {"edited.md": b"mine", "edited and removed.md": b"mine"}
        assert content(tmp_path / "b" / "personal.before") == {"new.md": b"mine"}


@asynccontextmanager
async def beside(url: str, folder: Path) -> AsyncIterator[tuple[PostgresCoordinator, Path, Grant, Checkout]]:
    """A machine that has written one file, and a folder to which its files may come."""
    async with machine(url, folder / "a") as (here, written):
        grant = await claim(here)
        written.joinpath("USER.md").write_text("Ada")
        await here.push_files(grant)
        async with Checkout.open(url, "personal", folder / "edited") as edits:
            yield here, written, grant, edits


async def test_an_edit_that_came_too_late_is_not_lost(url: str, tmp_path: Path) -> None:
    async with beside(url, tmp_path) as (here, folder, grant, edits):
        await edits.fetch()
        edits.folder.joinpath("USER.md").write_text("Ada Lovelace")
        assert await edits.send() == ({"USER.md"}, set())
        folder.joinpath("USER.md").write_text("Ada King")
        await here.push_files(grant)
        assert not await edits.waiting()

        changed, aside = await edits.fetch()

        assert (changed, [path.read_text() for path in aside]) == (1, ["Ada Lovelace"])
        assert edits.folder.joinpath("USER.md").read_text() == "Ada King"


async def test_what_is_noted_of_a_copy_may_be_broken(url: str, tmp_path: Path) -> None:
    async with beside(url, tmp_path) as (_, _, _, edits):
        await edits.fetch()
        edits.folder.joinpath(CHECKED_OUT).write_text("{")

        assert await edits.fetch() == (0, [])


async def test_files_come_to_a_folder_only_while_no_process_works_there(url: str, tmp_path: Path) -> None:
    async with beside(url, tmp_path) as (_, _, _, edits):
        assert await edits.fetch(unless=lambda: True) == (0, [])
        assert await edits.fetch(unless=lambda: False) == (1, [])


async def test_of_a_file_that_grows_only_its_end_is_written(url: str, tmp_path: Path) -> None:
    async with machine(url, tmp_path) as (coordinator, folder):
        grant = await claim(coordinator)
        journal = folder / "journal"
        journal.write_bytes(b"x" * BLOCK + b"begun")
        await coordinator.push_files(grant)
        count = "SELECT number, xmin::text FROM ws_block ORDER BY number"
        before = dict(await coordinator.statements.rows(count))

        with journal.open("ab") as file:
            file.write(b" and ended")
        await coordinator.push_files(grant)

        after = dict(await coordinator.statements.rows(count))
        assert after[0] == before[0]
        assert after[1] != before[1]


async def test_a_process_that_was_replaced_changes_no_file(url: str, tmp_path: Path) -> None:
    async with machine(url, tmp_path / "a") as (here, folder), machine(url, tmp_path / "b") as (there, other):
        old = await claim(here)
        folder.joinpath("USER.md").write_text("Ada")
        await here.push_files(old)
        await claim(there)

        folder.joinpath("USER.md").write_text("a zombie's")
        with pytest.raises(Fenced):
            await here.push_files(old)

        await there.pull_files("personal")
        assert other.joinpath("USER.md").read_text() == "Ada"


async def test_what_is_removed_is_removed_everywhere(url: str, tmp_path: Path) -> None:
    async with machine(url, tmp_path / "a") as (here, folder), machine(url, tmp_path / "b") as (there, other):
        grant = await claim(here)
        folder.joinpath("a.md").write_text("one")
        folder.joinpath("b.md").write_text("two")
        await here.push_files(grant)
        await there.pull_files("personal")
        folder.joinpath("a.md").unlink()
        await here.push_files(grant)

        await there.pull_files("personal")
        assert content(other) == {"b.md": b"two"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../other/USER.md", "memory/../../x"])
def test_no_path_leads_out_of_a_workspace(path: str, tmp_path: Path) -> None:
    with pytest.raises(Refused):
        inside(tmp_path, path)


async def test_what_a_person_edits_comes_to_whoever_works_for_the_agent(url: str, tmp_path: Path) -> None:
    async with machine(url, tmp_path / "a") as (here, folder):
        grant = await claim(here)
        folder.joinpath("USER.md").write_text("Ada\n")
        folder.joinpath("SOUL.md").write_text("Kind.\n")
        await here.push_files(grant)
        async with Checkout.open(url, "personal", tmp_path / "edited") as edits:
            assert await edits.fetch() == (2, [])
            edits.folder.joinpath("USER.md").write_text("Ada Lovelace\n")
            edits.folder.joinpath("SOUL.md").write_text("Kinder.\n")
            folder.joinpath("SOUL.md").write_text("Kindest.\n")
            await here.push_files(grant)

            assert await edits.send() == ({"USER.md"}, {"SOUL.md"})
            assert await edits.waiting() == {"USER.md"}
            await here.push_files(grant)
            assert not await edits.waiting()
            await edits.fetch(keep={"SOUL.md"})

            assert folder.joinpath("USER.md").read_text() == "Ada Lovelace\n"
            assert edits.folder.joinpath("SOUL.md").read_text() == "Kinder.\n"


async def moved(source: Store, target: Store, folder: Path) -> Moved:
    (only,) = [one async for one in move(source, target, {"personal": folder})]
    return only


async def test_an_agent_moves_to_a_database_and_back_and_nothing_differs(url: str, tmp_path: Path) -> None:
    database, workspace = tmp_path / "home" / "state.sqlite", tmp_path / "home" / "personal"
    workspace.mkdir(parents=True)
    workspace.joinpath("USER.md").write_text("Ada")
    async with SqliteCoordinator.open(database, clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("worker", ["personal"])
        await coordinator.publish(envelope("hello"))
        await coordinator.publish(envelope("waits", update="2"))
        (message, _) = await coordinator.pending(grant, after=0)
        more_than_a_page = tuple(entry(str(n)) for n in range(2 * ROWS + 1))
        await coordinator.commit(grant, replace(effects(message, parts=(outbound("p"),)), entries=more_than_a_page))
        await coordinator.release(grant)

    again = tmp_path / "again" / "personal"
    async with Store.shared(url, owner="m") as shared:
        async with Store.at_home(database, {"personal": workspace}) as home:
            there = await moved(home, shared, workspace)
            assert not (await moved(home, shared, workspace)).is_new
        async with Store.at_home(again.with_name("state.sqlite"), {"personal": again}) as other:
            back = await moved(shared, other, again)

    assert there == back
    assert there.rows > 2 * ROWS
    assert content(again) == content(workspace)
    async with SqliteCoordinator.open(again.with_name("state.sqlite"), clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("worker", ["personal"])
        (left,) = await coordinator.pending(grant, after=0)
        assert left.envelope == envelope("waits", update="2")
        assert not await coordinator.publish(envelope("hello"))


async def publish(database: Path, text: str) -> None:
    async with SqliteCoordinator.open(database, clock=FrozenClock(NOON)) as coordinator:
        await coordinator.publish(envelope(text, update=text))


async def test_what_was_said_since_the_last_move_is_not_replaced(url: str, tmp_path: Path) -> None:
    database, workspace = tmp_path / "state.sqlite", tmp_path / "personal"
    workspace.mkdir()
    workspace.joinpath("USER.md").write_text("Ada")

    async def at_home(*, back: bool = False) -> Moved:
        async with Store.shared(url, owner="m") as shared, Store.at_home(database, {"personal": workspace}) as home:
            return await (moved(shared, home, workspace) if back else moved(home, shared, workspace))

    await publish(database, "first")
    assert (await at_home()).is_new
    await publish(database, "second")
    assert (await at_home()).rows == 2  # nobody has used the database meanwhile

    async with machine(url, tmp_path / "worker") as (coordinator, _):
        await coordinator.publish(envelope("third", update="third"))
    with pytest.raises(Refused, match="has changes of personal since the last move"):
        await at_home()
    assert (await at_home(back=True)).rows == 3  # nobody has used the home meanwhile
    await publish(database, "fourth")
    with pytest.raises(Refused, match="has changes of personal since the last move"):
        await at_home(back=True)
    assert (await at_home()).rows == 4


class CutReader:
    """Reads a few times, and then no more: the process ends."""

    def __init__(self, reader: StatementReader, left: int) -> None:
        self._reader = reader
        self._left = left

    async def rows(self, sql: str, *parameters: str | int) -> list[Any]:
        if not self._left:
            raise StateError("cut")
        self._left -= 1
        return await self._reader.rows(sql, *parameters)

    async def few_rows(self, sql: str, *parameters: str | int) -> list[Any]:
        return await self.rows(sql, *parameters)

    async def has(self, table: str) -> bool:
        return await self._reader.has(table)


async def test_a_move_home_that_was_broken_off_behind_the_rows_goes_on_though_more_was_said_meanwhile(
    url: str, tmp_path: Path
) -> None:
    database, workspace = tmp_path / "state.sqlite", tmp_path / "personal"
    workspace.mkdir()
    await publish(database, "first")
    async with Store.shared(url, owner="m") as shared, Store.at_home(database, {"personal": workspace}) as home:
        await moved(home, shared, workspace)
        for number, text in enumerate(("second", "third"), 1):
            async with machine(url, tmp_path / f"worker {number}") as (coordinator, _):
                await coordinator.publish(envelope(text, update=text))
            if text == "second":
                cut = replace(home, reader=CutReader(home.reader, len(of_agent()) + 1))  # its digest, and the mark
                with pytest.raises(StateError, match="cut"):
                    await moved(shared, cut, workspace)

        assert (await moved(shared, home, workspace)).rows == 3


async def test_a_move_home_that_was_broken_off_between_files_and_rows_goes_on(url: str, tmp_path: Path) -> None:
    database, workspace = tmp_path / "state.sqlite", tmp_path / "personal"
    workspace.mkdir()
    workspace.joinpath("USER.md").write_text("Ada")
    await publish(database, "first")
    async with Store.shared(url, owner="m") as shared, Store.at_home(database, {"personal": workspace}) as home:
        await moved(home, shared, workspace)
        async with machine(url, tmp_path / "worker") as (coordinator, _):
            await coordinator.publish(envelope("second", update="second"))
        workspace.joinpath("USER.md").write_text("half of what was sent")

        assert (await moved(shared, home, workspace)).rows == 2
    assert content(workspace) == {"USER.md": b"Ada"}


async def test_what_was_edited_at_home_since_the_move_away_is_put_aside_on_the_way_back(
    url: str, tmp_path: Path
) -> None:
    workspace, before = tmp_path / "personal", tmp_path / "personal.before"
    workspace.mkdir()
    workspace.joinpath("USER.md").write_text("Ada")
    await publish(tmp_path / "state.sqlite", "first")
    at_home = Store.at_home(tmp_path / "state.sqlite", {"personal": workspace})
    async with Store.shared(url, owner="m") as shared, at_home as home:
        await moved(home, shared, workspace)
        for edited in ("Ada Lovelace", "Ada King"):
            workspace.joinpath("USER.md").write_text(edited)
            await moved(shared, home, workspace)

    assert content(workspace) == {"USER.md": b"Ada"}
    assert content(before) == {"USER.md": b"Ada Lovelace", "USER.md.2": b"Ada King"}


async def test_an_agent_that_somebody_works_for_is_not_moved(url: str, tmp_path: Path) -> None:
    async with (
        Store.shared(url, owner="worker") as working,
        Store.shared(url, owner="m") as shared,
        working.holding("personal"),
        Store.at_home(tmp_path / "s", {"personal": tmp_path / "w"}) as home,
    ):
        with pytest.raises(Locked, match="personal"):
            await anext(move(home, shared, {"personal": tmp_path / "w"}))


async def test_a_move_that_takes_long_keeps_others_out_and_notices_if_it_could_not(url: str, tmp_path: Path) -> None:
    renewals = asyncio.Semaphore(0)

    async def turn(seconds: float) -> None:
        del seconds
        await renewals.acquire()

    async with Store.shared(url, owner="m", pause=turn) as moving, Store.shared(url, owner="worker") as working:
        assert working.leases
        clock = DatabaseClock(url)
        async with moving.holding("personal") as check:
            clock.advance(LASTING_S - 1)
            renewals.release()
            await moving.writer.write(check)
            until = "SELECT 1 FROM lease WHERE until > lease_now() + interval '5 seconds'"
            for _ in range(500):
                if await moving.reader.rows(until):
                    break
                await asyncio.sleep(0.01)
            clock.advance(LASTING_S - 1)
            assert await working.leases.take("work/personal", lambda _: None) is None

            clock.advance(2)
            assert await working.leases.take("work/personal", lambda _: None)
            with pytest.raises(Locked, match="personal"):
                await moving.writer.write(check)
