"""The tools that other programs call: each a typed function, from which its schema is made; the text comes first."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from bot.agent.context.bootstrap import cut, readable
from bot.agent.offline.timeline import read_decisions
from bot.errors import BotError
from bot.mcp.answers import Answer, failed, hit_fields, listed, quoted, record, with_passages
from bot.mcp.tokens import Access
from bot.sessions.tracing import trace_fact
from bot.texts.formatting import plural
from bot.texts.receipts import noted, searched, told, unexpected
from bot.tools.base import Signature, ToolError, read_signature
from memory import CATEGORIES, Decision, Error, Fact, Filter, Kind, Memory, Page
from memory.capture.draft import read_fact
from memory.errors import NotFound, SecretFound
from memory.files.notation import MAX_FACT_CHARS, MAX_TITLE
from memory.knowledge.about import about
from memory.knowledge.reflection.reflect import prepare
from memory.knowledge.reflection.reflect import reflect as reflect_on
from memory.knowledge.timeline import is_decision, timeline
from memory.life import gate
from memory.life.overview import STORES, life_stats
from memory.life.wander import MAX_STEPS
from memory.life.wander import wander as walk
from memory.recall.filters import FilterOptions

CHECKPOINT = "Checkpoint"
"""The title of the facts in which clients keep what they were at."""

Store = Literal["episodic", "semantic", "procedural", "prospective"]
KindName = Literal["world", "experience", "opinion", "observation", "procedure", "intention", "note"]
Question = Annotated[str, Field(min_length=1, max_length=4000)]
Statement = Annotated[str, Field(min_length=1, max_length=MAX_FACT_CHARS)]

MAX_KNOWN = 12
MAX_DECISIONS = 5
MAX_AROUND = 4
MAX_RECENT = 30
MAX_OPEN = 20
MAX_SURPRISES = 5
WAKE_DAYS = 3
MAX_CORE_CHARS = 6000
"""Of one file of core memory in a briefing."""

_NO_TITLE = re.compile(r"[*_\s]+")
_NO_TAG = re.compile(r"[^\w/-]+")
_WITHOUT_IT = (
    "Leave it out and say the rest again. Only the owner may have it kept: with `/remember` in a chat, or "
    "`scrubjay memory remember --keep-secrets`."
)
_READ_ONLY = "Its owner can allow it: without --read-only, or with another token."

Forgotten: TypeAlias = Callable[[str], Awaitable[str]]
"""Told that an agent has forgotten something, so that records of conversations are masked; returns a sentence for
whoever asked, or nothing."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and what they work with.

    Attributes:
        actor: what the journal calls them: `mcp:<client>`.
        now: in the owner's zone.
    """

    memory: Memory
    access: Access
    actor: str
    now: datetime
    forgotten: Forgotten

    def op_id(self) -> str:
        return f"mcp:{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it is called, what carries it out, and whether it changes anything, or takes something away."""

    name: str
    run: Callable[..., Awaitable[Answer]]
    signature: Signature
    writes: bool
    destroys: bool

    async def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Answer:
        """Carry it out; whatever was foreseen to go wrong is an answer, too."""
        if self.writes and not caller.access.writes:
            return failed("Refused", f"This connection may only read, so {self.name} was not carried out.", _READ_ONLY)
        try:
            return await self.run(caller, **self.signature.check(arguments))
        except SecretFound as error:
            return failed("SecretFound", error.message, _WITHOUT_IT)
        except (Error, BotError) as error:
            return failed(type(error).__name__, error.message, error.hint)
        except ToolError as error:
            return failed("InvalidArguments", str(error))


async def remember(
    caller: Caller,
    text: Statement,
    store: Store | Literal["sensory"] | None = None,
    title: Annotated[str, Field(max_length=MAX_TITLE)] = "",
    tags: Annotated[tuple[Annotated[str, Field(max_length=60)], ...], Field(max_length=20)] = (),
    importance: Annotated[float | None, Field(ge=0, le=1)] = None,
) -> Answer:
    """Write one fact down for good, in the daily log of the memory. It is kept to the letter.

    Args:
        text: one self-contained statement: who, what, when with the date written out. One line may be in Retain
            notation, for example `O(c=0.9) @Peter: Prefers short replies. #preference`.
        store: episodic (what happened), semantic (what holds), procedural (how to do it), prospective (what is to be
            done), sensory (a passing observation: as observe). Left out, it is found by rule.
        title: a few words that the statement is headed with.
        tags: categories such as decision, preference, lesson, goal, rule, person; other words become hashtags.
        importance: 0 to 1; 0.7 if left out.
    """
    fact = _labelled(read_fact(text), store or "", title, tags, importance)
    return await observe(caller, fact.text) if store == "sensory" else await _remember(caller, fact)


