from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from bot.config.loader import examine
from bot.doctor import base
from bot.doctor.base import Check, CheckContext, Finding, Severity, mount_of
from bot.errors import BotError
from bot.paths import Home
from memory import FrozenClock, Memory
from tests.unit.bot.doctor.conftest import nobody

SEEN = Finding("one.seen", Severity.WARNING, "here", "it is so")


@pytest.fixture
def context(home: Home, clock: FrozenClock) -> CheckContext:
    def no_memory(agent: str) -> AbstractAsyncContextManager[Memory]:
        raise AssertionError(agent)

    return CheckContext(home, clock, examine(home, environment={}), no_memory, lambda _: None, nobody, nobody)


Detect = Callable[[CheckContext], AsyncIterator[Finding]]


async def carried_out(context: CheckContext, **checks: Detect) -> dict[str, tuple[Finding, ...]]:
    made = {name: Check(name, detect) for name, detect in checks.items()}
    return {check.title: found async for check, found in base.run_checks(made, context)}


async def test_checks_run_at_once_and_come_in_their_order(context: CheckContext) -> None:
    second_is_done = asyncio.Event()

    async def first(_: CheckContext) -> AsyncIterator[Finding]:
        await second_is_done.wait()
        yield SEEN

    async def second(_: CheckContext) -> AsyncIterator[Finding]:
        second_is_done.set()
        yield Finding("two.seen", Severity.NOTE, "there", "fine")

    found = await carried_out(context, one=first, two=second)

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

    found = base.run_checks({"one": Check("one", first), "two": Check("two", second)}, context)
    assert isinstance(found, AsyncGenerator)
    async for check, _ in found:
        assert check.title == "one"
        break
    await found.aclose()

    assert ended.is_set()


async def test_nothing_is_told_twice(context: CheckContext) -> None:
    async def same(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN
        yield SEEN

    found = await carried_out(context, one=same, two=same)

    assert found == {"one": (SEEN,), "two": ()}


async def test_a_check_that_fails_is_a_finding_and_keeps_what_it_had_seen(context: CheckContext) -> None:
    async def refused(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN
        raise BotError("It was refused.", hint="Ask again.")

    async def hindered(_: CheckContext) -> AsyncIterator[Finding]:
        yield SEEN
        raise PermissionError(13, "Permission denied", "/srv/file")

    found = await carried_out(context, one=refused, two=hindered)

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

    found = await carried_out(context, one=hangs)

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
