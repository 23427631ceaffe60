"""Connections to PostgreSQL: a few threads with one each, transactions whose end is known, and waiting for a server."""

from __future__ import annotations

import asyncio
import re
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from bot.errors import StateError, from_extra
from bot.postgresql import schema
from bot.postgresql.translation import parameters, translate
from bot.storage.database import FIRST_WAIT_S, MAX_WAIT_S, Durability, unstorable
from bot.storage.statements import Operation, Rows
from bot.texts.catalogue import tr
from bot.waiting import backoff

if TYPE_CHECKING:
    import psycopg

CONNECTIONS = 4
"""Of each process; operations of several agents are committed side by side."""

CONNECT_S = 10

_ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
"""A server that has vanished is noticed within half a minute."""

_TRANSIENT = ("08", "53", "57P", "58", "40001", "40P01", "25006", "55P03")
"""Beginnings of error codes after which trying again helps: connection, resources, restart, disk, deadlock, standby."""

_REFUSED = re.compile(r"password|authentication failed|does not exist|no such (database|user)|pg_hba\.conf")
"""In what is said of a connection that was not made, by the server or PgBouncer; there is no code then."""

_UNSTORABLE = ("22", "23", "42")
"""Errors because of a value or a statement, whatever the state of the server."""

_BEGIN = "BEGIN; SELECT pg_current_xact_id()::text, version FROM schema_version"
_RELAXED = "BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_current_xact_id()::text, version FROM schema_version"
_DONE = "SELECT pg_xact_status(%s::text::xid8)"

T = TypeVar("T")


class PostgresDatabase:
    """A connection, as the operations of the storage take it."""

    def __init__(self, db: psycopg.Connection[Any]) -> None:
        self.raw = db

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Rows:
        """Carry out a statement; a part of a transaction only if one is open."""
        return self.raw.execute(translate(sql).encode(), parameters(sql, values))

    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> Rows:
        """Carry out a statement for each row of parameters."""
        cursor = self.raw.cursor()
        rows = [parameters(sql, row) for row in values]
        if rows:
            cursor.executemany(translate(sql).encode(), rows)
        else:
            cursor.execute(b"SELECT 1 WHERE FALSE")
        return cursor


class Unfinished(Exception):
    """A transaction was not committed for a reason that passes."""