async def checkpoint(caller: Caller, text: Statement) -> Answer:
    """Save what you are at, before a conversation ends or is summarised: wake shows the newest one.

    Args:
        text: the task, what is done, what is open, decisions with their reasons, names of files and branches.
    """
    if not text.strip():
        raise ToolError("There is nothing to save.")
    return await _remember(caller, Fact(f"**{CHECKPOINT}:** {text.strip()}", Kind.EXPERIENCE))


async def observe(caller: Caller, text: Statement) -> Answer:
    """Report something that was noticed in passing: memory decides what becomes of it. Use remember for what must stay.

    What is known is counted, what is like something known is linked to it, what is new and matters is written down,
    and the rest is kept for a day.

    Args:
        text: one self-contained statement.
    """
    access = caller.access
    judged = await caller.memory.observe(
        text, origin=access.origin, scope=access.scope, op_id=f"observe:{caller.op_id()}", actor=caller.actor
    )
    where = f" at {judged.at} as ^{judged.fact_id}" if judged.at else ""
    became = {
        Decision.MERGE: f"This is known{where}: it was counted, nothing was written.",
        Decision.LINK: f"Noted{where}; something like it is known.",
        Decision.NOVEL: f"Noted{where}: it is new.",
        Decision.SENSORY: "Kept for a day: new, but not important enough to be noted.",
    }[judged.decision]
    surprise = " It is a surprise." if judged.surprise else ""
    return Answer(f"{became}{surprise} {judged.reason}".rstrip(), record(judged))


async def recall(
    caller: Caller,
    query: Question,
    store: Store | None = None,
    kind: KindName | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 5,
) -> Answer:
    """Find what is remembered about something. Ask before you answer about anything that was said or decided before.

    Args:
        query: a question or words, in any language.
        store: only episodic, semantic, procedural or prospective facts.
        kind: only facts of this kind.
        limit: how many passages at most.
    """
    kinds = (Kind(kind),) if kind else STORES[store] if store else ()
    return await _search(caller, query, Filter(kinds=kinds), limit)


async def memory_search(
    caller: Caller,
    query: Question,
    max_results: Annotated[int, Field(alias="maxResults", ge=1, le=50)] = 6,
    min_score: Annotated[float | None, Field(alias="minScore")] = None,
    entity: str | None = None,
    kind: str | None = None,
    category: str | None = None,
    since: str | None = None,
    until: str | None = None,
    within: Annotated[str | None, Field(alias="in")] = None,
) -> Answer:
    """Search memory with filters: facts, daily logs, notes, core memory.

    Args:
        query: a question or words, in any language.
        max_results: how many passages at most.
        min_score: leave out what scores lower; scores are comparable within one search only.
        entity: only what is about somebody or something, by name.
        kind: only world, experience, opinion, observation, procedure, intention or note; several with commas.
        category: only facts of a category, such as decision or preference; several with commas.
        since: only what is about this day or a later one: 2026-01-31, 30d, last week.
        until: only what is about this day or an earlier one.
        within: only what stands in a file, in a folder, or in an extra folder, by its name: bank, handbook.
    """
    entities, kinds, categories, places = ([name] if name else [] for name in (entity, kind, category, within))
    options = FilterOptions(entities, kinds, categories, since=since, until=until, under=places)
    return await _search(caller, query, options.resolve(caller.now.date()), max_results, min_score)


async def memory_get(
    caller: Caller,
    path: Annotated[str, Field(min_length=1, max_length=500)],
    start: Annotated[int, Field(alias="from", ge=1)] = 1,
    lines: Annotated[int, Field(ge=1, le=2000)] = 120,
) -> Answer:
    """Read lines of a memory file, for example around a passage that was found.

    Args:
        path: of a file, memory/2026-01-20.md, or a citation, memory/2026-01-20.md#L12, which is read from its line on.
        start: the first line, counted from 1.
        lines: how many; at most 12,000 characters come back, and `next` says where to read on.
    """
    passage = await caller.memory.get(path, scope=caller.access.scope, start=start, lines=lines)
    more = f" Read on from line {passage.next_start}." if passage.next_start else ""
    data = {
        "path": passage.path,
        "from": passage.start,
        "to": passage.end,
        "text": passage.text,
        "origins": sorted(origin.value for origin in passage.origins),
        "next": passage.next_start,
    }
    return Answer(f"{passage.path}, lines {passage.start} to {passage.end}.{more}", data, [passage.text])


