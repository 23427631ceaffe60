"""Paths in a workspace: which names are allowed, and where daily logs and the words of guests lie."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import category, is_normalized

from memory.errors import PathRefused
from memory.types import OWNER, Scope

DAILY_LOGS = "memory"
GUESTS = "memory/guests"
DEEPEST = 8
MAX_NAME_BYTES = 200
"""Bytes of one name in UTF-8; with a temporary file's suffix it stays below the usual limit of 255."""
Objection = tuple[str, str]
"""Why a name is refused, and what to do about it."""
TOO_DEEP: Objection = (f"it is more than {DEEPEST} names deep", "Use fewer folders.")
_PUNCTUATION = frozenset(" -_.,'()+&@!=~$;{}–—’·・、。「」『』《》〈〉【】")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\ufe00-\ufe0f\ufffc\ufffd\U0001d159\U000e0000-\U000e0fff]"
)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9])\s*(?:\.|\Z)", re.IGNORECASE)
_SHORT_ALIAS = re.compile(r"~[0-9]")  # GIT~1 is .git on Windows
_VERSION = re.compile(r"(?i)(.+?)(?:\.sync-conflict-[\w-]+| \([^()]*conflicted copy[^()]*\))(\.md|\.jsonl)")
# Nearly every name is of this form, and a scan of ten thousand files asks for each.
_PLAIN = re.compile(
    r"(?!(?i:con|prn|aux|nul|com|lpt)[0-9]?\b)[A-Za-z0-9_](?:[A-Za-z0-9_ .,()+&=-]{0,198}[A-Za-z0-9_()+&=-])?"
)


def admit(path: str) -> tuple[str, ...]:
    """Return the names in a path of the workspace; raises `PathRefused` if it is no relative path in this grammar."""
    names = tuple(path[:5000].split("/"))
    if len(names) > DEEPEST:
        raise refused(path, TOO_DEEP)
    for name in names:
        why = objection(name)
        if why:
            raise refused(path, why)
    return names


def objection(name: str) -> Objection | None:
    """Return what speaks against one name; None if it is admitted."""
    if _PLAIN.fullmatch(name):
        return None
    return next((why for test, why in _RULES if test(name)), None)


def refused(path: str, why: Objection) -> PathRefused:
    """Return the error for a path; what cannot be seen in it is spelled out."""
    reason, advice = why
    return PathRefused(f"`{printable(path)}` is not a path of the workspace: {reason}.", hint=advice)


def printable(text: str, length: int = 80) -> str:
    """Return a name for a message: what cannot be seen is spelled out, and a long text is cut."""
    spelled = (c if c.isprintable() and not _INVISIBLE.match(c) else f"\\u{ord(c):04x}" for c in text[:length])
    return "".join(spelled) + ("…" if len(text) > length else "")


_RULES: tuple[tuple[Callable[[str], object], Objection], ...] = (
    (
        lambda name: not name,
        ("a name in it is empty", "Give a path relative to the workspace, such as memory/2026-11-21.md."),
    ),
    (lambda name: len(name.encode(errors="replace")) > MAX_NAME_BYTES, ("a name in it is too long", "Shorten it.")),
    (lambda name: name[0] in ".~", ("a name in it begins with a dot or a tilde", "Name a file of the workspace.")),
    (lambda name: category(name[0])[0] == "M", ("a name in it begins with a combining mark", "Rename it.")),
    (
        lambda name: name[0] == " " or name[-1] in " .",
        ("a name in it begins or ends with a space, or ends with a dot", "Rename it."),
    ),
    (
        lambda name: any(
            character not in _PUNCTUATION
            and ((category(character)[0] not in "LMN" and category(character) != "So") or _INVISIBLE.match(character))
            for character in name
        ),
        ("it has a character that names cannot have", "Use letters, digits, spaces, hyphens and underscores."),
    ),
    (
        lambda name: not is_normalized("NFKC", name),
        ("it is not in Unicode's normal form, so it could pass for another", "Write it with ordinary characters."),
    ),
    (
        lambda name: _DEVICE.match(name) or _SHORT_ALIAS.search(name),
        ("a name in it is reserved on some systems", "Rename it."),
    ),
)


def original(path: str) -> str:
    """Return the file beside which a program that synchronises has put another version; of any other, its own path.

    Syncthing calls them `x.sync-conflict-20261130-093000-ABCDEFG.md`, others `x (Ana's conflicted copy 2026-11-30).md`.
    """
    found = _VERSION.fullmatch(path)
    return found[1] + found[2] if found else path


def page_name(path: str) -> str:
    """Return how a page is linked to: the name of its file without folder and `.md`."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def daily_log(day: str, scope: Scope) -> str:
    """Return the path of a day's log: the owner's, or the one in which guests and groups are kept apart."""
    return f"{DAILY_LOGS if scope == OWNER else GUESTS}/{day}.md"


def is_guests(path: str) -> bool:
    """Return whether a file lies where guests and groups are kept apart, in whatever case its path is written."""
    return path.casefold().startswith(f"{GUESTS}/")
