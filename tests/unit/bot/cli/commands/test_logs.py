from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import structlog

from bot import log
from bot.cli.commands.logs import FollowedFile, for_people, logs, read_lines
from bot.cli.invocation import Invocation
from bot.log import Mask
from bot.paths import Home
from memory import FrozenClock
from tests.unit.bot.cli.conftest import Scrubjay


def write(home: Home, *events: dict[str, object]) -> None:
    home.logs.mkdir(parents=True, exist_ok=True)
    with home.log_file.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(event) + "\n" for event in events)


def event(name: str, level: str = "info", **more: object) -> dict[str, object]:
    return {"event": name, "level": level, "logger": "bot.x", "at": "2026-11-21T09:30:00.000+00:00", **more}


def test_where_nothing_was_logged_that_is_said(scrubjay: Scrubjay, home: Home) -> None:
    result = scrubjay("logs")

    assert (result.code, result.out) == (0, "")
    assert str(home.log_file) in result.err


def test_the_last_lines_are_shown_for_people_in_the_owners_zone(scrubjay: Scrubjay, home: Home) -> None:
    write(home, event("a.one"), event("turn.finished", agent="work", ms=12))

    result = scrubjay("logs", "--lines", "1")

    assert result.out == "11-21 10:30:00 info    turn.finished  agent=work  ms=12\n"


def test_the_log_is_shown_where_the_configuration_cannot_be_used(scrubjay: Scrubjay, home: Home) -> None:
    write(home, event("turn.finished", agent="work"))
    home.config.write_text("owner: [\n")

    shown, of_agent = scrubjay("logs"), scrubjay("logs", "--agent", "garden")

    assert (shown.code, shown.err) == (0, "")
    assert "turn.finished" in shown.out
    assert of_agent.code == 3  # its name may stand where nothing can be read
    assert str(home.config) in of_agent.err


def test_level_and_agent_narrow_what_is_shown_and_a_line_that_is_no_event_is_not_hidden(
    scrubjay: Scrubjay, home: Home
) -> None:
    write(home, event("a.one", agent="work"), event("a.two", "error", agent="work"), event("a.three", "error"))
    with home.log_file.open("a") as file:
        file.write("Segmentation fault\n")

    severe = [
        json.loads(line) if line[0] == "{" else line
        for line in scrubjay("logs", "--level", "warning", "--json").out.splitlines()
    ]
    of_work = scrubjay("logs", "--agent", "work", "--level", "error", "--json").out.splitlines()

    assert [one if isinstance(one, str) else one["event"] for one in severe] == [
        "a.two",
        "a.three",
        "Segmentation fault",
    ]
    assert [json.loads(line)["event"] for line in of_work] == ["a.two"]


def test_files_that_were_turned_over_come_first(home: Home) -> None:
    write(home, event("third"))
    for number, name in ((1, "second"), (2, "first")):
        home.log_file.with_name(f"scrubjay.log.{number}").write_text(json.dumps(event(name)) + "\n")

    assert [json.loads(line)["event"] for line in read_lines(home.log_file)] == ["first", "second", "third"]


def test_a_traceback_stands_below_its_event(home: Home) -> None:
    shown = for_people(event("command.failed", "error", id="1", exception="Traceback\nValueError: x"), ZoneInfo("UTC"))

    assert shown.splitlines()[1:] == ["  Traceback", "  ValueError: x"]


def test_what_grows_is_followed_across_its_being_turned_over_and_half_lines_wait(tmp_path: Path) -> None:
    path = tmp_path / "scrubjay.log"
    with FollowedFile(path) as grown:
        assert [*grown.lines()] == []
        path.write_text("one\ntw")
        assert [*grown.lines()] == ["one"]
        with path.open("a") as file:
            file.write("o\nthree\n")
        path.rename(tmp_path / "scrubjay.log.1")
        path.write_text("four\n")
        assert [*grown.lines()] == ["two", "three", "four"]
        path.write_text("5\n")
        assert [*grown.lines()] == ["5"]


async def test_followed_until_ctrl_c(home: Home, clock: FrozenClock, capsys: pytest.CaptureFixture[str]) -> None:
    write(home, event("a.one"))
    asyncio.get_running_loop().call_soon(
        lambda: asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
    )

    run = Invocation(clock=clock)
    run.terminal.as_json = True
    await logs(follow=True, run=run)

    assert len(capsys.readouterr().out.splitlines()) == 1


async def test_what_is_followed_comes_through_a_pipe_at_once(
    home: Home, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, event("a.one"))
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with os.fdopen(writing, "w") as stdout, os.fdopen(reading) as reader:
        monkeypatch.setattr(sys, "stdout", stdout)
        asyncio.get_running_loop().call_soon(
            lambda: asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        )
        await logs(follow=True, run=Invocation(clock=clock))

        assert "a.one" in reader.read()


def test_what_run_logs_to_its_stream_is_in_the_file_too_and_two_processes_can_write(
    home: Home, clock: FrozenClock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", 400)
    other = log.LogFile(home.log_file)
    other.setFormatter(structlog.stdlib.ProcessorFormatter(processor=structlog.processors.JSONRenderer()))
    with log.to_stream(sys.stderr, level="info", clock=clock, mask=Mask(["geheim-123"]), copy=home.log_file):
        for number in range(6):
            structlog.get_logger("bot.x").info("a.event", number=number, token="geheim-123")
    streamed = capsys.readouterr().err.splitlines()
    other.close()

    assert [json.loads(line)["number"] for line in streamed] == [*range(6)]
    kept = [json.loads(line) for line in read_lines(home.log_file)]
    assert [one["number"] for one in kept] == [*range(6)]
    assert {one["token"] for one in kept} == {"[hidden]"}
    assert len([*home.logs.iterdir()]) > 1


def test_a_copy_that_cannot_be_written_is_no_noise(
    home: Home, clock: FrozenClock, capsys: pytest.CaptureFixture[str]
) -> None:
    home.log_file.mkdir(parents=True)
    with log.to_stream(sys.stderr, level="info", clock=clock, mask=Mask(), copy=home.log_file):
        structlog.get_logger("bot.x").info("a.event")

    assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == ["a.event"]
