from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

import memory.errors
from adapters.port import LoginRefused, NotSent
from bot import errors
from bot.cli.errors import ExitHandler, explain, first_cause
from bot.cli.invocation import Invocation
from bot.paths import Home


def subclasses(kind: type[Exception]) -> list[type[Exception]]:
    return [kind, *(deep for inner in kind.__subclasses__() for deep in subclasses(inner))]


def ended(error: BaseException) -> int:
    edge = ExitHandler(Invocation())
    with edge:
        raise error
    return edge.code


@pytest.mark.parametrize("kind", subclasses(errors.BotError))
def test_every_error_of_the_service_ends_with_its_own_code(
    home: Home, kind: type[errors.BotError], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(kind("What happened.", hint="What to do.")) == kind.exit_code

    assert capsys.readouterr().err == "error: What happened.\nWhat to do.\n"


def test_the_codes_of_the_service_are_those_of_the_table() -> None:
    codes = {kind.__name__: kind.exit_code for kind in subclasses(errors.BotError) if issubclass(kind, errors.BotError)}

    expected = {"BotError": 1, "UsageError": 2, "ConfigError": 3, "Missing": 4, "Locked": 5, "Unreachable": 6}
    assert expected.items() <= codes.items()
    assert codes["Refused"] == 7


CODES = {"NotFound": 4, "Busy": 5, "PathRefused": 7, "NotYours": 7, "FilterRefused": 2}


@pytest.mark.parametrize("kind", subclasses(memory.errors.Error))
def test_every_error_of_the_memory_library_has_a_code_and_is_told(
    home: Home, kind: type[memory.errors.Error], capsys: pytest.CaptureFixture[str]
) -> None:
    error = kind("What happened.", hint="What to do.")

    assert ended(error) == CODES.get(kind.__name__, 1)
    assert capsys.readouterr().err == f"error: {error.message}\nWhat to do.\n"


@pytest.mark.parametrize("error", [NotSent("The network is away."), LoginRefused("The token is wrong.")])
def test_a_platform_that_does_not_answer_is_code_6(home: Home, error: Exception) -> None:
    assert ended(error) == 6


def test_an_interrupt_is_code_130_without_a_traceback(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(KeyboardInterrupt()) == 130

    assert capsys.readouterr().err == "Interrupted.\n"


def test_what_the_system_refuses_is_told_with_the_file(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(OSError(errno.ENOSPC, "No space left on device", "/x/y.md")) == 1

    assert capsys.readouterr().err == (
        "error: The system refused /x/y.md: no space left on device.\nRun: scrubjay doctor\n"
    )


def test_of_a_copy_that_is_refused_the_place_where_it_goes_is_named(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(OSError(errno.ENOSPC, "No space left on device", "/notes/y.md", None, "/full/y.md")) == 1

    assert "The system refused /full/y.md: no space left on device." in capsys.readouterr().err


def test_a_full_disk_is_no_fault_of_the_program(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OSError, match="No space left") as full, Path("/dev/full").open("w") as file:
        file.write("x")

    assert ended(full.value) == 1
    assert capsys.readouterr().err == (
        "error: Nothing more can be written: no space left on device.\nRun: scrubjay doctor\n"
    )


def test_a_disk_or_a_terminal_that_fails_is_not_said_to_be_full(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(OSError(errno.EIO, "Input/output error")) == 1

    assert capsys.readouterr().err == "error: Reading or writing failed: input/output error.\nRun: scrubjay doctor\n"


def test_what_nobody_foresaw_is_one_sentence_with_an_id_that_leads_to_the_traceback(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(ZeroDivisionError("division by zero")) == 1

    told = capsys.readouterr().err
    found = re.search(r"id ([0-9a-f]{8})\.", told)
    assert found is not None
    assert "Traceback" not in told
    assert str(home.log_file) in told
    log = home.log_file.read_text(encoding="utf-8")
    assert found[1] in log
    assert "ZeroDivisionError: division by zero" in log


def test_without_a_log_file_the_traceback_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", "/dev/null/nowhere")

    assert ended(ZeroDivisionError("division by zero")) == 1

    assert "ZeroDivisionError: division by zero" in capsys.readouterr().err


def test_the_first_error_of_a_task_group_is_the_one_that_is_told() -> None:
    missing = errors.Missing("No such agent.")

    assert first_cause(ExceptionGroup("tasks", [ExceptionGroup("inner", [missing]), ValueError()])) is missing
    assert explain(first_cause(ExceptionGroup("tasks", [missing]))) == (4, "No such agent.", "")


def test_an_interrupt_inside_a_task_group_goes_before_the_errors_that_it_caused() -> None:
    interrupt = KeyboardInterrupt()

    assert first_cause(BaseExceptionGroup("tasks", [ValueError(), interrupt])) is interrupt


def test_a_wish_to_leave_is_granted(home: Home) -> None:
    with pytest.raises(SystemExit), ExitHandler(Invocation()):
        raise SystemExit(3)
