"""Extensions by file: the modules of a package, found by name without importing them, each read for one constant."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")

NOT_EXTENSIONS = frozenset({"base", "places"})
"""Modules that hold what their siblings are made of."""


class RegistryError(Exception):
    """A module of an extension package does not hold what its kind requires: a mistake in the program."""


def names(package: ModuleType) -> tuple[str, ...]:
    """The extensions of a package, sorted; nothing is imported.

    >>> import bot.doctor
    >>> "disk" in names(bot.doctor)
    True
    """
    found = (module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(name for name in found if not name.startswith("_") and name not in NOT_EXTENSIONS))


def load(package: ModuleType, name: str, constant: str, kind: type[T]) -> T:
    """Import one extension and return its constant.

    Args:
        package: the package that holds extensions of one kind, one per module.
        name: the module's name, which is the extension's name.
        constant: what the module calls it: `CHECK`, `COMMAND`, `TOOL`.
        kind: what it has to be.

    Raises:
        RegistryError: no such module, no such constant, or a constant of another kind.
    """
    if name not in names(package):
        raise RegistryError(f"{package.__name__} has no module {name}.py; it has: {', '.join(names(package))}.")
    module = importlib.import_module(f"{package.__name__}.{name}")
    value = getattr(module, constant, None)
    if not isinstance(value, kind):
        raise RegistryError(f"{module.__name__} must define {constant}, a {kind.__name__}; found {value!r}.")
    return value


def load_all(package: ModuleType, constant: str, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Every extension of a package with its name, in order of name; each is imported when it is reached."""
    for name in names(package):
        yield name, load(package, name, constant, kind)
