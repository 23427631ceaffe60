"""The archive of a backup: a manifest, then every file that it names, in a compressed tar, perhaps encrypted (age).

manifest.json                         what is in it, with sizes and hashes
config.yaml                           without secrets, unless they were asked for
secrets/<name>                        files that the configuration takes secrets from, if they were asked for
workspaces/<agent>/...                the truth, with its journal
state/scrubjay.sqlite                 the durable core
state/sessions/..., state/files/...   transcripts, and what people have sent
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pydantic import TypeAdapter

from bot.errors import BotError, Missing, Refused, StateError, from_extra
from bot.paths import PRIVATE, PRIVATE_FILE, flush, private_opener, reason
from bot.texts.catalogue import tr

FORMAT = 1
"""Raised when an older version could not restore what a newer one writes."""
MANIFEST = "manifest.json"
SUFFIX = ".tar.gz"
ENCRYPTED = ".age"
MAX_MANIFEST_BYTES = 256 * 1024 * 1024
MAX_FILES = 2_000_000
_CHUNK = 1 << 20
_GZIP, _AGE = b"\x1f\x8b", b"age-encryption.org/"  # what the two kinds begin with
_WRONG_KEY = ("No matching keys found", "Decryption failed")  # what age says of a key and of a passphrase


class BackupDamaged(StateError):
    """An archive that is not whole, or not ours."""


@dataclass(frozen=True, slots=True)
class Key:
    """What an archive is encrypted with, or decrypted.

    Attributes:
        recipient: the public key of a pair (`age1...`), to encrypt.
        identity: its private key (`AGE-SECRET-KEY-1...`), to decrypt.
        passphrase: the same for both.
    """

    recipient: str = ""
    identity: str = ""
    passphrase: str = ""

    def __bool__(self) -> bool:
        return bool(self.recipient or self.identity or self.passphrase)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive: its bytes, and their SHA-256 in hexadecimal."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in an archive.

    Attributes:
        version: of the program that made it.
        made: ISO instant.
        agents: by name, the folder that their workspace was in.
        secrets: options whose secrets were left out.
        left_out: folders that belong to a memory and are not in it.
        files: by their paths in the archive.
    """

    format: int
    version: str
    made: str
    host: str
    agents: Mapping[str, str]
    secrets: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    files: Mapping[str, Entry] = field(default_factory=dict)


def write_archive(target: Path, source: Path, manifest: Manifest, *, key: Key) -> Manifest:
    """Pack all files of a folder; the archive stands there whole, or not at all.

    Returns:
        The manifest as it is in the archive: with its files.

    Raises:
        OSError: the disk refuses.
        BotError: the key cannot be used.
    """
    files = dict[str, Entry]()
    for name in sorted(path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()):
        with (source / name).open("rb") as content:
            files[name] = Entry((source / name).stat().st_size, file_digest(content, "sha256").hexdigest())
    complete = replace(manifest, files=files)
    fresh = target.with_name(f".{target.name}.part")
    try:
        with (
            open(fresh, "wb", opener=private_opener) as raw,
            gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w|") as tar,
        ):
            listed = json.dumps(asdict(complete)).encode()  # as ASCII: a name need not be UTF-8
            first = _plain(tarfile.TarInfo(MANIFEST))
            first.size = len(listed)
            tar.addfile(first, io.BytesIO(listed))
            for name in files:
                tar.add(source / name, name, filter=_plain)
        if key:
            fresh.write_bytes(_encrypted(fresh.read_bytes(), key))
        flush(fresh)
        fresh.replace(target)
        flush(target.parent)
    finally:
        fresh.unlink(missing_ok=True)
    return complete


