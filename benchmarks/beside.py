"""A benchmark on the program of this checkout and on that of another one, in turns: what a change has won or lost.

    python -m benchmarks.beside [--rounds 3] [--own] [--json] CHECKOUT MODULE [arguments of the benchmark]
    python -m benchmarks.beside ../before benchmarks.recall_speed --units 1000

MODULE is one of `benchmarks` or `tests` that takes `--json` and prints one JSON object as its last line. Both sides run
the module of this checkout under this interpreter with its libraries; only `adapters`, `bot` and `memory` are the
other's. Where the module cannot run on these, or with `--own`, the other side runs its own module, which may measure
something else. The order is this, base, this, base ...

Printed are the medians of every number, nested names joined by dots, and the ratio this / base; with `--json` also one
object `{"this": {...}, "base": {...}, "ratio": {...}}` as the last line. The files that the benchmark leaves in
`figures/` are thrown away.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import figures

PROGRAM = ("adapters", "bot", "memory")
LEFT_OUT = "figures"

Numbers = dict[str, float]


class CannotRun(Exception):
    """The benchmark ended with an error, or said nothing that can be read."""


def linked(folder: Path, checkout: Path, program: Path) -> Path:
    """A checkout made of links: everything of the one, with the program of the other.

    Python finds modules under the path of a link and not under what it leads to; so do the benchmarks their root, which
    they hand on to the processes that they start.
    """
    folder.mkdir()
    for entry in sorted(checkout.iterdir()):
        if not entry.name.startswith(".") and entry.name != LEFT_OUT:
            source = program if entry.name in PROGRAM else checkout
            (folder / entry.name).symlink_to(source.resolve() / entry.name)
    return folder


def run(folder: Path, module: str, arguments: Sequence[str]) -> Numbers:
    """Run a benchmark in a checkout, by its own modules and no others.

    Raises:
        CannotRun: with what it was.
    """
    words = ["env", f"PYTHONPATH={folder}", sys.executable, "-m", module, *arguments, "--json"]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise CannotRun(f"{module} ended with exit code {done.returncode}; its words are above.")
    last = (done.stdout.splitlines() or [""])[-1]
    try:
        found = json.loads(last)
    except json.JSONDecodeError:
        raise CannotRun(f"The last line of {module} is no JSON object: {last[:80]!r}.") from None
    return dict(numbers(found.get("figures", found)))  # an older one may print all that is kept of a run


def numbers(found: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of an object, with dotted names; texts, lists and truth values are left out."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from numbers(value, f"{name}.{key}" if name else key)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield name, found


class Other:
    """The side of the other checkout, which runs this one's benchmark as long as that is possible."""

    def __init__(self, folder: Path, this: Path, checkout: Path, *, own: bool) -> None:
        self._folder = linked(folder, checkout if own else this, checkout)
        self._checkout = checkout
        self._settled = own

    def run(self, module: str, arguments: Sequence[str]) -> Numbers:
        """Run the benchmark; on the first try, the other's own in its place if it cannot."""
        try:
            found = run(self._folder, module, arguments)
        except CannotRun as error:
            if self._settled:
                raise
            print(f"{error} So the other checkout's own {module} is taken for it.", file=sys.stderr)
            self._folder = linked(self._folder.with_name("own"), self._checkout, self._checkout)
            found = run(self._folder, module, arguments)
        self._settled = True
        return found


def compared(
    this: Path, other: Path, module: str, arguments: Sequence[str], *, rounds: int, own: bool = False
) -> dict[str, Numbers]:
    """The medians of both sides, and their ratios where there is one."""
    with tempfile.TemporaryDirectory(prefix="scrubjay-beside-") as name:
        ours, theirs = linked(Path(name) / "this", this, this), Other(Path(name) / "base", this, other, own=own)
        runs = []
        for number in range(1, rounds + 1):
            print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
            runs.append((run(ours, module, arguments), theirs.run(module, arguments)))
    found, base = (medians(some) for some in zip(*runs, strict=True))
    ratio = {key: value / base[key] for key, value in found.items() if base.get(key)}
    return {"this": found, "base": base, "ratio": ratio}


def medians(runs: Sequence[Numbers]) -> Numbers:
    """Of each number that all runs have."""
    return {key: median(one[key] for one in runs) for key in runs[0] if all(key in one for one in runs)}


def table(found: Mapping[str, Numbers]) -> str:
    """For people: a line for each number of either side."""
    names = list(dict.fromkeys([*found["this"], *found["base"]]))
    width = max([4, *map(len, names)])
    rows = [f"{'':{width}} {'this':>14} {'base':>14} {'this/base':>10}"]
    for name in names:
        this, base, ratio = (found[column].get(name) for column in ("this", "base", "ratio"))
        told = [f"{value:14,.4f}" if value is not None else f"{'-':>14}" for value in (this, base)]
        rows.append(f"{name:{width}} {told[0]} {told[1]} " + (f"{ratio:10.3f}" if ratio is not None else f"{'-':>10}"))
    return "\n".join(rows)


def main() -> int:
    parser = figures.command_line(__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    parser.add_argument("--own", action="store_true", help="the other side runs its own benchmark")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not all((given.checkout / name).is_dir() for name in PROGRAM):
        parser.error(f"{given.checkout} is no checkout: it has no {', '.join(PROGRAM)}.")
    try:
        found = compared(
            figures.ROOT, given.checkout, given.module, given.arguments, rounds=given.rounds, own=given.own
        )
    except CannotRun as error:
        print(error, file=sys.stderr)
        return 1
    print(table(found))
    if given.json:
        print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
