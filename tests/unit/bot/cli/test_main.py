from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot import __version__
from bot.cli.front import COMMANDS
from bot.cli.main import build
from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay

GROUPS = ("memory", "agents", "config")


def test_without_words_the_help_is_shown(scrubjay: Scrubjay) -> None:
    result = scrubjay()

    assert result.code == 0
    assert result.out.startswith("Scrubjay: chat with agents that remember")
    assert result.out == scrubjay("--help").out


def test_the_page_that_is_shown_is_the_one_that_the_library_would_show(
    scrubjay: Scrubjay, capsys: pytest.CaptureFixture[str]
) -> None:
    page = scrubjay("--help").out
    build().help_print([])

    assert capsys.readouterr().out == page


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_words_shows_its_help(scrubjay: Scrubjay, group: str) -> None:
    result = scrubjay(group)

    assert result.code == 0
    assert result.out == scrubjay(group, "--help").out
    assert "Commands:" in result.out


def test_the_help_begins_with_examples_and_has_one_line_per_command(scrubjay: Scrubjay) -> None:
    lines = scrubjay("--help").out.splitlines()

    assert lines.index("Examples:") < lines.index("Usage: scrubjay COMMAND") < lines.index("Commands:")
    listed = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :] if line.startswith("  ")]
    assert listed == [*COMMANDS, "--help,", "--version"]


@pytest.mark.parametrize("name", COMMANDS)
def test_what_the_list_says_of_a_command_is_the_first_line_of_its_page(scrubjay: Scrubjay, name: str) -> None:
    assert scrubjay(name, "--help").out.splitlines()[0] == COMMANDS[name][1]


@pytest.mark.parametrize("typed", ["sessions list", "sessions dead retry", "mcp token add", "memory recall"])
def test_a_page_says_how_its_command_is_typed(scrubjay: Scrubjay, typed: str) -> None:
    assert f"\nUsage: scrubjay {typed} " in scrubjay(*typed.split(), "--help").out


@pytest.mark.parametrize("typed", ["sessions dead retry", "import undo", "jobs run", "memory merge", "store migrate"])
def test_a_page_calls_its_arguments_alike_where_it_says_how_it_is_typed_and_below(
    scrubjay: Scrubjay, typed: str
) -> None:
    usage, _, below = scrubjay(*typed.split(), "--help").out.partition("\nUsage: ")[2].partition("\n\nArguments:\n")
    explained = [line.split()[0] for line in below.partition("\n\n")[0].splitlines() if not line.startswith("   ")]

    assert explained == usage.removeprefix(f"scrubjay {typed} ").removesuffix(" [OPTIONS]").split()


def test_the_version_is_told(scrubjay: Scrubjay) -> None:
    assert scrubjay("--version").out.strip() == __version__


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["memry"], 'Did you mean "memory"?'),
        (["memory", "recal"], 'Did you mean "recall"?'),
        (["memory", "recall", "x", "--limt", "3"], "Did you mean --limit?"),
        (["memory", "recall", "x", "--limit", "three"], 'unable to convert "three" into a whole number'),
        (["memory", "recall", "x", "--limit"], "A value for --limit is missing."),
        (["paths", "x"], "Nothing here takes 'x'."),
    ],
)
def test_a_misuse_is_told_in_a_sentence_with_where_to_read_on(scrubjay: Scrubjay, words: list[str], told: str) -> None:
    result = scrubjay(*words)

    assert result.code == 2
    assert told in result.err
    assert "--help" in result.err.splitlines()[-1]
    assert result.out == ""


def program(*words: str, home: Home, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "SCRUBJAY_HOME": str(home.config.parent), "PYTHONPATH": str(Path.cwd())}
    return subprocess.run(
        [sys.executable, "-m", "tests.fakes.scrubjay", *words],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        env=environment | more,
    )


