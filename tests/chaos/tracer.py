"""Runs a program and lets it die, or its disk fail, at the n-th system call that changes a file; or has a slow disk.

Every thread and every process that the program starts is followed, so `n` enumerates all the places between two of
which a crash can fall. A kill alone loses nothing that was handed to the system; `power_cut=True` also takes back what
was written to a file and not synced afterwards. Names of files are taken to survive a power cut as they are.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import IO

from tests.chaos import ptrace
from tests.support.forked import Forked, fork

TIMEOUT_S = 60

SYNCS = frozenset({"fsync", "fdatasync"})
CHANGES = frozenset(name for names in ptrace.NUMBERS.values() for name in names)
"""Everything that can be watched: writes, syncs, and what makes, moves, cuts and removes files."""

_PATH_ARGUMENTS = {
    "open": ((None, 0),), "creat": ((None, 0),), "openat": ((0, 1),), "openat2": ((0, 1),),
    "truncate": ((None, 0),), "mkdir": ((None, 0),), "mkdirat": ((0, 1),), "rmdir": ((None, 0),),
    "unlink": ((None, 0),), "unlinkat": ((0, 1),),
    "rename": ((None, 0), (None, 1)), "renameat": ((0, 1), (2, 3)), "renameat2": ((0, 1), (2, 3)),
    "link": ((None, 0), (None, 1)), "linkat": ((0, 1), (2, 3)), "symlink": ((None, 1),), "symlinkat": ((1, 2),),
}  # fmt: skip
"""Which arguments hold (a folder's descriptor, a path); all other calls begin with the file's descriptor."""

_HERE = -100
_SIZED = frozenset({"write", "pwrite64"})


@dataclass(frozen=True, slots=True)
class Watch:
    """Which calls count: those of these names on paths below a folder; an `open` only if it makes or empties a file."""

    below: Path | None = None
    names: frozenset[str] = CHANGES

    def admits(self, name: str, paths: Sequence[Path]) -> bool:
        if name not in self.names:
            return False
        return self.below is None or any(path.is_relative_to(self.below) for path in paths)


@dataclass(frozen=True, slots=True)
class Call:
    """A system call: its number among those that count (from 1), its name, the paths in it, how much is written."""

    number: int
    name: str
    paths: tuple[Path, ...]
    size: int = 0

    def __str__(self) -> str:
        return f"{self.number}: {self.name} {' -> '.join(path.name for path in self.paths)} {self.size or ''}".rstrip()


When = Callable[[Sequence[Call]], bool]
"""Whether to act at a call, by all that counted so far, the one that is about to be made included."""


def _selected(at: int | When) -> When:
    return at if callable(at) else lambda calls: len(calls) == at


@dataclass(frozen=True, slots=True)
class Run:
    """How a program ran.

    Attributes:
        calls: the calls that counted, in order; the one at which it was killed or failed is the last or among them.
        status: the exit code, negative for a signal.
        output, errors: what it wrote to its standard streams, up to its end.
        hit: the call at which it was killed, or that was made to fail; None if it did not come so far.
    """

    calls: tuple[Call, ...]
    status: int
    output: bytes
    errors: bytes
    hit: Call | None = None


def record(argv: Sequence[str], *, watch: Watch, stdin: bytes = b"", env: dict[str, str] | None = None) -> Run:
    """Run a program to its end and list its calls. Its environment is empty but for `env`."""
    return _Tracer(watch).run(argv, stdin, env)


def kill_at(
    argv: Sequence[str],
    at: int | When,
    *,
    watch: Watch,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    power_cut: bool = False,
) -> Run:
    """Kill a program right before a call: the n-th, or the first of which `at` is true.

    In a program with several threads the n-th call may be another one in each run.

    With `power_cut`, which needs `watch.below`, every file there is put back to what it was when it was last synced.
    """
    disk = Disk(watch.below) if power_cut and watch.below else None
    run = _Tracer(watch, kill=_selected(at), disk=disk).run(argv, stdin, env)
    if disk and run.hit:
        disk.lose()
    return run


def fail_at(
    argv: Sequence[str],
    at: int | When,
    error: int,
    *,
    watch: Watch,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
) -> Run:
    """Let a call of a program, chosen as for `kill_at`, fail with an errno, without being made; the program goes on."""
    return _Tracer(watch, fail=_selected(at), error=error).run(argv, stdin, env)


def slow_syncs(argv: Sequence[str], seconds: float, *, env: dict[str, str] | None = None) -> Run:
    """Run a program to its end on a disk each of whose syncs takes so long, one after the other, whoever asks for it.

    The tracer's own work is part of that time; no other call of the program is stopped.
    """
    return _Tracer(Watch(names=SYNCS), sync_s=seconds).run(argv, b"", env)


class Disk:
    """What of a folder's files would survive a power cut."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._synced = {path: path.read_bytes() for path in self._files()}

    def synced(self, path: Path) -> None:
        """A file's content has reached the disk."""
        if path.is_file() and path.is_relative_to(self._folder):
            self._synced[path] = path.read_bytes()

    def renamed(self, old: Path, new: Path) -> None:
        """A file, or a folder with its files, has another name; the content may still not be on the disk."""
        self._synced.pop(new, None)
        for path in [one for one in self._synced if one.is_relative_to(old)]:
            self._synced[new / path.relative_to(old)] = self._synced.pop(path)

    def lose(self) -> None:
        """Take back what was not synced."""
        for path in self._files():
            path.write_bytes(self._synced.get(path, b""))

    def _files(self) -> list[Path]:
        return [path for path in self._folder.rglob("*") if path.is_file() and not path.is_symlink()]


@dataclass(slots=True)
class _Thread:
    """A traced thread: the call that it is in, since when, and the result that it is to see instead of the true one."""

    call: Call | None = None
    since: float = 0.0
    result: int | None = None


@dataclass(slots=True)
class _Tracer:
    """One run. All of it happens in one thread of ours, as the system demands."""

    watch: Watch
    kill: When | None = None
    fail: When | None = None
    error: int = 0
    disk: Disk | None = None
    sync_s: float = 0.0
    threads: dict[int, _Thread] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    hit: Call | None = None

    def run(self, argv: Sequence[str], stdin: bytes, env: dict[str, str] | None) -> Run:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            given.write(stdin)
            given.seek(0)
            program = fork(argv, env or {}, (given, output, errors), calls=ptrace.selection(self.watch.names))
            with _limited(program.pid):
                status = self._follow(program)
            return Run(tuple(self.calls), status, _content(output), _content(errors), self.hit)

    def _follow(self, program: Forked) -> int:
        root = program.pid
        ptrace.request(ptrace.SEIZE, root, data=ptrace.OPTIONS)
        program.go()
        self.threads[root] = _Thread()
        outcome = 0
        while self.threads:
            thread, status = os.waitpid(-1, ptrace.WAIT_ALL)
            if os.WIFSTOPPED(status):
                self._stopped(thread, os.WSTOPSIG(status), status >> 16)
                continue
            self.threads.pop(thread, None)
            if thread == root:
                outcome = os.waitstatus_to_exitcode(status)
        return outcome

    def _stopped(self, thread: int, stop: int, event: int) -> None:
        state = self.threads.setdefault(thread, _Thread())
        try:
            if event == ptrace.FILTER_STOP:
                self._at_call(thread, state)
                ptrace.request(ptrace.SYSCALL if state.call else ptrace.CONTINUE, thread)
            elif stop == ptrace.SYSCALL_STOP:
                self._at_call(thread, state)
                ptrace.request(ptrace.CONTINUE, thread)
            elif event == ptrace.GROUP_STOP and stop != signal.SIGTRAP:
                ptrace.request(ptrace.LISTEN, thread)
            else:
                ptrace.request(ptrace.CONTINUE, thread, data=0 if event else stop)
        except ProcessLookupError:
            return  # killed meanwhile; its end is reported next

    def _at_call(self, thread: int, state: _Thread) -> None:
        at = ptrace.look(thread)
        if isinstance(at, ptrace.Entry):
            state.call, state.since = self._counted(thread, at), monotonic()
            if state.call and self.kill and self.kill(self.calls):
                self._kill(state.call)
            elif state.call and self.fail and self.fail(self.calls):
                self.hit, state.result = state.call, -self.error
                ptrace.skip(thread)
        elif state.result is not None:
            ptrace.answer(thread, state.result)
            state.result = None
        elif state.call and self.sync_s:
            threading.Event().wait(max(0.0, state.since + self.sync_s - monotonic()))
        elif state.call and at.result >= 0 and self.disk:
            self._reached(state.call, self.disk)

    def _counted(self, thread: int, entry: ptrace.Entry) -> Call | None:
        if not entry.name or not _changes(thread, entry):
            return None
        paths = _paths(thread, entry)
        if not self.watch.admits(entry.name, paths):
            return None
        size = entry.arguments[2] if entry.name in _SIZED else 0
        call = Call(len(self.calls) + 1, entry.name, paths, size)
        self.calls.append(call)
        return call

    def _kill(self, call: Call) -> None:
        self.hit, self.kill = call, None
        for thread in self.threads:
            with suppress(ProcessLookupError):
                os.kill(thread, signal.SIGKILL)

    def _reached(self, call: Call, disk: Disk) -> None:
        if call.name in SYNCS:
            disk.synced(call.paths[0])
        elif call.name.startswith("rename"):
            disk.renamed(*call.paths)


@contextmanager
def _limited(root: int) -> Iterator[None]:
    watchdog = threading.Timer(TIMEOUT_S, os.kill, (root, signal.SIGKILL))
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()
        watchdog.join()


def _changes(thread: int, entry: ptrace.Entry) -> bool:
    """Whether it may change a file: an `open` only if it may make or empty one."""
    if entry.name == "openat2":
        flags = int.from_bytes(_memory(thread, entry.arguments[2], 8), "little")
    elif entry.name in ptrace.FLAGS:
        flags = entry.arguments[ptrace.FLAGS[entry.name]]
    else:
        return True
    return bool(flags & ptrace.MAKES_OR_EMPTIES)


def _paths(thread: int, entry: ptrace.Entry) -> tuple[Path, ...]:
    arguments = entry.arguments
    if entry.name not in _PATH_ARGUMENTS:
        return (_link(f"/proc/{thread}/fd/{arguments[0]}"),)
    pairs = _PATH_ARGUMENTS[entry.name]
    return tuple(
        _folder(thread, None if folder is None else arguments[folder]) / _text(thread, arguments[path])
        for folder, path in pairs
    )


def _folder(thread: int, descriptor: int | None) -> Path:
    if descriptor is None or descriptor & 0xFFFFFFFF == _HERE & 0xFFFFFFFF:
        return _link(f"/proc/{thread}/cwd")
    return _link(f"/proc/{thread}/fd/{descriptor & 0xFFFFFFFF}")


def _link(path: str) -> Path:
    try:
        return Path(path).readlink()
    except OSError:  # not a descriptor: the call will fail
        return Path("?")


def _text(thread: int, address: int) -> str:
    found = b""
    while b"\0" not in found:
        more = _memory(thread, address + len(found), 4096 - (address + len(found)) % 4096)
        if not more:
            break
        found += more
    return os.fsdecode(found.partition(b"\0")[0])


def _memory(thread: int, address: int, size: int) -> bytes:
    with Path(f"/proc/{thread}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(size)


def _content(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()
