"""One fact: its words and place, where it comes from, what became of it, how it fades; edited, pinned, forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import Any

from bot.commands.forget import masked_places, told_forgotten
from bot.errors import Missing
from bot.sessions.told import source_of
from bot.sessions.tracing import BY_HAND, EDITED, NOT_KEPT, trace
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import done, period, strength, taken_back
from bot.web.page import ACTOR, Changed, Page, View
from bot.web.rendering import MAX_SHOWN_CHARS
from bot.web.scores import COLOURS, score_of
from memory import Error, Hit, Kind, Origin
from memory.capture.draft import reword
from memory.errors import NotFound
from memory.journal.records import SUPERSEDED, Action, Operation, is_past
from memory.knowledge.history import JournalEntry, fact_record, linked_facts, whole_fact
from memory.life.overview import strength_curve
from memory.life.reviews import pin

AROUND = 4
"""Lines of the file before and behind a fact."""
HITS = 12
MAX_QUESTION_CHARS = 1000
UNDOABLE = frozenset({Action.PIN, Action.UNPIN, Action.FORGET, Action.REMEMBER})
"""What is taken back from here, if it was done here."""


async def context(view: View) -> Mapping[str, Any]:
    """Collect what is known of a fact, or that it was forgotten."""
    name, memory = _name(view), view.agent.memory
    record = await memory.run(fact_record, name, scope=view.scope)
    history = sorted(filter(None, (record.forgotten, *record.events, record.written)), key=lambda entry: -entry.seq)
    shown = {
        "id": name,
        "record": record,
        "history": [{"entry": entry, "done": done(entry.action)} for entry in history],
        "undo": _undoable(view, history, is_edited=bool(record.replaces)),
    }
    try:
        hit = await memory.find(name, scope=view.scope)
    except NotFound as error:
        if not record.forgotten and not (record.written and record.written.is_undone):
            message = tr("{agent} has no fact ^{id}.", id=name[:80], agent=view.agent.name)
            raise Missing(message, hint=tr("It may be another agent's, or the id is not whole.")) from error
        return {**shown, "hit": None}
    fact = await memory.run(whole_fact, hit.id, scope=view.scope)
    return {
        **shown,
        "id": hit.id,
        "hit": hit,
        "text": fact.text if fact else hit.content,
        "is_own": source_of(hit.source.path) == "memory",
        "is_editable": fact is not None and len(fact.text) <= MAX_SHOWN_CHARS,
        "strength": strength(hit, view.agent.zone),
        "period": period(hit),
        "trace": await trace(memory, hit, view.agent.transcripts, view.agent.name),
        "untold": {"by_hand": tr(BY_HAND), "not_kept": tr(NOT_KEPT), "edited": tr(EDITED)},
        "around": await _around(view, hit),
        "linked": await memory.run(linked_facts, hit.id, scope=view.scope),
        "curve": await memory.run(strength_curve, hit.id, scope=view.scope) if hit.kind is not Kind.NOTE else None,
        "preview": await _preview(view, hit) if "forget" in view.query else None,
        "asked": await _for_question(view, hit),
    }


async def edit(view: View) -> Changed:
    """Write other words in the place of the fact's, as `/replace` does; it stays what it is, and pinned if it was."""
    memory, name, text = view.agent.memory, _name(view), view.field("text").replace("\r\n", "\n").strip()
    was = await memory.run(whole_fact, name, scope=view.scope)
    try:
        replaced = await memory.supersede(
            name,
            reword(was, text) if was else text,
            origin=Origin.OWNER,
            scope=view.scope,
            op_id=view.op_id,
            actor=ACTOR,
            keep_secrets="keep" in view.form,
        )
    except NotFound as error:  # in another tab, say
        raise Missing(tr("This fact is forgotten."), hint=tr("Load the page again.")) from error
    told = tr("Changed. It stands in {place} now.", place=replaced.written.at)
    return Changed(told, view.link(f"/fact/{replaced.written.fact.id}", q=view.form.get("q")))


async def forget(view: View) -> Changed:
    """Carry a preview out, and mask what repeats the fact in conversations."""
    gone = await view.agent.memory.forget(view.field("token"), op_id=view.op_id, scope=view.scope, actor=ACTOR)
    masked = await view.app.context.forgetting.catch_up(view.agent)
    return Changed(told_forgotten(gone, masked).replace("`", ""), view.link(f"/fact/{_name(view)}"))


