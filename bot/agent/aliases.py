"""The tools of OpenClaw's LanceDB plugin, by its names and with its arguments, for instructions written for it.

They do what `memory_search`, `remember` and `forget` do, and are offered where these are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from bot.texts.catalogue import mark
from bot.tools.base import Result, Tool, ToolError, Work, as_json, tool
from bot.tools.forget import TOOL as FORGET
from bot.tools.forget import forget
from bot.tools.memory_search import memory_search
from bot.tools.remember import TOOL as REMEMBER
from bot.tools.remember import write_fact
from bot.turn import UNKNOWN
from memory import Fact
from memory.files.notation import MAX_FACT_CHARS


async def memory_recall(
    work: Work,
    query: Annotated[str, Field(min_length=1, max_length=4000)],
    limit: Annotated[int, Field(ge=1, le=50)] = 5,
) -> Result:
    """Search memory, as memory_search does.

    Args:
        query: a question or words, in any language.
        limit: how many passages at most.
    """
    return await memory_search(work, query, max_results=limit)


async def memory_store(
    work: Work,
    text: Annotated[str, Field(min_length=1, max_length=MAX_FACT_CHARS)],
    importance: Annotated[float | None, Field(ge=0, le=1)] = None,
    category: Literal["preference", "fact", "decision", "entity", "other"] | None = None,
) -> Result:
    """Write one fact into today's log, as remember does.

    Args:
        text: one self-contained statement: who, what, when with the date written out.
        importance: 0 to 1; 0.7 if left out.
        category: what it is about; found by rule if left out.
    """

    def shape(fact: Fact) -> Fact:
        kept = () if importance is None else (("i", f"{round(importance, 2):g}"),)
        others = (attribute for attribute in fact.attributes if attribute[0] != "i" or not kept)
        return replace(fact, category=category or fact.category, attributes=(*kept, *others))

    return await write_fact(work, text, shape)


async def memory_forget(
    work: Work,
    memory_id: Annotated[str | None, Field(alias="memoryId")] = None,
    query: Annotated[str | None, Field(min_length=1, max_length=4000)] = None,
) -> Result:
    """Take a fact out of memory, only when you are asked to, as forget does. It can be brought back for a day.

    Args:
        memory_id: its id, as memory_recall gives it.
        query: words of it, where the id is not known. If they may mean several facts, these are listed, and none goes.
    """
    if memory_id:
        return await forget(work, [memory_id.strip("^")])
    if not query:
        raise ToolError("Give memoryId or query.")
    turn = work.turn
    preview = await turn.agent.memory.preview_forget(
        query, scope=turn.scope, actor=work.actor, whose=turn.whose, reach=turn.reach
    )
    ids = [line.id for line in preview.lines]
    if len(ids) == 1 and not preview.choose:
        return await forget(work, ids)
    candidates = [{"id": line.id, "path": f"{line.path}:{line.number}", "text": line.text} for line in preview.lines]
    return Result(as_json({"forgotten": [], "candidates": candidates}), origins=UNKNOWN if candidates else frozenset())


def aliases() -> dict[str, Tool]:
    """Return these tools by name."""
    offered = (
        tool(memory_recall, doing=mark("searching memory")),
        tool(memory_store, doing=REMEMBER.doing, changes=True, only_adds=True, not_done=REMEMBER.not_done),
        tool(memory_forget, doing=FORGET.doing, changes=True, not_done=FORGET.not_done),
    )
    return {alias.name: alias for alias in offered}
