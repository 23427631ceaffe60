"""What a model saw, for tests that show it."""

from __future__ import annotations

from bot.agent.context_log import Context, File, Piece
from tests.samples import session

RULES = "Answer briefly. ```code``` | pipes"
SEEN = Context(
    session=str(session()),
    turn="t1",
    at="2026-11-21T12:00:00+00:00",
    model="qwen3:8b at localhost",
    window=1000,
    tokens=100,
    ratio=1.5,
    left_out=1,
    files=(File("AGENTS.md", 40, 0), File("MEMORY.md", 30, 1234)),
    pieces=(
        Piece("system", 80, RULES),
        Piece("tool now", 10, "Tell the time."),
        Piece("user", 10, "where is the key?"),
    ),
)
"""A request of three pieces, of which one file was cut."""
