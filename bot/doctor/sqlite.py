"""Check: the SQLite that the index uses is the one that came with it, new enough, with full-text search."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import Check, CheckContext, Finding, Severity

OLDEST = (3, 51, 3)
"""Before it, two connections that reset a write-ahead log together could damage the file."""

REINSTALL = "Install the locked dependencies again: make clean, then make chat."


async def detect(_site: CheckContext) -> AsyncIterator[Finding]:
    """Version and features of apsw's SQLite."""
    try:
        import apsw
    except ImportError as error:
        yield Finding("sqlite.absent", Severity.ERROR, "apsw", f"the driver cannot be loaded: {error}", REINSTALL)
        return
    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        yield Finding("sqlite.old", Severity.ERROR, "apsw", f"SQLite {version} is older than {oldest}", REINSTALL)
    if "ENABLE_FTS5" not in apsw.compile_options:
        yield Finding("sqlite.search", Severity.ERROR, "apsw", "SQLite lacks full-text search (FTS5)", REINSTALL)
    yield Finding("sqlite.version", Severity.NOTE, "apsw", f"SQLite {version}")


CHECK = Check("sqlite", "database", detect)
