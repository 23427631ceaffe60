"""Where fenced blocks are in Markdown, as CommonMark sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_LIST_MARK = re.compile(r"[-+*]|\d+[.)]")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block. Positions are offsets in the text that it was found in.

    Attributes:
        start: where the opening line begins.
        body: where the line after it begins.
        close: where the closing line begins; without one, where the text goes on, or beyond an open block's text.
        end: where the closing line ends; the same as `close` without one.
        is_open: it goes on to the end of the text.
        prefix: what stands before the closing mark: quote marks and indentation.
        mark: the run of ` or ~.
        info: what follows it in the opening line.
    """

    start: int
    body: int
    close: int
    end: int
    is_open: bool
    prefix: str
    mark: str
    info: str

    @property
    def closer(self) -> str:
        """What ends the block after its last line."""
        return f"\n{self.prefix}{self.mark}"

    @property
    def quote(self) -> str:
        """The quote marks around it."""
        return "> " * self.prefix.count(">")

    @property
    def opener(self) -> str:
        """What begins the block anew, outside of any list."""
        return f"{self.quote}{self.mark}{self.info}\n"

    def within(self, size: int) -> Fence | None:
        """The block if ending and beginning it takes at most so many characters, else without its info, else None."""
        if len(self.opener) + len(self.closer) <= size:
            return self
        return replace(self, info="").within(size) if self.info else None

    def continued(self, tail: str) -> str:
        """The block's remaining lines, and all that follows them, under a new opening line."""
        if self.prefix == self.quote:
            return self.opener + tail
        quotes = rf"(?:[ \t]*>){{{self.prefix.count('>')}}}"
        closing = re.compile(rf"^{quotes}[ \t]*{self.mark[0]}{{{len(self.mark)},}}[ \t]*$", re.MULTILINE)
        found = closing.search(tail)
        inside = tail[: found.end()] if found else tail
        lines = (
            self.quote + line.removeprefix(self.prefix) if line.startswith(self.prefix) else line
            for line in inside.split("\n")
        )
        return self.opener + "\n".join(lines) + tail[len(inside) :]


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a text whose lines end in `\\n`, in order."""
    if "```" not in text and "~~~" not in text:
        return []
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)
    return [_fence(token, lines, starts) for token in tokens if token.type == "fence"]


def _fence(token: Token, lines: list[str], starts: list[int]) -> Fence:
    first, after = token.map or (0, 0)
    before, mark, info = lines[first].partition(token.markup)
    closed = after - first - 1 > _count(token.content)
    is_open = not closed and not any(line.strip() for line in lines[after:])
    if closed:
        close, end = starts[after - 1], starts[after] - 1
    else:
        close = end = starts[-1] + 1 if is_open else starts[after]
    prefix = _LIST_MARK.sub(lambda found: " " * len(found[0]), before)
    return Fence(starts[first], starts[first + 1], close, end, is_open, prefix, mark, info)


def _count(content: str) -> int:
    return content.count("\n") + (not content.endswith("\n") and content != "")
