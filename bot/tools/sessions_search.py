"""`sessions_search`: find what was said in the owner's private conversations."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.sessions.archive import search_sessions
from bot.texts.catalogue import mark
from bot.tools.base import Result, Work, as_json, tool, transcripts_of

MAX_EXCERPT_CHARS = 700
"""Of one contribution; `sessions_history` has the rest."""


async def sessions_search(
    work: Work,
    query: Annotated[str, Field(min_length=1, max_length=4000)],
    limit: Annotated[int, Field(ge=1, le=30)] = 8,
) -> Result:
    """Search what was said in all private conversations with the owner, by its words. For what is in the notes, use
    memory_search.

    Args:
        query: a few words that were said.
        limit: how many contributions at most.
    """
    turn = work.turn
    today = turn.local.date()
    found = await search_sessions(transcripts_of(turn), turn.agent.name, query, today=today, limit=limit)
    results = [one.as_fields(turn.agent.zone, most=MAX_EXCERPT_CHARS) | {"source": "sessions"} for one in found]
    hint = "sessions_history shows what was said around it." if found else "Nobody has said any of these words."
    return Result(as_json({"results": results, "hint": hint}), origins=frozenset(one.said.origin for one in found))


TOOL = tool(sessions_search, doing=mark("searching conversations"))
