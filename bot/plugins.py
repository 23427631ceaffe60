"""Extensions by file: the modules of a package, found by name, each imported for one constant."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")

NOT_EXTENSIONS = frozenset({"base", "places"})
"""Modules that hold what their siblings are made of."""


class RegistryError(Exception):
    """A module of an extension package does not hold what its kind requires: a mistake in the program."""


def names(package: ModuleType) -> list[str]:
    """Return the names of a package's extensions, which are those of their modules, in order; imports none."""
    found = {module.name for module in pkgutil.iter_modules(package.__path__)} - NOT_EXTENSIONS
    return sorted(name for name in found if not name.startswith("_"))


def load_all(package: ModuleType, constant: str, kind: type[T]) -> dict[str, T]:
    """Import every extension of a package; return their constants by the modules' names, in order.

    Each module has one that is called `CHECK`, `COMMAND` or `TOOL`, say, and is of the kind; raises `RegistryError` if
    not.
    """
    found = {}
    for name in names(package):
        module = importlib.import_module(f"{package.__name__}.{name}")
        value = getattr(module, constant, None)
        if not isinstance(value, kind):
            raise RegistryError(f"{module.__name__} must define {constant}, a {kind.__name__}; found {value!r}.")
        found[name] = value
    return found
