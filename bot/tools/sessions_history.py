"""`sessions_history`: read one of the owner's private conversations, page by page."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from pydantic import Field

from bot.sessions.archive import read_session
from bot.texts.catalogue import mark
from bot.tools.base import Result, ToolError, Work, as_json, tool, transcripts_of

MAX_CHARS = 12_000
"""Of a page; a single turn may have more."""

MAX_TEXT_CHARS = 4_000


async def sessions_history(
    work: Work,
    session: Annotated[str, Field(max_length=200)] = "",
    start: Annotated[int, Field(alias="from", ge=0)] = 0,
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
) -> Result:
    """Read what was said in a private conversation with the owner, in order, also what is no longer before you.

    Args:
        session: its id, as sessions_search gives it; left out, this conversation.
        start: the number from which on, as sessions_search and `next` give it; left out, from the beginning.
        limit: how many turns at most: a message with its answer is one.
    """
    turn = work.turn
    name = session or str(turn.session)
    found = await read_session(transcripts_of(turn), turn.agent.name, name, start=start, limit=limit + 1)
    if not found:
        raise ToolError(f"There is no private conversation {name!r}, or nothing more in it. sessions_search gives ids.")
    shown: list[dict[str, Any]] = []
    following: dict[str, int] = {}
    said = [(number, list(group)) for number, group in groupby(found, key=lambda one: one.number)]
    for count, (number, group) in enumerate(said):
        if count == limit or (shown and sum(len(one["text"]) for one in shown) > MAX_CHARS):
            following = {"next": number}
            break
        shown += [one.as_fields(turn.agent.zone, most=MAX_TEXT_CHARS) for one in group]
    read = [one for one in found if not following or one.number < following["next"]]
    return Result(as_json({"messages": shown} | following), origins=frozenset(one.said.origin for one in read))


TOOL = tool(sessions_history, doing=mark("reading a conversation"))
