"""Builds both wheels, `scrubjay` and `scrubjay-words`, from this checkout: `python wheels/build.py FOLDER`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = {"scrubjay": ROOT, "scrubjay-words": ROOT / "wheels" / "words"}
_BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


def build(folder: Path, *names: str) -> dict[str, Path]:
    """Build the wheels into a folder, each in a process of its own, which a build's working folder needs.

    Args:
        folder: made if it is missing.
        names: of the distributions that are wanted; all if left out.

    Returns:
        Their files by the name of the distribution.

    Raises:
        SystemExit: one could not be built.
    """
    folder.mkdir(parents=True, exist_ok=True)
    built = {}
    for name in names or PROJECTS:
        words = (sys.executable, "-c", _BUILD, str(folder.resolve()))
        done = subprocess.run(words, cwd=PROJECTS[name], check=False, capture_output=True, text=True)
        if done.returncode:
            why = (done.stderr.splitlines() or [f"exit code {done.returncode}"])[-1]
            hint = f"\nRun: {sys.executable} -m pip install hatchling" if "'hatchling" in why else ""
            raise SystemExit(f"error: {name} could not be built from {PROJECTS[name]}: {why}{hint}")
        built[name] = folder / done.stdout.split()[-1]
    return built


if __name__ == "__main__":
    for path in build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")).values():
        print(path)