@pytest.mark.parametrize("words", [["config", "schema"], ["config", "example"], ["--help"], ["agents", "list"]])
def test_a_reader_that_has_gone_away_is_no_failure(home: Home, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    result = subprocess.run(
        [sys.executable, "-m", "tests.fakes.scrubjay", *words],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "SCRUBJAY_HOME": str(home.config.parent)},
    )
    os.close(writing)

    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_costs_only_what_would_be_read_or_printed_there(
    scrubjay: Scrubjay, home: Home, closed: str
) -> None:
    typed = f"{sys.executable} -m tests.fakes.scrubjay memory remember Mrs Okafor has a spare key. {closed}"

    ended = subprocess.run(
        ["/bin/sh", "-c", typed],
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "SCRUBJAY_HOME": str(home.config.parent), "PYTHONPATH": str(Path.cwd())},
    )

    assert ended.returncode == 0
    assert "Okafor" in scrubjay("memory", "list").out
    notes = "".join(path.read_text() for path in home.workspace("personal").rglob("*.md"))
    assert "Noted" not in notes


def test_a_terminal_without_the_signs_shows_question_marks_instead_of_failing(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("memory", "remember", "Schlüssel bei 王芳")

    result = program("memory", "recall", "Schlüssel", home=home, PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert result.returncode == 0
    assert "Schl?ssel bei ??" in result.stdout


def test_words_that_are_no_text_are_refused(home: Home) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tests.fakes.scrubjay", "memory", "recall", b"\xff\xfe"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "SCRUBJAY_HOME": str(home.config.parent)},
    )

    assert result.returncode == 2
    assert "not UTF-8 text" in result.stderr


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_obey_the_variables_of_the_field(
    scrubjay: Scrubjay, home: Home, environment: dict[str, str], *, coloured: bool
) -> None:
    scrubjay("memory", "remember", "The spare key is under the blue pot.")

    shown = program("memory", "recall", "key", home=home, **environment).stdout

    assert ("\x1b[" in shown) == coloured


def test_building_the_command_line_twice_gives_two_of_them() -> None:
    assert build() is not build()


@pytest.mark.parametrize(
    ("words", "tried"),
    [
        (["memory", "--agent", "work", "recall", "the key"], "memory recall 'the key' --agent work"),
        (["-a", "work", "sessions", "list"], "sessions list -a work"),
        (["memory", "-a", "work"], "memory --help"),
        (["memory", "nonsense"], "memory --help"),
    ],
)
def test_an_agent_that_stands_before_the_command_is_shown_behind_it(
    scrubjay: Scrubjay, words: list[str], tried: str
) -> None:
    refused = scrubjay(*words)

    assert refused.code == 2
    assert refused.err.endswith(f"\nTry: scrubjay {tried}\n")


@pytest.mark.parametrize(
    "words",
    [
        ["backup", "create", "--to", ""],
        ["backup", "create", "--to="],
        ["backup", "list", ""],
        ["import", ""],
        ["init", "--yes", "--memory-folder", ""],
        ["init", "--yes", "--import-from", ""],
    ],
)
def test_an_empty_path_is_not_the_current_folder(
    scrubjay: Scrubjay, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "note.md").write_text("Tea.\n")
    monkeypatch.chdir(tmp_path / "here")

    refused = scrubjay(*words)

    assert (refused.code, refused.out) == (2, "")
    assert re.fullmatch(rf"error: A value for \w+ is missing\.\nTry: scrubjay {words[0]} --help\n", refused.err)
    assert not home.config.exists()
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["note.md"]
    assert scrubjay("import", ".", "--dry-run").code == 0
    assert scrubjay("import", "./", "--as", "", "--dry-run").code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_where_nothing_can_be_printed_the_exit_code_is_one(home: Home) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "bot", "paths", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "SCRUBJAY_HOME": str(home.config.parent), "PYTHONPATH": str(Path.cwd())},
        )

    assert (ended.returncode, ended.stderr) == (
        1,
        "error: Nothing more can be written: no space left on device.\nRun: scrubjay doctor\n",
    )
