"""Usage: what models have taken and cost, by day, agent, model and person, and how far that is from the caps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from bot.llm.usage import CAPS, OWNER, UsageLedger, total
from bot.storage.port import UsageEntry
from bot.texts.catalogue import mark, tr
from bot.web.page import Group, Page, View
from bot.web.pages.sessions import spent

DAYS = 30

GROUPS: Mapping[str, Callable[[UsageEntry], str]] = {
    mark("By agent"): lambda entry: entry.agent,
    mark("By model"): lambda entry: entry.model,
    mark("By person"): lambda entry: entry.person,
}

ORDERS = ("name", "answers", "tokens", "prompt", "cached", "completion", "cost")


async def context(view: View) -> Mapping[str, Any]:
    """Collect the last thirty days of the agents that may be seen."""
    ledger = view.app.context.usage
    days = [(ledger.today - timedelta(days=back)) for back in reversed(range(DAYS))]
    entries = [entry for entry in await ledger.store.since(days[0]) if entry.agent in view.agents]
    people = {person.identity: person.name for person in view.app.context.register.people}
    people |= {OWNER: tr("you"), "": tr("nobody")}
    tables = {}
    for title, key in GROUPS.items():
        grouped: dict[str, list[UsageEntry]] = defaultdict(list)
        for entry in entries:
            grouped[key(entry)].append(entry)
        names = people if title == "By person" else {}
        rows = [_row(ledger, names.get(name) or name, group) for name, group in grouped.items()]
        tables[title] = view.sort(rows, ORDERS, "-tokens")
    by_day = {day: [entry for entry in entries if entry.day == day] for day in days}
    return {
        "days": [(f"{day:%d}", total(group).tokens) for day, group in by_day.items()],
        "first": days[0],
        "today": _row(ledger, tr("Today"), by_day[days[-1]]),
        "all": _row(ledger, "", entries),
        "tables": tables,
        "has_prices": bool(ledger.options.prices),
        "currency": ledger.options.currency,
        "caps": [
            {
                "option": f"usage.{cap}",
                "spent": ledger.amount(cap, ledger.spent(cap)),
                "most": ledger.amount(cap, most),
                "share": ledger.spent(cap) / most,
            }
            for cap in CAPS
            if (most := getattr(ledger.options, cap)) and not view.is_confined
        ],
    }


def _row(ledger: UsageLedger, name: str, entries: Sequence[UsageEntry]) -> dict[str, Any]:
    return {"name": name, **asdict(total(entries)), **spent(ledger, entries)}


PAGE = Page(path="/usage", title=mark("Usage"), context=context, group=Group.SERVICE, key="u", live=("turn.finished",))
