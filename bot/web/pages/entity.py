"""Entity: one person, place or thing: its page, its facts, who is named beside it; and making two names one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.errors import Missing
from bot.texts.catalogue import mark, tr
from bot.web.page import ACTOR, Changed, Page, View
from memory import Error, Filter
from memory.index.terms import entity_key
from memory.index.types import FactQuery
from memory.knowledge.reflection.merging import carry_out, plan_merge
from memory.knowledge.reflection.reflect import entity_pages
from memory.life.overview import entity_graph, list_facts

PAGE_SIZE = 20
MAX_DEPTH = 3


async def context(view: View) -> Mapping[str, Any]:
    """Collect what is known of a name; the other name of a merge is looked at before anything is written."""
    name, memory = view.query.get("name", "").strip(), view.agent.memory
    if not name:
        raise Missing(tr("Nobody is named."), hint=tr("The page of entities lists all names."))
    depth, offset = view.number("depth", 1, least=1, most=MAX_DEPTH), view.number("offset", 0)
    facts = await memory.run(
        list_facts, FactQuery(Filter(entities=(name,)), offset=offset, limit=PAGE_SIZE), scope=view.scope
    )
    (aliases, pages), key = await memory.run(entity_pages), entity_key(name)
    path = pages.get(aliases.get(key, key), "")
    text = (await memory.page(path)).text if path else ""
    title = f"# {name}\n"  # which the heading of this page says
    is_titled, text = title in text, text.replace(title, "", 1)
    if not facts.total and not text:
        raise Missing(tr("No fact names {name}.", name=name[:80]))
    into, plan, refused = view.query.get("into", "").strip(), None, ""
    if into:
        try:
            plan = await memory.run(plan_merge, name, into)
        except Error as error:
            refused = str(error)
    return {
        "name": name,
        "path": path,
        "text": text,
        "is_titled": is_titled,
        "facts_about": facts.facts,
        "total": facts.total,
        "offset": offset,
        "limit": PAGE_SIZE,
        "depth": depth,
        "graph": await memory.run(entity_graph, name, scope=view.scope, depth=depth),
        "into": into,
        "plan": plan,
        "refused": refused,
    }


async def merge(view: View) -> Changed:
    """Make a name another name of somebody else."""
    name, into, memory = view.field("name"), view.field("into"), view.agent.memory
    await memory.run(carry_out, await memory.run(plan_merge, name, into), op_id=view.op_id, actor=ACTOR)
    told = tr("{name} is {into} from now on; /undo in a chat takes it back.", name=name, into=into)
    return Changed(told, to=view.link("/entity", name=into))


PAGE = Page(
    path="/entity",
    title=mark("Entity"),
    context=context,
    live=("memory.",),
    actions={"merge": merge},
    scripts=("cytoscape-3.34.4.min.js", "graph.js"),
)
