"""Where a fact comes from, who wrote it when, and of which words; and the other way round, what was noted in a turn."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from bot.sessions.archive import Told, told_in
from bot.storage.tables.transcripts import TranscriptReader
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import in_words, truncate
from memory import Error, Hit, Memory, Scope
from memory.journal.records import Action
from memory.journal.writer import CONSOLIDATED, RETAINED
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.history import fact_record
from memory.privacy.secrets import find_secrets
from memory.privacy.secrets import mask as masked
from memory.recall.passages import shown

MAX_QUOTED = 5
MAX_QUOTED_CHARS = 200
BY_HAND = mark("Written into the file by hand; the journal has no record of it.")
NOT_KEPT = mark("What was said then is not kept here.")


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a fact comes from.

    Attributes:
        by: who wrote it: an actor as the journal calls them, or a job in words.
        told: what the owner said that it was made of, with what looks like a secret masked.
        facts: the facts that it was made of, as `path#^id`.
        lines: the lines of files that it was made of, as `path#L12`, with what stands there now; empty if nothing does.
        is_lost: it was made of something that was said, and that is not kept here.
    """

    by: str
    at: datetime
    told: tuple[Told, ...]
    facts: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    is_lost: bool


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
    )


def noted_in(context: KnowledgeContext, turns: Collection[str], *, scope: Scope) -> Mapping[str, Mapping[str, str]]:
    """Return the facts that were noted in turns and are still known, by turn: ids with texts; raises `Unreadable`."""
    journal, found = context.journal, {turn: dict[str, str]() for turn in turns}
    journal.refresh()
    written = [one for one in [*journal.state.operations] if one.rpartition(":")[0] in found]
    records = [journal.record(number) for one in written for number in journal.state.operations[one]]
    noted = [one for one in records if one.action == Action.REMEMBER]
    known = [context.index.find(one.target, scope=scope) for one in noted]
    for record, fact in zip(noted, known, strict=True):
        if fact:
            found[record.op_id.rpartition(":")[0]][record.target] = shown(fact).content
    return found


async def trace_fact(
    memory: Memory, hit: Hit, transcripts: TranscriptReader | None, agent: str, *, zone: tzinfo
) -> str:
    """Tell where a unit comes from, in lines for a person; arguments and errors are those of `trace`."""
    found = await trace(memory, hit, transcripts, agent)
    if found is None:
        return tr(BY_HAND)
    lines = [tr("Written by {by} on {day}.", by=found.by, day=in_words(found.at.astimezone(zone)))]
    for one in found.told:
        platform, day = one.platform.capitalize(), in_words(one.at.astimezone(zone))
        lines.append(tr("You said on {platform}, {day}: «{words}»", platform=platform, day=day, words=one.text))
    if found.is_lost:
        lines.append(tr(NOT_KEPT))
    lines += [tr("Made of `{source}`.", source=source) for source in found.facts]
    for source, line in found.lines:
        head = tr("From {source}", source=f"`{source}`")
        lines.append(f"{head}: «{line}»" if line else f"{head}.")
    return "\n".join(lines)
