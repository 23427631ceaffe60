"""Check: the SQLite that the index uses is the one that came with it, new enough, with full-text search."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import REINSTALL, Check, CheckContext, Finding, Severity
from bot.texts.catalogue import mark, tr

OLDEST = (3, 51, 3)
"""Before it, two connections that reset a write-ahead log together could damage the file."""


async def detect(_context: CheckContext) -> AsyncIterator[Finding]:
    """Version and features of apsw's SQLite."""
    try:
        import apsw
    except ImportError as error:
        message = tr("the driver cannot be loaded: {why}", why=error)
        yield Finding("sqlite.absent", Severity.ERROR, "apsw", message, tr(REINSTALL))
        return
    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        message = tr("SQLite {version} is older than {oldest}", version=version, oldest=oldest)
        yield Finding("sqlite.old", Severity.ERROR, "apsw", message, tr(REINSTALL))
    if "ENABLE_FTS5" not in apsw.compile_options:
        message = tr("SQLite lacks full-text search (FTS5)")
        yield Finding("sqlite.search", Severity.ERROR, "apsw", message, tr(REINSTALL))
    yield Finding("sqlite.version", Severity.NOTE, "apsw", f"SQLite {version}")


CHECK = Check(
    mark("database"),
    detect,
    {
        "absent": "The driver of the index (`apsw`) is not installed, or not for this machine. Install Scrubjay again.",
        "old": "An SQLite of that age can damage a file that two connections write to. Install Scrubjay again.",
        "search": "This SQLite was built without full-text search. Install Scrubjay again, with the `apsw` that it "
        "asks for.",
        "version": "Which SQLite the index uses.",
    },
)
