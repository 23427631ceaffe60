from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bot import plugins


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "extensions_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "base.py").write_text("raise RuntimeError('not an extension')")
    (folder / "_private.py").write_text("raise RuntimeError('not an extension')")
    (folder / "red.py").write_text("COLOUR = 'red'")
    (folder / "blue.py").write_text("COLOUR = 'blue'")
    (folder / "wrong.py").write_text("COLOUR = 7")
    (folder / "empty.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module(folder.name)
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


def test_extensions_are_found_by_name_without_importing_them(package: ModuleType) -> None:
    assert plugins.names(package) == ("blue", "empty", "red", "wrong")
    assert f"{package.__name__}.red" not in sys.modules


def test_one_extension_is_imported_for_its_constant(package: ModuleType) -> None:
    assert plugins.load(package, "red", "COLOUR", str) == "red"
    assert f"{package.__name__}.blue" not in sys.modules


def test_all_come_in_the_order_of_their_names(package: ModuleType) -> None:
    (Path(package.__path__[0]) / "wrong.py").unlink()
    (Path(package.__path__[0]) / "empty.py").unlink()

    assert list(plugins.load_all(package, "COLOUR", str)) == [("blue", "blue"), ("red", "red")]


@pytest.mark.parametrize("name", ["wrong", "empty"])
def test_a_module_without_the_right_constant_is_a_mistake_in_the_program(package: ModuleType, name: str) -> None:
    with pytest.raises(plugins.RegistryError, match="must define COLOUR"):
        plugins.load(package, name, "COLOUR", str)


@pytest.mark.parametrize("name", ["green", "base", "_private", "../red", ""])
def test_only_modules_of_the_package_can_be_loaded(package: ModuleType, name: str) -> None:
    with pytest.raises(plugins.RegistryError, match="has no module"):
        plugins.load(package, name, "COLOUR", str)
