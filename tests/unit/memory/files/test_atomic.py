from __future__ import annotations

import ctypes
import errno
import os
import resource
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory.errors import Conflict, PathRefused, WriteFailed
from memory.files import atomic
from memory.files.atomic import TEMPORARY, append, exchange, remove, remove_leftovers, rename_new, replace
from memory.files.workspace import Workspace, digest

NAMES = ("memory", "a.md")


class Disk:
    """Syncs that let something happen first: a failure, or somebody else's save."""

    def __init__(self, *events: Callable[[], object] | None) -> None:
        self.events = list(events)
        self.synced: list[int] = []

    def fsync(self, handle: int) -> None:
        event = self.events.pop(0) if self.events else None
        if event:
            event()
        os.fsync(handle)
        self.synced.append(handle)


def failing(number: int) -> Callable[[], None]:
    def fail() -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return tmp_path / "memory" / "a.md"


def on(file: Path, *events: Callable[[], object] | None) -> Workspace:
    return Workspace(file.parent.parent, fsync=Disk(*events).fsync)


def rest(file: Path) -> list[str]:
    return sorted(other.name for other in file.parent.iterdir())


def test_lines_are_appended_to_a_file_of_its_owner(file: Path) -> None:
    append(on(file), NAMES, b"one\n")
    append(on(file), NAMES, b"two\n")
    assert file.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_last_line_without_an_end_is_ended_first(file: Path) -> None:
    file.write_text("torn")
    append(on(file), NAMES, b"one\n")
    assert file.read_bytes() == b"torn\none\n"
    file.write_text("torn")
    append(on(file), NAMES, b"\none\n")
    assert file.read_bytes() == b"torn\none\n"


def test_an_append_is_synced_and_so_is_the_folder_of_a_new_file(file: Path) -> None:
    disk = Disk()
    workspace = Workspace(file.parent.parent, fsync=disk.fsync)
    append(workspace, NAMES, b"one\n")
    assert len(disk.synced) == 2
    append(workspace, NAMES, b"two\n")
    assert len(disk.synced) == 3


def save_by_truncating(file: Path, text: str) -> Callable[[], object]:
    return lambda: file.write_text(text)


def save_by_renaming(file: Path, text: str) -> Callable[[], object]:
    def save() -> None:
        (file.parent / "save").write_text(text)
        (file.parent / "save").replace(file)

    return save


@pytest.mark.parametrize("save", [save_by_truncating, save_by_renaming])
@pytest.mark.parametrize("text", ["edited\n", "edited, without an end", ""])
def test_an_append_that_an_editor_swept_away_is_made_again(
    file: Path, save: Callable[[Path, str], Callable[[], object]], text: str
) -> None:
    file.write_text("one\n")
    append(on(file, save(file, text)), NAMES, b"two\n")
    assert file.read_text().splitlines() == [*text.splitlines(), "two"]


def test_an_append_that_an_editor_took_along_is_not_made_twice(file: Path) -> None:
    file.write_text("one\n")
    append(on(file, save_by_renaming(file, "one\ntwo\nthree\n")), NAMES, b"two\n")
    assert file.read_text() == "one\ntwo\nthree\n"


def test_an_append_that_an_editor_took_along_and_broke_up_is_known_by_its_mark(file: Path) -> None:
    file.write_text("one\n")
    edited = "one\n## Retain\ninserted\n- S: x ^a\n"
    append(on(file, save_by_renaming(file, edited)), NAMES, b"## Retain\n- S: x ^a\n", mark=b"- S: x ^a")
    assert file.read_text() == edited


def test_an_append_to_a_file_that_is_removed_meanwhile_makes_it_again(file: Path) -> None:
    file.write_text("one\n")
    append(on(file, file.unlink), NAMES, b"two\n")
    assert file.read_text() == "two\n"


def test_an_append_gives_up_on_a_file_that_is_rewritten_all_the_time(file: Path) -> None:
    file.write_text("one\n")
    with pytest.raises(WriteFailed, match="all the time") as refused:
        append(on(file, *[save_by_truncating(file, "edited\n")] * 20), NAMES, b"two\n")
    assert refused.value.hint
    assert file.read_text() == "edited\n"


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("before", [None, "", "one\n", "torn"])
def test_an_append_that_fails_leaves_nothing_behind_and_is_not_synced_again(
    file: Path, number: int, before: str | None
) -> None:
    if before is not None:
        file.write_text(before)
    disk = Disk(failing(number))
    with pytest.raises(WriteFailed) as refused:
        append(Workspace(file.parent.parent, fsync=disk.fsync), NAMES, b"two\n")
    assert refused.value.hint
    assert (file.read_text() if file.exists() else None) == before
    assert disk.synced == []


