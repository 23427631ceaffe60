"""Modules, functions and nesting stay within what a reader can hold in mind."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.tree import PACKAGES, ROOT, functions, modules, parsed

MODULE_LINES = 600
FUNCTION_LINES = 45
DEPTH = 4

LONGER: dict[str, int] = {}
"""Modules that are longer for now -> their lines. The list only shrinks: nothing is added, no number grows."""

CODE = modules(*PACKAGES, "benchmarks", "docs")
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)


def length(module: Path) -> int:
    return len((ROOT / module).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("module", CODE, ids=str)
def test_a_module_has_at_most_600_lines(module: Path) -> None:
    assert length(module) <= LONGER.get(str(module), MODULE_LINES)


def test_the_list_of_longer_modules_only_shrinks() -> None:
    now = {name: length(Path(name)) for name in LONGER}

    assert now == LONGER, "shorter now: lower the number, or take it off the list"


@pytest.mark.parametrize("module", CODE, ids=str)
def test_a_function_has_at_most_45_lines_without_its_docstring(module: Path) -> None:
    long = {function.name: body_lines(function) for function in functions(parsed(module))}

    assert {name: lines for name, lines in long.items() if lines > FUNCTION_LINES} == {}


@pytest.mark.parametrize("module", CODE, ids=str)
def test_blocks_are_nested_at_most_four_deep(module: Path) -> None:
    deep = {function.name: depth(function) for function in functions(parsed(module))}

    assert {name: levels for name, levels in deep.items() if levels > DEPTH} == {}


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def depth(node: ast.AST) -> int:
    """Blocks within blocks; an `elif` continues the block of its `if`, an inner function starts anew."""
    deepest = 0
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            is_elif = isinstance(node, ast.If) and name == "orelse" and isinstance(child, ast.If) and len(value) == 1
            step = 1 if isinstance(child, BLOCKS) and not is_elif else 0
            deepest = max(deepest, step + depth(child))
    return deepest


def test_the_measures_measure() -> None:
    source = '''
def f(x):
    """Text
    of two lines."""
    for a in x:
        if a:
            pass
        elif x:
            with a:
                pass

    def g():
        while x:
            pass
'''
    outer, inner = functions(ast.parse(source))

    assert (body_lines(outer), depth(outer)) == (10, 3)
    assert (body_lines(inner), depth(inner)) == (2, 1)