async def what_do_i_know(caller: Caller, topic: Question) -> Answer:
    """Look over all that is known about a person, a place, a project or a subject.

    Args:
        topic: a name, or a few words.
    """
    memory, scope = caller.memory, caller.access.scope
    known = await memory.run(about, topic, scope=scope)
    if known is None:
        hits = (await memory.recall(topic, scope=scope, limit=MAX_KNOWN)).related
        if not hits:
            return Answer(f"Nothing is remembered about {topic}.", {"topic": topic, "facts": 0, "hits": []})
        head = f"{plural(len(hits), 'passage')} may be about {topic}:"
        return with_passages(head, hits, topic=topic, facts=0, others=[])
    facts, others = known.facts, [name for name, _ in known.others]
    days = sorted(hit.time[:10] for hit in facts if hit.time)
    span = f", from {days[0]} to {days[-1]}" if days else ""
    rest = f" The newest {MAX_KNOWN} are:" if len(facts) > MAX_KNOWN else ""
    head = f"{plural(len(facts), 'fact')} about {topic}{span}.{rest}"
    answer = with_passages(head, facts[:MAX_KNOWN], topic=topic, facts=len(facts), others=others)
    return replace(answer, passages=[*answer.passages, f"Named with it: {', '.join(others)}"]) if others else answer


async def why_did_we(caller: Caller, topic: Question) -> Answer:
    """Find out why something was done: the decisions about it, where they stand, who noted them, and what led to them.

    Args:
        topic: what was decided, or what it is about.
    """
    memory, scope = caller.memory, caller.access.scope
    decisions = await read_decisions(memory, topic, scope=scope, limit=MAX_DECISIONS)
    zone, agent = caller.now.tzinfo or UTC, caller.access.agent
    # Conversations are not quoted to clients.
    traces = [await trace_fact(memory, hit, None, agent, zone=zone) for hit in decisions]
    known = {hit.id for hit in decisions}
    near = (await memory.recall(f"why {topic}", scope=scope, limit=MAX_AROUND + MAX_DECISIONS)).related
    around = [hit for hit in near if hit.id not in known and not is_decision(hit)][:MAX_AROUND]
    head = f"{plural(len(decisions), 'decision')} about {topic}" if decisions else f"No decision about {topic} is noted"
    passages = [f"{quoted(hit)}\n   {trace}" for hit, trace in zip(decisions, traces, strict=True)]
    if around:
        passages += ["Around it:", *map(quoted, around)]
    data = {
        "topic": topic,
        "decisions": [{**hit_fields(hit), "why": trace} for hit, trace in zip(decisions, traces, strict=True)],
        "around": [hit_fields(hit) for hit in around],
    }
    return Answer(f"{head}{'; what is remembered around it follows' if around else ''}.", data, passages)


async def forget(
    caller: Caller,
    query: Annotated[str, Field(max_length=4000)] = "",
    id: Annotated[str, Field(max_length=200)] = "",
    confirm: Annotated[str, Field(max_length=40)] = "",
    only: Annotated[tuple[int, ...], Field(max_length=100)] = (),
) -> Answer:
    """Take facts out of memory, only when the person asks for it. For a day the owner can bring them back.

    An id is forgotten at once. A query only shows what it means, with a token: show that to the person, then call again
    with `confirm`.

    Args:
        query: words of what is to go.
        id: of one fact, as recall gives it.
        confirm: the token of a preview.
        only: with `confirm`, the numbers of the lines that are to go; needed where several facts may be meant.
    """
    memory, scope = caller.memory, caller.access.scope
    if confirm:
        gone = await memory.forget(confirm, only=only, op_id=caller.op_id(), scope=scope, actor=caller.actor)
    elif id:
        gone = await memory.forget_facts([id], op_id=caller.op_id(), scope=scope, actor=caller.actor)
    elif query.strip():
        return await _preview(caller, query)
    else:
        raise ToolError("Give a query, an id, or the token of a preview in `confirm`.")
    places = [f"{line.path}#L{line.number}" for line in gone]
    masked = await caller.forgotten(caller.access.agent)
    text = f"Forgotten: {', '.join(places)}. The owner can bring it back within a day: `scrubjay memory undo`."
    return Answer(f"{text} {masked}".rstrip(), {"forgotten": places})


