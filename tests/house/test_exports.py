"""The public names are a sorted list that says all and nothing else."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from tests.house.tree import parsed

FACADES = ("memory",)


@pytest.mark.parametrize("package", FACADES)
def test_public_names_are_sorted(package: str) -> None:
    names = importlib.import_module(package).__all__

    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert len(names) == len(set(names))


@pytest.mark.parametrize("package", FACADES)
def test_what_the_facade_imports_is_what_it_exports(package: str) -> None:
    imported = {
        alias.asname or alias.name
        for node in parsed(Path(package) / "__init__.py").body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    }

    assert imported == set(importlib.import_module(package).__all__)


@pytest.mark.parametrize("package", FACADES)
def test_every_public_name_says_what_it_is(package: str) -> None:
    module = importlib.import_module(package)

    undocumented = [
        name for name in module.__all__ if isinstance(getattr(module, name), type) and not getattr(module, name).__doc__
    ]
    assert undocumented == []
