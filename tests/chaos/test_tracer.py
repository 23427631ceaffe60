"""The tracer proves itself on programs of a few lines, some of them with a planted bug."""

from __future__ import annotations

import errno
import sys
import textwrap
from pathlib import Path

import pytest

from tests.chaos import ptrace
from tests.chaos.tracer import Call, Watch, fail_at, kill_at, record, slow_syncs

pytestmark = pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())

START = """
import os, sys, threading
from pathlib import Path
here = Path(sys.argv[1])
"""

LEDGERS = {
    "honest": """
        with open(here / "ledger", "ab", buffering=0) as ledger:
            for n in range(3):
                ledger.write(b"%d\\n" % n)
                os.fsync(ledger.fileno())
                os.write(1, b"%d\\n" % n)
    """,
    "acknowledges before writing": """
        with open(here / "ledger", "ab") as ledger:
            for n in range(3):
                ledger.write(b"%d\\n" % n)
                os.write(1, b"%d\\n" % n)
                ledger.flush()
                os.fsync(ledger.fileno())
    """,
    "acknowledges before syncing": """
        with open(here / "ledger", "ab", buffering=0) as ledger:
            for n in range(3):
                ledger.write(b"%d\\n" % n)
                os.write(1, b"%d\\n" % n)
                os.fsync(ledger.fileno())
    """,
    "never syncs": """
        with open(here / "ledger", "ab", buffering=0) as ledger:
            for n in range(3):
                ledger.write(b"%d\\n" % n)
                os.write(1, b"%d\\n" % n)
            (here / "other").touch()
    """,
    "syncs in another thread": """
        def note(n):
            with open(here / "ledger", "ab", buffering=0) as ledger:
                ledger.write(b"%d\\n" % n)
                os.fsync(ledger.fileno())
        for n in range(3):
            thread = threading.Thread(target=note, args=(n,))
            thread.start()
            thread.join()
            os.write(1, b"%d\\n" % n)
    """,
    "replaces without syncing": """
        for n in range(3):
            (here / "new").write_bytes(b"".join(b"%d\\n" % m for m in range(n + 1)))
            os.rename(here / "new", here / "ledger")
            os.write(1, b"%d\\n" % n)
    """,
}


def program(body: str, folder: Path) -> list[str]:
    return [sys.executable, "-S", "-c", START + textwrap.dedent(body), str(folder)]


def losses(name: str, tmp_path: Path, *, power_cut: bool) -> list[Call]:
    """The calls at which a crash loses something that was acknowledged."""
    found = []
    total = len(record(program(LEDGERS[name], fresh(tmp_path, 0)), watch=Watch(tmp_path)).calls)
    for number in range(1, total + 1):
        folder = fresh(tmp_path, number)
        run = kill_at(program(LEDGERS[name], folder), number, watch=Watch(folder), power_cut=power_cut)
        assert run.hit
        ledger = folder / "ledger"
        kept = ledger.read_bytes() if ledger.exists() else b""
        if not kept.startswith(run.output):
            found.append(run.hit)
    return found


def fresh(tmp_path: Path, number: int) -> Path:
    folder = tmp_path / str(number)
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("name", "killed", "cut"),
    [
        ("honest", [], []),
        ("syncs in another thread", [], []),
        ("acknowledges before writing", ["write"], ["write", "fsync"]),
        ("acknowledges before syncing", [], ["fsync"]),
        ("never syncs", [], ["write", "openat"]),
        ("replaces without syncing", [], ["openat", "write", "rename"]),
    ],
)
def test_planted_bugs_are_found_and_honest_programs_are_not_accused(
    name: str, killed: list[str], cut: list[str], tmp_path: Path
) -> None:
    (tmp_path / "killed").mkdir()
    (tmp_path / "cut").mkdir()

    assert sorted({call.name for call in losses(name, tmp_path / "killed", power_cut=False)}) == sorted(killed)
    assert sorted({call.name for call in losses(name, tmp_path / "cut", power_cut=True)}) == sorted(cut)