async def undo(view: View) -> Changed:
    """Take an operation on this fact back: what it wrote goes, what it took away comes back."""
    operation = view.field("operation").removesuffix(SUPERSEDED)
    only = {operation, f"{operation}{SUPERSEDED}"}
    undone = await view.agent.memory.undo(op_id=view.op_id, scope=view.scope, actor=ACTOR, only=only)
    back = next((change.id for change in undone if change.action == Action.FORGET), _name(view))
    return Changed(" ".join(taken_back(change).replace("`", "") for change in undone), view.link(f"/fact/{back}"))


async def _pin(view: View, *, is_pinned: bool) -> Changed:
    """Keep the fact from fading, or let it fade again."""
    operation = Operation(view.op_id, ACTOR, Origin.OWNER, view.scope)
    hit = await view.agent.memory.run(pin, _name(view), operation, is_pinned=is_pinned)
    return Changed(tr("Now: {strength}.", strength=strength(hit, view.agent.zone)))


def _name(view: View) -> str:
    return view.part("id").strip().removeprefix("^").partition("/")[0]


async def _around(view: View, hit: Hit) -> list[tuple[int, str, bool]]:
    """Return lines of the file around a fact: number, text, whether it is the fact's; none if they cannot be read."""
    start, end = max(1, hit.source.start - AROUND), hit.source.end + AROUND
    try:
        passage = await view.agent.memory.get(hit.source.path, scope=view.scope, start=start, lines=end - start + 1)
    except Error:  # the page tells what the index knows; the doctor tells what is the matter with the file
        return []
    lines = enumerate(passage.text.split("\n"), passage.start)
    return [(number, line, hit.source.start <= number <= hit.source.end) for number, line in lines]


def _undoable(view: View, history: list[JournalEntry], *, is_edited: bool) -> Mapping[str, str] | None:
    """Return what was done to a fact last and can be taken back from here: what in words, and its operation."""
    known = (entry for entry in history if entry.action in UNDOABLE and not entry.is_undone)
    last = next((entry for entry in known if entry.action == Action.FORGET or entry.op_id.startswith("web:")), None)
    if last is None or last.action == Action.UNPIN or is_past(last.at, view.app.clock.now()):
        return None
    is_blanked = last.action == Action.FORGET and not last.before
    what = Action.REPLACE if last.action == Action.REMEMBER and is_edited else last.action
    return None if is_blanked else {"done": done(what), "operation": last.op_id}


async def _preview(view: View, hit: Hit) -> Mapping[str, Any]:
    """Return what would go if the fact was forgotten."""
    preview = await view.agent.memory.preview_forget(f"^{hit.id}", scope=view.scope, actor=ACTOR)
    masked = ""
    if preview.trail:
        masked = masked_places(await view.app.context.forgetting.foresee(view.agent, preview.trail, None))
    return {"token": preview.token, "lines": preview.lines, "notes": preview.notes, "masked": masked}


async def _for_question(view: View, hit: Hit) -> Mapping[str, Any] | None:
    """Return how the fact does with the question that led here; None without one."""
    question = view.query.get("q", "").strip()[:MAX_QUESTION_CHARS]
    if not question:
        return None
    recalled = await view.agent.memory.recall(question, scope=view.scope, limit=HITS)
    ranked = enumerate(chain(recalled.hits, recalled.near), 1)
    place, scored = next(((place, other) for place, other in ranked if other.id == hit.id), (0, hit))
    return {
        "question": question,
        "place": place,
        "count": len(recalled.hits),
        "score": score_of(scored),
        "relevance": scored.relevance,
        "colours": COLOURS,
    }


PAGE = Page(
    path="/fact/{id}",
    title=mark("Fact"),
    context=context,
    live=("memory.",),
    actions={
        "edit": edit,
        "forget": forget,
        "undo": undo,
        "pin": partial(_pin, is_pinned=True),
        "unpin": partial(_pin, is_pinned=False),
    },
    scripts=("uplot-1.6.32.min.css", "uplot-1.6.32.min.js", "fact.js"),
)
