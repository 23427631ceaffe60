"""The system's tracing interface: stopping other processes at their system calls. Linux on x86_64 and aarch64.

Through `ctypes` and nothing else: a newcomer's machine has no `strace`, and the tests have to run there too.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

SEIZE, INTERRUPT, LISTEN, CONTINUE, SYSCALL = 0x4206, 0x4207, 0x4208, 7, 24
"""`CONTINUE` runs on to the next call that the filter selects, `SYSCALL` to the end of the one that was selected."""

GETREGSET, SETREGSET, GET_SYSCALL_INFO = 0x4204, 0x4205, 0x420E
WAIT_ALL = 0x40000000 | 0x20000000
"""`__WALL | __WNOTHREAD`: wait for threads too, but only for what belongs to the calling thread."""

OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x80 | 0x100000
"""Mark system calls, follow fork, vfork and clone, stop where the filter says, and kill all with the tracer."""

SYSCALL_STOP = 0x80 | 5
FILTER_STOP = 7
"""`PTRACE_EVENT_SECCOMP`: a thread is about to make a call that the filter selects."""

GROUP_STOP = 128
"""`PTRACE_EVENT_STOP`: a thread was just born, or the whole process was stopped by a signal."""

_GENERAL_REGISTERS, _ARM_SYSCALL = 1, 0x404
_EXIT = 2

NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {
        "write": 1, "open": 2, "pwrite64": 18, "writev": 20, "fsync": 74, "fdatasync": 75, "truncate": 76,
        "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84, "creat": 85, "link": 86, "unlink": 87, "symlink": 88,
        "openat": 257, "mkdirat": 258, "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266,
        "fallocate": 285, "pwritev": 296, "renameat2": 316, "pwritev2": 328, "openat2": 437,
    },
    "aarch64": {
        "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37, "renameat": 38, "truncate": 45, "ftruncate": 46,
        "fallocate": 47, "openat": 56, "write": 64, "writev": 66, "pwrite64": 68, "pwritev": 70, "fsync": 82,
        "fdatasync": 83, "renameat2": 276, "pwritev2": 287, "openat2": 437,
    },
}  # fmt: skip
"""System call numbers of the calls that change files; older forms do not exist on aarch64."""

FLAGS = {"open": 1, "openat": 2}
"""Which argument of a call that opens a file holds its flags; those of `openat2` are in memory."""

MAKES_OR_EMPTIES = os.O_CREAT | os.O_TRUNC

_LOAD, _IF_EQUAL, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
"""Instructions of the kernel's filters; an `if` skips so many of the next ones when it is true, so many when not."""

_SET_SECCOMP, _SET_NO_NEW_PRIVILEGES, _FILTER_MODE, _INSTRUCTION_BYTES = 22, 38, 2, 8
_NUMBER_AT, _ARGUMENTS_AT, _ARGUMENT_BYTES = 0, 16, 8
_TRACE, _ALLOW = 0x7FF00000, 0x7FFF0000

_NAMES = {number: name for name, number in NUMBERS.get(platform.machine(), {}).items()}


@dataclass(frozen=True, slots=True)
class Entry:
    """A thread is about to make a call; `name` is empty for one that changes no file."""

    name: str
    arguments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Exit:
    """The call has returned; a negative result is an errno."""

    result: int


class _Info(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_uint8),
        ("arch", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("values", ctypes.c_uint64 * 8),
    ]


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Filter(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def why_not() -> str:
    """Why tracing does not work on this machine; empty if it does."""
    if sys.platform != "linux" or platform.machine() not in NUMBERS:
        return f"tracing is written for Linux on {' and '.join(NUMBERS)}, this is {sys.platform} {platform.machine()}"
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    if scope.exists() and int(scope.read_text()) > 1 and os.geteuid() != 0:
        return f"{scope} forbids tracing"
    actions = Path("/proc/sys/kernel/seccomp/actions_avail")
    if not actions.exists() or "trace" not in actions.read_text().split():
        return f"{actions} does not name tracing"
    return ""


def request(what: int, thread: int, address: int = 0, data: int = 0) -> int:
    """Make a request; raises `ProcessLookupError` if the thread is gone, another `OSError` if it is refused."""
    ctypes.set_errno(0)
    result = int(_libc.ptrace(what, thread, address, data))
    if result < 0 and ctypes.get_errno():
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def look(thread: int) -> Entry | Exit:
    """Where a thread that has stopped at a system call is."""
    info = _Info()
    request(GET_SYSCALL_INFO, thread, ctypes.sizeof(info), ctypes.addressof(info))
    number, *arguments = info.values
    if info.op == _EXIT:
        return Exit(ctypes.c_int64(number).value)
    return Entry(_NAMES.get(number, ""), tuple(arguments[:6]))


def selection(names: Collection[str]) -> bytes:
    """Make a filter for seccomp that selects these calls of `NUMBERS`; of those that open a file, what may change one.

    Any other call takes no longer than without it.
    """
    program = [(_LOAD, 0, 0, _NUMBER_AT)]
    for number, name in _NAMES.items():
        if name not in names:
            continue
        if name in FLAGS:
            program += [
                (_IF_EQUAL, 0, 4, number),
                (_LOAD, 0, 0, _ARGUMENTS_AT + _ARGUMENT_BYTES * FLAGS[name]),
                (_IF_ANY_BIT, 0, 1, MAKES_OR_EMPTIES),
                (_RETURN, 0, 0, _TRACE),
                (_RETURN, 0, 0, _ALLOW),
            ]
        else:
            program += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _TRACE)]
    return b"".join(struct.pack("=HBBI", *step) for step in [*program, (_RETURN, 0, 0, _ALLOW)])


def install(instructions: bytes) -> None:
    """Let such a filter decide about the system calls of this process and of all that it starts."""
    program = _Filter(len(instructions) // _INSTRUCTION_BYTES, instructions)
    if _libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or _libc.prctl(
        _SET_SECCOMP, _FILTER_MODE, ctypes.byref(program)
    ):
        raise OSError(ctypes.get_errno(), "the system takes no filter of system calls")


def skip(thread: int) -> None:
    """Let the call that a thread is about to make not happen."""
    if platform.machine() == "x86_64":
        _poke(thread, 15)
        return
    nothing = ctypes.c_int(-1)
    vector = _Vector(ctypes.addressof(nothing), ctypes.sizeof(nothing))
    request(SETREGSET, thread, _ARM_SYSCALL, ctypes.addressof(vector))


def answer(thread: int, result: int) -> None:
    """Give a thread that returns from a call another result."""
    _poke(thread, 10 if platform.machine() == "x86_64" else 0, result)


def _poke(thread: int, register: int, value: int = -1) -> None:
    registers = (ctypes.c_int64 * 64)()
    vector = _Vector(ctypes.addressof(registers), ctypes.sizeof(registers))
    request(GETREGSET, thread, _GENERAL_REGISTERS, ctypes.addressof(vector))
    registers[register] = value
    request(SETREGSET, thread, _GENERAL_REGISTERS, ctypes.addressof(vector))
