"""Connections to a database of indexes: a few for a process, each lent for a statement or a transaction of one agent.

Nothing is kept in a session: whose rows are seen is set within each transaction, and nothing is prepared. So it works
behind a pooler that gives every transaction another connection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memory.errors import Busy, Error, IndexBroken, WriteFailed
from memory.postgresql import schema
from memory.postgresql.translation import translate

if TYPE_CHECKING:
    import psycopg

CONNECTIONS = 4
"""Of a process; its memories take turns."""
MAX_BYTES = 256 * 2**20
"""Of what a process keeps in memory, vectors and terms, of all agents together; it is enough for some 200,000 units."""
AT_ONCE = 500
"""Rows, or statements, that go to the server together."""

_CONNECT_S = 10
_ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
_PASSING = ("08", "40", "53", "55P03", "57", "58")
"""Beginnings of error codes after which trying again helps: connection, deadlock, resources, lock, restart, disk."""
_REFUSED = ("25006", "28", "42501", "53100")
"""A standby, a wrong password, a missing right, a full disk."""
_SETTINGS = f"SELECT set_config('{schema.AGENT}', %s, true), set_config('{schema.TARGET}', %s, true), " + ", ".join(
    f"set_config('{name}', '{value}', true)"
    for name, value in (
        ("search_path", f"{schema.NAME}, public"),
        ("lock_timeout", "5s"),
        # What is wanted is always some rows of one agent, by a key that begins with it. The planner need not know how
        # many there are: before a table has been analysed it would not.
        ("enable_seqscan", "off"),
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"),
        # They are joined as they are written: from the few rows that are known to those that are looked up for them.
        ("join_collapse_limit", "1"),
        ("jit", "off"),
    )
)
_LOCKED = f"pg_advisory_xact_lock(hashtextextended('{schema.NAME}/' || %s, 0))"
"""Waits for whoever writes the same index."""


class IndexDatabase:
    """A database that holds the indexes of many agents. May be used by several threads.

    `url` is the server's address, as libpq takes it: several hosts and `target_session_attrs` included. Vectors and
    terms may take `most_bytes` of this process's memory.
    """

    def __init__(self, url: str, *, most_bytes: int = MAX_BYTES) -> None:
        self._url = url
        self._most_bytes = most_bytes
        self._idle: list[psycopg.Connection[Any]] = []
        self._free = BoundedSemaphore(CONNECTIONS)
        self._lock = Lock()
        self._is_made = False
        self._is_closed = False
        self._reserved = 0

    @property
    def place(self) -> str:
        """The address of the server, or of several, for people: without role and password."""
        parts = urlsplit(self._url)
        return f"{parts.netloc.rpartition('@')[2]}{parts.path}"

    @contextmanager
    def lend(self) -> Iterator[psycopg.Connection[Any]]:
        """Lend a connection with the tables made; one that broke is not lent again.

        Raises:
            Busy: the server cannot be reached, or had to break off; trying again may help.
            WriteFailed: it refuses.
            IndexBroken: the tables are not as they should be.
        """
        with self._free, self.translated():
            db = self._take()
            try:
                yield db
            finally:
                if db.info.transaction_status and not db.closed:
                    with suppress(Error), self.translated():
                        db.execute("ROLLBACK")
                with self._lock:
                    self._idle.append(db)
                    if self._is_closed or db.closed:  # a server that has ended one has ended the others, too
                        self._close_idle()

    def reserve(self, size: int) -> bool:
        """Reserve so many bytes of this process's memory, or give some back (below 0); False if there is no room."""
        with self._lock:
            has_room = self._reserved + size <= self._most_bytes
            self._reserved += size if has_room else 0
        return has_room

    def close(self) -> None:
        """Close all connections; one that is lent, when it is given back."""
        with self._lock:
            self._is_closed = True
            self._close_idle()

    def forget_tables(self) -> None:
        """Have the tables looked for, and made, again."""
        self._is_made = False

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> psycopg.Connection[Any]:
        with self._lock:
            db = self._idle.pop() if self._idle else None
        if db is None:
            import psycopg

            options: dict[str, Any] = {"connect_timeout": _CONNECT_S, **_ALIVE}
            db = psycopg.connect(
                self._url, autocommit=True, prepare_threshold=None, cursor_factory=psycopg.ClientCursor, **options
            )
        if not self._is_made:
            with ExitStack() as undo:
                undo.callback(db.close)
                schema.make(db)
                undo.pop_all()
            self._is_made = True
        return db

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Translate psycopg's errors into the library's within a block."""
        import psycopg

        try:
            yield
        except UnicodeEncodeError:  # the caller's text
            raise
        except psycopg.Error as error:
            raise self._translation_of(error) from error

    def _translation_of(self, error: psycopg.Error) -> Error:
        import psycopg

        said = (str(error).splitlines() or [type(error).__name__])[0]
        code = error.sqlstate or ("08" if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) else "")
        if code.startswith(_REFUSED) or "password authentication" in said:
            message = f"The memory index in {self.place} cannot be used: {said}"
            return WriteFailed(message, hint="Ask who runs the server.")
        if code.startswith(_PASSING):
            return Busy(f"The memory index in {self.place} cannot be reached: {said}", hint="Try again in a moment.")
        message = f"The memory index in {self.place} is damaged ({said})."
        return IndexBroken(message, hint="It is rebuilt from the files.")


class AgentRows:
    """What a statement returned."""

    def __init__(self, rows: Sequence[Any] = ()) -> None:
        self._rows = iter(rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def fetchone(self) -> Any:
        """Return the next row; None at the end."""
        return next(self._rows, None)

    @property
    def get(self) -> Any:
        """The value of a single row with a single column."""
        return next(self._rows)[0]


class AgentStatements:
    """The statements of one agent's index, as `memory.sqlite.Statements` has them. For one thread at a time.

    Every statement raises `Busy` if the server cannot be reached or had to break off, `WriteFailed` if it refuses or
    another process has taken over, `IndexBroken` if the tables are not as they should be.

    Attributes:
        database: where the rows are.
        agent: whose rows are seen.
        target: to whom rows may be handed over; mostly the agent.
        holder: who writes: only whoever declared it last, by `hold`, may. Empty for an index that only one can know of.
        is_held: whether that is this one, as far as it knows.
    """

    def __init__(self, database: IndexDatabase, agent: str, *, target: str = "", holder: str = "") -> None:
        self.database = database
        self.agent = agent
        self.target = target or agent
        self.holder = holder
        self.is_held = False
        self._open: psycopg.Connection[Any] | None = None
        self._lent = ExitStack()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._open is not None

    def hold(self) -> None:
        """Declare that this one writes from now on, and no other that did before."""
        self.run(
            f"SELECT {_LOCKED}; INSERT INTO meta VALUES ('holder', %s) "
            "ON CONFLICT (agent, key) DO UPDATE SET value = excluded.value",
            [self.agent, self.holder],
        )
        self.is_held = True

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> AgentRows:
        """Carry out a statement. One that begins or ends a transaction is known by its words."""
        if sql == "BEGIN":
            return self.begin_reading("")
        if sql == "BEGIN IMMEDIATE":
            self._begin_writing()
            return AgentRows()
        if sql in {"COMMIT", "ROLLBACK"}:
            with self._lent, self.database.translated():
                db, self._open = self._open, None
                if db is not None:
                    db.execute(sql.encode())
            return AgentRows()
        translated = translate(sql)
        return self.run(translated.sql, translated.values(values))

    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> None:
        """Carry out a statement for each row of values, many together."""
        translated = translate(sql)
        rows = [translated.values(row) for row in values]
        parts = translated.rows()
        for start in range(0, len(rows), AT_ONCE):
            lot = rows[start : start + AT_ONCE]
            flat = [value for row in lot for value in row]
            if parts:
                self.run(f"{parts[0]}{', '.join([parts[1]] * len(lot))}{parts[2]}", flat)
            else:
                self.run("; ".join([translated.sql] * len(lot)), flat)

    def run(self, sql: str, values: Sequence[Any] = ()) -> AgentRows:
        """Carry out statements of PostgreSQL's, with psycopg's marks; return the rows of the last one."""
        if self._open is not None:
            with self.database.translated():
                return _rows(self._open, sql, values)
        settings = [self.agent, self.target, *values]
        with suppress(Busy), self.database.lend() as db:  # it may have broken since it was used last
            return _rows(db, f"{_SETTINGS}; {sql}", settings)
        with self.database.lend() as db:
            return _rows(db, f"{_SETTINGS}; {sql}", settings)

    def begin_reading(self, sql: str) -> AgentRows:
        """Begin a transaction whose reads all see one state, and carry out its first statement without parameters."""
        with suppress(Busy):  # as in `run`
            return self._begin_snapshot(sql)
        return self._begin_snapshot(sql)

    def _begin_snapshot(self, sql: str) -> AgentRows:
        begin = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {_SETTINGS}; {sql}"
        with ExitStack() as stack:
            db = stack.enter_context(self.database.lend())
            rows = _rows(db, begin, [self.agent, self.target])
            self._open, self._lent = db, stack.pop_all()
            return rows

    def run_alone(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Carry out a statement of PostgreSQL's that may not stand in a transaction; nobody's rows are seen."""
        with self.database.lend() as db:
            db.execute(sql.encode(), values)

    def _begin_writing(self) -> None:
        with ExitStack() as stack:
            db = stack.enter_context(self.database.lend())
            begin = f"BEGIN; {_SETTINGS}; SELECT {_LOCKED}; SELECT value FROM meta WHERE key = 'holder'"
            holder = _rows(db, begin, [self.agent, self.target, self.agent]).fetchone()
            if holder is None and self.is_held:
                message = f"The memory index of {self.agent} was removed."
                raise IndexBroken(message, hint="It is built anew from the files.")
            if self.holder and (holder is None or holder[0] != self.holder):
                self.is_held = False
                message = f"Another process keeps the memory index of {self.agent} by now."
                raise Busy(message, hint="Ask the process that runs it.")
            self._open, self._lent = db, stack.pop_all()


def _rows(db: psycopg.Connection[Any], sql: str, values: Sequence[Any]) -> AgentRows:
    cursor = db.execute(sql.encode(), values)
    while cursor.nextset():
        pass
    return AgentRows(cursor.fetchall() if cursor.description else ())
