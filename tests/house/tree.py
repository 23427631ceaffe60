"""What the house tests look at: the packages' modules, and the files of the repository."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("adapters", "bot", "memory")
MADE = {".cache", ".git", ".venv", ".hypothesis", "__pycache__", "dist", "figures", "htmlcov"}


def modules(*folders: str) -> list[Path]:
    """The Python files of some folders, by path from the root, sorted."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path.relative_to(ROOT) for path in found)


def parsed(module: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method, inner ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


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
