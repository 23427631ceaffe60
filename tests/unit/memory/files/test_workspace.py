from __future__ import annotations

import errno
import os
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Busy, Error, NotFound, PathRefused, TooLarge, Unreadable, WriteFailed
from memory.files.paths import MAX_NAME_BYTES, admit, daily_log, objection, printable
from memory.files.workspace import (
    NAMES,
    READING_LIMIT,
    Workspace,
    digest,
    folder,
    local_day,
    misplaced,
    not_read,
    not_written,
    open_file,
    open_folder,
    read_all,
    state,
    too_large,
    write_all,
)
from memory.types import OWNER, chat_scope


def test_a_file_is_read_as_it_is(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_bytes(b"one\r\ntwo\x00")
    assert workspace.read("a.md") == b"one\r\ntwo\x00"
    assert workspace.read_lenient("a.md") == ("one\r\ntwo\x00", None)


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
        assert workspace.read("a.md") == b"text"


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
    text, problem = workspace.read_lenient("a.md")
    assert text == "one\ntwo\nthÿree\nfour Ã"
    assert problem is not None
    assert (problem.path, problem.line) == ("a.md", 3)
    assert "UTF-8" in problem.hint


def test_bytes_that_are_no_utf8_are_read_as_windows_does(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_bytes("Käse für 7,50 €".encode("cp1252") + "; Öl \x81".encode() + b"; \x81")
    assert workspace.read_lenient("a.md")[0] == "Käse für 7,50 €; Öl \x81; \ufffd"


def test_a_byte_order_mark_is_not_part_of_the_text(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_bytes(b"\xef\xbb\xbfone")
    assert workspace.read_lenient("a.md") == ("one", None)
    (workspace.root / "b.md").write_bytes(b"\xef\xbb\xbfone\xff")
    assert workspace.read_lenient("b.md")[0] == "oneÿ"


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


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission"),
        (errno.EPERM, "permission"),
        (errno.EFBIG, "limit"),
        (errno.EMFILE, "ulimit"),
        (errno.EIO, "device"),
        (errno.EBUSY, "Check"),
    ],
)
def test_each_refusal_says_what_to_do(number: int, hint: str) -> None:
    error = OSError(number, os.strerror(number))
    for told, kind in ((not_written(error, "memory/a.md"), WriteFailed), (not_read(error, "memory/a.md"), Unreadable)):
        assert isinstance(told, kind)
        assert "memory/a.md" in told.message
        assert os.strerror(number) in told.message
        assert hint in told.hint


@pytest.mark.parametrize("number", [errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EISDIR, errno.ENAMETOOLONG])
def test_what_is_no_place_for_a_file_is_refused_as_a_path(number: int) -> None:
    for told in (not_read(OSError(number, "x"), "a"), not_written(OSError(number, "x"), "a"), misplaced("a", "x")):
        assert isinstance(told, PathRefused)
        assert told.hint


def test_what_is_not_there_is_not_found() -> None:
    assert isinstance(not_read(FileNotFoundError(errno.ENOENT, "x"), "a"), NotFound)
    assert isinstance(not_written(OSError("without a number"), "a"), WriteFailed)


def test_a_limit_is_told_in_mebibytes() -> None:
    told: Error = too_large("a.md", 20 << 20)
    assert "20 MiB" in told.message


def test_one_holder_keeps_the_others_out_until_it_lets_go(workspace: Workspace) -> None:
    told: list[str] = []

    def wait() -> None:
        try:
            with workspace.lock(timeout_s=0.02):
                told.append("held")
        except Busy as busy:
            told.append(busy.hint)

    for holder in (True, False):
        thread = threading.Thread(target=wait)
        if holder:
            with workspace.lock():
                thread.start()
                thread.join()
        else:
            thread.start()
            thread.join()
    assert told[1:] == ["held"]
    assert "Wait" in told[0]


def test_the_lock_is_let_go_when_the_holder_fails(workspace: Workspace) -> None:
    with pytest.raises(KeyError), workspace.lock():
        raise KeyError
    with workspace.lock(timeout_s=0.02):
        pass


def test_the_lock_belongs_to_the_owner_of_the_workspace(workspace: Workspace) -> None:
    with workspace.lock():
        pass
    file = workspace.root.joinpath(*NAMES)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_lock_that_cannot_be_made_says_so(workspace: Workspace) -> None:
    workspace.root.joinpath(*NAMES).mkdir(parents=True)
    with pytest.raises((WriteFailed, PathRefused)) as refused, workspace.lock():
        pass
    assert refused.value.hint


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_on_a_disk_that_is_read_only_nobody_need_be_kept_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "mkdir", refuse)
    with nullcontext() if number == errno.EROFS else pytest.raises(WriteFailed), workspace.lock():
        pass


