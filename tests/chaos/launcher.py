"""Becomes a program whose changes of files stop for a tracer: `python launcher.py FILTER PROGRAM ARGUMENT ...`.

Stops itself first, so that the tracer can attach. FILTER is a program for the kernel's seccomp, in hexadecimal digits:
what it selects stops for the tracer, everything else runs at full speed. Imports nothing of the project, to start fast.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

SET_SECCOMP, SET_NO_NEW_PRIVILEGES, FILTER_MODE = 22, 38, 2
INSTRUCTION_BYTES = 8


class FilterProgram(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def install(instructions: bytes) -> None:
    """Let a filter decide about the system calls of this process and of all that it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    program = FilterProgram(len(instructions) // INSTRUCTION_BYTES, instructions)
    if libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, FILTER_MODE, ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), "the system takes no filter of system calls")


if __name__ == "__main__":
    os.kill(os.getpid(), signal.SIGSTOP)
    install(bytes.fromhex(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
