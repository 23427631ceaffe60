"""`memory_search`: find what memory has on something."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.sessions.statements import recall_with_sessions, source_of
from bot.tools.base import Result, Work, as_json, tool


async def memory_search(
    work: Work,
    query: Annotated[str, Field(min_length=1, max_length=4000)],
    max_results: Annotated[int, Field(alias="maxResults", ge=1, le=50)] = 6,
    min_score: Annotated[float | None, Field(alias="minScore")] = None,
) -> Result:
    """Search memory: facts, daily logs, notes, core memory. Use it before answering about anything said before.

    Args:
        query: a question or words, in any language.
        max_results: how many passages at most.
        min_score: leave out what scores lower; scores are comparable within one search only.
    """
    turn = work.turn
    found = await recall_with_sessions(turn.agent.memory, turn.told, query, scope=turn.scope, limit=max_results)
    hits = [hit for hit in found.hits if min_score is None or hit.score >= min_score]
    results = [
        {
            "path": hit.source.path,
            "startLine": hit.source.start,
            "endLine": hit.source.end,
            "score": hit.score,
            "snippet": hit.content,
            "source": source_of(hit.source.path),
            "citation": str(hit.source),
            "id": hit.id,
            "time": hit.time,
        }
        for hit in hits
    ]
    answer = {"results": results, "mode": found.mode, "reason": found.reason}
    return Result(as_json(answer), origins=frozenset(hit.origin for hit in hits))


TOOL = tool(memory_search, doing="searching memory")