async def stats(caller: Caller) -> Answer:
    """Count what is remembered: facts by kind and category, who and what they are about, and how they are searched."""
    counted = await caller.memory.stats(scope=caller.access.scope)
    life = await caller.memory.run(life_stats, scope=caller.access.scope)
    state = await caller.memory.status()
    kinds = ", ".join(f"{count} {kind}" for kind, count in counted.by_kind.items())
    span = f" from {counted.first_day} to {counted.last_day}" if counted.first_day else ""
    names = ", ".join(f"{name} ({count})" for name, count in counted.entities[:MAX_KNOWN])
    text = f"{plural(counted.facts, 'fact')} in {plural(counted.files, 'file')}{span}: {kinds or 'none'}. {told(state)}"
    data = {
        **record(counted),
        "entities": dict(counted.entities),
        "life": record(life),
        "state": state.state,
        "mode": state.mode,
        "reason": f"{state.mode_reason} {state.reason}".strip(),
    }
    return Answer(text, data, [f"Most about: {names}"] if names else ())


async def wake(caller: Caller) -> Answer:
    """Begin a conversation: what always matters, what was last worked on, the last days, what is open, surprises."""
    memory, access = caller.memory, caller.access
    pages = await memory.pages(["USER.md", "MEMORY.md"]) if access.is_owners else ()
    texts = {page.path: readable(page)[1] for page in pages if isinstance(page, Page)}
    core = {path: cut(text, MAX_CORE_CHARS) for path, text in texts.items() if text}
    first = caller.now.date() - timedelta(days=WAKE_DAYS - 1)
    recent = await memory.run(timeline, first, caller.now.date(), limit=MAX_RECENT, scope=access.scope)
    saved = await memory.recall(
        CHECKPOINT, scope=access.scope, limit=MAX_AROUND, where=Filter(kinds=(Kind.EXPERIENCE,))
    )
    checkpoints = [hit for hit in (*reversed(recent), *saved.hits) if hit.title == CHECKPOINT]
    last = max(checkpoints, key=lambda hit: hit.known or hit.time or "", default=None)
    planned = await memory.recall("", scope=access.scope, limit=MAX_OPEN, where=Filter(kinds=(Kind.INTENTION,)))
    intentions = [hit for hit in planned.hits if hit.until is None or hit.until >= str(caller.now.date())]
    surprises = await memory.run(gate.surprises, scope=access.scope, limit=MAX_SURPRISES)
    days = [hit for hit in recent if hit.kind is not Kind.NOTE and (last is None or hit.id != last.id)]
    parts: list[tuple[str, Sequence[str]]] = [
        *((f"# {path}", [text]) for path, text in core.items()),
        ("# Last checkpoint", [quoted(last)] if last else ()),
        (f"# The last {WAKE_DAYS} days", [listed(hit) for hit in days]),
        ("# Open", [listed(hit) for hit in intentions]),
        ("# Surprises", [unexpected(surprise) for surprise in surprises]),
    ]
    passages = [line for head, lines in parts if lines for line in (head, *lines)]
    data = {
        "today": str(caller.now.date()),
        "core": core,
        "checkpoint": hit_fields(last) if last else None,
        "recent": [hit_fields(hit) for hit in days],
        "open": [hit_fields(hit) for hit in intentions],
        "surprises": [record(surprise) for surprise in surprises],
    }
    text = f"Today is {caller.now:%A, %Y-%m-%d}. {'This is remembered.' if passages else 'Nothing is remembered.'}"
    return Answer(text, data, passages)


async def wander(caller: Caller, steps: Annotated[int, Field(ge=1, le=MAX_STEPS)] = 5) -> Answer:
    """Walk over memory by chance: a few facts, each linked to the one before where it can be.

    Use it when nothing in particular is asked for, to bring up what has not been thought of for long.

    Args:
        steps: how many facts at most.
    """
    hits = await caller.memory.run(walk, scope=caller.access.scope, seed=caller.op_id(), steps=steps)
    head = f"{plural(len(hits), 'fact')}, in the order of the walk." if hits else "There are no facts yet."
    return with_passages(head, hits)


