"""Where everything lives, and files written whole, and privately."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bot.errors import BotError, ConfigError, Refused, UsageError
from bot.texts.catalogue import tr

PRIVATE = 0o700
PRIVATE_FILE = 0o600
OTHERS = 0o077
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OTHERS_READ = stat.S_IRGRP | stat.S_IROTH

_UNSAFE = re.compile(r"[^\w.-]+")
_NAME_BYTES = 120


@dataclass(frozen=True, slots=True)
class Home:
    """The folders and files of one installation. Nothing exists until `prepare` makes it.

    Attributes:
        workspaces: one folder of Markdown per agent, unless an agent's options name another place.
        state: databases and derived indexes.
        cache: what can be fetched or computed again.
        chosen_by: in words for a person, what decided on these places.
    """

    config: Path
    workspaces: Path
    state: Path
    cache: Path
    logs: Path
    chosen_by: str

    @classmethod
    def find(cls, environment: Mapping[str, str] = os.environ) -> Home:
        """The home that the environment asks for.

        Raises:
            ConfigError: `SCRUBJAY_HOME` is set, but empty: rather nothing than a home that nobody meant.
        """
        wanted = environment.get("SCRUBJAY_HOME")
        if wanted is None:
            return cls.of_system()
        if not wanted.strip():
            raise ConfigError(
                tr("SCRUBJAY_HOME is set, but empty."),
                hint=tr("Name a folder (export SCRUBJAY_HOME=~/scrubjay), or run: unset SCRUBJAY_HOME"),
            )
        return cls.at(Path(wanted))

    @classmethod
    def at(cls, folder: Path, *, chosen_by: str = "SCRUBJAY_HOME") -> Home:
        """Everything beneath one folder: for containers, for tests, and for moving house with one copy."""
        root = expanded(folder).resolve()
        state = root / "state"
        return cls(
            config=root / "config.yaml",
            workspaces=root / "workspaces",
            state=state,
            cache=root / "cache",
            logs=state / "logs",
            chosen_by=chosen_by,
        )

    @classmethod
    def of_system(cls) -> Home:
        """The folders that this system gives a program for the current user."""
        from platformdirs import PlatformDirs

        system = PlatformDirs("scrubjay", appauthor=False)
        return cls(
            config=system.user_config_path / "config.yaml",
            workspaces=system.user_data_path / "workspaces",
            state=system.user_state_path,
            cache=system.user_cache_path,
            logs=system.user_log_path,
            chosen_by=tr("the system's folders"),
        )

    @property
    def database(self) -> Path:
        """The durable core: messages on their way, sessions, schedule."""
        return self.state / "scrubjay.sqlite"

    @property
    def config_previous(self) -> Path:
        """The configuration before the last change by a command."""
        return self.config.with_name(f"{self.config.name}.previous")

    @property
    def config_good(self) -> Path:
        """The last configuration that could be used."""
        return self.state / "config.good.yaml"

    @property
    def control(self) -> Path:
        """How commands of this machine reach the running service."""
        return self.state / "control.json"

    @property
    def chats(self) -> Path:
        """How further chats reach the one that holds the home while no service runs."""
        return self.state / "chats.json"

    @property
    def restored(self) -> Path:
        """Says, for the moment in which a backup is restored, which parts are complete and not in their places."""
        return self.config.parent / "restore.json"

    @property
    def dashboard_key(self) -> Path:
        """Signs the cookies of browsers that were let in; without it, all have to log in again."""
        return self.state / "dashboard.key"

    @property
    def mcp_tokens(self) -> Path:
        """Which tokens the MCP server accepts over HTTP: their hashes."""
        return self.state / "mcp-tokens.json"

    @property
    def lock(self) -> Path:
        """Held by the one process that serves this home."""
        return self.state / "instance.lock"

    @property
    def log_file(self) -> Path:
        """Where `run`, `chat` and every command that fails unexpectedly write; `scrubjay logs` shows it."""
        return self.logs / "scrubjay.log"

    @property
    def history(self) -> Path:
        """What was typed at the prompt of `scrubjay chat`."""
        return self.state / "history"

    @property
    def files(self) -> Path:
        """What people have sent, by agent and turn."""
        return self.state / "files"

    @property
    def unreadable(self) -> Path:
        """Events that could not be read."""
        return self.state / "unreadable"

    def index(self, agent: str) -> Path:
        """The derived index of one agent's memory; may be deleted at any time."""
        return self.state / "memory" / f"{agent}.sqlite"

    def sessions(self, agent: str) -> Path:
        """The transcripts of one agent's conversations."""
        return self.state / "sessions" / agent

    def told(self, agent: str) -> Path:
        """What was told in the owner's private sessions with one agent, and its index; may be deleted at any time."""
        return self.sessions(agent) / "told"

    def workspace(self, agent: str, chosen: Path | None = None) -> Path:
        """The folder of one agent: the one that its options name (relative to the configuration file), or its own."""
        return self.workspaces / agent if chosen is None else self.folder(chosen)

    def folder(self, chosen: Path) -> Path:
        """A folder that an option names: relative to the configuration file, `~` is the user's home."""
        return (self.config.parent / chosen.expanduser()).resolve()

    @property
    def folders(self) -> tuple[Path, ...]:
        """What `prepare` makes."""
        return self.config.parent, self.workspaces, self.state, self.state / "memory", self.cache, self.logs

    def prepare(self) -> None:
        """Make the folders, for the owner's eyes only.

        Raises:
            BotError: a folder cannot be made.
            Refused: others on this machine may write where state is kept.
        """
        for folder in self.folders:
            make_private(folder)
        refuse_shared(self.state)


