"""`/status`: how things stand here: agent, model, conversation, window, tokens, memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta, tzinfo
from itertools import islice

from bot.commands.base import Call, Command
from bot.llm.retry import ModelState
from bot.storage.port import TokenTotals
from bot.supervision import RUNNING
from bot.texts import receipts
from bot.texts.catalogue import mark, tr, trn
from bot.texts.memory import of_memory
from bot.turn import Reply

MAX_PEOPLE = 5
"""People whose messages were above a limit, in one line."""


async def run(call: Call) -> Reply:
    """A line for each; nothing of other people, or of what is known elsewhere, where others read along."""
    turn, context = call.turn, call.context
    zone, models = turn.agent.zone, await context.models(turn.session)
    today = await context.usage.of_today(turn.agent.name)
    seen, session = await context.seen(turn.session), await context.transcript.current(turn.session)
    conversation = tr("nothing has been said yet.")
    if session:
        lasting = format_span(turn.agent.clock.now() - session.began)
        since = f"{session.began.astimezone(zone):%Y-%m-%d %H:%M} ({lasting})"
        messages = trn(
            "{count:,} message since {since}", "{count:,} messages since {since}", session.messages, since=since
        )
        conversation = f"{messages}, `{session.id}`"
    lines = [
        f"**{turn.agent.name}**" + (f": {turn.agent.about}" if turn.agent.about else ""),
        tr("- Model: {model}", model=_describe_model(models, today, zone)),
        tr("- Conversation: {conversation}", conversation=conversation),
    ]
    if models:
        full = tr("empty")
        if seen:
            sizes = {"reported": seen.reported, "window": seen.window, "share": seen.share}
            full = tr("{reported:,} of {window:,} tokens ({share})", **sizes)
        lines += [tr("- Window: {full}", full=full), tr("- Tokens today: {tokens}", tokens=_describe_tokens(today))]
    refused = context.limiter.refused
    if refused and turn.is_owners and not turn.is_confined:
        whose = ", ".join(f"`{who}` {count:,}" for who, count in islice(refused.items(), MAX_PEOPLE))
        took = tr("guests took {guests_tokens:,} tokens", guests_tokens=context.limiter.guests_tokens)
        above = {"values": sum(refused.values()), "whose": whose, "took": took}
        lines.append(tr("- Messages above a limit today: {values:,} ({whose}); {took}", **above))
    lines += [f"- {name}: {status}" for name, status in context.accounts().items() if status != RUNNING]
    memory = await turn.agent.memory.status()
    pending = tr(", files to be read: {pending:,}", pending=memory.pending) if memory.pending else ""
    state = tr(receipts.INDEX_STATES.get(memory.state, memory.state))
    index = f"{tr('index {state}', state=state)}{pending}. {of_memory(memory.reason)}".rstrip()
    counted = await turn.agent.memory.stats(scope=turn.scope)
    facts = trn("{count:,} fact", "{count:,} facts", counted.facts)
    counts = trn("{facts} in {count:,} file", "{facts} in {count:,} files", counted.files, facts=facts)
    lines.append(tr("- Memory: {counts}, {index} {told}", counts=counts, index=index, told=receipts.told(memory)))
    return Reply("\n".join(lines), private=True)


def _describe_model(models: Sequence[ModelState], today: TokenTotals, zone: tzinfo) -> str:
    if not models:
        return tr("none; answers are quotes from memory. `scrubjay init` adds one.")
    model, *others = models
    if model.outage:
        since = f"{model.outage.since.astimezone(zone):%Y-%m-%d %H:%M}"
        silent = tr(
            "{name}, no answer since {since}: {error}", name=model.name, since=since, error=model.outage.error.again()
        )
        instead = next((other.name for other in others if not other.outage), "")
        return tr("{name} answers instead of {silent}", name=instead, silent=silent) if instead else silent
    return f"{model.name}, " + (tr("it answers") if today.answers else tr("not asked yet today"))


def _describe_tokens(totals: TokenTotals) -> str:
    if not totals.answers:
        return tr("none yet")
    if totals.answers == totals.unreported:
        return tr("unknown: the provider does not report them (requests: {count})", count=totals.answers)
    cached = tr("; {cached:,} of the read ones from the provider's cache", cached=totals.cached)
    amounts = {"tokens": totals.tokens, "prompt": totals.prompt, "completion": totals.completion}
    taken = trn(
        "{tokens:,} ({prompt:,} read, {completion:,} written{cached}) in {count:,} request",
        "{tokens:,} ({prompt:,} read, {completion:,} written{cached}) in {count:,} requests",
        totals.answers,
        **amounts,
        cached=cached if totals.cached else "",
    )
    unreported = tr(", {unreported} of them not counted", unreported=totals.unreported) if totals.unreported else ""
    return f"{taken}{unreported}"


def format_span(span: timedelta) -> str:
    """Return the two largest units of a time span.

    >>> format_span(timedelta(days=1, hours=2, minutes=5))
    '1 d 2 h'
    """
    minutes = max(0, int(span.total_seconds() // 60))
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min")]
    first = next((at for at, (count, _) in enumerate(parts) if count), 2)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or tr("just now")


COMMAND = Command(
    summary=mark("how things stand: model, conversation, tokens, memory"), usage="/status", run=run, owner_only=True
)
