"""Transactions of SQLite through apsw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import apsw


@contextmanager
def immediate(db: apsw.Connection) -> Iterator[None]:
    """All of it or nothing; not to be nested. The write lock is taken first: one taken later is not waited for.

    It stands in for apsw's own `with db`, which keeps the interpreter's lock while it waits for SQLite's: the thread
    that is to let go of the latter cannot go on then, nor can any other one (apsw 3.54).

    Raises:
        apsw.Error: as the statements do; a lock that another connection does not give back in time is a `BusyError`.
    """
    db.execute("BEGIN IMMEDIATE")
    with ExitStack() as undo:
        undo.callback(_roll_back, db)
        yield
        db.execute("COMMIT")
        undo.pop_all()


def _roll_back(db: apsw.Connection) -> None:
    if db.in_transaction:  # a full disk, for one, has ended it already
        db.execute("ROLLBACK")
