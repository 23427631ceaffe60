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


def test_all_come_in_the_order_of_their_names_and_what_is_no_extension_is_not_imported(package: ModuleType) -> None:
    for name in ("wrong", "empty"):
        Path(package.__path__[0], f"{name}.py").unlink()

    found = plugins.load_all(package, "COLOUR", str)

    assert [*found.items()] == [("blue", "blue"), ("red", "red")]


@pytest.mark.parametrize("name", ["wrong", "empty"])
def test_a_module_without_the_right_constant_is_a_mistake_in_the_program(package: ModuleType, name: str) -> None:
    for other in {"wrong", "empty"} - {name}:
        Path(package.__path__[0], f"{other}.py").unlink()

    with pytest.raises(plugins.RegistryError, match=rf"{name} must define COLOUR"):
        plugins.load_all(package, "COLOUR", str)
