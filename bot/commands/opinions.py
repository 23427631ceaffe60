"""`/opinions`: what is believed, how surely, and what speaks for and against it."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter, suggest_names
from bot.texts.catalogue import mark, tr
from bot.turn import Reply
from memory import Evidence, Hit
from memory.knowledge.about import opinions_of
from memory.knowledge.reflection.opinions import START

MAX_LISTED = 12
MAX_PLACES = 3
"""Places that are named on each side, the newest."""

_SURE = (
    (0.9, mark("very sure")),
    (0.75, mark("fairly sure")),
    (0.55, mark("rather so")),
    (0.45, mark("undecided")),
    (0.25, mark("doubtful")),
    (0.0, mark("hardly")),
)


async def run(call: Call) -> Reply:
    """Show opinions, all or those about somebody, the last moved first."""
    name = call.argument.strip().removeprefix("@")
    memory, names = call.turn.agent.memory, (name,) if name else ()
    found = await memory.run(opinions_of, names, limit=MAX_LISTED, scope=call.turn.scope)
    if not found:
        none = tr("I have no opinion about {name} yet.", name=name) if name else tr("I have no opinion yet.")
        return Reply(f"{none} {tr('`O(c=0.8) @Peter: Prefers tea.` is one, or tell me what you like.')}")
    return Reply("\n".join(map(describe, found)), origins=frozenset(hit.origin for hit in found))


def describe(hit: Hit) -> str:
    """Describe an opinion: the statement, how sure, since when, and the facts on both sides with their places."""
    confidence = float(dict(hit.attributes).get("c", START))
    words = next(tr(words) for least, words in _SURE if confidence >= least)
    moved = max((one.day for one in hit.evidence), default=(hit.time or "")[:10])
    pro, contra = ([one for one in hit.evidence if (one.step < 0) is against] for against in (False, True))
    sides = [f"{side} {_places(found)}" for side, found in ((tr("for"), pro), (tr("against"), contra)) if found]
    last = tr(", last on {moved}", moved=moved) if moved else ""
    below = f"\n  {'; '.join(sides)}" if sides else ""
    return f"- {hit.content} ({words}, {confidence:.2f}{last}; `{hit.unit}`){below}"


def _places(evidence: list[Evidence]) -> str:
    shown = ", ".join(f"`{one.path}` `^{one.id}`" for one in evidence[-MAX_PLACES:])
    more = len(evidence) - MAX_PLACES
    return f"{len(evidence)}: {shown}" + (" " + tr("and {count:,} more", count=more) if more > 0 else "")


COMMAND = Command(
    summary=mark("what I believe, and how surely"),
    usage=mark("/opinions [NAME]"),
    example=mark("/opinions Peter"),
    run=run,
    detail=mark(
        "Each fact that speaks for or against an opinion moves its confidence a little, once a night. "
        "`bank/opinions.md` has them all, for you to edit."
    ),
    parameter=Parameter("name", mark("whom they are about; nothing for all"), suggest_names),
)
