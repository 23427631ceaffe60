"""What SQLite raises, in the words of the library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memory.errors import Busy, IndexBroken, WriteFailed
from memory.transaction import immediate

_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.SchemaChangeError, apsw.SQLError, apsw.FormatError)
_REFUSED = (apsw.FullError, apsw.ReadOnlyError, apsw.IOError, apsw.CantOpenError, apsw.PermissionsError)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Within it SQLite's errors become ours.

    Raises:
        IndexBroken: the file is damaged, is no database, lacks a table, or holds what cannot be read.
        WriteFailed: the disk is full, read-only or failing.
        Busy: another process kept the file locked for five seconds.
    """
    try:
        yield
    except _BROKEN as error:
        raise IndexBroken(
            f"The memory index {path} is damaged ({error}).", hint="It is rebuilt from the files."
        ) from error
    except UnicodeEncodeError:  # the caller's text, not the file's
        raise
    except ValueError as error:  # bytes that are no text, a kind that is none
        raise IndexBroken(
            f"The memory index {path} holds what was never written ({error}).", hint="It is rebuilt from the files."
        ) from error
    except _REFUSED as error:
        raise WriteFailed(
            f"The memory index {path} could not be used ({error}).",
            hint="Check free space and permissions of its folder.",
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Busy(f"The memory index {path} is in use by another process.", hint="Try again in a moment.") from error


@contextmanager
def transaction(db: apsw.Connection, path: Path) -> Iterator[None]:
    """All of it or nothing; raises as `translated` does."""
    with translated(path), immediate(db):
        yield
