from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

import bot.doctor
from bot import plugins
from bot.config.loader import examine
from bot.doctor import base
from bot.doctor.base import Check, CheckContext, Finding, Severity, mount_of
from bot.errors import BotError
from bot.paths import Home
from memory import FrozenClock, Memory
from tests.unit.bot.doctor.conftest import nobody

SEEN = Finding("one.seen", Severity.WARNING, "here", "it is so")


def test_every_check_is_called_what_its_file_is_called() -> None:
    checks = plugins.load_all(bot.doctor, "CHECK", Check)

    assert {name: check.id for name, check in checks.items()} == {name: name for name in checks}
    assert {"clock", "config", "disk", "home", "instance", "model", "people", "state"} <= set(checks)


@pytest.fixture
def context(home: Home, clock: FrozenClock) -> CheckContext:
    def no_memory(agent: str) -> AbstractAsyncContextManager[Memory]:
        raise AssertionError(agent)

    return CheckContext(home, clock, examine(home, environment={}), no_memory, lambda _: None, nobody, nobody)


async def carried_out(context: CheckContext, *checks: Check) -> dict[str, tuple[Finding, ...]]:
    return {check.id: found async for check, found in base.run_checks(checks, context)}


async def test_checks_run_at_once_and_come_in_their_order(context: CheckContext) -> None:
    second_is_done = asyncio.Event()

    async def first(_: CheckContext) -> AsyncIterator[Finding]:
        await second_is_done.wait()
        yield SEEN

    async def second(_: CheckContext) -> AsyncIterator[Finding]:
        second_is_done.set()
        yield Finding("two.seen", Severity.NOTE, "there", "fine")

    found = await carried_out(context, Check("one", "one", first), Check("two", "two", second))

    assert {name: [one.id for one in ones] for name, ones in found.items()} == {
        "one": ["one.seen"],
        "two": ["two.seen"],
    }


async def test_whoever_wants_the_rest_no_more_ends_the_checks_that_are_under_way(context: CheckContext) -> None:
    ended = asyncio.Event()

    async def first(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN

    async def second(_: CheckContext) -> AsyncIterator[Finding]:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        yield SEEN

    found = base.run_checks([Check("one", "one", first), Check("two", "two", second)], context)
    assert isinstance(found, AsyncGenerator)
    async for check, _ in found:
        assert check.id == "one"
        break
    await found.aclose()

    assert ended.is_set()


async def test_nothing_is_told_twice(context: CheckContext) -> None:
    async def same(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN
        yield SEEN

    found = await carried_out(context, Check("one", "one", same), Check("two", "two", same))

    assert found == {"one": (SEEN,), "two": ()}


async def test_a_check_that_fails_is_a_finding_and_keeps_what_it_had_seen(context: CheckContext) -> None:
    async def refused(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN
        raise BotError("It was refused.", hint="Ask again.")

    async def hindered(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN
        raise PermissionError(13, "Permission denied", "/srv/file")

    found = await carried_out(context, Check("one", "one", refused), Check("two", "two", hindered))

    assert [(one.id, one.message) for one in found["one"]] == [
        ("one.seen", "it is so"),
        ("one.refused", "It was refused."),
    ]
    assert [(one.id, one.place) for one in found["two"]] == [("two.refused", "/srv/file")]


async def test_a_check_that_hangs_does_not_keep_the_others_waiting_for_ever(
    context: CheckContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN
        await asyncio.Event().wait()

    monkeypatch.setattr(base, "LIMIT_S", 0.001)

    found = await carried_out(context, Check("one", "one", hangs))

    assert [(one.id, one.severity) for one in found["one"]] == [
        ("one.seen", Severity.WARNING),
        ("one.slow", Severity.WARNING),
    ]


def test_the_file_system_of_a_folder_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/a / ext4 rw 0 0\nnas:/x {tmp_path} nfs4 rw 0 0\n/dev/b {tmp_path}/a\\040b xfs rw 0 0\n")

    assert mount_of(tmp_path / "home", mounts)[1] == "nfs4"
    assert mount_of(tmp_path / "a b" / "home", mounts)[1] == "xfs"
    assert mount_of(Path("/usr"), mounts)[1] == "ext4"
    assert mount_of(Path("/usr"), tmp_path / "nothing")[1] == ""