class PostgresPool:
    """Threads with a connection each. An operation that has begun runs to its end even if its caller is cancelled.

    The `url` is the server's, as libpq takes it: several hosts, `target_session_attrs` and the like included.
    """

    def __init__(self, url: str, *, size: int = CONNECTIONS) -> None:
        self._url = url
        self._own = threading.local()
        self._open: list[psycopg.Connection[Any]] = []
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="postgresql")
        self._under_way: set[asyncio.Future[Any]] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, size: int = CONNECTIONS) -> AsyncIterator[Self]:
        """Connect; leaving the block finishes what was begun and closes all. Raises `StateError`."""
        pool = cls(url, size=size)
        try:
            try:
                await pool.run(lambda db: db.execute("SELECT 1").close())
            except Unfinished as error:
                raise failed(pool.place, error) from error
            yield pool
        finally:
            if pool._under_way:
                await asyncio.wait(pool._under_way)
            pool._threads.shutdown(wait=False)
            for db in pool._open:
                db.close()

    @property
    def place(self) -> str:
        """The server's address for people: without the password."""
        return public(self._url)

    async def run(self, operation: Callable[[PostgresDatabase], T]) -> T:
        """Carry out an operation without a transaction; raises `StateError`."""

        def attempt() -> T:
            with self._failures():
                return operation(PostgresDatabase(self._connection()))

        return await self._submit(attempt)

    async def transact(self, operation: Operation[T], *, flush: bool = True) -> T:
        """Carry out an operation in a transaction of its own.

        Raises:
            Unfinished: it was not committed, and may be tried again.
            StateError: it was not committed, or nobody knows.
            Unstorable: the server refuses a value.
        """

        def attempt() -> T:
            with self._failures():
                db = self._connection()
                transaction = _begin(db, flush=flush)
                try:
                    result = operation(PostgresDatabase(db))
                except BaseException:
                    if not db.closed:
                        db.execute("ROLLBACK")
                    raise
            with self._failures():
                self._commit(db, transaction)
            return result

        return await self._submit(attempt)

    async def _submit(self, work: Callable[[], T]) -> T:
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return await asyncio.shield(future)

    def _connection(self) -> psycopg.Connection[Any]:
        db: psycopg.Connection[Any] | None = getattr(self._own, "db", None)
        if db is None or db.closed:
            db = connect(self._url)
            self._own.db = db
            self._open = [one for one in self._open if not one.closed] + [db]
        return db

    def _commit(self, db: psycopg.Connection[Any], transaction: str) -> None:
        """Commit. Where the connection is lost meanwhile, the server is asked what became of it."""
        import psycopg

        try:
            db.execute("COMMIT")
        except psycopg.OperationalError:
            if not db.closed:
                raise
        else:
            return
        status = None
        while status != "committed":
            row = self._connection().execute(_DONE, (transaction,)).fetchone()
            status = row[0] if row else None
            if status == "aborted":
                raise Unfinished("the connection was lost")
            if status is None:
                raise StateError(tr("The connection was lost during a commit, and the server does not know its end."))

    @contextmanager
    def _failures(self) -> Iterator[None]:
        with from_extra("postgresql", "PostgreSQL"):
            import psycopg

        try:
            yield
        except psycopg.Error as error:
            db: psycopg.Connection[Any] | None = getattr(self._own, "db", None)
            if db and not db.closed and db.info.transaction_status:
                with suppress(psycopg.Error):
                    db.execute("ROLLBACK")
            raise self._known(error) from error
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise unstorable(self.place, error) from error

    def _known(self, error: psycopg.Error) -> Exception:
        import psycopg

        code = error.sqlstate or ""
        if code.startswith(_TRANSIENT) or (not code and isinstance(error, psycopg.OperationalError)):
            if not code and _REFUSED.search(str(error)):
                return refused(self._url, error)
            return Unfinished(" ".join(str(error).split()))
        if code.startswith("28") or code == "3D000":
            return refused(self._url, error)
        if code.startswith(_UNSTORABLE) or isinstance(error, psycopg.DataError):
            return unstorable(self.place, error)
        return failed(self.place, error)


