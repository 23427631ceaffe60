"""Every command that reads prints one JSON object with `--json`, in a home in which there is something to read."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir

import pytest

from bot.cli.main import main
from bot.demo.home import make
from bot.paths import Home
from memory import FrozenClock
from tests.house.test_documented import COMMANDS
from tests.support.cli_process import command, environment

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

READS = (
    "agents list",
    "agents route telegram user=1",
    "agents show work",
    "backup list",
    "config check",
    "config explain owner.name",
    "config get owner.name",
    "config show",
    "doctor --offline",
    "import list",
    "jobs list",
    "jobs log reflect",
    "memory check",
    "memory due",
    "memory explain spare key",
    "memory journal",
    "memory list",
    "memory profile",
    "memory recall spare key",
    "memory review",
    "memory search spare key",
    "memory stats",
    "memory status",
    "memory surprises",
    "memory timeline last month",
    "memory wander",
    "mcp token list",
    "pair list",
    "paths",
    "service status",
    "sessions dead list",
    "sessions list",
    "sessions show",
    "status",
)
"""Calls of all commands that read."""

ELSEWHERE = ("dashboard", "logs", "sessions context")
"""One goes on, one prints an object a line, one needs a conversation with a model: their own tests have them."""

WRITES = re.split(
    r",\s+",
    """backup create, backup restore, backup verify, chat, config set, config unset, demo, diagnostics, export, import,
    import undo, jobs run, mcp token add, memory calibrate, memory consolidate, memory index, memory observe,
    memory pin, memory reflect, memory remember, memory retain, memory undo, pair approve, pair invite, pair revoke,
    purge-person, sessions dead retry, store index, store migrate, workspace checkout, workspace sync""",
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return asyncio.run(make(tmp_path_factory.mktemp("demo") / "robin", clock=FrozenClock(NOW), days=2))


@pytest.fixture
def here(demo: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", str(demo.config.parent))
    monkeypatch.setenv("SCRUBJAY__MEMORY__EMBEDDER__KIND", "none")


MOUNTED = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
LEFT = (frozenset[str](), frozenset({"-wal", "-shm"}), frozenset({"-wal"}))
FIXED = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
"""Carries a command out where a folder is mounted for reading only; nobody else sees the mount."""
FULL = """
    mount -t tmpfs -o size=64m none "$1" && cp -a "$2/." "$1"
    head -c 64M /dev/zero > "$1/rest" 2> /dev/null
    shift 2 && exec "$@"
"""
"""Carries a command out where a copy of a second folder fills a file system to its end."""
SEVERAL = """
import sys
from tests.fakes.scrubjay import run
for call in sys.argv[1:]:
    run(call.split())
    print(end="\\f")
"""
"""Several calls in one process: each process takes most of a second to start."""


needs_mount = pytest.mark.skipif(
    shutil.which(MOUNTED[0]) is None
    or subprocess.run([*MOUNTED, FIXED, "sh", gettempdir(), "true"], capture_output=True, check=False).returncode != 0,
    reason="this user may mount nothing",
)


@needs_mount
@pytest.mark.parametrize("left", LEFT)
def test_a_home_on_a_file_system_that_is_read_only_can_be_read_and_the_doctor_says_how_to_mount_it(
    demo: Home, tmp_path: Path, left: frozenset[str]
) -> None:
    copy_home(demo.config.parent, home := tmp_path / "home", left)
    calls = ("memory recall spare key", "status", f"backup create --to {tmp_path / 'saved'}", "doctor --offline")

    recalled, status, saved, findings = told((*MOUNTED, FIXED, "sh", str(home)), calls, home)

    assert "meter box" in recalled
    assert "ready" in status
    assert saved.rstrip().endswith(".tar.gz")
    assert findings.count(f'Run: sudo mount -o remount,rw "{home}"') == 3
    assert "chmod" not in findings
    assert "index.broken" not in findings


@needs_mount
def test_a_chat_over_a_workspace_that_is_read_only_answers_and_says_that_nothing_can_be_noted(
    demo: Home, tmp_path: Path
) -> None:
    copy_home(demo.config.parent, home := tmp_path / "home", LEFT[0])
    workspace = home / "workspaces" / "personal"
    (workspace / "SOUL.md").unlink()
    journal = max((workspace / ".memory" / "journal").iterdir())
    journal.write_bytes(journal.read_bytes() + b'{"seq": 9')  # as a kill in the middle of a line leaves it
    words = (*MOUNTED, FIXED, "sh", str(workspace), *command("chat", "--agent", "personal"))
    paths = environment(home) | {"SCRUBJAY__MEMORY__EMBEDDER__KIND": "none"}

    said = "where is the spare key?\nMy cat is called Milo.\n"
    chat = subprocess.run(words, input=said, capture_output=True, text=True, check=False, env=paths)

    assert chat.returncode == 0, chat.stderr
    assert "meter box" in chat.stdout
    assert "Nothing was noted. " in chat.stdout
    assert "The file system is read-only: mount it for writing." in chat.stdout


@needs_mount
def test_on_a_full_disk_memory_is_read_from_the_index_that_is_there(demo: Home, tmp_path: Path) -> None:
    copy_home(demo.config.parent, home := tmp_path / "home", LEFT[0])
    (disk := tmp_path / "disk").mkdir()
    calls = ("memory recall spare key", "memory status", "doctor --offline")

    recalled, status, findings = told((*MOUNTED, FULL, "sh", str(disk), str(home)), calls, disk)

    assert "meter box" in recalled
    assert "The index is ready." in status
    assert "disk.full" in findings
    assert "index.broken" not in findings
    assert "state.unusable" not in findings


def told(mounted: Sequence[str], calls: Sequence[str], home: Path) -> list[str]:
    """What each of these calls prints where something is mounted."""
    words = (*mounted, sys.executable, "-c", SEVERAL, *calls)
    paths = environment(home) | {"SCRUBJAY__MEMORY__EMBEDDER__KIND": "none"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=paths)
    return done.stdout.split("\f")[: len(calls)]


def copy_home(home: Path, to: Path, left: frozenset[str]) -> None:
    """Copy a home as an ended process leaves it, or as a killed one does, with what is `left` beside its databases."""
    with ExitStack() as stack:
        for path in home.rglob("*.sqlite"):
            db = stack.enter_context(closing(sqlite3.connect(path)))
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            db.execute(f"PRAGMA user_version = {db.execute('PRAGMA user_version').fetchone()[0]}")
            if not left:
                db.close()
        shutil.copytree(home, to, ignore=shutil.ignore_patterns(*(f"*{end}" for end in {"-wal", "-shm"} - left)))
    assert {path.name.rpartition(".sqlite")[2] for path in to.rglob("*.sqlite*")} - {".lock"} == {"", *left}


def chain_of(call: str) -> str:
    words = call.split()
    return next(" ".join(words[:n]) for n in range(len(words), 0, -1) if tuple(words[:n]) in COMMANDS)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("call", READS)
def test_it_prints_one_object_and_nothing_else(call: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, count = call.split(), len(chain_of(call).split())

    code = main([*words[:count], "--json", *words[count:]], clock=FrozenClock(NOW))

    assert isinstance(json.loads(capsys.readouterr().out), dict)
    assert code in {0, 1}


def test_no_command_that_has_the_option_is_left_out() -> None:
    with_it = {
        " ".join(chain)
        for chain, app in COMMANDS.items()
        if app.default_command and any("--json" in one.names for one in app.assemble_argument_collection())
    }

    assert with_it == {*map(chain_of, READS), *ELSEWHERE, *WRITES}
