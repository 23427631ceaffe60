"""Measures of Python source: the length of functions, nesting, single-use helpers, forwarders, unused names.

All measures work on names, not on types: a name counts as used if anything in the packages uses the same name. So they
can miss something, but what they report is real.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
STATEMENTS = ("body", "handlers", "orelse", "finalbody", "cases")
"""The fields of a node that hold statements; no other holds a block."""

BROAD = frozenset({"Exception", "BaseException"})

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(frozen=True)
class Source:
    """The modules of some packages, parsed: path from the root -> tree, and path -> number of lines."""

    trees: Mapping[Path, ast.Module]
    lines: Mapping[Path, int]

    @classmethod
    def read(cls, root: Path, modules: Iterable[Path]) -> Source:
        """Parse modules, given by their paths from `root`."""
        texts = {path: (root / path).read_text(encoding="utf-8") for path in modules}
        return cls.parse(texts)

    @classmethod
    def parse(cls, texts: Mapping[Path, str]) -> Source:
        """Parse modules, given as path -> text."""
        return cls(
            {path: ast.parse(text) for path, text in texts.items()},
            {path: len(text.splitlines()) for path, text in texts.items()},
        )

    @property
    def thousands(self) -> float:
        """Thousands of lines."""
        return sum(self.lines.values()) / 1000

    def definitions(self) -> Iterator[tuple[Path, Definition]]:
        """Yield every class, function and method with its module, inner ones too."""
        for path, tree in self.trees.items():
            for node in nodes(tree):
                if isinstance(node, Definition):
                    yield path, node

    def functions(self) -> Iterator[tuple[Path, Function]]:
        """Yield every function and method with its module, inner ones too."""
        for path, node in self.definitions():
            if isinstance(node, Function):
                yield path, node


@cache
def nodes(tree: ast.Module) -> Sequence[ast.AST]:
    """Return all nodes of a module in the order of `ast.walk`: a tree is walked once, as that takes long."""
    return list(ast.walk(tree))


def at(path: Path, node: Definition | ast.AnnAssign | ast.ExceptHandler, name: str = "") -> str:
    """Format a place as `path:line name`, as an editor opens it."""
    return f"{path}:{node.lineno} {name or getattr(node, 'name', None) or ''}".rstrip()


def body(function: Function) -> list[ast.stmt]:
    """Return a function's statements without its docstring."""
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def body_lines(function: Function) -> int:
    """Count the lines of a function's body, docstring left out."""
    statements = body(function)
    return (function.end_lineno or 0) - statements[0].lineno + 1 if statements else 0


def depth(node: ast.AST) -> int:
    """Count blocks within blocks; an `elif` continues the block of its `if`, an inner function starts anew."""
    deepest = 0
    for name in STATEMENTS:
        value = getattr(node, name, None)
        children: list[ast.AST] = value if isinstance(value, list) else []
        for child in children:
            if isinstance(child, Function):
                continue
            is_elif = isinstance(node, ast.If) and name == "orelse" and isinstance(child, ast.If) and len(children) == 1
            step = 1 if isinstance(child, BLOCKS) and not is_elif else 0
            deepest = max(deepest, step + depth(child))
    return deepest


def percentile(values: Iterable[int], share: float) -> int:
    """Return the value below or at which `share` (0 to 1) of all values lie."""
    ordered = sorted(values)
    return ordered[int(share * (len(ordered) - 1))]


def middle(values: Iterable[int]) -> float:
    """Return the median, 0 for no values."""
    return median(list(values) or [0])


def single_use_helpers(source: Source) -> list[str]:
    """List private functions and methods that their module mentions once."""
    found = []
    for path, tree in source.trees.items():
        mentions = Counter(_mention(node) for node in nodes(tree))
        found += [
            at(path, node)
            for node in nodes(tree)
            if isinstance(node, Function) and is_private(node.name) and mentions[node.name] == 1
        ]
    return found


