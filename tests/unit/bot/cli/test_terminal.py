from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pexpect
import pytest

from bot.cli.terminal import Terminal, clean
from bot.errors import UsageError
from bot.paths import Home


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Schlüssel 钥匙 🔑\ttab", "Schlüssel 钥匙 🔑\ttab"),
        ("\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m"),
        ("a\rb\x00\x7f\x9b", "a\ufffdb\ufffd\ufffd\ufffd"),
        ("\u202eevil", "\ufffdevil"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_a_text_is_shown_and_not_obeyed(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_columns_are_aligned_whatever_script_they_are_in(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().table([("钥匙", "1"), ("key", "22")], heads=("what", "n"))

    assert capsys.readouterr().out == "what  n\n钥匙  1\nkey   22\n"


def test_long_cells_are_never_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().table([("x" * 300, "end")], heads=("", ""))

    assert capsys.readouterr().out == f"{'x' * 300}  end\n"


@pytest.mark.parametrize(
    ("row", "columns", "shown"),
    [
        (("backup", "saves the whole home at night"), 40, "job     what\nbackup  saves the whole home at night\n"),
        (
            ("backup", "saves the whole home at night"),
            34,
            "job     what\nbackup  saves the whole home at\n        night\n",
        ),
        (("backup", f"/{'x' * 40}"), 33, f"job     what\nbackup  /{'x' * 40}\n"),
        (
            ("b" * 20, "saves the whole home at night"),
            34,
            f"job   {'b' * 20}\nwhat  saves the whole home at\n      night\n",
        ),
        (("b" * 20, "钥匙" * 20), 33, f"job   {'b' * 20}\nwhat  {'钥匙' * 20}\n"),
        (
            ("backup", "钥匙在厨房 门边的 蓝色盒子里"),
            34,
            "job     what\nbackup  钥匙在厨房 门边的\n        蓝色盒子里\n",
        ),
        (
            ("b" * 30, "saves the whole home at night"),
            20,
            f"job   {'b' * 30}\nwhat  saves the whole home at\n      night\n",
        ),
    ],
)
def test_on_a_narrow_terminal_the_last_column_is_wrapped_or_each_row_is_a_block(
    monkeypatch: pytest.MonkeyPatch, row: tuple[str, str], columns: int, shown: str
) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")

    Terminal().table([row], heads=("job", "what"))

    assert screen.getvalue() == shown


def test_json_is_one_line_for_programs_and_several_for_people(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Terminal().json({"name": "王芳", "n": 1})
    assert capsys.readouterr().out == '{"name": "王芳", "n": 1}\n'

    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    Terminal().json({"n": 1})
    assert screen.getvalue() == '{\n  "n": 1\n}\n'
    assert json.loads(screen.getvalue()) == {"n": 1}


def test_nobody_is_asked_where_nobody_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))

    with pytest.raises(UsageError, match="Nobody is there to answer"):
        Terminal().ask("Sure?")


@pytest.mark.parametrize(
    ("typed", "means"),
    [("y", True), ("YES", True), ("ja", True), ("是", True), ("n", False), ("", False), ("maybe", False)],
)
def test_only_a_yes_is_a_yes(monkeypatch: pytest.MonkeyPatch, typed: str, *, means: bool) -> None:
    monkeypatch.setattr("sys.stdin", Screen(f"{typed}\n"))
    monkeypatch.setattr("sys.stderr", Screen())

    assert Terminal().confirm("Sure?") == means


def test_an_empty_answer_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stdin", Screen("\n"))
    monkeypatch.setattr("sys.stderr", screen)

    assert Terminal().ask("Zone?", default="UTC") == "UTC"
    assert screen.getvalue() == "Zone? [UTC] "


def test_no_questions_means_no_questions_even_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Screen("y\n"))
    monkeypatch.setattr("sys.stderr", Screen())
    terminal = Terminal()
    terminal.asks = False

    with pytest.raises(UsageError):
        terminal.confirm("Sure?")


def test_piped_lines_come_without_the_empty_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("one\r\n\n  two  \n"))

    assert Terminal().lines() == ["one", "two"]


def test_piped_bytes_that_are_no_text_are_a_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe"), encoding="utf-8"))

    with pytest.raises(UsageError, match="not UTF-8"):
        Terminal().lines()


def test_there_is_no_bar_where_nobody_watches() -> None:
    with Terminal().progress("Indexing") as progress:
        assert progress is None


@pytest.mark.parametrize(("files", "drawn"), [(5, False), (500, True)])
def test_on_a_terminal_a_bar_is_drawn_for_many_files(
    monkeypatch: pytest.MonkeyPatch, files: int, *, drawn: bool
) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)

    with Terminal().progress("Indexing") as progress:
        assert progress is not None
        progress(1, files)
        progress(files, files)

    assert ("Indexing" in screen.getvalue()) == drawn
    assert (f"{files}/{files}" in screen.getvalue()) == drawn


def test_on_a_terminal_questions_are_asked(home: Home) -> None:
    environment = {"SCRUBJAY_HOME": str(home.config.parent), "TERM": "xterm", "PATH": os.defpath}

    def talk(*words: str) -> pexpect.spawn:
        program = ["-m", "tests.fakes.scrubjay", "memory", *words]
        return pexpect.spawn(
            sys.executable, program, env=environment, cwd=str(Path.cwd()), encoding="utf-8", timeout=30
        )

    talk("remember", "The spare key is under the blue pot.").expect_exact("Noted in memory/2026-11-21.md:4")
    asked = talk("forget", "key")
    asked.expect_exact("Forget 1 line? [y/N] ")
    asked.sendline("n")
    asked.expect_exact("Kept everything.")
    asked.expect(pexpect.EOF)
