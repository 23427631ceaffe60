"""`memory_search`: find what memory has on something."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.sessions.told import search_with_sessions, source_of
from bot.texts.catalogue import mark
from bot.texts.receipts import carried, searched
from bot.tools.base import Result, Work, as_json, tool
from memory.recall.filters import FilterOptions


async def memory_search(
    work: Work,
    query: Annotated[str, Field(min_length=1, max_length=4000)],
    max_results: Annotated[int, Field(alias="maxResults", ge=1, le=50)] = 6,
    min_score: Annotated[float | None, Field(alias="minScore")] = None,
    entity: str | None = None,
    kind: str | None = None,
    category: str | None = None,
    tag: str | None = None,
    since: str | None = None,
    until: str | None = None,
    as_of: str | None = None,
    believed: str | None = None,
    within: Annotated[str | None, Field(alias="in")] = None,
    *,
    faded: bool = False,
) -> Result:
    """Search memory: facts, daily logs, notes, core memory. Use it before answering about anything said before.

    Args:
        query: a question or words, in any language.
        max_results: how many passages at most.
        min_score: leave out what scores lower; scores are comparable within one search only.
        entity: only what is about somebody or something, by name.
        kind: only world, experience, opinion, observation, procedure, intention or note; several with commas.
        category: only facts of a category, such as decision or preference; several with commas.
        tag: only facts with a hashtag of theirs; several with commas.
        since: only what is about this day or a later one: 2026-01-31, 30d, last week.
        until: only what is about this day or an earlier one.
        as_of: only what held on a day, or in a month such as 2025-11.
        believed: only what had been written down by the end of a day.
        within: only what stands in a file, in a folder, or in an extra folder, by its name: bank, handbook.
        faded: find what has faded, or was merged into another fact, too.
    """
    turn = work.turn
    given = (entity, kind, category, tag, within)
    entities, kinds, categories, tags, places = ([name] if name else [] for name in given)
    options = FilterOptions(entities, kinds, categories, tags, since, until, as_of, believed, faded, places)
    where = options.resolve(turn.local.date())
    beside = await search_with_sessions(
        turn.agent.memory, turn.session_memory, query, scope=turn.scope, limit=max_results, where=where
    )
    found = beside.joined()
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
            **{name: value for name, value in carried(hit).items() if value},
        }
        for hit in hits
    ]
    answer = {"results": results, **searched(found), "reason": found.reason}
    return Result(as_json(answer), origins=frozenset(hit.origin for hit in hits))


TOOL = tool(memory_search, doing=mark("searching memory"))
