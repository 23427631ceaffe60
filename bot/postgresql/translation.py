"""The SQL of the storage as PostgreSQL reads it.

Statements are written once, as SQLite takes them, and keep to what both share, but for what is rewritten here: the
marks of parameters, lists as JSON, the types of columns, and words that only SQLite's planner understands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

_NUMBERED = re.compile(r"\?(\d+)")
_LIST = re.compile(r"json_each\((\?\d*)\)")
_INSIDE = re.compile(r"(\w+\.value) ->>")
_PLANNER = re.compile(r" INDEXED BY \w+")
_FLAG = re.compile(r"\b(is_\w+)(\s+)INTEGER( NOT NULL)?(?: DEFAULT (\w+))?")
_TRUE = {"1": "TRUE", "0": "FALSE"}


@cache
def translate(sql: str) -> str:
    """Return a statement with psycopg's marks: `%s` for `?`, `%(p1)s` for `?1`."""
    sql = _PLANNER.sub("", sql.replace("%", "%%"))
    sql = _LIST.sub(r"jsonb_array_elements_text((\1)::jsonb)", sql)
    sql = _INSIDE.sub(r"\1::jsonb ->>", sql)
    return _NUMBERED.sub(r"%(p\1)s", sql).replace("?", "%s")


def parameters(sql: str, values: Sequence[Any]) -> Sequence[Any] | dict[str, Any]:
    """Return the values as psycopg takes them for the translated statement."""
    return {f"p{number}": value for number, value in enumerate(values, 1)} if _NUMBERED.search(sql) else values


def definition(sql: str) -> str:
    """Return a statement that defines a table or an index.

    Texts are compared by their bytes, as in SQLite, so that everything has the same order in both.
    """

    def flag(found: re.Match[str]) -> str:
        name, space, required, default = found.groups()
        preset = f" DEFAULT {_TRUE.get(default, default)}" if default else ""
        return f"{name}{space}BOOLEAN{required or ''}{preset}"

    sql = re.sub(r"\) STRICT(, WITHOUT ROWID)?$", ")", sql.strip())
    sql = _FLAG.sub(flag, sql)
    sql = re.sub(r"\bINTEGER\b", "BIGINT", sql)
    return re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', sql)
