"""Review inbox: changes that the agent proposes to the files that are always loaded, as diffs; the person decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from difflib import SequenceMatcher
from typing import Any

import structlog

from bot.texts.catalogue import mark, tr
from bot.texts.memory import of_memory
from bot.web.page import ACTOR, Changed, Group, Page, View, new_operation
from memory.knowledge.proposals import Change, accept, reject, suggest, waiting

PROPOSED = "memory.proposed"
"""The event that tells of new proposals."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


async def context(view: View) -> Mapping[str, Any]:
    """Collect what waits; what ought to be proposed from standing instructions in the notes is looked for beside."""
    agent = view.agent

    async def propose() -> None:
        if await agent.memory.run(suggest, op_id=new_operation(), actor=ACTOR):
            log.debug(PROPOSED, agent=agent.name)  # the page is shown anew

    view.beside.background.begin(propose, "proposals")
    proposals = []
    for proposal in await agent.memory.run(waiting):
        change, reason = proposal.change, of_memory(proposal.change.reason)
        more = {"id": proposal.id, "at": proposal.at, "pieces": pieces(change), "reason": reason}
        proposals.append(asdict(change) | more)
    return {"proposals": proposals}


def pieces(change: Change) -> list[tuple[str, str]]:
    """Return a change as pieces of text, each `same`, `gone` or `new`, word by word."""
    before, after = (text.split(" ") if text else [] for text in (change.before, change.after))
    parts = []
    for what, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            parts.append(("same", " ".join(before[start:end])))
        else:
            parts += [("gone", " ".join(before[start:end])), ("new", " ".join(after[first:last]))]
    return [(what, text) for what, text in parts if text]


async def take(view: View) -> Changed:
    """Carry a proposal out, as it is or as the person has edited it."""
    text, proposed = view.form.get("text", ""), view.form.get("proposed", "")
    edited = text if " ".join(text.split()) != " ".join(proposed.split()) else ""
    change = await view.agent.memory.run(accept, view.field("id"), text=edited, op_id=view.op_id, actor=ACTOR)
    return Changed(tr("Done in {path}; /undo in a chat takes it back.", path=change.path))


async def drop(view: View) -> Changed:
    await view.agent.memory.run(reject, view.field("id"), op_id=view.op_id, actor=ACTOR)
    return Changed(tr("Not taken; it is not proposed again."))


PAGE = Page(
    path="/inbox",
    title=mark("Review inbox"),
    context=context,
    group=Group.MEMORY,
    place=6,
    key="i",
    live=("memory.", "job.ended"),
    actions={"accept": take, "reject": drop},
)