async def reflect(caller: Caller) -> Answer:
    """Bring opinions and generated pages up to what was said. It happens every night by itself while Scrubjay runs."""
    if not caller.access.is_owners:
        raise ToolError("Pages are made of the owner's memory, and this connection sees one chat alone.")
    judge = await asyncio.to_thread(await caller.memory.run(prepare))
    done = await caller.memory.run(reflect_on, op_id=caller.op_id(), actor=caller.actor, judge=judge)
    pages = [page.path for page in done.pages]
    conflicts = [f"{one.earlier} [{one.places[0]}] and {one.later} [{one.places[1]}]" for one in done.contradictions]
    text = f"{plural(len(pages), 'page')} written." if pages else "Nothing new follows from what was said."
    if done.proposals:
        text += f" {plural(len(done.proposals), 'proposal')} for the owner: `/review`, `scrubjay memory review`."
    data = {
        "pages": pages,
        "moved": len(done.moves),
        "contradictions": conflicts,
        "proposals": len(done.proposals),
        "left": done.left,
    }
    return Answer(text, data, [*pages, *(["In conflict:", *conflicts] if conflicts else ())])


def _labelled(fact: Fact, store: str, title: str, tags: Sequence[str], importance: float | None) -> Fact:
    """Return a fact with what a client has said of it beside its words."""
    kinds = STORES.get(store, ())
    if kinds and fact.kind not in kinds:
        fact = replace(fact, kind=kinds[0])
    head, text = _NO_TITLE.sub(" ", title).strip().rstrip(":"), fact.text
    if head:
        text = f"**{head}:** {text}"
    named = [tag for tag in (_NO_TAG.sub("-", tag).strip("-") for tag in tags) if tag]
    category = next((tag for tag in named if tag.casefold() in CATEGORIES), None)
    text = " ".join([text, *(f"#{tag}" for tag in named if tag != category)])
    if importance is not None:
        others = tuple(pair for pair in fact.attributes if pair[0] != "i")
        fact = replace(fact, attributes=(*others, ("i", f"{importance:.2g}")))
    return replace(fact, text=text, category=category.casefold() if category else fact.category)


async def _remember(caller: Caller, said: Fact) -> Answer:
    access = caller.access
    receipt = await caller.memory.remember(
        said, origin=access.origin, scope=access.scope, op_id=caller.op_id(), actor=caller.actor
    )
    fact = receipt.fact
    data = {
        "id": fact.id,
        "citation": str(receipt.at),
        "path": receipt.at.path,
        "line": receipt.at.start,
        "kind": fact.kind.value,
        "entities": list(fact.entities),
        "category": fact.category,
    }
    return Answer(noted(receipt), data)


async def _search(caller: Caller, query: str, where: Filter, limit: int, min_score: float | None = None) -> Answer:
    answer = await caller.memory.recall(query, scope=caller.access.scope, limit=limit, where=where)
    hits = [hit for hit in answer.hits if min_score is None or hit.score >= min_score]
    head = f"{plural(len(hits), 'passage')}, best first." if hits else "Nothing is remembered about that."
    return with_passages(
        f"{head} {answer.remark}",
        hits,
        answers=[hit.id for hit in answer.answers],
        **searched(answer),
        reason=answer.remark,
    )


async def _preview(caller: Caller, query: str) -> Answer:
    preview = await caller.memory.preview_forget(query, scope=caller.access.scope, actor=caller.actor)
    if not preview.lines:
        raise NotFound("Nothing in memory matches that, so nothing would be forgotten.", hint="Look with recall.")
    lines = [{"number": number, "id": line.id, "citation": f"{line.path}#L{line.number}", "text": line.text}
             for number, line in enumerate(preview.lines, 1)]  # fmt: skip
    choice = " and `only`, the numbers of those that are meant" if preview.choose else ""
    text = (
        f"Nothing was forgotten yet. {plural(len(lines), 'line')} would go. Show them to the person; if they agree, "
        f"call forget within ten minutes with confirm={preview.token}{choice}."
    )
    shown = [f"{line['number']}. [{line['citation']}] {line['text']}" for line in lines]
    return Answer(text, {"confirm": preview.token, "choose": preview.choose, "lines": lines}, shown)


_READING = (recall, memory_search, memory_get, what_do_i_know, why_did_we, stats, wake, wander)
_WRITING = (remember, observe, checkpoint, reflect, forget)

ALIAS = "cortex_"
"""Before a tool's name, the name by which clients of Cortex know it."""


def tools() -> dict[str, Tool]:
    return {
        run.__name__: Tool(run.__name__, run, read_signature(run), writes=run in _WRITING, destroys=run is forget)
        for run in (*_READING, *_WRITING)
    }
