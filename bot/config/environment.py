"""What the environment says: of the terminal, editor, zone and language, whom to trust, and how libraries behave."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ssl import SSLContext

VARIABLES: MutableMapping[str, str] = os.environ
"""The environment of this process. Functions take it as an argument, so that tests need not change it."""

_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's `mallopt`."""


@dataclass(frozen=True, slots=True)
class TerminalLook:
    """What the environment says of the terminal: its kind, and whether colours are welcome."""

    term: str
    color: bool


def terminal_look(environment: Mapping[str, str] = VARIABLES) -> TerminalLook:
    """TERM and NO_COLOR, as https://no-color.org wants it: set and not empty means no colours."""
    return TerminalLook(environment.get("TERM", ""), not environment.get("NO_COLOR"))


def has_display(environment: Mapping[str, str] = VARIABLES) -> bool:
    """Return whether a window can be shown to whoever started this: not over a bare connection to a server."""
    is_graphic = sys.platform in {"darwin", "win32"} or environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return bool(is_graphic) and not environment.get("SSH_CONNECTION")


def wanted_zone(environment: Mapping[str, str] = VARIABLES) -> str:
    """The time zone that `TZ` names; empty if it names none by name (a rule such as CET-1CEST, a file)."""
    name = environment.get("TZ", "").removeprefix(":")
    return "" if name.startswith("/") or any(sign.isdigit() for sign in name.rpartition("/")[2]) else name


def editor(environment: Mapping[str, str] = VARIABLES) -> tuple[str, ...]:
    """The words that start the person's editor: VISUAL, EDITOR, or one that is usually there; none if none is."""
    wanted = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    if wanted:
        return tuple(shlex.split(wanted))
    from shutil import which

    return next(((name,) for name in ("nano", "vim", "vi", "notepad") if which(name)), ())


def one_thread_for_products(environment: MutableMapping[str, str] = VARIABLES) -> None:
    """Ask the libraries behind numpy for one thread, unless the person has chosen: to be said before numpy is loaded.

    The matrices here are small. More threads wait for each other in busy loops, and take a fifth longer at a start.
    """
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        environment.setdefault(name, "1")


def no_plugins(environment: MutableMapping[str, str] = VARIABLES) -> None:
    """Have pydantic look for no plugins, unless the person has chosen: to be said before the configuration is read.

    It would read the list of every library that is installed, for nobody who uses any.
    """
    environment.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")


def trusted_certificates(environment: Mapping[str, str] = VARIABLES) -> SSLContext:
    """Load whom a connection trusts: `SSL_CERT_FILE` or `SSL_CERT_DIR` where one is set, else Mozilla's list."""
    import ssl

    import certifi

    file, folder = environment.get("SSL_CERT_FILE"), environment.get("SSL_CERT_DIR")
    if folder and not file:
        return ssl.create_default_context(capath=folder)
    return ssl.create_default_context(cafile=file or certifi.where())


def one_heap_for_threads(environment: Mapping[str, str] = VARIABLES) -> None:
    """Let all threads share one heap, unless the person has chosen: to be said before there are threads.

    By default glibc gives each thread a heap of its own, and what one large note once needed stays in it: some 40 MB
    for each agent. Where the C library is another one, nothing happens.
    """
    if "MALLOC_ARENA_MAX" in environment or not sys.platform.startswith("linux"):
        return
    import ctypes  # here, since most commands need no threads

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_ARENA_MAX, 1)


def watcher(environment: Mapping[str, str] = VARIABLES) -> tuple[str, float]:
    """The socket of the supervisor that started this process, empty if none did, and its watchdog's time in seconds."""
    wait = environment.get("WATCHDOG_USEC", "")
    return environment.get("NOTIFY_SOCKET", ""), int(wait) / 1_000_000 if wait.isdecimal() else 0.0


def machine_language(environment: Mapping[str, str] = VARIABLES) -> str:
    """Return the ISO 639-1 code of the language that the user of this machine has set; English for "C" and none.

    >>> machine_language({"LANG": "de_DE.UTF-8"}), machine_language({"LANG": "de_DE.UTF-8", "LC_ALL": "C"})
    ('de', 'en')
    """
    wanted = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    language = re.split(r"[_.@]", wanted)[0].lower()
    return language if len(language) == 2 else "en"
