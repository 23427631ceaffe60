"""The archive of a backup: written whole, and read only if it is what its manifest says."""

import gzip
import io
import json
import os
import sys
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyrage
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.backup.archive import FORMAT, MANIFEST, BackupDamaged, Entry, Key, Manifest, open_archive, write_archive
from bot.errors import BotError, Refused

ABOUT = Manifest(FORMAT, "0.1.0", "2026-11-21T10:00:00+00:00", "attic", {"personal": "/home/robin/notes"})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return filled(tmp_path)


def filled(beside: Path) -> Path:
    """Make a folder with something to pack."""
    folder = beside / "source"
    (folder / "workspaces" / "personal" / "memory").mkdir(parents=True)
    (folder / "workspaces" / "personal" / "memory" / "2026-11-21.md").write_text("- The pump hangs in the shed.\n")
    (folder / "config.yaml").write_text("agents: {}\n")
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def pack(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    """Write a tar by hand."""
    with tarfile.open(path, "w:gz") as tar:
        for member, content in members:
            tar.addfile(member, io.BytesIO(content))
    return path


def member(name: str, content: bytes = b"", **more: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in more.items():
        setattr(info, field, value)
    return info, content


def manifest_of(files: Mapping[str, Entry], **more: Any) -> tuple[tarfile.TarInfo, bytes]:
    return member(
        MANIFEST, json.dumps(asdict(ABOUT) | {"files": {n: asdict(e) for n, e in files.items()}} | more).encode()
    )


def entry(content: bytes) -> Entry:
    return Entry(len(content), sha256(content).hexdigest())


IDENTITY = pyrage.x25519.Identity.generate()


PASSPHRASE = Key(passphrase="attic stairs")
ENCRYPTED = {
    "passphrase": (PASSPHRASE, PASSPHRASE),
    "key pair": (Key(recipient=str(IDENTITY.to_public())), Key(identity=str(IDENTITY))),
}
KEYS = {"plain": (Key(), Key()), **ENCRYPTED}
"""What an archive is written with, and read."""


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive, what went into it, and the key that opens it."""

    path: Path
    source: Path
    manifest: Manifest
    key: Key


@pytest.fixture(scope="module")
def packed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """One archive for each key: deriving one from a passphrase takes a second, so that guessing is slow."""
    written, read = KEYS[request.param]
    folder = tmp_path_factory.mktemp("packed")
    source = filled(folder)
    made = write_archive(folder / "one.tar.gz", source, ABOUT, key=written)
    return Packed(folder / "one.tar.gz", source, made, read)


@pytest.mark.parametrize("packed", KEYS, indirect=True)
def test_what_was_packed_comes_out(tmp_path: Path, packed: Packed) -> None:
    with open_archive(packed.path, key=packed.key) as archive:
        assert archive.manifest == packed.manifest
        archive.extract(tmp_path / "out")
    assert tree(tmp_path / "out") == tree(packed.source)
    assert sorted(path.name for path in packed.path.parent.glob("*one*")) == ["one.tar.gz"]
    assert (packed.path.stat().st_mode & 0o077) == 0


@pytest.mark.skipif(sys.platform == "darwin", reason="its file system takes no such name")
def test_a_file_whose_name_is_no_utf8_comes_out_with_it(tmp_path: Path, source: Path) -> None:
    (source / "workspaces" / "personal" / os.fsdecode(b"caf\xe9.md")).write_text("- The café is closed.\n")
    write_archive(tmp_path / "one.tar.gz", source, ABOUT, key=Key())

    with open_archive(tmp_path / "one.tar.gz", key=Key()) as archive:
        archive.extract(tmp_path / "out")
    assert tree(tmp_path / "out") == tree(source)


@pytest.mark.parametrize("packed", ENCRYPTED, indirect=True)
def test_a_part_of_an_encrypted_one_is_told_as_that_and_not_as_a_wrong_key(tmp_path: Path, packed: Packed) -> None:
    path = tmp_path / "one.tar.gz.age"
    whole = packed.path.read_bytes()

    for size in (50, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(BackupDamaged, match="ends too early"), open_archive(path, key=packed.key):
            pass


@pytest.mark.parametrize(("content", "said"), [(b"", "ends too early"), (b"# Notes\n", "no backup of Scrubjay's")])
def test_of_another_file_it_is_not_said_that_it_ends_too_early(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(content)

    with pytest.raises(BackupDamaged, match=said), open_archive(path, key=Key()):
        pass


@pytest.mark.parametrize("packed", ENCRYPTED, indirect=True)
def test_without_its_key_it_stays_closed(packed: Packed) -> None:
    wrong = (Key(identity=str(pyrage.x25519.Identity.generate())), Key(passphrase="cellar stairs"))

    for key, said in ((Key(), "encrypted"), *((one, "not the one") for one in wrong)):
        with pytest.raises(Refused, match=said), open_archive(packed.path, key=key):
            pass
    assert b"pump" not in packed.path.read_bytes()


def test_a_key_that_is_none_is_refused_and_nothing_is_left(tmp_path: Path, source: Path) -> None:
    with pytest.raises(BotError, match="cannot be used"):
        write_archive(tmp_path / "two.tar.gz.age", source, ABOUT, key=Key(recipient="age1nonsense"))
    assert not (tmp_path / "two.tar.gz.age").exists()


@given(place=st.floats(0, 1), flipped=st.integers(0, 255))
def test_a_part_of_it_or_a_changed_one_is_never_taken(
    place: float, flipped: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("packed")
    (folder / "source").mkdir()
    (folder / "source" / "config.yaml").write_text("agents: {}\n" * 50)
    path = folder / "one.tar.gz"
    write_archive(path, folder / "source", ABOUT, key=Key())
    whole = path.read_bytes()
    at = 10 + int(place * (len(whole) - 19))  # without gzip's head, and its own sum behind all that is read
    path.write_bytes(whole[:at] + bytes([whole[at] ^ flipped]) + whole[at + 1 :] if flipped else whole[:at])

    try:
        with open_archive(path, key=Key()) as archive:
            archive.extract(folder / "out")
    except BotError:
        return
    assert tree(folder / "out") == tree(folder / "source")


NOTE = b"- a note\n"
GOOD = {"workspaces/personal/a.md": entry(NOTE)}

HOSTILE: dict[str, Callable[[], list[tuple[tarfile.TarInfo, bytes]]]] = {
    "no manifest": lambda: [member("workspaces/personal/a.md", NOTE)],
    "a manifest that is none": lambda: [member(MANIFEST, b"[1, 2]")],
    "deep nonsense": lambda: [member(MANIFEST, b"[" * 100_000)],
    "out of the folder": lambda: [manifest_of({"workspaces/../../x": entry(NOTE)}), member("workspaces/../../x", NOTE)],
    "an absolute path": lambda: [manifest_of({"/etc/x": entry(NOTE)}), member("/etc/x", NOTE)],
    "a link": lambda: [manifest_of(GOOD), member("workspaces/personal/a.md", type=tarfile.SYMTYPE, linkname="/x")],
    "a device": lambda: [manifest_of(GOOD), member("workspaces/personal/a.md", type=tarfile.CHRTYPE)],
    "another content": lambda: [manifest_of(GOOD), member("workspaces/personal/a.md", b"- a n0te\n")],
    "more than it says": lambda: [manifest_of(GOOD), member("workspaces/personal/a.md", NOTE * 9)],
    "a file too many": lambda: [manifest_of(GOOD), member("workspaces/personal/a.md", NOTE), member("state/b", NOTE)],
    "a file twice": lambda: [manifest_of(GOOD), *[member("workspaces/personal/a.md", NOTE)] * 2],
    "a file too few": lambda: [manifest_of(GOOD)],
    "a file elsewhere": lambda: [manifest_of({"cache/x": entry(NOTE)}), member("cache/x", NOTE)],
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_as_its_manifest_says_is_refused(tmp_path: Path, name: str) -> None:
    path = pack(tmp_path / "bad.tar.gz", HOSTILE[name]())

    with pytest.raises(BackupDamaged), open_archive(path, key=Key()) as archive:
        archive.extract(tmp_path / "out")
    assert not (tmp_path / "x").exists()


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.tar.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        info, content = manifest_of(GOOD)
        tar.addfile(info, io.BytesIO(content))
        info = tarfile.TarInfo("workspaces/personal/a.md")
        info.size = 200_000_000
        tar.addfile(info, io.BytesIO(bytes(200_000_000)))

    with pytest.raises(BackupDamaged), open_archive(bomb, key=Key()) as archive:
        archive.extract(tmp_path / "out")
    assert not tree(tmp_path / "out") if (tmp_path / "out").exists() else True


def test_one_of_a_newer_version_is_refused_with_that_version(tmp_path: Path) -> None:
    path = pack(tmp_path / "new.tar.gz", [manifest_of({}, format=FORMAT + 1, version="9.0")])

    with pytest.raises(Refused, match=r"newer version \(9\.0\)"), open_archive(path, key=Key()):
        pass
