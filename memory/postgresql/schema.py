"""The tables of all agents' indexes in one database: every key begins with the agent, and so does every policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memory.errors import WriteFailed
from memory.index.schema import SCHEMA

if TYPE_CHECKING:
    import psycopg

OLDEST_SERVER = 16

NAME = f"scrubjay_index_{SCHEMA}_1"
"""The schema that the tables are in. Another version of them has another name: what an index holds is derived, and
during an upgrade the older and the newer program each keep their own."""
AGENT = "scrubjay.agent"
"""The setting that says, for a transaction, whose rows are there."""
TARGET = "scrubjay.target"
"""The setting that says to whom rows may be handed over: by a rebuild, to the agent that it was for."""

_LOCK = int.from_bytes(b"jayindex", "big") >> 1
"""The advisory lock of whoever makes the tables."""

_TABLES: Mapping[str, str] = {
    "meta": "key TEXT, value TEXT NOT NULL, PRIMARY KEY (agent, key)",
    "sums": "key TEXT, value BIGINT NOT NULL, PRIMARY KEY (agent, key)",
    "sequences": "name TEXT, seq BIGINT NOT NULL, PRIMARY KEY (agent, name)",
    "files": "id BIGINT GENERATED ALWAYS AS IDENTITY, path TEXT NOT NULL, size BIGINT NOT NULL, "
    "mtime_ns BIGINT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (agent, id), UNIQUE (agent, path)",
    "units": 'id BIGINT, file BIGINT NOT NULL, "order" BIGINT NOT NULL, turn BIGINT NOT NULL, scope TEXT NOT NULL, '
    "kind TEXT NOT NULL, first TEXT, last TEXT, speaker TEXT NOT NULL, characters BIGINT NOT NULL, "
    'length BIGINT NOT NULL, marks BIGINT NOT NULL, start BIGINT NOT NULL, "end" BIGINT NOT NULL, name TEXT NOT NULL, '
    "origin TEXT NOT NULL, language TEXT NOT NULL, category TEXT, time TEXT, digest BYTEA NOT NULL, "
    "entities TEXT NOT NULL, title TEXT NOT NULL, lead TEXT NOT NULL, body TEXT, text TEXT NOT NULL, since TEXT, "
    "until TEXT, source TEXT, known TEXT, named TEXT, evidence TEXT, details TEXT, speed DOUBLE PRECISION, "
    "PRIMARY KEY (agent, id)",
    "terms": "unit BIGINT, terms TEXT NOT NULL, PRIMARY KEY (agent, unit)",
    "postings": "term TEXT, unit BIGINT, count INTEGER NOT NULL, length INTEGER NOT NULL, "
    "PRIMARY KEY (agent, term, unit) INCLUDE (count, length)",
    "mentions": "entity TEXT, unit BIGINT, PRIMARY KEY (agent, entity, unit)",
    "aliases": "alias TEXT, entity TEXT, file BIGINT, PRIMARY KEY (agent, alias, entity, file)",
    "problems": "file BIGINT NOT NULL, line BIGINT, message TEXT NOT NULL, hint TEXT NOT NULL",
    "vectors": "seq BIGINT GENERATED ALWAYS AS IDENTITY, unit BIGINT, v HALFVEC NOT NULL, PRIMARY KEY (agent, unit)",
    "waiting": "unit BIGINT, PRIMARY KEY (agent, unit)",
    "gone": "seq BIGINT GENERATED ALWAYS AS IDENTITY, id BIGINT NOT NULL, PRIMARY KEY (agent, seq)",
    "lives": "name TEXT, stability DOUBLE PRECISION, difficulty DOUBLE PRECISION, reviewed TEXT, uses BIGINT NOT NULL, "
    "used_days BIGINT NOT NULL, restated BIGINT NOT NULL, pinned BIGINT NOT NULL, merged_into TEXT NOT NULL, "
    "PRIMARY KEY (agent, name)",
    "links": "a TEXT, b TEXT, weight DOUBLE PRECISION NOT NULL, PRIMARY KEY (agent, a, b)",
}
"""Name -> columns in the order in which SQLite has them; the agent is the last one, and fills itself in."""

TABLES = tuple(_TABLES)

_AGENT_COLUMN = f"agent TEXT NOT NULL DEFAULT current_setting('{AGENT}')"

_INDEXES = (
    "CREATE INDEX ON units (agent, scope) WHERE (marks & 3) <> 0",
    'CREATE INDEX ON units (agent, file, "order")',
    "CREATE INDEX ON units (agent, name)",
    "CREATE INDEX ON units (agent, scope, first)",
    "CREATE INDEX ON units (agent, scope, named) WHERE named IS NOT NULL",
    "CREATE INDEX ON mentions (agent, unit)",
    "CREATE INDEX ON aliases (agent, file)",
    "CREATE INDEX ON aliases (agent, entity)",
    "CREATE INDEX ON problems (agent, file)",
    "CREATE INDEX ON vectors (agent, seq)",
    "CREATE INDEX ON links (agent, b, weight DESC)",
)
_FUNCTIONS = (
    "CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN strpos($1, $2)",
    # SQLite's `max` of two values is null if one of them is.
    """CREATE FUNCTION max(double precision, double precision) RETURNS double precision
       LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN greatest($1, $2)""",
    """CREATE FUNCTION julianday(day text) RETURNS double precision LANGUAGE sql STABLE PARALLEL SAFE RETURN
       CASE WHEN pg_input_is_valid(day, 'date') THEN day::date - DATE '2000-01-01' + 2451544.5 END""",
    # The highest number that was ever given: rows that are gone count.
    """CREATE FUNCTION note_highest() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         EXECUTE format('INSERT INTO sequences (name, seq) SELECT %L, max(%I) FROM added HAVING max(%I) IS NOT NULL
           ON CONFLICT (agent, name) DO UPDATE SET seq = greatest(sequences.seq, excluded.seq)',
           TG_TABLE_NAME, TG_ARGV[0], TG_ARGV[0]);
         RETURN NULL;
       END $$""",
)
_COUNTED = {"units": "id", "vectors": "seq", "gone": "seq"}


def make(db: psycopg.Connection[Any]) -> None:
    """Make the tables if they are not there; one process at a time.

    Raises `WriteFailed` if the server is too old, or has no pgvector, or the role may not make tables.
    """
    import psycopg

    check_server(db.info.server_version)
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        found = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (NAME,)).fetchall()
        if {name for (name,) in found} >= {*TABLES}:
            return
        if not db.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
            try:
                db.execute("CREATE EXTENSION vector")
            except psycopg.Error as error:
                raise WriteFailed(
                    f"The database has no pgvector ({str(error).splitlines()[0]}).",
                    hint="Install pgvector on the server, then run as its administrator: CREATE EXTENSION vector;",
                ) from error
        # Where one was dropped, all are made anew: what they hold is derived, and its owners see that it is gone.
        db.execute(f"DROP SCHEMA IF EXISTS {NAME} CASCADE".encode())
        db.execute(f"CREATE SCHEMA {NAME}".encode())
        db.execute(f"SET LOCAL search_path = {NAME}, public".encode())
        for statement in statements():
            db.execute(statement.encode())


def statements() -> list[str]:
    """Return what makes the tables, their policies and functions."""
    made = []
    for name, columns in _TABLES.items():
        texts = f"{columns}, {_AGENT_COLUMN}".replace(" TEXT", ' TEXT COLLATE "C"')
        made += [
            f"CREATE TABLE {name} ({texts})",
            f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY",  # for the tables' owner, too
            f"""CREATE POLICY own ON {name} USING (agent = current_setting('{AGENT}', true))
                WITH CHECK (agent IN (current_setting('{AGENT}', true), current_setting('{TARGET}', true)))""",
        ]
    triggers = [
        f"CREATE TRIGGER highest AFTER INSERT ON {table} REFERENCING NEW TABLE AS added "
        f"FOR EACH STATEMENT EXECUTE FUNCTION note_highest('{column}')"
        for table, column in _COUNTED.items()
    ]
    return [*_FUNCTIONS, *made, *_INDEXES, *triggers]


def check_server(number: int) -> None:
    """Raise `WriteFailed` if a server's version (`server_version_num`) is too old."""
    if number < OLDEST_SERVER * 10_000:
        raise WriteFailed(
            f"The PostgreSQL server is version {number // 10_000}.",
            hint=f"Scrubjay needs {OLDEST_SERVER} or newer: upgrade the server, with pg_upgrade.",
        )