def test_a_folder_for_the_lock_that_is_a_link_is_refused(workspace: Workspace) -> None:
    (workspace.root / ".memory").symlink_to("/tmp")
    with pytest.raises(PathRefused), workspace.lock():
        pass


def test_text_and_its_bytes_have_one_digest_of_forty_digits() -> None:
    assert digest("héllo") == digest("héllo".encode())
    assert len(digest(b"")) == 40
    assert digest("\udcff") != digest("?")


def test_a_missing_file_is_told_from_an_empty_one() -> None:
    assert state(None) == ""
    assert state(b"") == digest(b"")


WORDS = (
    "MEMORY notes Peter The-Castle 2026-11-21 2026-11-21-trip-to-rome Übersicht Café Ελλάδα Москва ירושלים مراكش "
    "दिल्ली 東京 北京の春 서울 Çeşme naïve Łódź São_Paulo O'Brien R&D a+b x=y @home Q1(draft) wait! a,b v1.2 $5 {x} "
    "don’t 10–12 「引用」 《书》 约翰·史密斯 plan~b 📅 a;b com lpt console nul-is-a-word conman auxiliary"
).split()
GOOD = [
    *(f"{word}.md" for word in WORDS),
    *(f"memory/{word}.md" for word in WORDS),
    *(f"bank/entities/{word} {number}.md" for word, number in product(WORDS, range(3))),
    "a",
    "a/b/c/d/e/f/g/h",
    "x" * MAX_NAME_BYTES,
    "-dash.md",
    "_under.md",
]


def hostile() -> Iterator[str]:
    """Paths made by rule from good ones: each has one thing that no path may have."""
    whole = ["memory/2026-11-21.md", "MEMORY.md", "bank/entities/Peter.md", "a/b/c.md"]
    unsafe_names = ["..", ".", "...", ".git", ".memory", ".obsidian", "~", "~root", "", " ", "a ", " a", "a.", "a. ."]
    devices = [name + end for name in ("con", "prn", "aux", "nul", "conin$", "conout$") for end in ("", ".md", " .x")]
    devices += [f"{port}{n}{end}" for port in ("com", "lpt") for n in range(10) for end in ("", ".md", ".tar.gz")]
    aliases = [f"{stem}~{n}{end}" for stem in ("GIT", "MEMORY", "a") for n in range(10) for end in ("", ".MD")]
    marks = ["\u0301x", "\u20dd", "\u0489a"]
    for name in (*unsafe_names, *devices, *(d.upper() for d in devices), *aliases, *marks, "x" * (MAX_NAME_BYTES + 1)):
        yield from (name, f"memory/{name}", f"memory/{name}/x.md", f"a/b/{name}")
        if name:
            yield f"{name}/x.md"
    prefixes = [
        "/",
        "//",
        "./",
        "../",
        "..\\",
        "\\",
        "C:",
        "C:\\",
        "\\\\server\\",
        "file://",
        "%2e%2e/",
        "~/",
        "memory//",
    ]
    yield from (prefix + path for prefix, path in product(prefixes, whole))
    yield from (
        path + end for path, end in product(whole, ["/", "/.", "/..", ".", " ", "\n", "\x00", ":stream", "?", "*"])
    )
    controls = [chr(n) for n in (*range(32), *range(127, 160))]
    invisible = [chr(n) for n in (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070))]
    invisible += list(
        "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180e\u2800\u3164\ufeff\uffa0\ufff9\ufffc\ufffd"
    )
    invisible += [chr(n) for n in (*range(0xFE00, 0xFE10), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE0140))]
    wide = [chr(n) for n in range(0xFF01, 0xFF5F)]
    alike = list("ﬁﬀ①½²ªº…‥․⁄∕⧸／＼：＊？＂＜＞｜℡№ℓ™㎏㍱Ⅳⅳ𝐌𝙈𝓂ℳⓂ\u212a\u212b\u2126\u00a0\u2007\u2009\u3000\u2000")
    quoted = list('<>:"|?*\\#%^[]`')
    private = ["\ue000", "\U000f0000", "\ud800", "\udcff", "\ufdd0", "\U0001ffff", "\u0378"]
    for character in (*controls, *invisible, *wide, *alike, *quoted, *private):
        for path in whole:
            yield from (path[:at] + character + path[at:] for at in range(len(path) + 1))
    decomposed = ["Cafe\u0301", "U\u0308bersicht", "\u1112\u1161\u11ab", "A\u030a", "\u0958"]
    yield from (f"{folder}{name}.md" for folder, name in product(["", "memory/", "a/b/"], decomposed))
    yield from ("/".join(["a"] * depth) for depth in range(9, 60))


