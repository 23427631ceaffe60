"""Bootstrap files: what of the workspace stands before every conversation, as it was when the day of it began."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from math import ceil

from bot.agent.context.untrusted import boundary
from bot.llm.tokens import Window
from memory import OWNER, Memory, Page, Scope
from memory.errors import Error, NotFound
from memory.files.markdown import BlockKind, separated, without_comments

RULES = ("AGENTS.md", "SOUL.md", "IDENTITY.md")
"""Put before every conversation."""

PRIVATE = ("USER.md", "MEMORY.md", "memory.md")
"""Put before the owner's private conversations only, with the daily logs of today and yesterday."""

DAYS = 2

BYTES_PER_TOKEN = 4
"""A careful estimate for English."""

_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BootFile:
    """One file as the model gets to see it; `state` names the whole content.

    `left_out` characters did not fit, or are other people's; comments do not count. `is_foreign`: such are in it, of a
    session that was begun when they were not left out yet.
    """

    path: str
    text: str
    state: str
    left_out: int = 0
    is_foreign: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of one session, in the order of the request, why some could not be read, and the owner's day of it.

    `mark` is in the fences around them: drawn once, so that whoever wrote a file cannot know it and the prefix of a
    session stays the same. It is empty in a snapshot of an older version.
    """

    files: tuple[BootFile, ...] = ()
    problems: tuple[str, ...] = ()
    mark: str = ""
    day: str = ""

    @property
    def is_foreign(self) -> bool:
        """Whether other people's words are in one of them."""
        return any(file.is_foreign for file in self.files)

    async def renewed(self, now: Snapshot, memory: Memory) -> Snapshot:
        """Return this snapshot brought up to date: all of it on another day, else only the files that people edited.

        Core memory and logs stay as they were while only the agent writes to them: it does so all the time, and a
        prefix that changes with every turn is paid for with every turn.
        """
        if self.day != now.day:
            return now
        old, lasting = {file.path: file for file in self.files}, (*RULES, "USER.md")
        new = {file.path: file for file in now.files}
        since = {path: file.state for path, file in old.items() if path not in new or new[path].state != file.state}
        since |= dict.fromkeys(new.keys() - old.keys(), "")
        edited = {*lasting, *(await memory.edited_by_hand(since) if since else ())}
        files = [new[path] if path in edited else old[path] for path in new if path in edited or path in old]
        files += [file for path, file in old.items() if path not in new and path not in edited]
        return Snapshot(tuple(files), now.problems, self.mark or now.mark, self.day)


async def bootstrap(memory: Memory, *, scope: Scope, today: date, window: Window) -> Snapshot:
    """Read the files that this scope may see, cut to what the window has room for.

    Only the owner's own scope gets the private ones. That is decided by what a file is and not by what it is called:
    rules that are the same file as a private one, under another name, are left out as well.
    """
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    found = await memory.pages([*RULES, *PRIVATE, *[f"memory/{day.isoformat()}.md" for day in days]])
    pages = [page for page in found if isinstance(page, Page) and page.text.strip()]
    problems = tuple(str(error) for error in found if isinstance(error, Error) and not isinstance(error, NotFound))
    private = {page.identity for page in pages if page.path not in RULES}
    visible = {page.identity: page for page in reversed(pages) if scope == OWNER or page.identity not in private}
    files, room = [], window.bootstrap
    for page in reversed(visible.values()):  # of two names of one file the first counts
        whole, own = readable(page)
        text = cut(own, characters(own, min(window.bootstrap_file, room)))
        room = max(0, room - ceil(len(text) * window.bootstrap / max(1, characters(own, window.bootstrap))))
        files += [BootFile(page.path, text, page.state, len(whole) - len(text))] if whole else []
    return Snapshot(tuple(files), problems, boundary(), today.isoformat())


@lru_cache(maxsize=32)  # with every turn the same files are read again
def readable(page: Page) -> tuple[str, str]:
    """Return a page without its comments, which are no memory, and the same without what others said in it.

    The rules keep their comments. What others said is found on request and stands before no conversation.
    """
    text = page.text.removeprefix("\ufeff")
    lines = dict(enumerate(text.split("\n"), 1))
    for block in separated(text) if page.path not in RULES and "<!--" in text else ():
        shown = block.text if block.kind is BlockKind.FENCE else without_comments(block.text)
        for number, line in enumerate(shown.split("\n"), block.start):
            if block.kind is BlockKind.COMMENT or (lines[number].strip() and not line.strip()):
                del lines[number]
            elif len(line) < len(lines[number]):
                lines[number] = line.rstrip()
    own = "\n".join(line for number, line in lines.items() if number not in page.foreign)
    return "\n".join(lines.values()).strip(), own.strip()


def characters(text: str, tokens: int) -> int:
    """Estimate how many of a text's characters make so many tokens: fewer where a character has several bytes."""
    size = len(text.encode("utf-8", "replace"))
    return tokens * BYTES_PER_TOKEN * len(text) // size if size else 0


def cut(text: str, limit: int) -> str:
    """Cut a text before the first heading that does not fit; without one in the second half of what fits, at a line."""
    if len(text) <= limit:
        return text
    starts = [found.start() for found in _HEADING.finditer(text, 0, limit)]
    at = max((start for start in starts if start > limit // 2), default=0) or text.rfind("\n", 0, limit)
    return text[: at if at > 0 else limit].rstrip()
