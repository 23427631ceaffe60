"""The figures of the packages stay within the limits of `[tool.scrubjay.house]` in pyproject.toml."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.house import measures
from tests.house.measures import at
from tests.house.tree import LIMITS, PACKAGES, check, everything, packages

SHORT = frozenset(map(Path, ("bot/commands", "bot/tools", "bot/doctor", "bot/imports/sources")))
"""Folders whose modules are one extension each, and may be short."""

MANY = SHORT.union(map(Path, ("bot/jobs", "bot/cli/commands", "bot/web/pages")))
"""Folders that grow by one module with each extension."""


def longest(count: int = 10) -> str:
    """The longest modules, for a failure's message."""
    found = sorted(packages().lines.items(), key=lambda item: -item[1])[:count]
    return "\n".join(f"{path}:1 {lines} lines" for path, lines in found)


def is_short(path: Path) -> bool:
    """Whether a module may be short: an extension, or a package's `__init__`."""
    return path.name == "__init__.py" or path.parent in SHORT


def test_no_module_is_longer_than_the_limit() -> None:
    limit = LIMITS["module_lines"]

    long = [f"{path}:1 {lines} lines" for path, lines in everything().lines.items() if lines > limit]
    check(long, 0, f"modules have more than {limit} lines")


def test_most_modules_are_well_below_it() -> None:
    found = measures.percentile(packages().lines.values(), 0.95)

    assert found <= LIMITS["module_lines_p95"], f"the 95th percentile is {found} lines:\n{longest()}"


def test_a_module_is_a_subject_and_no_drawer() -> None:
    lines = {path: lines for path, lines in packages().lines.items() if not is_short(path)}
    found = measures.middle(lines.values())

    shortest = "\n".join(f"{path}:1 {lines[path]} lines" for path in sorted(lines, key=lambda path: lines[path])[:20])
    assert found >= LIMITS["module_lines_median"], f"the median is {found} lines; the shortest:\n{shortest}"


def test_there_are_few_files_for_so_many_lines() -> None:
    found = len(packages().lines) / packages().thousands

    assert found <= LIMITS["files_per_1000_lines"], f"{found:.2f} files per 1,000 lines"


def test_a_package_can_be_overlooked() -> None:
    folders = Counter(path.parent for path in packages().lines if not path.name.startswith("__"))
    limit = LIMITS["modules_per_package"]

    full = [f"{folder}: {count} modules" for folder, count in folders.items() if folder not in MANY and count > limit]
    check(full, 0, f"packages have more than {limit} modules")


def test_every_package_keeps_to_its_budget() -> None:
    sums = {
        package: sum(lines for path, lines in packages().lines.items() if path.parts[0] == package)
        for package in PACKAGES
    }

    over = {package: lines for package, lines in sums.items() if lines > LIMITS["budget"][package]}
    assert over == {}, f"lines beyond the budget {LIMITS['budget']}; raising it needs a record (pyproject.toml)"


def test_no_function_is_longer_than_the_limit() -> None:
    limit = LIMITS["function_lines"]

    lengths = ((path, function, measures.body_lines(function)) for path, function in everything().functions())
    long = [f"{at(path, function)}: {lines} lines" for path, function, lines in lengths if lines > limit]
    check(long, 0, f"functions have more than {limit} lines without their docstring")


def test_no_blocks_are_nested_deeper_than_the_limit() -> None:
    limit = LIMITS["nesting"]

    depths = ((path, function, measures.depth(function)) for path, function in everything().functions())
    deep = [f"{at(path, function)}: {levels} levels" for path, function, levels in depths if levels > limit]
    check(deep, 0, f"functions have blocks nested more than {limit} deep")


def test_few_helpers_are_used_once() -> None:
    limit = int(LIMITS["single_use_helpers_per_1000_lines"] * packages().thousands)

    check(measures.single_use_helpers(packages()), limit, "private helpers are used once")


def test_few_methods_only_forward() -> None:
    check(measures.forwarders(packages()), LIMITS["forwarders"], "methods only forward to a member")
