from __future__ import annotations

import base64
import io
import json
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
import structlog

from bot import log
from bot.events import Events
from bot.log import Mask
from memory import FrozenClock

SECRET = "123456:AAH-token_of_a_bot"


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))


def events(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_json_object_with_the_time_of_the_given_clock(clock: FrozenClock) -> None:
    stream = io.StringIO()

    with log.to_stream(stream, level="info", clock=clock, mask=Mask()):
        structlog.get_logger("bot.pipeline.worker").info("turn.finished", agent="work", ms=12)

    assert events(stream) == [
        {
            "event": "turn.finished",
            "level": "info",
            "logger": "bot.pipeline.worker",
            "at": "2026-11-21T09:30:00.000+00:00",
            "agent": "work",
            "ms": 12,
        }
    ]


def test_on_a_terminal_a_line_is_for_people(clock: FrozenClock) -> None:
    screen = Screen()

    with log.to_stream(screen, level="info", clock=clock, mask=Mask()):
        structlog.get_logger().info("turn.finished", agent="work")

    assert "turn.finished" in screen.getvalue()
    assert not screen.getvalue().startswith("{")


def test_libraries_log_through_the_same_lines(clock: FrozenClock) -> None:
    stream = io.StringIO()

    with log.to_stream(stream, level="info", clock=clock, mask=Mask()):
        logging.getLogger("some.library").warning("slow: %s s", 3, extra={"host": "here"})

    (event,) = events(stream)
    assert (event["event"], event["logger"], event["host"]) == ("slow: 3 s", "some.library", "here")


def test_events_below_the_level_are_left_out(clock: FrozenClock) -> None:
    stream = io.StringIO()

    with log.to_stream(stream, level="warning", clock=clock, mask=Mask()):
        structlog.get_logger().info("chatter")
        logging.getLogger("library").info("chatter")
        structlog.get_logger().warning("worth it")

    assert [event["event"] for event in events(stream)] == ["worth it"]


def say_event(secret: str) -> None:
    structlog.get_logger().info(f"login with {secret}", token=secret, nested={"list": [secret]}, path=Path(secret))


def say_library(secret: str) -> None:
    logging.getLogger("http").warning("GET https://api/bot%s/getMe", secret)


def say_traceback(secret: str) -> None:
    try:
        int(secret)
    except ValueError:
        structlog.get_logger().exception("failed")
        logging.getLogger("http").exception("failed")


@pytest.mark.parametrize("stream", [io.StringIO, Screen])
@pytest.mark.parametrize("say", [say_event, say_library, say_traceback])
def test_a_registered_secret_is_hidden_wherever_it_turns_up(
    clock: FrozenClock, say: Callable[[str], None], stream: type[io.StringIO]
) -> None:
    output = stream()

    with log.to_stream(output, level="info", clock=clock, mask=Mask([SECRET])):
        say(SECRET)

    assert SECRET not in output.getvalue()
    assert Mask.SIGN in output.getvalue()


@pytest.mark.parametrize("secret", [SECRET, "p@ss/w+rd==", 'quo"te\\and ü'])
def test_a_registered_secret_is_hidden_in_other_spellings(clock: FrozenClock, secret: str) -> None:
    data = secret.encode()
    spellings: list[object] = [
        {secret: 1},
        [{"nested": (secret,)}],
        ValueError(secret),
        data,
        data.hex(),
        json.dumps(secret),
        json.dumps({"body": json.dumps({"key": secret})}),
        quote(secret, safe=""),
        quote_plus(secret).lower(),
        *(base64.b64encode(bytes(before) + data + b"tail").decode() for before in range(4)),
        base64.urlsafe_b64encode(data).decode(),
    ]
    stream = io.StringIO()

    with log.to_stream(stream, level="info", clock=clock, mask=Mask([secret])):
        for spelling in spellings:
            structlog.get_logger().info("said", what=spelling)

    assert len(events(stream)) == len(spellings)
    assert all(Mask.SIGN in json.dumps(event) for event in events(stream))
    assert not any(secret in line or json.dumps(secret)[1:-1] in line for line in stream.getvalue().splitlines())


def test_libraries_stay_at_warning_whatever_our_own_level_is(clock: FrozenClock) -> None:
    stream = io.StringIO()

    with log.to_stream(stream, level="debug", clock=clock, mask=Mask()):
        for name in ("markdown_it.rules", "httpx", "openai", "telegram", "discord.gateway", "asyncio"):
            logging.getLogger(name).debug("INSERT %s", "what was said")
            logging.getLogger(name).info("INSERT %s", "what was said")
            logging.getLogger(name).warning("gone")
        logging.getLogger("adapters.pacing").debug("waits")
        structlog.get_logger("bot.pipeline.worker").debug("begins")

    assert [event["event"] for event in events(stream)] == ["gone"] * 6 + ["waits", "begins"]


def test_nothing_in_a_line_moves_a_terminal_or_forges_another_line(clock: FrozenClock) -> None:
    hostile = "Eve\x1b[2J\x9b31m\u202e\u200b\nFAKE"
    screen, pipe = Screen(), io.StringIO()

    for stream in (screen, pipe):
        with log.to_stream(stream, level="info", clock=clock, mask=Mask()):
            structlog.get_logger().info("pairing.asked", name=hostile)
            logging.getLogger("adapters").warning("added to %s", hostile)
            try:
                Path(hostile).stat()
            except OSError:
                structlog.get_logger().exception("failed")

    shown = re.sub(r"\x1b\[\d+m", "", screen.getvalue())  # our own colours
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", shown)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", pipe.getvalue())
    assert not any(line.startswith("FAKE") for line in shown.splitlines())
    assert events(pipe)[0]["name"] == hostile