@contextmanager
def open_archive(path: Path, *, key: Key) -> Iterator[Archive]:
    """Open an archive and read its manifest.

    Raises:
        BackupDamaged: it is none, or only a part of one.
        Refused: it was made by a newer version, or the key is not the right one.
        Missing: there is no such file.
        BotError: it cannot be read.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        kind = Missing if isinstance(error, FileNotFoundError) else BotError
        message = tr("{path} cannot be read: {reason}.", path=path, reason=reason(error))
        raise kind(message, hint=tr("Check its name, and who may read it.")) from error
    try:
        with file:
            if (begin := file.peek(1)) and not begin.startswith((_GZIP, _AGE)):
                raise _damaged(path, tr("it is no backup of Scrubjay's"))
            with tarfile.open(fileobj=_decrypted(file, key), mode="r|gz") as tar:
                yield Archive(path, tar)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(path, tr("it ends too early, or was changed")) from error


class Archive:
    """An open archive, which is read once from its beginning to its end."""

    def __init__(self, path: Path, tar: tarfile.TarFile) -> None:
        """Read the manifest; raises as `open_archive` does."""
        self._path = path
        self._tar = tar
        first = tar.next()
        if first is None or first.name != MANIFEST or not first.isreg() or first.size > MAX_MANIFEST_BYTES:
            raise _damaged(path, tr("it is no backup of Scrubjay's"))
        read = tar.extractfile(first)
        self.manifest = _manifest(path, read.read() if read else b"")

    def extract(self, folder: Path | None) -> None:
        """Check every file against the manifest, and write it below a folder, if there is one.

        Raises:
            BackupDamaged: a file is missing, too much, of another size or content; nothing else is written then.
            OSError: the disk refuses.
        """
        due = dict(self.manifest.files)
        for member in iter(self._tar.next, None):
            entry = due.pop(member.name, None)
            if entry is None or not member.isreg() or member.size != entry.size:
                raise _damaged(self._path, tr("{name} in it is not what its list says", name=member.name))
            source = self._tar.extractfile(member)
            assert source is not None  # a regular file
            if _copy(source, folder / member.name if folder else None) != entry.sha256:
                raise _damaged(self._path, tr("{name} in it was changed", name=member.name))
        if due:
            raise _damaged(self._path, tr("{name} is missing in it", name=next(iter(due))))


def _manifest(path: Path, content: bytes) -> Manifest:
    try:
        told: dict[str, Any] = json.loads(content)
        if int(told["format"]) > FORMAT:
            message = tr("{path} was made by a newer version ({version}).", path=path, version=str(told["version"]))
            raise Refused(message, hint=tr("Install that version or a later one, then restore it."))
        manifest = TypeAdapter(Manifest).validate_python(told)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, tr("its list of files cannot be read")) from error
    files = manifest.files
    if len(files) > MAX_FILES or any(entry.size < 0 for entry in files.values()) or not all(map(_is_inside, files)):
        raise _damaged(path, tr("its list of files is not one that Scrubjay writes"))
    return manifest


def _is_inside(name: str) -> bool:
    """Whether a path leads to where a backup has files, and nowhere else."""
    parts = PurePosixPath(name).parts
    known = name == "config.yaml" or (len(parts) > 1 and parts[0] in {"secrets", "workspaces", "state"})
    return known and "\\" not in name and "\0" not in name and not {".", "..", "/"} & {*parts, *name.split("/")}


def _copy(source: IO[bytes], target: Path | None) -> str:
    """Read a file to its end, and write it if it has a target; return its SHA-256."""
    hashed = sha256()
    if target is None:
        while chunk := source.read(_CHUNK):
            hashed.update(chunk)
        return hashed.hexdigest()
    target.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    with open(target, "xb", opener=private_opener) as file:
        while chunk := source.read(_CHUNK):
            hashed.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return hashed.hexdigest()


def _encrypted(content: bytes, key: Key) -> bytes:
    with from_extra("encryption", tr("An encrypted backup")):
        import pyrage
    try:
        if key.passphrase:
            return bytes(pyrage.passphrase.encrypt(content, key.passphrase))
        return bytes(pyrage.encrypt(content, [pyrage.x25519.Recipient.from_str(key.recipient)]))
    except pyrage.RecipientError as error:
        message = tr("The key for the backup cannot be used: {reason}.", reason=error)
        raise BotError(message, hint=tr("Give a public key of age, which begins with age1.")) from error


def _decrypted(file: IO[bytes], key: Key) -> IO[bytes]:
    """Return the archive itself, held in memory if it was encrypted; raises `EOFError` if that is not whole."""
    begin = file.read(len(_AGE))
    file.seek(0)
    if begin != _AGE:
        return file
    if not key:
        message = tr("This backup is encrypted.")
        raise Refused(message, hint=tr("Give its key with --identity-file, or --passphrase-file."))
    with from_extra("encryption", tr("An encrypted backup")):
        import pyrage
    try:
        if key.passphrase:
            return io.BytesIO(pyrage.passphrase.decrypt(file.read(), key.passphrase))
        return io.BytesIO(pyrage.decrypt(file.read(), [pyrage.x25519.Identity.from_str(key.identity)]))
    except (pyrage.DecryptError, pyrage.IdentityError) as error:
        if isinstance(error, pyrage.DecryptError) and str(error) not in _WRONG_KEY:
            raise EOFError from error
        raise Refused(tr("The key is not the one of this backup: {reason}.", reason=error)) from error


def _damaged(path: Path, why: str) -> BackupDamaged:
    message = tr("{path} cannot be used: {why}.", path=path, why=why)
    return BackupDamaged(message, hint=tr("Fetch it again, or take another one: scrubjay backup list"))


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who owned it: that means nothing on another machine."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = PRIVATE_FILE
    return member
