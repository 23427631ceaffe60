"""Where a fact comes from: who wrote it when, and of which words that were said where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from bot.formatting import truncate
from bot.sessions.archive import Told, told_in
from bot.sessions.transcript import TranscriptStore
from bot.texts import tr
from memory import Error, Hit, Memory
from memory.files.writer import CONSOLIDATED, RETAINED
from memory.knowledge.history import JournalEntry, changes
from memory.secrets import find_secrets, mask

MAX_RECORDS = 50
"""Of one fact, as far back as they are looked through."""
MAX_QUOTED = 5
MAX_QUOTED_CHARS = 200


async def trace_fact(memory: Memory, hit: Hit, transcripts: TranscriptStore | None, agent: str, *, zone: tzinfo) -> str:
    """Tell where a unit comes from, in lines for a person.

    Args:
        memory: the agent's.
        hit: the unit.
        transcripts: the owner's conversations; None where they must not be shown, or are none.
        agent: whose they are.
        zone: the owner's.

    Raises:
        Error, StateError: the journal or the transcripts cannot be read.
    """
    entries = await memory.run(changes, limit=MAX_RECORDS, scope=hit.scope, about=hit.id)
    written = [one for one in entries if one.action == "remember"]
    if not written:
        return tr("Written into the file by hand; the journal has no record of it.")
    turns = [one for one in written[-1].sources if "#" not in one] or [written[-1].op_id.rpartition(":")[0]]
    told = await told_in(transcripts, agent, turns) if transcripts else []
    lines = [*_describe(written[-1], told, zone)]
    lines += [tr("Made of `{source}`.", source=source) for source in written[-1].sources if "#^" in source]
    for source in [one for one in written[-1].sources if "#L" in one]:
        path, _, number = source.partition("#L")
        try:
            line = (await memory.get(path, scope=hit.scope, start=int(number), lines=1)).text.strip()
        except Error:  # the file has become shorter, or is gone
            line = ""
        head = tr("From {source}", source=f"`{source}`")
        lines.append(f"{head}: «{truncate(line, MAX_QUOTED_CHARS)}»" if line else f"{head}.")
    return "\n".join(lines)


def _describe(entry: JournalEntry, told: Sequence[Told], zone: tzinfo) -> Iterator[str]:
    """Yield who wrote a fact when, then its sources."""
    at = datetime.fromisoformat(entry.at)
    jobs = {RETAINED: tr("the retain job"), CONSOLIDATED: tr("the consolidation")}
    by = next((name for begin, name in jobs.items() if entry.op_id.startswith(begin)), entry.actor)
    yield tr("Written by {by} on {day}.", by=by, day=_day(at, zone))
    for one in told[:MAX_QUOTED]:
        text = truncate(" ".join(mask(one.text, find_secrets(one.text)).split()), MAX_QUOTED_CHARS)
        yield tr(
            "You said on {platform}, {day}: «{words}»",
            platform=one.platform.capitalize(),
            day=_day(one.at, zone),
            words=text,
        )
    if entry.sources and not told and "#" not in "".join(entry.sources):
        yield tr("What was said then is not kept here.")


def _day(at: datetime, zone: tzinfo) -> str:
    local = at.astimezone(zone)
    return f"{local.day} {local:%b %Y %H:%M}"