def forwarders(source: Source) -> list[str]:
    """List functions whose body is one call on a member of `self` with plain arguments."""
    return [at(path, function) for path, function in source.functions() if _forwards(body(function))]


def unused(source: Source) -> list[str]:
    """List public classes, functions and methods whose name nothing mentions."""
    mentioned = _mentioned(source)
    return [at(path, node) for path, node in source.definitions() if is_public(node.name) and not mentioned[node.name]]


def unused_fields(source: Source) -> list[str]:
    """List public fields of dataclasses that nothing reads.

    Setting a field (a keyword of a call) is no use; reading it as an attribute, in a pattern or by a string is.
    """
    fields = {
        node.name: (path, [field for field in node.body if isinstance(field, ast.AnnAssign)])
        for path, node in source.definitions()
        if isinstance(node, ast.ClassDef) and _is_dataclass(node)
    }
    order = {name: [_target(field) for field in declared] for name, (_, declared) in fields.items()}
    read = {name for tree in source.trees.values() for node in nodes(tree) for name in _reads(node, order)}
    return [
        at(path, field, f"{name}.{_target(field)}")
        for name, (path, declared) in fields.items()
        for field in declared
        if is_public(_target(field)) and _target(field) not in read
    ]


def broad_handlers(source: Source) -> list[tuple[Path, ast.ExceptHandler]]:
    """List the handlers that catch everything and do not raise it again."""
    return [
        (path, node)
        for path, tree in source.trees.items()
        for node in nodes(tree)
        if isinstance(node, ast.ExceptHandler) and _is_broad(node)
    ]


def swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing with what it caught."""
    return all(isinstance(statement, ast.Pass | ast.Continue) for statement in handler.body)


def is_public(name: str) -> bool:
    """Whether a name has no leading underscore."""
    return not name.startswith("_")


def is_private(name: str) -> bool:
    """Whether a name has one leading underscore, not two."""
    return name.startswith("_") and not name.startswith("__")


def _mention(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def _forwards(statements: list[ast.stmt]) -> bool:
    value = getattr(statements[0], "value", None) if len(statements) == 1 else None
    value = value.value if isinstance(value, ast.Await) else value
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    root: ast.expr = value.func
    while isinstance(root, ast.Attribute):
        root = root.value
    given = [*value.args, *(keyword.value for keyword in value.keywords)]
    plain = all(isinstance(argument, ast.Name | ast.Attribute | ast.Constant) for argument in given)
    return plain and isinstance(root, ast.Name) and root.id == "self"


def _mentioned(source: Source) -> Counter[str]:
    """Count the names that are used anywhere: as names, attributes, imports, keywords, and strings that are names."""
    mentioned: Counter[str] = Counter()
    for tree in source.trees.values():
        for node in nodes(tree):
            if name := _mention(node):
                mentioned[name] += 1
            elif isinstance(node, ast.alias):
                mentioned[node.name.rpartition(".")[2]] += 1
            elif isinstance(node, ast.keyword) and node.arg:
                mentioned[node.arg] += 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                mentioned[node.value] += node.value.isidentifier()
    return mentioned


def _reads(node: ast.AST, order: Mapping[str, list[str]]) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        yield node.value
    elif isinstance(node, ast.MatchClass):
        yield from node.kwd_attrs
        yield from order.get(_mention(node.cls) or "", [])[: len(node.patterns)]


def _is_dataclass(node: ast.ClassDef) -> bool:
    made_by = (decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list)
    return any(_mention(decorator) == "dataclass" for decorator in made_by)


def _target(field: ast.AnnAssign) -> str:
    return _mention(field.target) or ""


def _is_broad(handler: ast.ExceptHandler) -> bool:
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)} if handler.type else BROAD
    raises_again = any(isinstance(node, ast.Raise) and node.exc is None for node in ast.walk(handler))
    return bool(BROAD & names) and not raises_again