def test_calls_are_listed_with_their_paths_over_threads_and_processes(tmp_path: Path) -> None:
    body = """
        (here / "a").write_bytes(b"12345")
        os.rename(here / "a", here / "b")
        thread = threading.Thread(target=lambda: os.mkdir(here / "made by a thread"))
        thread.start()
        thread.join()
        os.chdir(here)
        if os.fork() == 0:
            os.unlink("b")
            os._exit(0)
        os.wait()
        Path("/dev/null").write_bytes(b"x")
    """

    run = record(program(body, tmp_path), watch=Watch(tmp_path))

    assert run.status == 0
    assert [str(call) for call in run.calls] == [
        "1: openat a", "2: write a 5", "3: rename a -> b", "4: mkdir made by a thread", "5: unlink b",
    ]  # fmt: skip


def test_only_the_calls_that_are_watched_count(tmp_path: Path) -> None:
    body = '(here / "a").write_bytes(b"1"); (here / "b").write_bytes(b"1")'

    run = record(program(body, tmp_path), watch=Watch(tmp_path, frozenset({"write"})))

    assert [str(call) for call in run.calls] == ["1: write a 1", "2: write b 1"]


def test_the_call_at_which_a_program_is_killed_is_not_made(tmp_path: Path) -> None:
    body = 'os.write(1, b"before"); (here / "a").mkdir(); (here / "b").mkdir(); os.write(1, b"after")'

    run = kill_at(program(body, tmp_path), 2, watch=Watch(tmp_path))

    assert (run.status, run.output) == (-9, b"before")
    assert run.hit
    assert run.hit.paths == (tmp_path / "b",)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_program_that_ends_earlier_is_not_killed(tmp_path: Path) -> None:
    run = kill_at(program('(here / "a").mkdir(); sys.exit(3)', tmp_path), 9, watch=Watch(tmp_path))

    assert (run.status, run.hit) == (3, None)


def test_all_processes_of_a_program_die_together(tmp_path: Path) -> None:
    body = """
        if os.fork():
            os.wait()
        (here / "a").mkdir()
        (here / "b").mkdir()
    """

    run = kill_at(program(body, tmp_path), 2, watch=Watch(tmp_path))

    assert run.status == -9
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_call_can_be_made_to_fail_without_being_made(error: int, tmp_path: Path) -> None:
    body = """
        for name in "abc":
            try:
                (here / name).write_bytes(name.encode())
            except OSError as error:
                print(name, error.errno)
    """

    run = fail_at(program(body, tmp_path), 4, error, watch=Watch(tmp_path))

    assert run.hit
    assert str(run.hit) == "4: write b 1"
    assert run.output == f"b {error}\n".encode()
    assert [(tmp_path / name).read_bytes() for name in "abc"] == [b"a", b"", b"c"]


def test_on_a_slow_disk_every_sync_takes_its_time_in_all_threads_and_in_sqlite(tmp_path: Path) -> None:
    body = """
        import sqlite3, time
        def timed(work, *given):
            began = time.monotonic()
            work(*given)
            print(time.monotonic() - began)
        def write():
            db.execute("CREATE TABLE t(x)")
        with open(here / "a", "wb", buffering=0) as file:
            timed(os.fsync, file.fileno())
            thread = threading.Thread(target=timed, args=(os.fdatasync, file.fileno()))
            thread.start()
            thread.join()
        db = sqlite3.connect(here / "db", isolation_level=None)
        timed(write)
    """

    run = slow_syncs(program(body, tmp_path), 0.05)

    assert run.status == 0, run.errors
    took = [float(line) for line in run.output.split()]
    assert len(took) == 3
    assert min(took) >= 0.05
    assert [call.name for call in run.calls[:2]] == ["fsync", "fdatasync"]
    assert took[2] >= 0.05 * len(run.calls[2:]) > 0.05


def test_input_and_environment_are_handed_over(tmp_path: Path) -> None:
    body = 'print(sys.stdin.read(), os.environ["GREETING"]); print("oops", file=sys.stderr)'

    run = record(program(body, tmp_path), watch=Watch(tmp_path), stdin=b"x" * 200_000, env={"GREETING": "hello"})

    assert run.output == b"x" * 200_000 + b" hello\n"
    assert run.errors == b"oops\n"


def test_signals_of_the_program_itself_are_delivered(tmp_path: Path) -> None:
    body = """
        import signal
        signal.signal(signal.SIGUSR1, lambda *_: (here / "a").mkdir())
        os.kill(os.getpid(), signal.SIGUSR1)
        os.kill(os.getpid(), signal.SIGTERM)
    """

    run = record(program(body, tmp_path), watch=Watch(tmp_path))

    assert run.status == -15
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
