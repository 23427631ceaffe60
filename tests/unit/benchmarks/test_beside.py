"""Two programs are measured by one benchmark, each by its own modules, also in the processes that it starts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.beside import CannotRun, compared, medians, numbers, table
from tests.house.tree import ROOT

BENCHMARK = """
import json, os, subprocess, sys
from pathlib import Path
import memory, adapters
from memory import {wanted}

ROOT = Path(__file__).parent.parent
SCRIPT = Path(sys.executable).with_name("scrubjay")
MODULE = [sys.executable, "-m", "bot"]
BARE = {{"PATH": os.defpath, "PYTHONPATH": str(ROOT)}}
ways = {{
    "module": subprocess.run(MODULE, stdout=subprocess.PIPE, check=True),
    "script": subprocess.run([SCRIPT], stdout=subprocess.PIPE, check=True),
    "elsewhere": subprocess.run(MODULE, cwd="/", stdout=subprocess.PIPE, check=True),
    "own_environment": subprocess.run(MODULE, env=BARE, stdout=subprocess.PIPE, check=True),
}}
(ROOT / "figures").mkdir(exist_ok=True)
found = {{name: int(done.stdout) for name, done in ways.items()}} | {{"memory": {wanted}, "adapters": adapters.COST}}
assert sys.argv[-1] == "--json"
print("a table")
found = {{"is": {{"by": found}}, "benchmark": {which}, "arguments": len(sys.argv) - 2, "on": True, "of": "x"}}
print(json.dumps(found))
"""
WAYS = ("module", "script", "elsewhere", "own_environment", "memory", "adapters")


def checkout(folder: Path, cost: int, *, wanted: str = "COST", which: int = 0) -> Path:
    """A program that costs so much, with a benchmark of it."""
    files = {
        "adapters/__init__.py": f"COST = {cost}",
        "bot/__init__.py": f"COST = {cost}",
        "bot/__main__.py": "import bot\nprint(bot.COST)",
        "bot/cli/main.py": "import bot\n\n\ndef main() -> int:\n    print(bot.COST)\n    return 0",
        "memory/__init__.py": f"{wanted} = {cost}",
        "benchmarks/cost.py": BENCHMARK.format(wanted=wanted, which=which),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_each_side_runs_its_own_program_in_every_process(tmp_path: Path) -> None:
    this, other = checkout(tmp_path / "a", 3, which=1), checkout(tmp_path / "b", 4, which=2)

    found = compared(this, other, "benchmarks.cost", ["--more"], rounds=2)

    assert found["this"] == {f"is.by.{way}": 3 for way in WAYS} | {"benchmark": 1, "arguments": 1}
    assert found["base"] == {f"is.by.{way}": 4 for way in WAYS} | {"benchmark": 1, "arguments": 1}
    assert found["ratio"] == {f"is.by.{way}": 0.75 for way in WAYS} | {"benchmark": 1, "arguments": 1}
    assert not (this / "figures").exists()
    assert not (other / "figures").exists()


@pytest.mark.parametrize("own", [True, False])
def test_a_benchmark_that_cannot_run_on_the_other_program_is_replaced_by_its_own(tmp_path: Path, *, own: bool) -> None:
    this = checkout(tmp_path / "a", 3, which=1, wanted="COST" if own else "PRICE")
    other = checkout(tmp_path / "b", 4, which=2)

    found = compared(this, other, "benchmarks.cost", [], rounds=1, own=own)

    assert (found["this"]["benchmark"], found["base"]["benchmark"]) == (1, 2)
    assert (found["this"]["is.by.module"], found["base"]["is.by.module"]) == (3, 4)


def test_a_benchmark_that_runs_on_neither_is_an_error(tmp_path: Path) -> None:
    this, other = checkout(tmp_path / "a", 3), checkout(tmp_path / "b", 4)

    with pytest.raises(CannotRun, match=r"benchmarks\.none ended with exit code 1"):
        compared(this, other, "benchmarks.none", [], rounds=1)
    (this / "benchmarks" / "cost.py").write_text("print('fast')", encoding="utf-8")
    with pytest.raises(CannotRun, match="no JSON object: 'fast'"):
        compared(this, other, "benchmarks.cost", [], rounds=1)


def test_numbers_of_all_rounds_are_compared() -> None:
    assert dict(numbers({"a": {"b": 1, "c": [1, 2]}, "d": 2.5, "e": None, "f": False})) == {"a.b": 1, "d": 2.5}
    assert medians([{"a": 1.0, "b": 2.0}, {"a": 5.0}, {"a": 3.0, "b": 4.0}]) == {"a": 3.0}


def test_the_table_has_a_line_for_what_one_side_alone_has_measured() -> None:
    head, *rows = table(
        {"this": {"ms": 3, "new": 1, "none": 1}, "base": {"ms": 4, "old": 2, "none": 0}, "ratio": {"ms": 0.75}}
    ).splitlines()

    assert head.split() == ["this", "base", "this/base"]
    assert [row.split() for row in rows] == [
        ["ms", "3.0000", "4.0000", "0.750"],
        ["new", "1.0000", "-", "-"],
        ["none", "1.0000", "0.0000", "-"],
        ["old", "-", "2.0000", "-"],
    ]


def test_a_real_benchmark_on_this_checkout_twice_says_the_same_of_what_does_not_vary() -> None:
    words = [sys.executable, "-m", "benchmarks.beside", "--rounds", "1", "--json", str(ROOT), "benchmarks.rendering"]
    done = subprocess.run(
        [*words, "--documents", "5"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=100
    )

    found = json.loads(done.stdout.splitlines()[-1])
    assert found.keys() == {"this", "base", "ratio"}
    assert found["this"] == found["base"]


def test_figures_that_an_older_benchmark_prints_with_all_that_is_kept_of_a_run_are_compared(tmp_path: Path) -> None:
    printed = {"a": {"units_per_s": 8}, "b": {"seed": 1, "figures": {"units_per_s": 4}}}
    this, other = (checkout(tmp_path / name, 1) for name in printed)
    for folder in (this, other):
        program = f"import json\nprint(json.dumps({printed[folder.name]}))\n"
        (folder / "benchmarks" / "cost.py").write_text(program, encoding="utf-8")

    found = compared(this, other, "benchmarks.cost", [], rounds=1, own=True)

    assert found["ratio"] == {"units_per_s": 2.0}