def test_what_others_wrote_after_a_failed_append_is_not_cut_off(file: Path) -> None:
    file.write_text("one\n")

    def others_write_and_the_disk_fails() -> None:
        with file.open("a") as other:
            other.write("theirs\n")
        raise OSError(errno.EIO, "broken")

    with pytest.raises(WriteFailed):
        append(on(file, others_write_and_the_disk_fails), NAMES, b"two\n")
    assert file.read_text() == "one\ntwo\ntheirs\n"


def test_an_append_that_the_system_takes_only_half_is_taken_back(file: Path) -> None:
    file.write_bytes(b"x" * 999 + b"\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1010, hard))
    try:
        with pytest.raises(WriteFailed) as refused:
            append(on(file), NAMES, b"y" * 100 + b"\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "limit" in refused.value.hint
    assert file.read_bytes() == b"x" * 999 + b"\n"


def test_a_replacement_that_does_not_fit_leaves_the_file_as_it_was(file: Path) -> None:
    file.write_text("one\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1010, hard))
    try:
        with pytest.raises(WriteFailed):
            replace(on(file), NAMES, b"y" * 2000, expected=digest("one\n"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_text() == "one\n"
    assert rest(file) == ["a.md"]


def test_a_replacement_keeps_the_permissions(file: Path) -> None:
    file.write_text("one\n")
    file.chmod(0o640)
    replace(on(file), NAMES, b"two\n", expected=digest("one\n"))
    assert file.read_text() == "two\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert rest(file) == ["a.md"]


def test_a_replacement_is_synced_before_it_takes_the_name_and_the_folder_after(file: Path) -> None:
    file.write_text("one\n")
    seen: list[str] = []
    workspace = on(file, lambda: seen.append(file.read_text()), lambda: seen.append(file.read_text()))
    replace(workspace, NAMES, b"two\n", expected=digest("one\n"))
    assert seen == ["one\n", "two\n"]


def test_a_new_file_is_put_only_where_there_is_none(file: Path) -> None:
    replace(on(file), NAMES, b"one\n", expected=None)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(Conflict):
        replace(on(file), NAMES, b"two\n", expected=None)
    assert file.read_text() == "one\n"
    assert rest(file) == ["a.md"]


@pytest.mark.parametrize("save", [save_by_truncating, save_by_renaming])
def test_a_replacement_gives_way_to_a_save(file: Path, save: Callable[[Path, str], Callable[[], object]]) -> None:
    file.write_text("one\n")
    with pytest.raises(Conflict) as refused:
        replace(on(file, save(file, "edited\n")), NAMES, b"two\n", expected=digest("one\n"))
    assert refused.value.hint
    assert file.read_text() == "edited\n"
    assert rest(file) == ["a.md"]


@pytest.mark.parametrize("expected", [digest("one\n"), None])
def test_a_save_in_the_last_moment_is_put_back(
    file: Path, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if expected:
        file.write_text("one\n")
    name = "exchange" if expected else "rename_new"
    rename = getattr(atomic, name)

    def after_a_save(parent: int, one: str, other: str) -> object:
        monkeypatch.setattr(atomic, name, rename)
        file.write_text("edited\n")
        return rename(parent, one, other)

    monkeypatch.setattr(atomic, name, after_a_save)
    with pytest.raises(Conflict):
        replace(on(file), NAMES, b"two\n", expected=expected)
    assert file.read_text() == "edited\n"
    assert rest(file) == ["a.md"]


def test_a_file_that_is_removed_in_the_last_moment_stays_removed(file: Path) -> None:
    file.write_text("one\n")
    with pytest.raises(Conflict):
        replace(on(file, file.unlink), NAMES, b"two\n", expected=digest("one\n"))
    assert rest(file) == []


def test_without_an_exchange_the_replacement_is_renamed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "exchange", lambda *_: False)
    file.write_text("one\n")
    replace(on(file), NAMES, b"two\n", expected=digest("one\n"))
    assert file.read_text() == "two\n"
    assert rest(file) == ["a.md"]


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS])
@pytest.mark.parametrize("good", [[], [None]])
@pytest.mark.parametrize("before", ["one\n", None])
def test_a_replacement_that_fails_leaves_the_file_as_it_was(
    file: Path, number: int, good: list[None], before: str | None
) -> None:
    if before:
        file.write_text(before)
    with pytest.raises(WriteFailed):
        replace(on(file, *good, failing(number)), NAMES, b"two\n", expected=before and digest(before))
    assert rest(file) == (["a.md"] if before else [])
    assert not before or file.read_text() == before


def test_a_save_after_a_replacement_that_failed_is_left_alone(file: Path) -> None:
    file.write_text("one\n")

    def saved_and_failed() -> None:
        file.write_text("edited\n")
        raise OSError(errno.EIO, "broken")

    with pytest.raises(WriteFailed):
        replace(on(file, None, saved_and_failed), NAMES, b"two\n", expected=digest("one\n"))
    assert file.read_text() == "edited\n"
    assert rest(file) == ["a.md"]


def test_a_removal_that_fails_leaves_the_file_as_it_was(file: Path) -> None:
    file.write_text("one\n")
    with pytest.raises(WriteFailed):
        remove(on(file, failing(errno.EIO)), NAMES, expected=digest("one\n"))
    assert file.read_text() == "one\n"
    assert rest(file) == ["a.md"]


def test_a_file_is_removed_if_it_is_as_expected(file: Path) -> None:
    file.write_text("one\n")
    with pytest.raises(Conflict):
        remove(on(file), NAMES, expected=digest("two\n"))
    remove(on(file), NAMES, expected=digest("one\n"))
    assert rest(file) == []
    with pytest.raises(Conflict):
        remove(on(file), NAMES, expected=digest("one\n"))


def test_a_file_that_is_saved_while_it_is_removed_is_put_back(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("one\n")

    def after_a_save(parent: int, one: str, other: str) -> None:
        monkeypatch.setattr(atomic, "rename_new", rename_new)
        file.write_text("edited\n")
        rename_new(parent, one, other)

    monkeypatch.setattr(atomic, "rename_new", after_a_save)
    with pytest.raises(Conflict):
        remove(on(file), NAMES, expected=digest("one\n"))
    assert file.read_text() == "edited\n"
    assert rest(file) == ["a.md"]


def test_leftovers_of_a_killed_process_are_removed_and_nothing_else(file: Path) -> None:
    for name in (f"{TEMPORARY}0123", "b.md", ".hidden"):
        (file.parent / name).write_text("")
    remove_leftovers(on(file), NAMES)
    assert rest(file) == [".hidden", "b.md"]


@pytest.mark.parametrize("kind", ["link", "second name", "folder", "pipe"])
def test_nothing_is_written_through_what_is_no_ordinary_file(file: Path, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "target"
    target.write_text("theirs\n")
    if kind == "link":
        file.symlink_to(target)
    elif kind == "second name":
        file.hardlink_to(target)
    elif kind == "folder":
        file.mkdir()
    else:
        os.mkfifo(file)
    with pytest.raises(PathRefused):
        append(on(file), NAMES, b"two\n")
    with pytest.raises(PathRefused):
        replace(on(file), NAMES, b"two\n", expected=digest("theirs\n"))
    assert target.read_text() == "theirs\n"


def test_a_folder_that_has_become_a_file_takes_no_writes(file: Path) -> None:
    file.parent.rmdir()
    file.parent.write_text("")
    with pytest.raises(PathRefused) as refused:
        append(on(file), NAMES, b"two\n")
    assert refused.value.hint


def test_a_workspace_whose_folder_is_gone_takes_no_writes(file: Path) -> None:
    workspace = on(file)
    file.parent.rmdir()
    file.parent.parent.rmdir()
    with pytest.raises(WriteFailed):
        append(workspace, NAMES, b"two\n")


def test_a_replacement_belongs_to_whom_the_file_belonged(file: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give files away")
    file.write_text("one\n")
    os.chown(file, 1234, 1234)
    replace(on(file), NAMES, b"two\n", expected=digest("one\n"))
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1234)


@pytest.fixture(params=["in one step", "without the system's help", "on a file system that cannot"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "without the system's help":
        monkeypatch.setattr(atomic, "_CALLS", {})
    elif request.param == "on a file system that cannot":
        monkeypatch.setattr(atomic, "_EXCHANGE", 1 << 30)  # a flag that no kernel knows: EINVAL
        monkeypatch.setattr(atomic, "_REFUSE_EXISTING", dict.fromkeys(("linux", "darwin"), 1 << 30))
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
