"""What the house tests look at: the packages' modules, and the files of the repository."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("adapters", "bot", "memory")


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
    """The text files that belong to the repository, by path from the root; those not committed yet too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(Path(name) for name in listed if (ROOT / name).is_file() and _is_text(ROOT / name))


def _is_text(path: Path) -> bool:
    return b"\0" not in path.read_bytes()[:4096]
