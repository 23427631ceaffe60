"""Where a fact comes from, who wrote it when, and of which words; and the other way round, what was noted in a turn."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import NamedTuple

from bot.sessions.archive import Told, told_in
from bot.storage.tables.transcripts import TranscriptReader
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import in_words, truncate
from memory import Error, Hit, Memory, Scope
from memory.journal.writer import CONSOLIDATED, RETAINED
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.history import fact_record
from memory.privacy.copies import fact_in
from memory.privacy.secrets import find_secrets
from memory.privacy.secrets import mask as masked
from memory.privacy.traces import phrase
from memory.recall.passages import to_hit

MAX_QUOTED = 5
MAX_QUOTED_CHARS = 200
BY_HAND = mark("Written into the file by hand; the journal has no record of it.")
NOT_KEPT = mark("What was said then is not kept here.")
EDITED = mark("Its line in the file was edited since, and says something else now.")


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a fact comes from.

    Attributes:
        by: who wrote it: an actor as the journal calls them, or a job in words.
        told: what the owner said that it was made of, with what looks like a secret masked.
        facts: the facts that it was made of, as `path#^id`.
        lines: the lines of files that it was made of, as `path#L12`, with what stands there now; empty if nothing does.
        is_lost: it was made of something that was said, and that is not kept here.
        is_edited: it has other words by now than it was written with.
    """

    by: str
    at: datetime
    told: tuple[Told, ...]
    facts: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    is_lost: bool
    is_edited: bool


async def trace(memory: Memory, hit: Hit, transcripts: TranscriptReader | None, agent: str) -> Trace | None:
    """Return where a unit comes from; None if it was written into its file by hand.

    The transcripts are the owner's conversations with the agent; None where they must not be shown, or are none.

    Raises:
        Error, StateError: the journal or the transcripts cannot be read.
    """
    origin = next((f"{one.path}#^{one.id}" for one in hit.evidence if not one.step), "")  # an opinion came in by it
    names = (hit.id, origin.partition("^")[2])
    own, first = [(await memory.run(fact_record, name, scope=hit.scope)).written for name in names]
    if not (written := own or first):
        return None
    turns = [one for one in written.sources if "#" not in one] or [written.op_id.rpartition(":")[0]]
    told = await told_in(transcripts, agent, turns) if transcripts else []
    words = [" ".join(masked(one.text, find_secrets(one.text)).split()) for one in told[:MAX_QUOTED]]
    lines = []
    for source in [one for one in written.sources if "#L" in one]:
        path, _, number = source.partition("#L")
        try:
            line = (await memory.get(path, scope=hit.scope, start=int(number), lines=1)).text.strip()
        except Error:  # the file has become shorter, or is gone
            line = ""
        lines.append((source, truncate(line, MAX_QUOTED_CHARS)))
    jobs = {RETAINED: tr("the retain job"), CONSOLIDATED: tr("the consolidation")}
    return Trace(
        by=next((name for begin, name in jobs.items() if written.op_id.startswith(begin)), written.actor),
        at=datetime.fromisoformat(written.at),
        told=tuple(replace(one, text=truncate(text, MAX_QUOTED_CHARS)) for one, text in zip(told, words, strict=False)),
        facts=tuple(one for one in written.sources if "#^" in one) if own else (origin,),
        lines=tuple(lines),
        is_lost=bool(written.sources) and not told and "#" not in "".join(written.sources),
        is_edited=own is not None and own.after != "" and phrase(hit.content) not in phrase(fact_in(own.after).text),
    )


class Noted(NamedTuple):
    """Facts made of what was said in a turn: texts of the known by id, and of those that are gone (empty: blanked)."""

    known: dict[str, str]
    gone: list[str]


def noted_in(context: KnowledgeContext, turns: Collection[str], *, scope: Scope) -> Mapping[str, Noted]:
    """Return what was noted of turns, by turn; raises `Unreadable`."""
    found = {turn: Noted({}, []) for turn in turns}
    context.journal.refresh()
    for name, known in [*context.journal.state.provenance.items()]:
        for noted in [found[turn] for turn in found.keys() & known.turns if known.scope == scope]:
            if fact := context.index.find(name, scope=scope):
                noted.known[name] = to_hit(fact).content
            else:
                written = fact_record(context, name, scope=scope).written
                noted.gone.append(fact_in(written.after).text if written else "")
    return found


async def trace_fact(
    memory: Memory,
    hit: Hit,
    transcripts: TranscriptReader | None,
    agent: str,
    *,
    zone: tzinfo,
    names: Mapping[str, str] = {},
) -> str:
    """Tell where a unit comes from, in lines for a person; arguments and errors are those of `trace`.

    `names`: what people are called, by their ids; others are told by id.
    """
    found = await trace(memory, hit, transcripts, agent)
    if found is None:
        return tr(BY_HAND)
    by, day = names.get(found.by, found.by), in_words(found.at.astimezone(zone))
    lines = [tr("Written by {by} on {day}.", by=by, day=day)]
    for one in found.told:
        platform, day = one.platform.capitalize(), in_words(one.at.astimezone(zone))
        lines.append(tr("You said on {platform}, {day}: «{words}»", platform=platform, day=day, words=one.text))
    if found.is_lost:
        lines.append(tr(NOT_KEPT))
    if found.is_edited:
        lines.append(tr(EDITED))
    lines += [tr("Made of `{source}`.", source=source) for source in found.facts]
    for source, line in found.lines:
        head = tr("From {source}", source=f"`{source}`")
        lines.append(f"{head}: «{line}»" if line else f"{head}.")
    return "\n".join(lines)
