"""The repository speaks of the project alone, leaves no notes to itself, and swallows no error."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.house.measures import at, broad_handlers, swallows
from tests.house.tree import ROOT, packages, texts

LOCKS = ("requirements/",)
THIS = Path("tests/house/test_wording.py")

FORBIDDEN = {
    "a note to ourselves": re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b\s*[:(]|#\s*(?:TODO|FIXME|XXX|HACK)\b"),
    "a mock": re.compile(r"import mock|from unittest\.mock|\bMagicMock\b|\bmocker\b|\bpatch\.object\b"),
    "a place on somebody's machine": re.compile(r"(?<![\w.])/(?:root|work|home/(?!user|robin|you)\w+|Users/\w+)/"),
    "a package registry": re.compile(r"\bpythonhosted\.org|\bpypi\.(?:org|python\.org)|(?<!emit-)\bindex-url\b"),
    "a silenced check": re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma: no cover)"),
}

EDGES = {
    "bot/agent/tools.py": "a tool call",
    "bot/pipeline/worker.py": "a session worker",
    "bot/pipeline/delivery/outbox.py": "an adapter's callback",
    "bot/supervision.py": "a job, and what an adapter brings",
    "memory/index/sync.py": "a file that is taken into the index",
}
"""The files whose broad `except` is one of the five edges.

A file is one because whoever can write a note, or have one saved, could otherwise end the indexing of all others with
whatever the code that reads it does not foresee; that cannot be listed as kinds of exceptions.
"""


def test_no_file_holds_what_is_forbidden() -> None:
    found = [
        f"{path}:{number} {what}: {line.strip()}"
        for path in texts()
        if path != THIS and not str(path).startswith(LOCKS)
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        for what, pattern in FORBIDDEN.items()
        if pattern.search(line)
    ]

    assert found == []


def test_broad_handlers_stand_at_the_named_edges_only_one_each() -> None:
    found = [str(path) for path, _ in broad_handlers(packages())]

    assert sorted(set(found)) == sorted(found), "one each"
    assert set(found) <= set(EDGES)
    assert len(EDGES) <= 5


def test_nothing_is_swallowed() -> None:
    found = [at(path, handler) for path, handler in broad_handlers(packages()) if swallows(handler)]

    assert found == []


def test_every_module_says_its_one_job() -> None:
    silent = [str(path) for path, tree in packages().trees.items() if not ast.get_docstring(tree)]

    assert silent == [], "the first line of a module says what it is for"
