"""Where benchmarks put their numbers: `figures/<name>.json`, with everything needed to measure them again."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def command_line(description: str | None, *, seed: int | None = None) -> argparse.ArgumentParser:
    """Return a parser of what benchmarks take: `--json`, and where chance has a part `--seed` with this default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if seed is not None:
        parser.add_argument("--seed", type=int, default=seed, help="what is drawn by lot follows from it")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    return parser


def report(name: str, figures: dict[str, Any], options: argparse.Namespace) -> None:
    """Keep the figures of one run, as `write` does, and print them where the command line asks for it."""
    write(name, figures, seed=vars(options).get("seed", 0))
    if options.json:
        print(json.dumps(figures))


def write(name: str, figures: dict[str, object], *, seed: int) -> Path:
    """Keep the figures of one run.

    Args:
        name: the benchmark's.
        figures: what was measured; units are part of the names (`_ms`, `_s`, `_per_s`).
        seed: what the synthetic data was made from.

    Returns:
        The file.
    """
    kept = {
        "command": " ".join(["python", *sys.argv]),
        "commit": commit(),
        "seed": seed,
        "machine": machine(),
        "figures": figures,
    }
    path = ROOT / "figures" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    return path


def kept(name: str) -> dict[str, Any]:
    """The figures that the last run left, for one that measures a part of them anew; nothing if there was none."""
    path = ROOT / "figures" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    return found


def commit() -> str:
    """The commit that was measured, with `+` after it if there were further changes."""
    head = _git("rev-parse", "--short", "HEAD")
    return f"{head}+" if _git("status", "--porcelain") else head


def machine() -> dict[str, str | int | None]:
    """What it was measured on."""
    return {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}


def _git(*words: str) -> str:
    if shutil.which("git") is None:
        return "unknown"
    found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()
