from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.errors import Unreadable
from memory.files.scan import Entry, scan
from memory.files.workspace import Workspace
from memory.model import Problem


def look(workspace: Workspace) -> tuple[dict[str, Entry], dict[str, Problem]]:
    problems: list[Problem] = []
    entries = {entry.path: entry for entry in scan(workspace, problems.append)}
    return entries, {problem.path: problem for problem in problems}


def write(root: Path, path: str, text: str = "text") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_every_note_is_listed_with_size_and_time(workspace: Workspace) -> None:
    for path in ("MEMORY.md", "memory/2026-11-21.md", "bank/entities/Łódź.md", "SHOUT.MD", "folder.md/inner.md"):
        file = write(workspace.root, path)
        os.utime(file, ns=(1, 123456789))
    entries, problems = look(workspace)
    assert sorted(entries) == [
        "MEMORY.md",
        "SHOUT.MD",
        "bank/entities/Łódź.md",
        "folder.md/inner.md",
        "memory/2026-11-21.md",
    ]
    assert entries["MEMORY.md"] == Entry("MEMORY.md", 4, 123456789)
    assert problems == {}


def test_what_is_hidden_or_no_note_is_passed_over(workspace: Workspace) -> None:
    for path in (".obsidian/a.md", ".memory/journal/a.md", ".hidden.md", "picture.png", "notes.txt"):
        write(workspace.root, path)
    (workspace.root / "link.png").symlink_to("/etc/hosts")
    assert look(workspace) == ({}, {})


def test_links_pipes_and_large_files_are_reported(workspace: Workspace, tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.md")
    (workspace.root / "link.md").symlink_to(secret)
    (workspace.root / "broken.md").symlink_to(tmp_path / "nowhere")
    (workspace.root / "second.md").hardlink_to(secret)
    (workspace.root / "folder").symlink_to(tmp_path)
    os.mkfifo(workspace.root / "pipe.md")
    with (workspace.root / "large.md").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    entries, problems = look(workspace)
    assert entries == {}
    assert sorted(problems) == ["broken.md", "folder", "large.md", "link.md", "pipe.md", "second.md"]
    assert all(problem.message and problem.hint for problem in problems.values())
    assert "20 MiB" in problems["large.md"].message


def test_names_outside_the_grammar_are_reported_and_can_be_shown(workspace: Workspace) -> None:
    write(workspace.root, "a\u200bb.md")
    write(workspace.root, "bad|folder/inner.md")
    write(workspace.root, "/".join(["deep"] * 9) + "/a.md")
    (Path(os.fsdecode(os.fsencode(workspace.root) + b"/\xff.md"))).write_text("")
    entries, problems = look(workspace)
    assert entries == {}
    assert set(problems) == {"/".join(["deep"] * 8), r"\udcff.md", r"a\u200bb.md", "bad|folder"}
    for problem in problems.values():
        str(problem).encode()


def test_the_deepest_path_that_is_listed_can_be_read(workspace: Workspace) -> None:
    path = "/".join(["a"] * 7) + "/b.md"
    write(workspace.root, path)
    assert list(look(workspace)[0]) == [path]
    assert workspace.read(path) == b"text"


def test_a_folder_that_vanishes_meanwhile_is_passed_over(workspace: Workspace) -> None:
    write(workspace.root, "gone/a.md")
    write(workspace.root, "here.md")
    found = scan(workspace, lambda _: None)
    assert next(found).path == "here.md"
    (workspace.root / "gone" / "a.md").unlink()
    (workspace.root / "gone").rmdir()
    assert list(found) == []


def test_a_note_that_vanishes_before_it_is_looked_at_is_passed_over(workspace: Workspace) -> None:
    for number in range(100):
        write(workspace.root, f"{number}.md")
    found = scan(workspace, lambda _: None)
    first = next(found)
    for file in workspace.root.iterdir():
        file.unlink()
    assert [entry.path for entry in found] == []
    assert first.size == 4


def test_a_folder_that_will_not_be_listed_is_reported(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    write(workspace.root, "inner/a.md")
    scandir = os.scandir
    listed: list[int] = []

    def failing(handle: int) -> object:
        listed.append(handle)
        if len(listed) > 1:
            raise PermissionError(13, "Permission denied")
        return scandir(handle)

    monkeypatch.setattr(os, "scandir", failing)
    entries, problems = look(workspace)
    assert entries == {}
    assert "permission" in problems["inner"].hint


def test_a_workspace_that_cannot_be_listed_says_so(workspace: Workspace) -> None:
    workspace.close()
    with pytest.raises(Unreadable):
        list(scan(workspace, lambda _: None))
