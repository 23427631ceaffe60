from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.files import rename
from memory.files.rename import exchange, rename_new


@pytest.fixture(params=["in one step", "without the system's help", "on a file system that cannot"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "without the system's help":
        monkeypatch.setattr(rename, "_CALLS", {})
    elif request.param == "on a file system that cannot":
        monkeypatch.setattr(rename, "_EXCHANGE", 1 << 30)  # a flag that no kernel knows: EINVAL
        monkeypatch.setattr(rename, "_REFUSE_EXISTING", dict.fromkeys(("linux", "darwin"), 1 << 30))
    return str(request.param)


@pytest.fixture
def handle(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY)
    yield handle
    os.close(handle)


def test_two_files_change_places_or_stay(way: str, handle: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("A")
    (tmp_path / "b").write_text("B")
    done = exchange(handle, "a", "b")
    assert done == (way == "in one step")
    assert (tmp_path / "a").read_text() == ("B" if done else "A")
    assert (tmp_path / "b").read_text() == ("A" if done else "B")


def test_a_name_that_is_free_is_taken(way: str, handle: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("A")
    rename_new(handle, "a", "b")
    assert [file.name for file in tmp_path.iterdir()] == ["b"]


def test_a_name_that_is_taken_is_left_alone(way: str, handle: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("A")
    (tmp_path / "b").write_text("B")
    with pytest.raises(FileExistsError):
        rename_new(handle, "a", "b")
    assert (tmp_path / "b").read_text() == "B"


def test_a_refusal_is_an_error(handle: int) -> None:
    with pytest.raises(FileNotFoundError):
        exchange(handle, "a", "b")
    assert ctypes.get_errno() >= 0
