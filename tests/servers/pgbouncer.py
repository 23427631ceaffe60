"""PgBouncer in transaction mode before a PostgreSQL server of the tests, where somebody has its program.

It is in no requirement: whoever wants to know hands its path over. On Debian, without installing it:

    apt-get download pgbouncer libc-ares2 libevent-2.1-7
    for package in *.deb; do dpkg -x $package pgbouncer; done
    export LD_LIBRARY_PATH=$PWD/pgbouncer/usr/lib/x86_64-linux-gnu
    pytest tests/contract/test_coordinator.py tests/unit/bot/postgresql --pgbouncer pgbouncer/usr/sbin/pgbouncer
    python -m tests.chaos.cluster --pgbouncer pgbouncer/usr/sbin/pgbouncer --json
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.servers.postgresql import NOBODY, PASSWORD, ROLE, NoServer, PostgresServer, free_port

POOL = 8
"""Connections to the server for each database: fewer than there are clients, so that they really share.

Tests have many databases, so what is idle is closed soon.
"""

_STARTING_S = 10
_SETTINGS = """[databases]
* = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {pool}
max_client_conn = 1000
server_login_retry = 1
server_idle_timeout = 1
"""


@contextmanager
def pgbouncer(program: Path, server: PostgresServer) -> Iterator[None]:
    """Let the databases that a server gives out for a while be reached through PgBouncer only.

    Raises:
        NoServer: it cannot be run.
    """
    folder, direct, port = Path(tempfile.mkdtemp(prefix="pgbouncer-")), server.entrance, free_port()
    folder.joinpath("settings").write_text(_SETTINGS.format(server=server.port, port=port, folder=folder, pool=POOL))
    folder.joinpath("users").write_text(f'"{ROLE}" "{PASSWORD}"\n')
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)  # it refuses to run as root
    nobody = None if os.getuid() else NOBODY
    with folder.joinpath("log").open("wb") as log:
        command = [str(program.resolve()), str(folder / "settings")]
        process = subprocess.Popen(command, stdout=log, stderr=log, user=nobody, group=nobody)
    server.entrance = port
    try:
        _wait(process, server, folder / "log")
        yield
    finally:
        server.entrance = direct
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(process: subprocess.Popen[bytes], server: PostgresServer, log: Path) -> None:
    for _ in range(_STARTING_S * 20):
        try:
            psycopg.connect(server.address()).close()
        except psycopg.OperationalError:
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            break
        else:
            return
    raise NoServer(f"PgBouncer does not serve: {log.read_text()}")
