from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from memory.errors import Busy, Error, IndexBroken, WriteFailed
from memory.index.failures import translated


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (apsw.CorruptError("malformed"), IndexBroken),
        (apsw.NotADBError("no"), IndexBroken),
        (apsw.SQLError("no such table"), IndexBroken),
        (apsw.FullError("full"), WriteFailed),
        (apsw.ReadOnlyError("read-only"), WriteFailed),
        (apsw.IOError("disk"), WriteFailed),
        (apsw.CantOpenError("open"), WriteFailed),
        (apsw.BusyError("busy"), Busy),
    ],
)
def test_what_sqlite_raises_becomes_ours(raised: apsw.Error, expected: type[Error]) -> None:
    with pytest.raises(expected, match=r"/some/index\.sqlite") as caught, translated(Path("/some/index.sqlite")):
        raise raised
    assert caught.value.hint
    assert caught.value.__cause__ is raised


def test_mistakes_of_our_own_are_not_dressed_up() -> None:
    with pytest.raises(KeyError), translated(Path("x")):
        raise KeyError
