"""The daily log: its name on a day in the owner's zone, and where in it a new fact goes."""

from __future__ import annotations

from collections import deque
from datetime import datetime, tzinfo

from memory.files.markdown import Block, BlockKind, blocks, fence_mark, heading, is_retain
from memory.types import OWNER, Scope

FOLDER = "memory"
GUESTS = "memory/guests"
_HEADING = "## Retain\n"


def local_day(at: datetime, zone: tzinfo) -> str:
    """The ISO day on which an instant falls in the owner's zone."""
    return at.astimezone(zone).date().isoformat()


def daily_log(day: str, scope: Scope) -> str:
    """The log of a day: the owner's, or the one in which guests and groups are kept apart."""
    return f"{FOLDER if scope == OWNER else GUESTS}/{day}.md"


def is_guests(path: str) -> bool:
    """Whether a file lies where guests and groups are kept apart, in whatever case its path is written."""
    return path.casefold().startswith(f"{GUESTS}/")


def placed(line: str, page: str | None, day: str) -> str:
    """What to append to a log so that a fact's line stands under `## Retain`.

    Nothing comes before the line if that section is the last of the page; else a new one is begun. An empty page
    begins with its day. A fence or a comment that was left open is closed: it would hide the fact.
    """
    if not page:
        return f"# {day}\n\n{_HEADING}{line}\n"
    last = deque(blocks(page), maxlen=1)
    before = "" if page.endswith("\n") else "\n"
    before += "".join(map(_closing, last))
    if not any(map(_is_retained, last)):
        before += _HEADING if f"{page}{before}".endswith("\n\n") else f"\n{_HEADING}"
    return f"{before}{line}\n"


def _is_retained(last: Block) -> bool:
    if last.kind is BlockKind.HEADING:
        found = heading(last.text)
        return last.retain or (found is not None and is_retain(found[1]))
    return last.retain


def _closing(last: Block) -> str:
    if last.closed:
        return ""
    return "-->\n" if last.kind is BlockKind.COMMENT else f"{fence_mark(last.text.strip())}\n"
