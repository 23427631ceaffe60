from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from memory.errors import NotFound, PathRefused, TooLarge, Unreadable, WriteFailed
from memory.files.workspace import READING_LIMIT, Workspace


def test_a_file_is_read_as_it_is(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_bytes(b"one\r\ntwo\x00")
    assert workspace.read("a.md") == b"one\r\ntwo\x00"
    assert workspace.read_text("a.md") == "one\r\ntwo\x00"


def test_a_folder_that_is_missing_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    with Workspace(tmp_path / "deep" / "workspace") as workspace:
        assert stat.S_IMODE(workspace.root.stat().st_mode) == 0o700


def test_a_workspace_must_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PathRefused, match="not a folder"):
        Workspace(tmp_path / "file")
    with pytest.raises(PathRefused):
        Workspace(tmp_path / "file", create=False)
    with pytest.raises(PathRefused):
        Workspace(tmp_path / "file" / "inner")
    with pytest.raises(NotFound):
        Workspace(tmp_path / "missing", create=False)


def test_a_workspace_that_cannot_be_made_is_said_to_be_unwritable(tmp_path: Path) -> None:
    with pytest.raises((WriteFailed, PathRefused)) as refused:
        Workspace(tmp_path / ("x" * 300))
    assert refused.value.hint


def test_a_link_to_the_workspace_itself_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with Workspace(tmp_path / "link") as workspace:
        assert workspace.read_text("a.md") == "text"


def test_what_is_missing_is_not_found(workspace: Workspace) -> None:
    with pytest.raises(NotFound, match="There is no memory/a"):
        workspace.read("memory/a.md")
    assert workspace.content_at(("memory", "a.md")) is None


@pytest.mark.parametrize("kind", ["link", "folder link", "second name", "pipe", "socket", "folder", "file as folder"])
def test_what_is_no_ordinary_file_is_refused_at_once(workspace: Workspace, tmp_path: Path, kind: str) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    path = workspace.root / "a.md"
    if kind == "link":
        path.symlink_to(secret)
    elif kind == "folder link":
        (workspace.root / "inner").symlink_to(tmp_path)
    elif kind == "second name":
        path.hardlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        listening = socket.socket(socket.AF_UNIX)
        here = Path.cwd()
        os.chdir(workspace.root)  # a socket's path may not be long
        listening.bind("a.md")
        os.chdir(here)
        listening.close()
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text("")
    name = {"folder link": "inner/secret.md", "file as folder": "a.md/b.md"}.get(kind, "a.md")
    with pytest.raises(PathRefused) as refused:
        workspace.read(name)
    assert name in refused.value.message
    assert refused.value.hint


def test_a_device_is_refused() -> None:
    with Workspace(Path("/dev"), create=False) as devices, pytest.raises(PathRefused):
        devices.read("null")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs /proc")
def test_a_file_that_fails_while_it_is_read_is_unreadable() -> None:
    with Workspace(Path("/proc/self"), create=False) as process, pytest.raises(Unreadable, match="mem"):
        process.read("mem")


def test_no_path_leads_outside(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    for path in ("../secret.md", str(tmp_path / "secret.md"), "memory/../../secret.md", ".memory/lock"):
        with pytest.raises(PathRefused):
            workspace.read(path)


def test_a_folder_that_turns_into_a_link_while_it_is_read_never_leads_outside(
    workspace: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("secret")
    inside = workspace.root / "inner"
    inside.mkdir()
    (inside / "a.md").write_text("public")
    (workspace.root / "other").symlink_to(outside)
    stop = threading.Event()

    def turn() -> None:
        spare = workspace.root / "spare"
        while not stop.is_set():
            inside.rename(spare)
            (workspace.root / "other").rename(inside)
            inside.rename(workspace.root / "other")
            spare.rename(inside)

    thread = threading.Thread(target=turn)
    thread.start()
    found = set()
    try:
        for _ in range(2000):
            try:
                found.add(workspace.read("inner/a.md"))
            except (PathRefused, NotFound):
                continue
    finally:
        stop.set()
        thread.join()
    assert found <= {b"public"}


def test_a_file_that_is_replaced_while_it_is_opened_is_read_all_the_same(workspace: Workspace) -> None:
    path = workspace.root / "a.md"
    path.write_text("text")
    stop = threading.Event()

    def save() -> None:
        while not stop.is_set():
            (workspace.root / "new").write_text("text")
            (workspace.root / "new").replace(path)

    thread = threading.Thread(target=save)
    thread.start()
    try:
        assert {workspace.read("a.md") for _ in range(1000)} == {b"text"}
    finally:
        stop.set()
        thread.join()


def test_a_huge_file_is_refused_without_being_read(workspace: Workspace) -> None:
    with (workspace.root / "a.md").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(TooLarge, match="20 MiB"):
        workspace.read("a.md")
    (workspace.root / "b.md").write_bytes(b"x" * 11)
    with Workspace(workspace.root, limit=10) as small, pytest.raises(TooLarge):
        small.read("b.md")
    assert READING_LIMIT == 20 * 1024 * 1024


def test_bytes_that_are_no_text_are_named_by_their_line(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_bytes(b"one\ntwo\nth\xffree\nfour \xc3")
    with pytest.raises(Unreadable, match=r"a\.md:3") as refused:
        workspace.read_text("a.md")
    assert "UTF-8" in refused.value.hint
    text, problem = workspace.read_lenient("a.md")
    assert text == "one\ntwo\nth\ufffdree\nfour \ufffd"
    assert problem is not None
    assert (problem.path, problem.line) == ("a.md", 3)


def test_a_byte_order_mark_is_not_part_of_the_text(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_bytes(b"\xef\xbb\xbfone")
    assert workspace.read_text("a.md") == "one"
    (workspace.root / "b.md").write_bytes(b"\xef\xbb\xbfone\xff")
    assert workspace.read_lenient("b.md")[0] == "one\ufffd"


def test_a_closed_workspace_is_closed_once(workspace: Workspace) -> None:
    workspace.close()
    workspace.close()
    with pytest.raises(Unreadable):
        workspace.read("a.md")


def test_a_folder_for_writing_is_made_for_its_owner_alone(workspace: Workspace) -> None:
    with workspace.writing(("bank", "entities", "Peter.md")):
        pass
    assert stat.S_IMODE((workspace.root / "bank" / "entities").stat().st_mode) == 0o700


@pytest.mark.skipif(not Path("/sys/kernel").exists(), reason="needs /sys")
def test_a_folder_that_takes_no_files_is_said_to_be_unwritable() -> None:
    with (
        Workspace(Path("/sys/kernel"), create=False) as kernel,
        pytest.raises(WriteFailed) as refused,
        kernel.writing(("memory", "a.md")),
    ):
        pass
    assert refused.value.hint
