"""The composition root: builds everything out of a home and a configuration."""

from __future__ import annotations

from bot.config import Config
from bot.paths import Home
from memory import Clock


async def run_chat(home: Home, config: Config, agent: str, *, clock: Clock) -> int:
    """Talk to an agent on the standard streams until the person leaves.

    The caller holds the instance lock, has made the folders and starter files, and has set the log up.

    Returns:
        The exit code.
    """
    raise NotImplementedError
