"""Installs the wheels into fresh environments and asks a first question: sizes, seconds, and what was said.

    python -m tests.acceptance.fresh_install --json

The libraries come from the package index, or from pip's cache. Two commands count: `pip install`, and the chat.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from wheels.build import build

TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")
"""What a new environment has by itself."""
SAID = "The bicycle pump hangs in the shed.\nWhere is the bicycle pump?\n"


@dataclass(frozen=True, slots=True)
class Installation:
    """One distribution, freshly installed.

    Attributes:
        name: of the distribution.
        megabytes: of all files it brought, without what the environment has by itself.
        install_s, answer_s: seconds until it was installed, and until the first answer from memory was printed.
        answered: the answer quotes what was told.
        top_level: packages and modules of ours beside the libraries.
        warnings: lines on standard error.
        largest: megabytes of the largest libraries.
    """

    name: str
    megabytes: float
    install_s: float
    answer_s: float
    answered: bool
    top_level: list[str]
    warnings: list[str]
    largest: dict[str, float]


def installed(name: str, wheel: Path, folder: Path) -> Installation:
    """Install a wheel into a new environment in a folder, and talk to it in a new home."""
    environment = {"PATH": os.defpath, "HOME": str(folder), "SCRUBJAY_HOME": str(folder / "home")}
    home = str(Path.home())  # where pip's cache and settings are
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True, env=environment)
    scripts = folder / "venv" / "bin"
    began = time.monotonic()
    subprocess.run(
        [str(scripts / "pip"), "install", "--quiet", "--disable-pip-version-check", str(wheel)],
        check=True, capture_output=True, env={**environment, "HOME": home},
    )  # fmt: skip
    at = time.monotonic()
    chat = subprocess.run(
        [str(scripts / "scrubjay"), "chat"], input=SAID, check=True, capture_output=True, text=True, env=environment
    )
    ended = time.monotonic()
    site = next((folder / "venv" / "lib").glob("python*/site-packages"))
    sizes = {one.name: _size(one) / 1e6 for one in site.iterdir() if one.name not in TOOLS and "pip-" not in one.name}
    record = next(site.glob(f"{wheel.name.split('-')[0]}-*.dist-info")) / "RECORD"
    ours = {line.partition("/")[0] for line in record.read_text(encoding="utf-8").splitlines()}
    return Installation(
        name,
        round(sum(sizes.values()), 1),
        round(at - began, 1),
        round(ended - at, 1),
        "> The bicycle pump hangs in the shed." in chat.stdout,
        sorted(one for one in ours if one != ".." and not one.endswith(".dist-info")),
        chat.stderr.splitlines(),
        {one: round(sizes[one], 1) for one in sorted(sizes, key=lambda one: -sizes[one])[:6]},
    )


def _size(path: Path) -> int:
    every: Iterator[Path] = path.rglob("*") if path.is_dir() else iter([path])
    return sum(one.stat().st_size for one in every if one.is_file())


def main() -> None:
    """Install both, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as name:
        for distribution, wheel in build(Path(name, "dist")).items():
            folder = Path(name, distribution)
            folder.mkdir()
            results.append(installed(distribution, wheel, folder))
            if not given.json:
                print(results[-1])
    print(json.dumps({"installations": [asdict(one) for one in results]}))


if __name__ == "__main__":
    main()
