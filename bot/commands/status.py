"""`/status`: how things stand here: agent, model, conversation, window, tokens, memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta, tzinfo
from itertools import islice

from bot import receipts
from bot.commands.base import Call, Command
from bot.formatting import plural
from bot.llm.retry import ModelState
from bot.storage.port import TokenTotals
from bot.supervision import RUNNING
from bot.turn import Reply

MAX_PEOPLE = 5
"""People whose messages were above a limit, in one line."""


async def run(call: Call) -> Reply:
    """A line for each."""
    turn, context = call.turn, call.context
    zone, models = turn.agent.zone, await context.models(turn.session)
    today = await context.usage.of_today(turn.agent.name)
    seen, session = await context.seen(turn.session), await context.transcript.current(turn.session)
    conversation = "nothing has been said yet."
    if session:
        since = (
            f"{session.began.astimezone(zone):%Y-%m-%d %H:%M} ({format_span(turn.agent.clock.now() - session.began)})"
        )
        conversation = f"{plural(session.messages, 'message')} since {since}, `{session.id}`"
    lines = [
        f"**{turn.agent.name}**" + (f": {turn.agent.about}" if turn.agent.about else ""),
        f"- Model: {_describe_model(models, today, zone)}",
        f"- Conversation: {conversation}",
    ]
    if models:
        full = f"{seen.reported:,} of {seen.window:,} tokens ({seen.share})" if seen else "empty"
        lines += [f"- Window: {full}", f"- Tokens today: {_describe_tokens(today)}"]
    refused = context.limiter.refused
    if refused:
        whose = ", ".join(f"`{who}` {count:,}" for who, count in islice(refused.items(), MAX_PEOPLE))
        took = f"guests took {context.limiter.guests_tokens:,} tokens"
        lines.append(f"- Above a limit today: {sum(refused.values()):,} messages ({whose}); {took}")
    lines += [f"- {name}: {status}" for name, status in context.accounts().items() if status != RUNNING]
    memory = await turn.agent.memory.status()
    pending = f", {memory.pending:,} files to be read" if memory.pending else ""
    index = f"index {memory.state}{pending}. {memory.reason}".rstrip()
    counts = f"{plural(memory.facts, 'fact')} in {plural(memory.files, 'file')}"
    lines.append(f"- Memory: {counts}, {index} {receipts.told(memory)}")
    return Reply("\n".join(lines), private=True)


def _describe_model(models: Sequence[ModelState], today: TokenTotals, zone: tzinfo) -> str:
    if not models:
        return "none; answers are quotes from memory. `scrubjay init` adds one."
    model, *others = models
    if model.outage:
        since = f"{model.outage.since.astimezone(zone):%Y-%m-%d %H:%M}"
        instead = next((f"{other.name} answers instead of " for other in others if not other.outage), "")
        return f"{instead}{model.name}, no answer since {since}: {model.outage.error}"
    return f"{model.name}, " + ("it answers" if today.answers else "not asked yet today")


def _describe_tokens(totals: TokenTotals) -> str:
    if not totals.answers:
        return "none yet"
    if totals.answers == totals.unreported:
        return f"unknown: the provider does not report them ({totals.answers} answers)"
    cached = f"; {totals.cached:,} of the read ones from the provider's cache" if totals.cached else ""
    unreported = f", {totals.unreported} of them not counted" if totals.unreported else ""
    return (
        f"{totals.tokens:,} ({totals.prompt:,} read, {totals.completion:,} written{cached}) "
        f"in {plural(totals.answers, 'answer')}{unreported}"
    )


def format_span(span: timedelta) -> str:
    """Return the two largest units of a time span.

    >>> format_span(timedelta(days=1, hours=2, minutes=5))
    '1 d 2 h'
    """
    minutes = max(0, int(span.total_seconds() // 60))
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min")]
    first = next((at for at, (count, _) in enumerate(parts) if count), 2)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "just now"


COMMAND = Command(
    name="status",
    summary="how things stand: model, conversation, tokens, memory",
    usage="/status",
    example="/status",
    run=run,
    owner_only=True,
    private=True,
)
