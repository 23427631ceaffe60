"""`/why`: where the last answer or a fact came from, and why these passages and not others."""

from __future__ import annotations

from datetime import tzinfo

from bot.commands.base import Call, Command
from bot.sessions.tracing import trace_fact
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import truncate
from bot.texts.receipts import described, period, remark, scored, strength
from bot.turn import Reply
from memory import Hit, Recall

MAX_NEAR = 3
MAX_CONTENT_CHARS = 60


async def run(call: Call) -> Reply:
    """Explain the last answer of this conversation, or tell where a fact comes from."""
    turn = call.turn
    if call.argument:
        listed = await call.context.transcript.last_listed(turn.session)
        by_number = {str(number): hit.id for number, hit in enumerate(listed, 1)}
        hit = await turn.agent.memory.find(by_number.get(call.argument, call.argument), scope=turn.scope)
        reader = turn.agent.transcripts if turn.is_owners else None
        zone, names = turn.agent.zone, {} if turn.is_owners else await call.speakers()
        text = await trace_fact(turn.agent.memory, hit, reader, turn.agent.name, zone=zone, names=names)
        head = f"`{hit.unit}`: {truncate(' '.join(hit.content.split()), MAX_CONTENT_CHARS)}"
        text = "\n".join(filter(None, (text, strength(hit, zone))))
        return Reply(f"{head}\n{text}", origins=frozenset({hit.origin}))
    evidence = await call.context.transcript.last_recall(call.turn.session)
    if evidence is None:
        return Reply(tr("I have not answered anything from memory in this conversation yet."))
    origins = frozenset(hit.origin for hit in (*evidence.hits, *evidence.near[:MAX_NEAR]))
    return Reply(explain(evidence, turn.agent.zone), origins=origins)


def explain(evidence: Recall, zone: tzinfo) -> str:
    """List the hits with the parts of their scores, then what came close and lost."""
    lines = [f'"{truncate(evidence.query, MAX_CONTENT_CHARS)}": {remark(evidence)}']
    lines += [_line(hit, zone, n) for n, hit in enumerate(evidence.hits, 1)]
    if evidence.near:
        lines += [tr("Close, but not shown:"), *(_line(hit, zone) for hit in evidence.near[:MAX_NEAR])]
    return "\n".join(lines)


def _line(hit: Hit, zone: tzinfo, number: int | None = None) -> str:
    bullet = f"{number}." if number else "-"
    source = [tr("from {source}", source=tr(hit.fact_source))] if hit.fact_source else []
    carried = "".join(f" · {part}" for part in (*described(hit), period(hit), *source) if part)
    line = f"{bullet} `{hit.unit}` {scored(hit)}{carried} · {truncate(hit.content, MAX_CONTENT_CHARS)}"
    return f"{line}\n   {strength(hit, zone)}" if hit.strength else line


COMMAND = Command(
    summary=mark("explain the last answer, or where a fact comes from"),
    usage=mark("/why [ID | NUMBER]"),
    example="/why ^k3f9a2mq",
    run=run,
    detail=mark(
        "Without an id: sources and scores of the last answer. With one, or with the number of a passage in that "
        "answer: who wrote it when, and of which words."
    ),
)
