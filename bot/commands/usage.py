"""`/usage`: what models have taken and cost, and how far that is from the caps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from bot.commands.base import Call, Command
from bot.llm.usage import CAPS, OWNER, UsageLedger, person_of, total
from bot.storage.port import UsageEntry
from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import plain_name
from bot.turn import Reply

MAX_LISTED = 10
"""People, or models, in one list."""


async def run(call: Call) -> Reply:
    """Tell the owner about everybody in private, and whoever asks where others read along about themselves."""
    turn, ledger = call.turn, call.context.usage
    month = await ledger.store.since(ledger.today.replace(day=1))
    if not turn.is_owners:
        month = [entry for entry in month if entry.person == person_of(turn.payer)]
    if turn.is_confined:
        month = [entry for entry in month if entry.agent == turn.agent.name]
    today = [entry for entry in month if entry.day == ledger.today]
    lines = [
        tr("- Today: {taken}", taken=describe(ledger, today)),
        tr("- This month: {taken}", taken=describe(ledger, month)),
    ]
    if not turn.is_owners:
        return Reply("\n".join([tr("What models have taken for you:"), *lines]), private=True)
    ended = await call.context.transcript.last_end(turn.session)
    here = await ledger.store.of_session(turn.agent.name, str(turn.session), ended)
    last = [entry for entry in here if entry.turn == here[-1].turn]
    caps = () if turn.is_confined else CAPS
    lines += [
        tr("- This conversation: {taken}", taken=describe(ledger, here)),
        tr("- Its last answer: {taken}", taken=describe(ledger, last)),
        *(tr("- Cap: {cap}", cap=_describe_cap(ledger, cap)) for cap in caps if getattr(ledger.options, cap)),
    ]
    names = {one.identity: plain_name(one.name) for one in call.context.register.people} | {OWNER: tr("you")}
    if month:
        lines += ["", tr("This month by person:"), *_by(ledger, month, attrgetter("person"), names)]
        lines += ["", tr("By model:"), *_by(ledger, month, attrgetter("model"), {})]
    if ledger.options.prices:
        newest = max(price.as_of for price in ledger.options.prices)
        lines += ["", tr("Prices as in `usage.prices` in config.yaml, the newest of {newest}.", newest=newest)]
    else:
        lines += ["", tr("Costs are told for models that have a price under `usage.prices` in config.yaml.")]
    return Reply("\n".join([tr("What models have taken:"), *lines]), private=True)


def describe(ledger: UsageLedger, entries: Sequence[UsageEntry]) -> str:
    """Return what was taken and cost, in words."""
    totals, (cost, unknown) = total(entries), ledger.cost(entries)
    if not totals.answers:
        return tr("nothing")
    tokens = trn("{count:,} token", "{count:,} tokens", totals.tokens)
    parts = [trn("{tokens} in {count:,} request", "{tokens} in {count:,} requests", totals.answers, tokens=tokens)]
    if totals.unreported:
        parts.append(tr("{unreported:,} of them not counted by the provider", unreported=totals.unreported))
    if unknown < totals.tokens:
        parts.append(ledger.money(cost))
    if unknown:
        parts.append(
            tr("price unknown") if unknown == totals.tokens else tr("price of {unknown:,} unknown", unknown=unknown)
        )
    return ", ".join(parts)


def _describe_cap(ledger: UsageLedger, cap: str) -> str:
    spent, most = ledger.spent(cap), getattr(ledger.options, cap)
    amounts = {"spent": ledger.amount(cap, spent), "most": ledger.amount(cap, most), "option": f"`usage.{cap}`"}
    if cap.endswith("_day"):
        return tr("{spent} of {most} a day ({option})", **amounts)
    return tr("{spent} of {most} a month ({option})", **amounts)


def _by(
    ledger: UsageLedger, entries: Sequence[UsageEntry], key_of: Callable[[UsageEntry], str], names: dict[str, str]
) -> Iterable[str]:
    """Yield a line for each key, the one that has taken most first."""
    groups = [(key, [*group]) for key, group in groupby(sorted(entries, key=key_of), key=key_of)]
    groups.sort(key=lambda group: -total(group[1]).tokens)
    for key, group in groups[:MAX_LISTED]:
        name = f"`{key or tr('unknown')}`"
        if key in names:
            name = names[key] if key == OWNER else f"{names[key]} (`{key}`)"
        yield f"- {name}: {describe(ledger, group)}"
    if len(groups) > MAX_LISTED:
        yield tr("- and {count:,} more", count=len(groups) - MAX_LISTED)


COMMAND = Command(
    summary=mark("what models have taken and cost: today, this month, this conversation, by person"),
    usage="/usage",
    run=run,
    detail=mark(
        "Guests are told about themselves only. What a model was asked for by itself, as for a summary, is counted."
    ),
)
