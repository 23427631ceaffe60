"""One fact: its words and place, where it comes from, what became of it, how it fades; edited, pinned, forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.commands.forget import masked_places, told_forgotten
from bot.errors import Missing
from bot.receipts import period, strength, taken_back
from bot.sessions.tracing import BY_HAND, NOT_KEPT, trace
from bot.texts import mark, tr
from bot.web.page import ACTOR, Changed, Page, View
from bot.web.scores import LEGEND, score_of
from memory import Error, Hit, Origin
from memory.errors import NotFound
from memory.files.records import Action, Operation
from memory.files.writer import SUPERSEDED
from memory.knowledge.history import JournalEntry, changes
from memory.life.reviews import pin

AROUND = 4
"""Lines of the file before and behind a fact."""
MOST_CHANGES = 50
HITS = 12


async def context(view: View) -> Mapping[str, Any]:
    """Collect what is known of a fact, or that it was forgotten."""
    name = _name(view)
    entries = await view.agent.memory.run(changes, limit=MOST_CHANGES, scope=view.scope, about=name)
    try:
        hit = await view.agent.memory.find(name, scope=view.scope)
    except NotFound as error:
        gone = next((one for one in entries if one.action == Action.FORGET and not one.is_undone), None)
        if gone is None:
            raise Missing(
                tr("There is no fact ^{id} in the memory of {agent}.", id=name[:80], agent=view.agent.name),
                hint=tr("It may be another agent's, or the id is not whole."),
            ) from error
        return {"hit": None, "id": name, "gone": gone, "undo": _undoable(view, entries), "entries": entries}
    return {
        "hit": hit,
        "id": hit.id,
        "strength": strength(hit),
        "period": period(hit),
        "trace": await trace(view.agent.memory, hit, view.agent.transcripts, view.agent.name),
        "by_hand": tr(BY_HAND),
        "not_kept": tr(NOT_KEPT),
        "around": await _around(view, hit),
        "entries": entries,
        "undo": _undoable(view, entries),
        "preview": await _preview(view, hit) if "forget" in view.query else None,
        "asked": await _asked(view, hit),
    }


async def edit(view: View) -> Changed:
    """Write a text in the place of the fact, as `/replace` does."""
    done = await view.agent.memory.supersede(
        _name(view),
        view.field("text").replace("\r\n", "\n").strip(),
        origin=Origin.OWNER,
        scope=view.scope,
        op_id=view.op_id,
        actor=ACTOR,
        keep_secrets="keep" in view.form,
    )
    told = tr("Changed. It is in {place} now.", place=done.written.at)
    return Changed(told, view.link(f"/fact/{done.written.fact.id}", q=view.form.get("q")))


async def forget(view: View) -> Changed:
    """Carry a preview out, and mask what repeats the fact in conversations."""
    gone = await view.agent.memory.forget(view.field("token"), op_id=view.op_id, scope=view.scope, actor=ACTOR)
    masked = await view.app.context.forgetting.catch_up(view.agent)
    return Changed(told_forgotten(gone, masked).replace("`", ""), view.link(f"/fact/{_name(view)}"))


async def undo(view: View) -> Changed:
    """Take an operation on this fact back: what it wrote goes, what it took away comes back."""
    operation = view.field("operation").removesuffix(SUPERSEDED)
    undone = await view.agent.memory.undo(
        op_id=view.op_id, scope=view.scope, actor=ACTOR, only={operation, f"{operation}{SUPERSEDED}"}
    )
    back = next((one.id for one in undone if one.action == Action.FORGET), "")
    told = " ".join(taken_back(one).replace("`", "") for one in undone)
    is_gone = not back and any(one.action == Action.REMEMBER for one in undone)
    return Changed(told, view.link("/memory") if is_gone else view.link(f"/fact/{back or _name(view)}"))


async def keep(view: View) -> Changed:
    """Keep the fact from fading."""
    return await _pin(view, is_pinned=True)


async def unpin(view: View) -> Changed:
    """Let the fact fade again."""
    return await _pin(view, is_pinned=False)


async def _pin(view: View, *, is_pinned: bool) -> Changed:
    operation = Operation(view.op_id, ACTOR, Origin.OWNER, view.scope)
    hit = await view.agent.memory.run(pin, _name(view), operation, is_pinned=is_pinned)
    return Changed(f"{strength(hit).capitalize()}.")


def _name(view: View) -> str:
    return view.part("id").strip().removeprefix("^").partition("/")[0]


async def _around(view: View, hit: Hit) -> Sequence[tuple[int, str, bool]]:
    """Return lines of the file around a fact: number, text, whether it is the fact's; none if they cannot be read."""
    start = max(1, hit.source.start - AROUND)
    try:
        passage = await view.agent.memory.get(
            hit.source.path, scope=view.scope, start=start, lines=hit.source.end - start + 1 + AROUND
        )
    except Error:  # the page tells what the index knows; the doctor tells what is the matter with the file
        return ()
    lines = enumerate(passage.text.split("\n"), passage.start)
    return [(number, line, hit.source.start <= number <= hit.source.end) for number, line in lines]


def _undoable(view: View, entries: Sequence[JournalEntry]) -> str:
    """Return the operation that was done to a fact last, if it can be taken back from here; otherwise nothing."""
    last = next((one for one in entries if not one.is_undone and one.action != Action.UNDO), None)
    if last is None:
        return ""
    is_late = view.app.clock.now() - datetime.fromisoformat(last.at) >= timedelta(days=1)
    if last.action == Action.FORGET:
        return "" if is_late or not last.before else last.op_id
    return last.op_id if last.op_id.startswith("web:") else ""


async def _preview(view: View, hit: Hit) -> Mapping[str, Any]:
    """Return what would go if the fact was forgotten."""
    preview = await view.agent.memory.preview_forget(f"^{hit.id}", scope=view.scope, actor=ACTOR)
    masked = ""
    if preview.trail:
        masked = masked_places(await view.app.context.forgetting.foresee(view.agent, preview.trail, None))
    return {"token": preview.token, "lines": preview.lines, "notes": preview.notes, "masked": masked}


async def _asked(view: View, hit: Hit) -> Mapping[str, Any] | None:
    """Return how the fact does with the question that led here; None without one."""
    question = view.query.get("q", "").strip()[:1000]
    if not question:
        return None
    found = await view.agent.memory.recall(question, scope=view.scope, limit=HITS)
    every = [*found.hits, *found.near]
    place = next((n for n, one in enumerate(every, 1) if one.id == hit.id), 0)
    one = every[place - 1] if place else None
    return {
        "question": question,
        "place": place,
        "count": len(found.hits),
        "score": score_of(one) if one else None,
        "relevance": one.relevance if one else 0.0,
        "colours": {name: number for number, name in enumerate(LEGEND)},
    }


PAGE = Page(
    path="/fact/{id}",
    title=mark("Fact"),
    context=context,
    live=("memory.",),
    actions={"edit": edit, "forget": forget, "undo": undo, "pin": keep, "unpin": unpin},
)
