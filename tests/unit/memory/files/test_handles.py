from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.files.handles import folder, open_file, open_folder, read_all, write_all


@pytest.fixture
def handle(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY)
    yield handle
    os.close(handle)


def test_a_file_that_is_made_belongs_to_its_owner_alone_whatever_the_umask(handle: int, tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        os.close(open_file(handle, "a", os.O_WRONLY | os.O_CREAT))
        with folder(handle, ("b", "c"), create=True):
            pass
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "b" / "c").stat().st_mode) == 0o700


def test_folders_are_not_made_unasked(handle: int) -> None:
    with pytest.raises(FileNotFoundError), folder(handle, ("b",)):
        pass


def test_a_link_where_a_folder_should_be_made_is_not_followed(handle: int, tmp_path: Path) -> None:
    (tmp_path / "b").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="b") as refused, folder(handle, ("b", "c"), create=True):
        pass
    assert refused.value.errno in {errno.ELOOP, errno.ENOTDIR}
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_made_by_another_at_the_same_moment_is_used(
    handle: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir

    def raced(name: str, mode: int, *, dir_fd: int) -> None:
        mkdir(name, mode, dir_fd=dir_fd)
        mkdir(name, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "mkdir", raced)
    with folder(handle, ("b",), create=True) as inner:
        assert os.path.sameopenfile(inner, open_folder(handle, "b"))


def test_a_file_that_loses_its_name_each_time_it_is_opened_is_given_up(
    handle: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def snatched(name: str, flags: int, mode: int, *, dir_fd: int) -> int:
        taken = opened(name, flags | os.O_CREAT, mode, dir_fd=dir_fd)
        os.unlink(name, dir_fd=dir_fd)
        return taken

    monkeypatch.setattr(os, "open", snatched)
    with pytest.raises(OSError, match="link"):
        open_file(handle, "a", os.O_RDONLY)


def test_reading_stops_at_the_limit_and_writing_writes_all(handle: int) -> None:
    written = open_file(handle, "a", os.O_RDWR | os.O_CREAT)
    write_all(written, b"0123456789")
    os.lseek(written, 0, os.SEEK_SET)
    assert read_all(written, 4) == b"0123"
    assert read_all(written, 100) == b"456789"
    os.close(written)
