"""How large an installation is, by library, and what each extra adds to it.

Both wheels are built and installed with all extras into a folder, from the package index or pip's cache; what belongs
to the default installation and to each extra follows from what the distributions require.

Run it with `python -m benchmarks.install_size`; `--json` prints the figures as one object.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.figures import command_line
from wheels.build import build

GOALS_MB = {"scrubjay": 350, "scrubjay-words": 120}
"""What the installation without extras may come to."""


def installed(wheel: Path, folder: Path) -> dict[str, Distribution]:
    """Install a wheel with all its extras into a folder; what is there then, by name."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-warn-conflicts"]
    subprocess.run([*command, "--target", str(folder), f"{wheel}[all]"], check=True, capture_output=True)
    return {canonicalize_name(one.metadata["Name"]): one for one in distributions(path=[str(folder)])}


def needed(name: str, extras: frozenset[str], among: dict[str, Distribution]) -> set[str]:
    """The distributions that one of them brings with these extras, itself included."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(name, extras)]
    while waiting:
        one = waiting.pop()
        if one in seen or one[0] not in among:
            continue
        seen.add(one)
        for line in among[one[0]].requires or ():
            wanted = Requirement(line)
            if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *one[1])):
                waiting.append((canonicalize_name(wanted.name), frozenset(wanted.extras)))
    return {name for name, _ in seen}


def megabytes(distribution: Distribution) -> float:
    """What the files of a distribution come to, with what Python compiles of them."""
    files = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def measure(name: str, wheel: Path, folder: Path) -> dict[str, object]:
    """The size of one distribution, of its largest libraries, and of what each extra adds."""
    there = installed(wheel, folder)
    sizes = {one: megabytes(distribution) for one, distribution in there.items()}
    usual = needed(name, frozenset(), there)
    by_size = sorted(usual, key=lambda one: -sizes[one])
    extras = there[name].metadata.get_all("Provides-Extra") or []
    return {
        "megabytes": round(sum(sizes[one] for one in usual), 1),
        "goal": GOALS_MB[name],
        "libraries": {one: round(sizes[one], 1) for one in by_size if sizes[one] >= 1},
        "extras": {
            extra: round(sum(sizes[one] for one in needed(name, frozenset({extra}), there) - usual), 1)
            for extra in extras
        },
    }


def main() -> int:
    """Measure both, and print what they come to; 1 if one is too large."""
    parser = command_line(__doc__)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scrubjay-size-") as name:
        found = {one: measure(one, wheel, Path(name, one)) for one, wheel in build(Path(name, "dist")).items()}
    print(json.dumps(found, indent=None if given.json else 2))
    return int(any(float(str(one["megabytes"])) > float(str(one["goal"])) for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
