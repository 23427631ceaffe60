"""`scrubjay chat` between pipes: for scripts, and for whatever a shell can do to a program."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.terminal import REMARK
from tests.chaos import ptrace
from tests.chaos.tracer import Watch, kill_at
from tests.support.cli_process import TIMEOUT_S, command, environment, run, start
from tests.support.texts import ENGLISH


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def home(fresh: Path) -> Path:
    """Make a home that is searched by words: in a fresh one every chat would make the embedder's model ready first."""
    fresh.mkdir(mode=0o700)
    (fresh / "config.yaml").write_text("memory:\n  embedder:\n    kind: none\n", encoding="utf-8")
    (fresh / "config.yaml").chmod(0o600)
    return fresh


@contextmanager
def chat(home: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A chat that is under way; it is killed at the end if it has not ended."""
    with start(home, "chat", *words) as process:
        try:
            yield process
        finally:
            process.kill()


def tell(process: subprocess.Popen[bytes], line: str, *, until: str) -> list[str]:
    """Type a line and read up to the line of the answer that holds these words."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{line}\n".encode())
    process.stdin.flush()
    seen: list[str] = []
    while until not in (seen or [""])[-1]:
        printed = process.stdout.readline()
        assert printed, seen
        seen.append(printed.decode())
    return seen


def test_one_line_is_answered_and_that_is_the_end(fresh: Path) -> None:
    ended = run(fresh, "chat", "--agent", "personal", stdin="hello\n")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{ENGLISH.greeting}\n\n{ENGLISH.no_model}\n"


def test_what_the_program_makes_is_its_owners_alone_whatever_the_umask(fresh: Path) -> None:
    before = os.umask(0)
    try:
        with chat(fresh) as process:
            process.communicate(b"The tent is green.\n/new\n")
            assert process.returncode == 0
    finally:
        os.umask(before)

    made = [fresh, *fresh.rglob("*")]
    modes = {str(path): stat.S_IMODE(path.stat().st_mode) for path in made}
    assert {"MEMORY.md", "scrubjay.sqlite", "instance.lock"} <= {path.name for path in made}
    assert modes == {str(path): 0o700 if path.is_dir() else 0o600 for path in made}


def test_every_line_is_answered_in_turn(home: Path) -> None:
    ended = run(home, "chat", stdin="The tent is green.\nWhere is the tent?\n/today\nthanks")

    assert ended.code == 0
    places = [ended.out.index(words) for words in ("Noted in", "From memory:", "Written on", ENGLISH.welcome)]
    assert places == sorted(places)


def test_where_nothing_is_said_nothing_is_answered(home: Path) -> None:
    ended = run(home, "chat", stdin=b"\n\n  \r\n\t\n\x00\n")

    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_lines_of_other_systems_and_bytes_that_are_no_text_are_taken_as_far_as_they_go(home: Path) -> None:
    ended = run(home, "chat", stdin=b"/remember The tent\x00 is \xff\xfe green.\r\n/today\r\n")

    assert ended.code == 0
    assert "- The tent is \ufffd\ufffd green. (`memory/2026-11-21.md#L4`" in ended.out
    assert b"\r" not in (home / "workspaces/personal/memory/2026-11-21.md").read_bytes()


def test_a_line_of_a_megabyte_is_refused_with_a_remedy_kept_nowhere_and_the_next_is_answered(fresh: Path) -> None:
    ended = run(fresh, "chat", stdin=b"x" * 1_000_000 + b"\nhello\n" + b"where is " * 120_000 + b"?\n")

    assert ended.code == 0
    first, *middle, last = filter(None, ended.out.split("\n"))
    assert first.startswith("A message has at most 200,000 characters; this one has 1,000,000, and I did not read it.")
    assert first.endswith("Say it shorter, or put it into a file of the workspace.")
    assert middle == [ENGLISH.greeting, ENGLISH.no_model]
    assert "this one has 1,080,001" in last
    kept = [path for path in fresh.rglob("*") if path.is_file() and b"where is where" in path.read_bytes()]
    assert kept == []


def test_a_reader_that_leaves_early_ends_the_chat_without_a_complaint(home: Path) -> None:
    with chat(home) as process:
        tell(process, "The tent is green.", until="offline mode")
        assert process.stdin
        assert process.stdout
        process.stdout.close()
        process.stdin.write(b"hello\nThe tent is old.\nhello\n")
        process.stdin.close()
        assert process.wait(TIMEOUT_S) == 0
        assert process.stderr
        assert process.stderr.read() == b""

    assert "The tent is green." in run(home, "chat", stdin="Where is the tent?\n").out


def test_a_second_chat_on_the_home_goes_through_the_first(home: Path) -> None:
    with chat(home) as first:
        tell(first, "The tent is green.", until="offline mode")

        second = run(home, "chat", stdin="Where is the tent?\nThe tent is new.\n")

        assert (second.code, second.err) == (0, "")
        assert second.out.count("The tent is green.") == 1
        assert "Noted in" in second.out
        assert "The tent is new." in "".join(tell(first, "/recall new", until="memory/"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_asked_to_end_it_ends_well(home: Path, number: signal.Signals) -> None:
    with chat(home) as process:
        tell(process, "The tent is green.", until="offline mode")
        process.send_signal(number)
        assert process.wait(TIMEOUT_S) == 0
        assert process.stderr
        assert process.stderr.read() == b""

    with sqlite3.connect(home / "state" / "scrubjay.sqlite") as state:
        assert state.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not (home / "state" / "instance.json").exists()


@pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())
def test_killed_in_the_middle_of_a_write_it_answers_at_the_next_start(home: Path) -> None:
    run(home, "chat")
    journal = Watch(home / "workspaces/personal/.memory/journal", frozenset({"write", "pwrite64"}))
    killed = kill_at(command("chat"), 1, watch=journal, stdin=b"/remember The tent is green.\n", env=environment(home))
    assert (killed.status, killed.output) == (-signal.SIGKILL, b"")

    later = run(home, "chat", stdin="Where is the tent?\n")

    assert later.code == 0
    assert later.out.count(f"{REMARK}\nNoted in memory/2026-11-21.md:4") == 1
    assert "1. > The tent is green.\n   `memory/2026-11-21.md#L4`" in later.out
    assert later.out.count(ENGLISH.no_model) == 1
    assert REMARK not in run(home, "chat", stdin="hello\n").out