def test_good_names_are_admitted_as_their_parts() -> None:
    assert len(set(GOOD)) >= 200
    for path in GOOD:
        assert "/".join(admit(path)) == path


def test_hostile_forms_are_refused() -> None:
    paths = set(hostile())
    assert len(paths) >= 20_000
    assert [path for path in paths if _is_admitted(path)] == []


def _is_admitted(path: str) -> bool:
    try:
        admit(path)
    except PathRefused:
        return False
    return True


@given(st.text(max_size=30) | st.text("./\\~ aA\u0301\u200b", max_size=12))
def test_what_is_admitted_leads_nowhere_but_down(path: str) -> None:
    try:
        names = admit(path)
    except PathRefused:
        return
    assert "/".join(names) == path
    assert all(name not in {"", ".", ".."} and "/" not in name and not name.startswith(".") for name in names)
    assert path.isprintable()


def test_a_refusal_says_what_where_and_what_to_do() -> None:
    with pytest.raises(PathRefused) as refused:
        admit("../secrets.md")
    assert "`../secrets.md`" in refused.value.message
    assert "begins with a dot" in refused.value.message
    assert refused.value.hint


def test_a_name_is_shown_with_what_cannot_be_seen_spelled_out() -> None:
    assert printable("a\u202eb\u200b\ufe0f\n\ud800") == r"a\u202eb\u200b\ufe0f\u000a\ud800"
    assert printable("x" * 100) == "x" * 80 + "…"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("\u017fecret.md", "normal form"),
        ("\u212a.md", "normal form"),
        ("a" * 201, "too long"),
        ("com.md", ""),
        ("CONSOLE.md", ""),
        ("nul-x.md", ""),
    ],
)
def test_the_short_way_for_plain_names_agrees_with_the_rules(name: str, why: str) -> None:
    found = objection(name)
    assert (found is None) == (not why)
    assert found is None or why in found[0]


def test_the_owner_and_guests_have_logs_of_their_own() -> None:
    assert daily_log("2026-11-21", OWNER) == "memory/2026-11-21.md"
    assert daily_log("2026-11-21", chat_scope("telegram.1:-100")) == "memory/guests/2026-11-21.md"


@pytest.mark.parametrize(
    ("instant", "zone", "day"),
    [
        ("2026-11-21T22:59:59+00:00", "Europe/Berlin", "2026-11-21"),
        ("2026-11-21T23:00:00+00:00", "Europe/Berlin", "2026-11-22"),
        ("2026-03-29T22:30:00+00:00", "Europe/Berlin", "2026-03-30"),  # summer time has begun this morning
        ("2026-10-25T22:30:00+00:00", "Europe/Berlin", "2026-10-25"),  # and has ended
        ("2026-11-21T10:00:00+00:00", "Pacific/Kiritimati", "2026-11-22"),
        ("2026-11-21T10:00:00+00:00", "Pacific/Pago_Pago", "2026-11-20"),
        ("2011-12-30T11:00:00+00:00", "Pacific/Apia", "2011-12-31"),  # there was no 30th
    ],
)
def test_the_day_is_the_owners(instant: str, zone: str, day: str) -> None:
    assert local_day(datetime.fromisoformat(instant), ZoneInfo(zone)) == day


@given(st.integers(0, 2**31), st.sampled_from(["Europe/Berlin", "Asia/Kolkata"]))
def test_a_day_has_one_name_from_midnight_to_midnight(second: int, zone: str) -> None:
    local = datetime.fromtimestamp(second, UTC).astimezone(ZoneInfo(zone))
    assert local_day(local, ZoneInfo(zone)) == f"{local:%Y-%m-%d}"
    assert local_day(local, ZoneInfo(zone)) <= local_day(local + timedelta(days=1), ZoneInfo(zone))
