"""Where a new fact is appended: to a daily log below its heading, or to a page, with its evidence."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from memory.files.evidence import format_evidence
from memory.files.markdown import BlockKind, blocks, fence_mark, heading, is_evidence, is_identified, is_retain
from memory.files.paths import page_name
from memory.types import Evidence

RETAIN_HEADING = "## Retain\n"
_PAGES = "bank/"
"""Where the paths of pages begin; facts stand in them without a heading."""


def is_log(path: str) -> bool:
    """Return whether facts stand in a file under headings, as in a daily log; in a page they need none."""
    return not path.startswith(_PAGES)


def format_log_entry(line: str, page: str | None, day: str) -> str:
    """Format what to append to a daily log so that a fact's line stands under `## Retain`.

    Nothing comes before the line if that section is the last of the page; else a new one is begun. An empty page
    begins with its day. A fence or a comment that was left open is closed: it would hide the fact.
    """
    if not page:
        return f"# {day}\n\n{RETAIN_HEADING}{line}\n"
    before = "" if page.endswith("\n") else "\n"
    is_retained = False
    for last in deque(blocks(page), maxlen=1):
        if not last.closed:
            before += "-->\n" if last.kind is BlockKind.COMMENT else f"{fence_mark(last.text.strip())}\n"
        title = heading(last.text) if last.kind is BlockKind.HEADING else None
        is_retained = last.retain or (title is not None and is_retain(title[1]))
    if not is_retained:
        before += RETAIN_HEADING if f"{page}{before}".endswith("\n\n") else f"\n{RETAIN_HEADING}"
    return f"{before}{line}\n"


@dataclass(frozen=True, slots=True)
class Placement:
    """The file that a fact is appended to, a log or a page, and for a page its confidence and where it was said."""

    path: str
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()

    def format_entry(self, lines: str, page: str | None, *, id: str | None) -> str:
        """Return what to append to a file with this text, None if there is none; a page tells where a fact was said."""
        if is_log(self.path):
            return format_log_entry(lines, page, page_name(self.path))
        last = (page or "").rstrip("\n").rpartition("\n")[2]
        gap = "" if not page or (page.endswith("\n") and (is_identified(last) or is_evidence(last))) else "\n"
        gap += "\n" if page and not page.endswith("\n") else ""
        said = f"{format_evidence(id or '', self.confidence, self.evidence)}\n" if self.evidence else ""
        return f"{gap}{lines}\n{said}"
