"""All that is remembered of somebody, as an answer: to `/about`, or to a question in plain words."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from bot.texts.catalogue import tr, trn
from bot.texts.receipts import quoted
from bot.turn import Reply, Turn
from memory import Kind, Recall
from memory.capture.subjects import ME, subject_of
from memory.knowledge.about import About, about

MAX_SHOWN = 12
"""Facts in an answer; how to see the others is said."""
BUDGET_CHARS = 6_000


async def recall_about(turn: Turn, text: str, *, budget_chars: int = BUDGET_CHARS) -> Recall | None:
    """Recall all that is remembered of whom a message asks for.

    None if it does not ask for that, or if nothing is known of them by name. Only the owner, in private, is told of
    themself: in a group, a fact in the first person is not known to be of the person who asks.
    """
    subject = subject_of(text)
    if subject is None or (subject == ME and not turn.is_owners):
        return None
    found = await turn.agent.memory.run(about, subject, scope=turn.scope, entities_only=True)
    return recall_of(found, text, budget_chars=budget_chars) if found else None


def recall_of(found: About, text: str, *, budget_chars: int = BUDGET_CHARS) -> Recall:
    """Return facts as a recall: what holds before what happened, newest first, as many as the budget allows."""
    ordered = sorted(found.facts, key=lambda hit: hit.kind is Kind.EXPERIENCE)[:MAX_SHOWN]
    fitting = sum(length <= budget_chars for length in accumulate(len(hit.content) for hit in ordered))
    hits = tuple(replace(hit, relevance=1.0) for hit in ordered[: max(1, fitting)])
    who = found.name or tr("yourself")
    days = sorted(hit.time[:10] for hit in found.facts if hit.time)
    count = len(found.facts)
    if days and days[0] != days[-1]:
        facts = trn(
            "{count:,} fact about {who}, from {first} to {last}",
            "{count:,} facts about {who}, from {first} to {last}",
            count,
            who=who,
            first=days[0],
            last=days[-1],
        )
    else:
        facts = trn("{count:,} fact about {who}", "{count:,} facts about {who}", count, who=who)
    others = ", ".join(f"{name} ({times})" for name, times in found.others)
    reason = (tr("{facts}; named with: {others}", facts=facts, others=others) if others else facts) + "."
    return Recall(text, mode="words", reason=reason, ms=0.0, hits=hits)


def about_reply(found: Recall, opening: str) -> Reply:
    """Quote facts with their places; what is told of all of them stands below."""
    passages = "\n".join(quoted(hit, n) for n, hit in enumerate(found.hits, 1))
    return Reply(f"{opening}\n{passages}\n\n({found.reason})", evidence=found)