def test_of_two_secrets_that_overlap_nothing_is_left() -> None:
    mask = Mask(["token", "token-and-more"])

    assert mask.text("a token-and-more b token") == f"a {Mask.SIGN} b {Mask.SIGN}"


def test_a_text_too_short_for_a_secret_does_not_black_out_words() -> None:
    mask = Mask(["a", ""])

    assert mask.text("a banana") == "a banana"


def test_the_file_is_private_to_the_folder_and_turned_over_before_it_grows_large(
    tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", 2000)
    path = tmp_path / "logs" / "scrubjay.log"

    with log.to_file(path, level="info", clock=clock, mask=Mask()):
        for number in range(200):
            structlog.get_logger().info("event", number=number)

    files = sorted(path.parent.iterdir())
    older = [f"scrubjay.log.{number}" for number in range(1, log.OLDER_FILES + 1)]
    assert [file.name for file in files] == ["scrubjay.log", *older]
    assert all(file.stat().st_size <= 2000 for file in files)
    assert json.loads(path.read_text().splitlines()[-1])["number"] == 199


def test_afterwards_logging_is_as_it_was(clock: FrozenClock) -> None:
    before = (logging.getLogger().handlers[:], logging.getLogger().level, structlog.get_config())

    with log.to_stream(io.StringIO(), level="debug", clock=clock, mask=Mask()):
        assert logging.getLogger().level == logging.DEBUG

    assert (logging.getLogger().handlers[:], logging.getLogger().level, structlog.get_config()) == before


@pytest.mark.parametrize(("stream", "form", "is_json"), [(Screen, "json", True), (io.StringIO, "text", False)])
def test_the_form_can_be_chosen(clock: FrozenClock, stream: type[io.StringIO], form: str, *, is_json: bool) -> None:
    output = stream()

    with log.to_stream(output, level="info", clock=clock, mask=Mask(), form=form):
        structlog.get_logger("bot.pipeline.worker").info("turn.finished", agent="work")

    assert output.getvalue().startswith("{") is is_json
    assert "turn.finished" in output.getvalue()


def test_a_secret_that_becomes_known_is_hidden_in_texts_that_were_logged_before(clock: FrozenClock) -> None:
    stream, mask = io.StringIO(), Mask()

    with log.to_stream(stream, level="info", clock=clock, mask=mask):
        structlog.get_logger("bot.app").info("started", name="blue-lantern")
        mask.add("blue-lantern")
        structlog.get_logger("bot.app").info("started", name="blue-lantern")

    assert [event["name"] for event in events(stream)] == ["blue-lantern", Mask.SIGN]


async def test_an_event_hides_secrets_whenever_it_is_looked_at(clock: FrozenClock) -> None:
    told, mask = Events(), Mask(["hunter22"])

    with log.to_stream(io.StringIO(), level="info", clock=clock, mask=mask):
        async with log.shared_with(told):
            structlog.get_logger("bot.app").debug("started", name="hunter22", turn="t1")

    (event,) = told.recent()
    assert dict(event.fields) == {"name": Mask.SIGN, "turn": "t1"}
    assert len(event.fields) == 2


def test_the_copy_in_a_file_has_the_lines_of_the_stream(clock: FrozenClock, tmp_path: Path) -> None:
    stream, copy = io.StringIO(), tmp_path / "logs" / "scrubjay.log"

    with log.to_stream(stream, level="info", clock=clock, mask=Mask(["hunter22"]), copy=copy):
        structlog.get_logger("bot.app").info("started", name="hunter22")
        logging.getLogger("bot.app").info("ended with %s", "hunter22")

    assert copy.read_text() == stream.getvalue()
    assert [event["event"] for event in events(stream)] == ["started", f"ended with {Mask.SIGN}"]


def test_a_file_that_takes_no_lines_is_told_once_in_one_line_and_stops_nobody(
    clock: FrozenClock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "logs" / "scrubjay.log"

    with log.to_file(path, level="info", clock=clock, mask=Mask()):
        structlog.get_logger("bot.app").info("first")
        path.parent.rename(tmp_path / "moved")
        structlog.get_logger("bot.app").info("second")
        structlog.get_logger("bot.app").info("third")
        path.parent.mkdir()
        structlog.get_logger("bot.app").info("fourth")

    assert capsys.readouterr().err.splitlines() == [f"The system refused {path}: no such file or directory."]
    assert json.loads(path.read_text())["event"] == "fourth"


class FullOutput(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("errors", [FullOutput(), None], ids=["full", "closed"])
def test_nobody_is_stopped_where_it_cannot_be_told_either_that_a_line_was_lost(
    clock: FrozenClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errors: FullOutput | None
) -> None:
    path = tmp_path / "logs" / "scrubjay.log"

    with log.to_file(path, level="info", clock=clock, mask=Mask()):
        structlog.get_logger("bot.app").info("first")
        path.parent.rename(tmp_path / "moved")
        monkeypatch.setattr("sys.stderr", errors)
        structlog.get_logger("bot.app").info("second")
        monkeypatch.undo()
        path.parent.mkdir()
        structlog.get_logger("bot.app").info("third")

    assert json.loads(path.read_text())["event"] == "third"
