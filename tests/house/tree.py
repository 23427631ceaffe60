"""The modules of the packages, the files of the repository, and the limits that they are held to."""

from __future__ import annotations

import ast
import os
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.house.measures import Source

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("adapters", "bot", "memory")
MADE = {".cache", ".git", ".venv", ".hypothesis", "__pycache__", "dist", "figures", "htmlcov"}

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LIMITS: dict[str, Any] = PROJECT["tool"]["scrubjay"]["house"]


def modules(*folders: str) -> list[Path]:
    """The Python files of some folders, by path from the root, sorted."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path.relative_to(ROOT) for path in found)


def parsed(module: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


@cache
def packages() -> Source:
    """Parse the packages that are installed."""
    return Source.read(ROOT, modules(*PACKAGES))


@cache
def everything() -> Source:
    """Add the benchmarks and what makes the documentation."""
    more = Source.read(ROOT, modules("benchmarks", "docs"))
    return Source({**packages().trees, **more.trees}, {**packages().lines, **more.lines})


def check(offenders: Sequence[str], limit: int, what: str) -> None:
    """Fail with all offenders if there are more than `limit`."""
    if len(offenders) > limit:
        pytest.fail("\n".join([f"{len(offenders)} {what}, allowed {limit}:", *sorted(offenders)]))


def texts() -> list[Path]:
    """The text files of the repository, by path from the root, sorted; not what tools leave behind."""
    found = (Path(folder) / name for folder, _, names in _walk() for name in names)
    return sorted(path.relative_to(ROOT) for path in found if _is_text(path))


def _walk() -> Iterator[tuple[str, list[str], list[str]]]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in MADE and not name.endswith(("_cache", ".egg-info"))]
        yield folder, folders, [name for name in names if name != ".git"]


def _is_text(path: Path) -> bool:
    return b"\0" not in path.read_bytes()[:4096]
