"""`/status`: how things stand here: agent, model, conversation, window, tokens, memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from itertools import islice

from bot import receipts
from bot.access.limits import Limiter
from bot.commands.base import Call, Command
from bot.llm.retry import ModelState
from bot.llm.usage import TokenTotals
from bot.storage.port import Session
from bot.turn import Reply, Turn
from memory import Status

SHOWN = 5
"""People whose messages were above a limit, in one line."""


async def run(call: Call) -> Reply:
    """A line for each."""
    turn, desk = call.turn, call.desk
    zone, model = turn.agent.zone, desk.model(turn.agent.name)
    seen = await desk.seen(turn.session)
    lines = [
        f"**{turn.agent.name}**" + (f": {turn.agent.about}" if turn.agent.about else ""),
        f"- Model: {_model(model, zone)}",
        f"- Conversation: {_conversation(turn, await desk.transcript.current(turn.session))}",
    ]
    if model:
        full = (
            f"{seen.reported:,} of {seen.window:,} tokens ({_share(seen.reported, seen.window)})" if seen else "empty"
        )
        lines += [f"- Window: {full}", f"- Tokens today: {_tokens(model.today)}"]
    lines.extend(_limited(desk.limiter))
    lines.append(f"- Memory: {_memory(await turn.agent.memory.status())}")
    return Reply("\n".join(lines), private=True)


def _share(part: int, whole: int) -> str:
    """How much of something is full, in per cent."""
    return f"{100 * part / whole:.0f} %"


def _model(model: ModelState | None, zone: tzinfo) -> str:
    if model is None:
        return "none; answers are quotes from memory. `scrubjay init` adds one."
    if model.outage:
        return f"{model.name}, no answer since {_clock(model.outage.since, zone)}: {model.outage.error}"
    return f"{model.name}, " + ("it answers" if model.today.answers else "not asked yet today")


def _conversation(turn: Turn, session: Session | None) -> str:
    if session is None:
        return "nothing has been said yet."
    began, zone = session.began, turn.agent.zone
    messages = "1 message" if session.messages == 1 else f"{session.messages} messages"
    age = _span(turn.agent.clock.now() - began)
    return f"{messages} since {began.astimezone(zone):%Y-%m-%d %H:%M} ({age}), `{session.id}`"


def _tokens(tally: TokenTotals) -> str:
    if not tally.answers:
        return "none yet"
    counted = tally.answers - tally.unreported
    if not counted:
        return f"unknown: the provider does not report them ({tally.answers} answers)"
    return "".join(_counts(tally))


def _counts(tally: TokenTotals) -> Iterator[str]:
    yield f"{tally.prompt + tally.completion:,} ({tally.prompt:,} read, {tally.completion:,} written"
    yield f"; {tally.cached:,} of the read ones from the provider's cache" if tally.cached else ""
    yield f") in {tally.answers} " + ("answer" if tally.answers == 1 else "answers")
    yield f", {tally.unreported} of them not counted" if tally.unreported else ""


def _limited(limiter: Limiter) -> Iterator[str]:
    """Whose messages were above a limit today, if any were."""
    if limiter.refused:
        whose = ", ".join(f"`{who}` {count:,}" for who, count in islice(limiter.refused.items(), SHOWN))
        total = sum(limiter.refused.values())
        yield f"- Above a limit today: {total:,} messages ({whose}); guests took {limiter.guests_tokens:,} tokens"


def _memory(status: Status) -> str:
    facts = "1 fact" if status.facts == 1 else f"{status.facts:,} facts"
    files = "1 file" if status.files == 1 else f"{status.files:,} files"
    pending = f", {status.pending:,} files to be read" if status.pending else ""
    return f"{facts} in {files}, index {status.state}{pending}. {status.reason}".rstrip() + f" {receipts.told(status)}"


def _span(span: timedelta) -> str:
    """The two largest units of a time span.

    >>> _span(timedelta(days=1, hours=2, minutes=5))
    '1 d 2 h'
    """
    minutes = max(0, int(span.total_seconds() // 60))
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min")]
    first = next((at for at, (count, _) in enumerate(parts) if count), 2)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "just now"


def _clock(at: datetime, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


COMMAND = Command(
    name="status",
    summary="how things stand: model, conversation, tokens, memory",
    usage="/status",
    example="/status",
    run=run,
    owner_only=True,
    private=True,
)
