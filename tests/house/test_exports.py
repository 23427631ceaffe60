"""The library's public names are a sorted list that says all and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import memory
from tests.house.tree import parsed


def test_public_names_are_sorted() -> None:
    names = memory.__all__

    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert len(names) == len(set(names))


def test_what_the_facade_imports_is_what_it_exports() -> None:
    imported = {
        alias.asname or alias.name
        for node in ast.walk(parsed(Path("memory/__init__.py")))
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    }

    assert imported == set(memory.__all__)


def test_every_public_name_says_what_it_is() -> None:
    exported = {name: getattr(memory, name) for name in memory.__all__}

    assert [name for name, value in exported.items() if isinstance(value, type) and not value.__doc__] == []
