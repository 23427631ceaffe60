"""`/usage`: what models have taken and cost, and how far that is from the caps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from bot.commands.base import Call, Command
from bot.formatting import plain_name, plural
from bot.llm.usage import CAPS, OWNER, UsageLedger, person_of, total
from bot.storage.port import UsageEntry
from bot.turn import Reply

MAX_LISTED = 10
"""People, or models, in one list."""


async def run(call: Call) -> Reply:
    """Tell the owner about everybody, and a guest about themselves."""
    turn, ledger = call.turn, call.context.usage
    month = await ledger.store.since(ledger.today.replace(day=1))
    if not turn.principal.is_owner:
        month = [entry for entry in month if entry.person == person_of(turn.payer)]
    today = [entry for entry in month if entry.day == ledger.today]
    lines = [f"- Today: {describe(ledger, today)}", f"- This month: {describe(ledger, month)}"]
    if not turn.principal.is_owner:
        return Reply("\n".join(["What models have taken for you:", *lines]), private=True)
    ended = await call.context.transcript.last_end(turn.session)
    here = await ledger.store.of_session(turn.agent.name, str(turn.session), ended)
    last = [entry for entry in here if entry.turn == here[-1].turn]
    lines += [
        f"- This conversation: {describe(ledger, here)}",
        f"- Its last answer: {describe(ledger, last)}",
        *(f"- Cap: {_describe_cap(ledger, cap)}" for cap in CAPS if getattr(ledger.options, cap)),
    ]
    names = {one.identity: plain_name(one.name) for one in call.context.register.people} | {OWNER: "you"}
    if month:
        lines += ["", "This month by person:", *_by(ledger, month, [entry.person for entry in month], names)]
        lines += ["", "By model:", *_by(ledger, month, [entry.model for entry in month], {})]
    if ledger.options.prices:
        newest = max(price.as_of for price in ledger.options.prices)
        lines += ["", f"Prices as in `usage.prices` in config.yaml, the newest of {newest}."]
    else:
        lines += ["", "Costs are told for models that have a price under `usage.prices` in config.yaml."]
    return Reply("\n".join(["What models have taken:", *lines]), private=True)


def describe(ledger: UsageLedger, entries: Sequence[UsageEntry]) -> str:
    """Return what was taken and cost, in words."""
    totals, (cost, unknown) = total(entries), ledger.cost(entries)
    if not totals.answers:
        return "nothing"
    parts = [f"{plural(totals.tokens, 'token')} in {plural(totals.answers, 'answer')}"]
    if totals.unreported:
        parts.append(f"{totals.unreported:,} of them not counted by the provider")
    if unknown < totals.tokens:
        parts.append(ledger.money(cost))
    if unknown:
        parts.append("price unknown" if unknown == totals.tokens else f"price of {unknown:,} unknown")
    return ", ".join(parts)


def _describe_cap(ledger: UsageLedger, cap: str) -> str:
    spent, most = ledger.spent(cap), getattr(ledger.options, cap)
    return f"{ledger.amount(cap, spent)} of {ledger.amount(cap, most)} a {cap.rpartition('_')[2]} (`usage.{cap}`)"


def _by(
    ledger: UsageLedger, entries: Sequence[UsageEntry], keys: Iterable[str], names: dict[str, str]
) -> Iterable[str]:
    """Yield a line for each key, the one that has taken most first."""
    found = sorted(zip(keys, entries, strict=True), key=lambda pair: pair[0])
    groups = [(key, [entry for _, entry in group]) for key, group in groupby(found, key=lambda pair: pair[0])]
    groups.sort(key=lambda group: -total(group[1]).tokens)
    for key, group in groups[:MAX_LISTED]:
        name = f"{names[key]} (`{key}`)" if key in names and key != OWNER else names.get(key) or f"`{key or 'unknown'}`"
        yield f"- {name}: {describe(ledger, group)}"
    if len(groups) > MAX_LISTED:
        yield f"- and {len(groups) - MAX_LISTED:,} more"


COMMAND = Command(
    name="usage",
    summary="what models have taken and cost: today, this month, this conversation, by person",
    usage="/usage",
    example="/usage",
    run=run,
    detail="Guests are told about themselves only. What a model was asked for by itself, as for a summary, is counted.",
    private=True,
)
