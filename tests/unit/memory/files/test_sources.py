from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.errors import NotFound, PathRefused, Unreadable
from memory.files.sources import Entry, Sources, scan
from memory.files.workspace import Workspace
from memory.types import Problem


def write(root: Path, path: str, text: str = "text", *, age_s: int = 0) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (1_790_000_000 - age_s, 1_790_000_000 - age_s))
    return file


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        yield opened


def scanned(sources: Sources) -> tuple[list[str], list[Problem]]:
    found: list[Problem] = []
    return sorted(entry.path for entry in sources.scan(found.append)), found


def test_a_folder_is_found_under_its_name(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "workspace", "MEMORY.md")
    write(tmp_path / "docs", "a/b.md", "inside")
    sources = Sources(workspace, {"docs": tmp_path / "docs"})

    assert scanned(sources) == (["MEMORY.md", "extra/docs/a/b.md"], [])
    assert sources.read_lenient("extra/docs/a/b.md") == ("inside", None)
    assert sources.is_extra("extra/docs/a/b.md")
    assert not sources.is_extra("extra/other/a.md")
    assert not sources.is_extra("extra/docs")
    sources.close()


def test_only_the_newest_files_within_the_quota_are_found(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for age in range(5):
        write(tmp_path / "docs", f"{age}.md", "x" * 10, age_s=age)

    by_count, [told] = scanned(Sources(workspace, {"docs": tmp_path / "docs"}, most_files=2))
    monkeypatch.setattr("memory.files.sources.MAX_BYTES", 35)
    by_size, _ = scanned(Sources(workspace, {"docs": tmp_path / "docs"}))

    assert by_count == ["extra/docs/0.md", "extra/docs/1.md"]
    assert told.path == "extra/docs"
    assert told.message.startswith("3 of 5 files are left out")
    assert by_size == [f"extra/docs/{age}.md" for age in range(3)]


def test_each_folder_has_its_own_quota(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "one", "a.md")
    write(tmp_path / "two", "b.md")

    found, problems = scanned(Sources(workspace, {"one": tmp_path / "one", "two": tmp_path / "two"}, most_files=1))

    assert (found, problems) == (["extra/one/a.md", "extra/two/b.md"], [])


def test_a_folder_that_is_missing_is_told_and_found_when_it_comes(workspace: Workspace, tmp_path: Path) -> None:
    sources = Sources(workspace, {"disk": tmp_path / "disk"})
    _, [told] = scanned(sources)
    with pytest.raises(NotFound):
        sources.read_lenient("extra/disk/a.md")

    write(tmp_path / "disk", "a.md")

    assert told.path == "extra/disk"
    assert scanned(sources) == (["extra/disk/a.md"], [])


def test_a_folder_that_was_put_in_another_ones_place_is_read(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "disk", "a.md")
    sources = Sources(workspace, {"disk": tmp_path / "disk"})
    scanned(sources)

    (tmp_path / "disk").rename(tmp_path / "old")
    write(tmp_path / "disk", "b.md")

    assert scanned(sources) == (["extra/disk/b.md"], [])


def test_links_out_of_a_folder_are_told_under_its_name(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path, "secret.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "secret.md")

    found, [told] = scanned(Sources(workspace, {"docs": tmp_path / "docs"}))

    assert found == []
    assert told.path == "extra/docs/link.md"


def test_a_folder_of_the_workspace_with_the_same_name_is_told(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "workspace", "extra/docs/a.md")
    write(tmp_path / "docs", "b.md")

    found, [told] = scanned(Sources(workspace, {"docs": tmp_path / "docs"}))

    assert found == ["extra/docs/b.md"]
    assert told.path == "extra/docs/a.md"


@pytest.mark.parametrize("name", ["", "../x", ".hidden", "a/b", "con"])
def test_a_name_that_is_none_is_refused(workspace: Workspace, tmp_path: Path, name: str) -> None:
    with pytest.raises(PathRefused):
        Sources(workspace, {name: tmp_path})


def look(workspace: Workspace) -> tuple[dict[str, Entry], dict[str, Problem]]:
    problems: list[Problem] = []
    entries = {entry.path: entry for entry in scan(workspace, problems.append)}
    return entries, {problem.path: problem for problem in problems}


def write_scan(root: Path, path: str, text: str = "text") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_every_note_is_listed_with_size_and_time(workspace: Workspace) -> None:
    for path in ("MEMORY.md", "memory/2026-11-21.md", "bank/entities/Łódź.md", "SHOUT.MD", "folder.md/inner.md"):
        file = write_scan(workspace.root, path)
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
        write_scan(workspace.root, path)
    (workspace.root / "link.png").symlink_to("/etc/hosts")
    assert look(workspace) == ({}, {})


def test_links_pipes_and_large_files_are_reported(workspace: Workspace, tmp_path: Path) -> None:
    secret = write_scan(tmp_path, "secret.md")
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
    write_scan(workspace.root, "a\u200bb.md")
    write_scan(workspace.root, "bad|folder/inner.md")
    write_scan(workspace.root, "/".join(["deep"] * 9) + "/a.md")
    (Path(os.fsdecode(os.fsencode(workspace.root) + b"/\xff.md"))).write_text("")
    entries, problems = look(workspace)
    assert entries == {}
    assert set(problems) == {"/".join(["deep"] * 8), r"\udcff.md", r"a\u200bb.md", "bad|folder"}
    for problem in problems.values():
        str(problem).encode()


def test_the_deepest_path_that_is_listed_can_be_read(workspace: Workspace) -> None:
    path = "/".join(["a"] * 7) + "/b.md"
    write_scan(workspace.root, path)
    assert list(look(workspace)[0]) == [path]
    assert workspace.read(path) == b"text"


def test_a_folder_that_vanishes_meanwhile_is_passed_over(workspace: Workspace) -> None:
    write_scan(workspace.root, "gone/a.md")
    write_scan(workspace.root, "here.md")
    found = scan(workspace, lambda _: None)
    assert next(found).path == "here.md"
    (workspace.root / "gone" / "a.md").unlink()
    (workspace.root / "gone").rmdir()
    assert list(found) == []


def test_a_note_that_vanishes_before_it_is_looked_at_is_passed_over(workspace: Workspace) -> None:
    for number in range(100):
        write_scan(workspace.root, f"{number}.md")
    found = scan(workspace, lambda _: None)
    first = next(found)
    for file in workspace.root.iterdir():
        file.unlink()
    assert [entry.path for entry in found] == []
    assert first.size == 4


def test_a_folder_that_will_not_be_listed_is_reported(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scan(workspace.root, "inner/a.md")
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
