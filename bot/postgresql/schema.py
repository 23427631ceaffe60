"""The schema in PostgreSQL: the migrations of the state file under the same numbers, and what only several need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bot.errors import NewerState, StateError
from bot.postgresql.translation import definition
from bot.storage.schema import MIGRATIONS
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    import psycopg

NEWEST = len(MIGRATIONS)

OLDEST_SERVER = 16

_LOCK = int.from_bytes(b"scrubjay", "big") >> 1
"""The advisory lock of whoever migrates."""

_FIRST = (
    """CREATE FUNCTION instr(text, text) RETURNS integer
       LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT strpos($1, $2)'""",
    "CREATE TABLE schema_version (version BIGINT NOT NULL)",
    "INSERT INTO schema_version VALUES (0)",
)
"""Before the first migration."""

_ALONE: Mapping[int, tuple[str, ...]] = {
    15: (
        "CREATE FUNCTION lease_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()'",
        """CREATE TABLE lease (
             name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
             owner TEXT COLLATE "C" NOT NULL DEFAULT '',
             epoch BIGINT NOT NULL DEFAULT 0,
             until TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
           )""",
        """CREATE TABLE ws_file (
             agent   TEXT COLLATE "C" NOT NULL,
             path    TEXT COLLATE "C" NOT NULL,
             version BIGINT NOT NULL,
             digest  TEXT COLLATE "C" NOT NULL,
             size    BIGINT NOT NULL,
             mtime   BIGINT NOT NULL,
             epoch   BIGINT NOT NULL,
             PRIMARY KEY (agent, path)
           )""",
        """CREATE TABLE ws_block (
             agent  TEXT COLLATE "C" NOT NULL,
             path   TEXT COLLATE "C" NOT NULL,
             number BIGINT NOT NULL,
             digest TEXT COLLATE "C" NOT NULL,
             body   BYTEA NOT NULL,
             PRIMARY KEY (agent, path, number)
           )""",
        """CREATE TABLE ws_edit (
             agent  TEXT COLLATE "C" NOT NULL,
             path   TEXT COLLATE "C" NOT NULL,
             digest TEXT COLLATE "C" NOT NULL,
             body   BYTEA,
             PRIMARY KEY (agent, path)
           )""",
        "CREATE TABLE register_version (version BIGINT NOT NULL)",
        "INSERT INTO register_version VALUES (1)",
        """CREATE FUNCTION register_changed() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN UPDATE register_version SET version = version + 1; RETURN NULL; END'""",
        *(
            f"CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION register_changed()"
            for table in ("person", "pairing", "choice", "link", "move", "chat_setting")
        ),
        *(
            f"ALTER TABLE {table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, "
            "autovacuum_vacuum_threshold = 500)"
            for table in ("agent", "lease", "inbox", "outbox", "effect", "ws_file")
        ),
    )
}
"""After the migration of a number: leases, files of workspaces, and a count that tells other processes to read anew
who has access. Tables whose rows change with every message are vacuumed early."""


def migrate(db: psycopg.Connection[Any]) -> None:
    """Bring a database to the newest schema, one migration in one transaction; one process at a time.

    Raises:
        StateError: the server is too old.
        NewerState: a newer Scrubjay has been there.
    """
    check_server(db.info.server_version)
    done = version(db)
    if done > NEWEST:
        raise newer(done)
    while done < NEWEST:
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            done = version(db)
            if done < NEWEST:
                first = [] if done else _FIRST
                for sql in (*first, *map(definition, MIGRATIONS[done]), *_ALONE.get(done + 1, ())):
                    db.execute(sql.encode())
                db.execute("UPDATE schema_version SET version = %s", (done + 1,))


def check_server(number: int) -> None:
    """Raise `StateError` if a server's version (`server_version_num`) is too old."""
    if number < OLDEST_SERVER * 10_000:
        raise StateError(
            tr("The PostgreSQL server is version {version}.", version=number // 10_000),
            hint=tr("Scrubjay needs {oldest} or newer: upgrade the server, with pg_upgrade.", oldest=OLDEST_SERVER),
        )


def version(db: psycopg.Connection[Any]) -> int:
    """Return the version of a database's schema; 0 for one without."""
    # The catalogue itself is asked: names are looked up in a cache that may be from before another one's migration.
    there = "SELECT 1 FROM pg_class WHERE relname = 'schema_version' AND relnamespace = current_schema()::regnamespace"
    if not db.execute(there).fetchone():
        return 0
    found = db.execute("SELECT version FROM schema_version").fetchone()
    return int(found[0]) if found else 0


def newer(found: int) -> NewerState:
    """Return the error for a database that a newer Scrubjay has changed."""
    message = tr(
        "The database was changed by a newer Scrubjay (schema {found}; this one knows {newest}).",
        found=found,
        newest=NEWEST,
    )
    return NewerState(message, hint=tr("Install the newer version here, too. Nothing was written."))
