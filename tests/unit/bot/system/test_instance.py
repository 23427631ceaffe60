from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import Locked
from bot.paths import Home
from bot.system import instance
from bot.system.instance import ENDINGS, ending
from memory import FrozenClock

HOLD = """
import sys
from pathlib import Path
from bot.system import instance
from bot.paths import Home
from memory import SystemClock
with instance.hold(Home.at(Path(sys.argv[1])), command="chat", clock=SystemClock()):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path)
    home.prepare()
    return home


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))


def other_process(home: Home) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home.config.parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_nobody_holds_a_new_home(home: Home) -> None:
    assert instance.holder(home) is None


def test_the_holder_is_known_by_process_command_and_time(home: Home, clock: FrozenClock) -> None:
    with instance.hold(home, command="chat", clock=clock):
        holder = instance.holder(home)

    assert holder is not None
    assert (holder.pid, holder.command) == (os.getpid(), "chat")
    assert str(os.getpid()) in str(holder)
    assert instance.holder(home) is None


def test_a_second_process_is_told_who_is_first_and_what_to_do(home: Home, clock: FrozenClock) -> None:
    process = other_process(home)
    try:
        with pytest.raises(Locked) as locked, instance.hold(home, command="chat", clock=clock):
            pytest.fail("both hold it")
    finally:
        process.communicate("")

    assert str(process.pid) in locked.value.message
    assert f"kill {process.pid}" in locked.value.hint
    assert "SCRUBJAY_HOME" in locked.value.hint


def test_the_lock_is_free_when_its_holder_leaves(home: Home, clock: FrozenClock) -> None:
    process = other_process(home)
    process.communicate("")

    with instance.hold(home, command="chat", clock=clock) as holder:
        assert holder.pid == os.getpid()


def test_the_lock_is_free_when_its_holder_is_killed_whatever_it_left_behind(home: Home, clock: FrozenClock) -> None:
    process = other_process(home)
    process.send_signal(signal.SIGKILL)
    process.communicate()

    assert home.lock.with_suffix(".json").exists()
    assert instance.holder(home) is None
    with instance.hold(home, command="chat", clock=clock) as holder:
        assert holder.pid == os.getpid()


def test_the_lock_is_free_after_an_error(home: Home, clock: FrozenClock) -> None:
    with pytest.raises(ValueError, match="broken"), instance.hold(home, command="chat", clock=clock):
        raise ValueError("broken")

    assert instance.holder(home) is None


@pytest.mark.parametrize("card", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1}'])
def test_an_unreadable_card_still_tells_that_somebody_is_there(home: Home, clock: FrozenClock, card: str) -> None:
    with instance.hold(home, command="chat", clock=clock):
        home.lock.with_suffix(".json").write_text(card)
        holder = instance.holder(home)

        with pytest.raises(Locked, match="already runs"), instance.hold(home, command="chat", clock=clock):
            pytest.fail("both hold it")

    assert holder is not None
    assert holder.command == "(unknown)"


@pytest.mark.parametrize("number", ENDINGS)
async def test_a_request_to_end_is_passed_on(number: signal.Signals) -> None:
    stopped = asyncio.Event()

    with ending(stopped.set):
        os.kill(os.getpid(), number)
        async with asyncio.timeout(10):
            await stopped.wait()


async def test_afterwards_the_signals_do_again_what_they_did() -> None:
    with ending(lambda: None):
        pass

    assert [signal.getsignal(number) for number in ENDINGS] == [signal.SIG_DFL, signal.SIG_DFL]