@contextmanager
def private_by_default() -> Iterator[None]:
    """Until the block ends, all that this process makes is its owner's alone, libraries' files too.

    What exists keeps its permissions, so that a folder can be shared on purpose.
    """
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents with mode 0700; what exists stays as it is."""
    missing = [folder, *folder.parents]
    try:
        for step in reversed(missing):
            if not step.exists():
                step.mkdir(mode=PRIVATE, exist_ok=True)
        if not folder.is_dir():
            raise NotADirectoryError(tr("{folder} is a file", folder=folder))
    except OSError as error:
        raise BotError(
            tr("The folder {folder} cannot be made: {reason}.", folder=folder, reason=reason(error)),
            hint=tr("Check who owns the folder above it, or name another one; SCRUBJAY_HOME names that of everything."),
        ) from error


def refuse_shared(folder: Path) -> None:
    """Raise `Refused` when users other than the owner may write in a folder of state."""
    mode = writable_by_others(folder)
    if mode is not None:
        raise Refused(
            tr(
                "Others on this machine can write to {folder} (mode {mode:04o}), so they could change what is "
                "remembered.",
                folder=folder,
                mode=mode,
            ),
            hint=tr(
                'Run: chmod 700 "{folder}"   If this disk cannot keep permissions, choose another home with '
                "SCRUBJAY_HOME.",
                folder=folder,
            ),
        )


def writable_by_others(path: Path) -> int | None:
    """The permission bits of a path that its group or everybody may write to, else None."""
    return _granted(path, OTHERS_WRITE)


def readable_by_others(path: Path) -> int | None:
    """The permission bits of a path that its group or everybody may read, else None."""
    return _granted(path, OTHERS_READ)


def _granted(path: Path, bits: int) -> int | None:
    if os.name == "nt":  # no such bits there; the user's profile folder is private
        return None
    mode = stat.S_IMODE(path.stat().st_mode)
    return mode if mode & bits else None


def expanded(path: Path) -> Path:
    """A path with the user's home in the place of `~`; raises `UsageError` if it is the home of nobody."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        message = tr("There is no home folder {folder}.", folder=path.parts[0])
        raise UsageError(message, hint=tr("Give another path than {path}.", path=path)) from error


def reason(error: OSError) -> str:
    """What the system said, without its error number: for the middle of a sentence."""
    said = error.strerror or str(error)
    return said[:1].lower() + said[1:]


def read_value(file: Path, *, encoding: str = "utf-8-sig") -> str:
    """The one value that a file holds, such as a token, without white space around it; raises `UsageError`."""
    try:
        return file.read_text(encoding).strip()
    except (OSError, UnicodeDecodeError) as error:
        why, hint = str(error), tr("Name a file that holds the value and nothing else.")
        if isinstance(error, OSError):
            why, hint = reason(error), tr("Check its name, and who may read it.")
        raise UsageError(tr("{file} cannot be read: {reason}.", file=file, reason=why), hint=hint) from error


def create(path: Path, content: str) -> bool:
    """Write a new file, its owner's alone, and wait until it is on disk; False if one of that name exists.

    That is left as it is. Raises `BotError` if the system refuses; no half file stays behind.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    except FileExistsError:
        return False
    except OSError as error:
        raise not_written(path, error) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
    except OSError as error:
        path.unlink()
        raise not_written(path, error) from error
    return True


def put(path: Path, content: str | bytes, *, lasting: bool = False) -> None:
    """Give a file new content at once: a reader sees the old one or the new one; `lasting`, it is on the disk before.

    A new file is its owner's alone; one that exists keeps its permissions. Where `OSError` is raised, the old content
    stays.
    """
    temporary = path.with_name(f"{path.name}.tmp")
    with open_private(temporary, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    if lasting:
        flush(temporary)
    with suppress(FileNotFoundError):
        temporary.chmod(stat.S_IMODE(path.stat().st_mode))
    temporary.replace(path)


def open_private(path: Path, mode: str) -> IO[Any]:
    """Open a file; one that it makes is its owner's alone, and so is its folder if that is missing."""
    try:
        return open(path, mode, opener=private_opener)
    except FileNotFoundError:
        path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        return open(path, mode, opener=private_opener)


def private_opener(name: str, flags: int) -> int:
    """Open a file for `open`; one that it makes is its owner's alone."""
    return os.open(name, flags, PRIVATE_FILE)


def flush(path: Path) -> None:
    """Have a file, or the names in a folder, reach the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def safe_name(name: str) -> str:
    """Return the last part of a path with nothing but letters, digits and `_.-`; it begins with none of the latter."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = _UNSAFE.sub("_", last).strip("._-").rpartition(".")
    if not stem or len(suffix) > 10:
        stem, dot, suffix = f"{stem}{dot}{suffix}", "", ""
    stem = stem.encode()[:_NAME_BYTES].decode("utf-8", "ignore")
    return f"{stem}{dot}{suffix}" or "file"


def not_written(path: Path, error: OSError) -> BotError:
    """Return the error for a file that the system does not let be written."""
    message = tr("{path} cannot be written: {reason}.", path=path, reason=reason(error))
    return BotError(message, hint=tr("Run: scrubjay doctor"))
