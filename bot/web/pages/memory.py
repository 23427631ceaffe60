"""Memory: what is remembered, searched as one types, each hit with what its score is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.texts.catalogue import mark, tr
from bot.texts.receipts import remark
from bot.web.page import Group, Page, View
from bot.web.scores import COLOURS, LEGEND, score_of, split_hits
from memory import CATEGORIES, FactSource, Filter, Hit, Kind
from memory.index.types import FactOrder, FactQuery, FactState
from memory.life.overview import list_facts

HITS = 12
"""Of a question; of more, no relevance is measured."""
NEAR = 10
LOOKED_THROUGH = 100
"""Hits among which those are looked for that recall itself cannot be narrowed to."""
ROOM_CHARS = 2000
"""For each hit of a question."""
MAX_QUESTION_CHARS = 1000
LISTED = 50
NARROWING = ("kind", "entity", "category", "since", "until", "source", "state")
STATES = (FactState.ALIVE, FactState.FADED, FactState.PINNED, FactState.MERGED)
ORDERS = {
    "-written": FactOrder.NEWEST,
    "written": FactOrder.OLDEST,
    "-strength": FactOrder.STRONGEST,
    "strength": FactOrder.WEAKEST,
    "-used": FactOrder.MOST_USED,
}


async def context(view: View) -> Mapping[str, Any]:
    """Collect the hits of a question, or else the facts."""
    question = view.query.get("q", "").strip()[:MAX_QUESTION_CHARS]
    entity = view.query.get("entity", "").strip().removeprefix("@")[:200]
    kind, category = view.choice("kind", set(Kind)), view.choice("category", CATEGORIES)
    state, source = view.choice("state", STATES), view.choice("source", set(FactSource))
    where = Filter(
        since=_day(view, "since"),
        until=_day(view, "until"),
        kinds=(Kind(kind),) if kind else (),
        entities=(entity,) if entity else (),
        categories=(category,) if category else (),
        faded=state in {FactState.FADED, FactState.MERGED},
    )
    shown = {
        "question": question,
        "kinds": [*Kind],
        "categories": sorted(CATEGORIES),
        "sources": [*FactSource],
        "states": STATES,
        "is_narrowed": any(view.query.get(name) for name in NARROWING),
    }
    if not question:
        query = FactQuery(
            where,
            sources=(FactSource(source),) if source else (),
            state=FactState(state or FactState.ALL),
            order=ORDERS[view.choice("order", ORDERS, "-written")],
            offset=view.number("offset", 0),
            limit=LISTED,
        )
        page = await view.agent.memory.run(list_facts, query, scope=view.scope)
        return {**shown, "facts": page.facts, "total": page.total, "offset": query.offset, "limit": LISTED}
    limit = LOOKED_THROUGH if state or source else HITS
    recalled = await view.agent.memory.recall(
        question, scope=view.scope, limit=limit, budget_chars=limit * ROOM_CHARS, where=where
    )

    def narrowed(hits: Iterable[Hit]) -> tuple[Hit, ...]:
        return tuple(hit for hit in hits if _is_wanted(hit, state, source, view.today.isoformat()))

    recalled = replace(recalled, hits=narrowed(recalled.hits), near=narrowed(recalled.near))
    likely, unlikely = split_hits(recalled, HITS)
    return {
        **shown,
        "found": {"mode": recalled.mode, "reason": remark(recalled), "ms": recalled.ms, "form": recalled.form},
        "hits": [{"hit": hit, "score": score_of(hit), "answers": hit.relevance >= recalled.floor} for hit in likely],
        "near": [{"hit": hit, "score": score_of(hit), "why": why} for hit, why in unlikely[:NEAR]],
        "most": max((hit.score for hit in likely), default=0.0),
        "legend": {name: tr(LEGEND[name]) for name in LEGEND if any(name in score_of(hit).parts for hit in likely)},
        "colours": COLOURS,
    }


def _day(view: View, name: str) -> str | None:
    """Return a day of the query; None where there is none. Raises `UsageError` if it is no day."""
    given = view.query.get(name, "").strip()
    return view.day(given).isoformat() if given else None


def _is_wanted(hit: Hit, state: str, source: str, today: str) -> bool:
    """Return whether a hit is in the state, and came in by the way, that is asked for."""
    strength = hit.strength
    is_merged = bool(strength and strength.merged_into)
    has_faded = bool(strength and strength.due and strength.due <= today)
    states = {
        FactState.ALIVE: not has_faded and not is_merged,
        FactState.FADED: has_faded and not is_merged,
        FactState.PINNED: bool(strength and strength.pinned),
        FactState.MERGED: is_merged,
    }
    return (not source or hit.fact_source == source) and (not state or states[FactState(state)])


PAGE = Page(
    path="/memory", title=mark("Memory"), context=context, group=Group.MEMORY, place=1, key="m", live=("memory.",)
)
