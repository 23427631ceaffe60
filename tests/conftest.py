"""What holds for all tests: none depends on how fast the machine is, nor on who has used it before and for what."""

from __future__ import annotations

import gc
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from tests.servers.pgbouncer import pgbouncer
from tests.servers.postgresql import NoServer, PostgresServer, postgres_server

IN_MEMORY = Path("/dev/shm")
ROOM = 2 << 30
"""Bytes that must be free there, so that no run fills it."""


def has_room(folder: Path) -> bool:
    """Tell whether the files of a run find room in a folder, and the programs among them can be started from there."""
    if not os.access(folder, os.W_OK):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= ROOM and not system.f_flag & os.ST_NOEXEC


# Other examples in each run; `make chaos` tries twenty times as many.
settings.register_profile("unhurried", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("unhurried")

# Tracebacks in tests' logs as Python prints them: with the values of all variables one takes seconds.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)

# Files lie in memory: a disk would be waited for thousands of times, and no test can tell what a disk keeps.
if "TMPDIR" not in os.environ and has_room(IN_MEMORY):
    os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)  # for what is started as well, the workers among it

gc.disable()  # until all is collected: passes through all that is imported meanwhile would take a fifth of the time

SLOW = ("chaos", "acceptance", "integration")
PERSONAL = re.compile(r"(SCRUBJAY|XDG)_.*|.*_(API_KEY|BASE_URL|TOKEN)")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option."""
    told = "let all that uses PostgreSQL reach it through this PgBouncer, in transaction mode"
    parser.addoption("--pgbouncer", type=Path, metavar="PATH", help=told)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that at the end no worker waits for another one's last test."""
    folders = [f"tests/{name}/" for name in SLOW]
    items.sort(key=lambda item: next((n for n, folder in enumerate(folders) if item.nodeid.startswith(folder)), 9))


def pytest_collection_finish() -> None:
    """Let garbage be collected, except among what stays for the whole run: each full pass would take a second."""
    gc.collect()  # what is garbage by now would never go, and a file that it leaves open would not be told
    gc.freeze()
    gc.enable()


def is_personal(variable: str) -> bool:
    """Tell whether an environment variable belongs to the user: where their files are, their options, keys, tokens."""
    return PERSONAL.fullmatch(variable) is not None


def personal_variables() -> list[str]:
    """List the user's variables that are set."""
    return list(filter(is_personal, os.environ))


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Take the user's environment away for the whole run; return the folder of the tests' homes.

    Fixtures that live longer than a test see an empty home, too.
    """
    folder = tmp_path_factory.mktemp("homes")
    with pytest.MonkeyPatch.context() as patch:
        for name in personal_variables():
            patch.delenv(name)
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # hundreds of programs would each compile all of it
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("LC_ALL", "C.UTF-8")
        yield folder


@pytest.fixture(autouse=True)
def user_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty home for one test and for all that it starts; no folder in it is known by another variable."""
    home = Path(tempfile.mkdtemp(dir=homes))
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def log_output() -> Iterator[None]:
    """Log as before once a test is over in which a command of this process has sent its log to standard error."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(scope="session")
def postgresql(homes: Path, request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    """Run a PostgreSQL server for this process; each test makes a database of its own in it."""
    program = request.config.getoption("--pgbouncer")
    try:
        with postgres_server() as server, pgbouncer(program, server) if program else nullcontext():
            yield server
    except NoServer as why:
        pytest.skip(f"NOT TESTED ON POSTGRESQL: no server can be started here, {why}")
