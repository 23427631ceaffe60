"""Where tools may write."""

from __future__ import annotations

from bot.tools.base import ToolError

OWNERS_OWN = frozenset({"agents.md", "soul.md"})
"""The agent's rules and persona: edited by the owner, by hand."""


def check_writable(path: str) -> None:
    """Refuse what is none of an agent's business.

    Raises:
        ToolError: the file is the owner's own, or no Markdown.
    """
    if path.casefold() in OWNERS_OWN:
        raise ToolError(f"{path} is edited by the owner alone. Propose the change in your answer.")
    if not path.endswith(".md"):
        raise ToolError(f"{path} is no Markdown file. Only files that end in .md are written.")