class PostgresStatements:
    """`bot.storage.statements.StatementReader` and `StatementWriter` on an open pool.

    Without `endurance`, a server that is away or full is not waited for.
    """

    def __init__(self, pool: PostgresPool, endurance: Durability | None = None) -> None:
        self._pool = pool
        self._endurance = endurance
        self._stalled: dict[object, str] = {}
        self._lanes: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # fair: first come, first served

    @property
    def stalled(self) -> str:
        return next(iter(self._stalled.values()), "")

    async def rows(self, sql: str, *parameters: str | int) -> list[Any]:
        return await self._persist(lambda: self._pool.run(lambda db: db.execute(sql, parameters).fetchall()))

    few_rows = rows

    async def has(self, table: str) -> bool:
        return bool(await self.rows("SELECT 1 WHERE to_regclass(?) IS NOT NULL", table))

    async def write(
        self,
        operation: Operation[T],
        *,
        flush: bool = True,
        is_urgent: bool = True,
        then: Callable[[], None] = lambda: None,
        lane: str = "",
    ) -> T:
        del is_urgent  # transactions that are carried out together are the server's business

        async def write() -> T:
            async with self._lanes[lane]:
                result = await self._persist(lambda: self._pool.transact(operation, flush=flush))
            then()
            return result

        return await asyncio.shield(asyncio.ensure_future(write()))

    async def execute_later(self, sql: str, rows: Sequence[Sequence[str | int]]) -> None:
        """Wait for it all the same, as for what is not urgent."""
        await self.write(lambda db: db.executemany(sql, rows).close(), flush=False)

    async def settle(self) -> None:
        """Do nothing: nobody has left anything behind."""

    async def scrub(self, *, compact: bool) -> bool:
        """Let the server clear the tables' free space; the log that it writes ahead is outside of our reach."""
        sql = f"VACUUM {'(FULL) ' if compact else ''}inbox, outbox, transcript, effect"
        await self._persist(lambda: self._pool.run(lambda db: db.execute(sql).close()))
        return True

    async def _persist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try until it works or fails for good; deadlocks and the like at once again, and an absent server later."""
        key, waits, tries = object(), backoff(MAX_WAIT_S, first_s=FIRST_WAIT_S), 0
        try:
            while True:
                try:
                    return await attempt()
                except Unfinished as error:
                    tries += 1
                    if self._endurance is None and tries > 3:
                        raise failed(self._pool.place, error) from error
                    if tries > 1 and self._endurance:
                        self._stall(key, str(error))
                        await self._endurance.pause(next(waits))
        finally:
            self._stall(key, "")

    def _stall(self, key: object, reason: str) -> None:
        before = bool(self._stalled)
        if reason:
            self._stalled[key] = reason
        else:
            self._stalled.pop(key, None)
        if self._endurance and bool(self._stalled) != before:
            self._endurance.stalled(reason)


def _begin(db: psycopg.Connection[Any], *, flush: bool) -> str:
    """Begin a transaction, and return its id; one statement for all, as each is a way over the network.

    Raises:
        NewerState: a newer Scrubjay has changed the database since.
    """
    begun = db.execute(_BEGIN if flush else _RELAXED)
    while begun.nextset():
        pass
    ((transaction, version),) = begun.fetchall()
    if version > schema.NEWEST:
        db.execute("ROLLBACK")
        raise schema.newer(version)
    return str(transaction)


@dataclass(frozen=True, slots=True)
class SharedDatabase:
    """`bot.storage.statements.SharedState`: a database by its address."""

    url: str

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[PostgresStatements]:
        """Connect for reading; raises `StateError`."""
        async with PostgresPool.open(self.url, size=1) as pool:
            yield PostgresStatements(pool)

    def __str__(self) -> str:
        return public(self.url)


def connect(url: str) -> psycopg.Connection[Any]:
    """Open a connection that works behind PgBouncer in transaction mode, too: nothing is prepared, nothing set."""
    import psycopg
    from psycopg.types.numeric import IntLoader

    options: dict[str, Any] = {"connect_timeout": CONNECT_S, "application_name": "scrubjay", **_ALIVE}
    given = psycopg.conninfo.conninfo_to_dict(url)
    further = {name: value for name, value in options.items() if name not in given}
    db = psycopg.connect(url, autocommit=True, prepare_threshold=None, **further)
    db.adapters.register_loader("numeric", IntLoader)  # sums of counts
    return db


def public(url: str) -> str:
    """Return an address without its password.

    >>> public("postgresql://jay:secret@db:5432/birds?sslmode=require")
    'postgresql://jay@db:5432/birds'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[0].partition(':')[0]}@{parts.netloc.rpartition('@')[2]}{parts.path}"


def refused(url: str, error: Exception) -> StateError:
    """Return the error for a server that lets nobody in; the password is not in it."""
    return StateError(
        tr("{place} refuses the connection: {reason}.", place=public(url), reason=" ".join(str(error).split())),
        hint=tr("Check the role, its password and the database's name in the address, and pg_hba.conf of the server."),
    )


def failed(place: str, error: Exception) -> StateError:
    """Return the error for a server that is away or cannot write."""
    return StateError(
        tr("{doing} {path} failed: {error}.", doing=tr("Using"), path=place, error=" ".join(str(error).split())),
        hint=tr("Nothing that failed was acknowledged. Check that the server runs and has room on its disk."),
    )
