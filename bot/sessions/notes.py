"""Notes: what was said last in a conversation, as a file of memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.sessions.export import MAX_CONTRIBUTIONS, choose_title, mask_parts, newest_contributions, page, slug
from bot.sessions.transcript import Said, Transcript
from bot.turn import Turn
from memory import Error, Memory, Origin
from memory.errors import NotFound

MAX_FILES_ALIKE = 100
"""How many files of one day may begin with the same words."""


@dataclass(frozen=True, slots=True)
class SessionNote:
    """A note that was written: its path in the workspace, and how many messages it holds."""

    path: str
    messages: int


async def save_note(turn: Turn, transcript: Transcript, *, title: str = "") -> SessionNote | None:
    """Write the last messages of a turn's session into a file in `memory/`; None if there is nothing to save.

    Args:
        turn: names the session, and the write that may be undone.
        transcript: what was said.
        title: what the note is called; the first words of a person if it is empty.
    """
    session = await transcript.current(turn.session)
    said: tuple[Said, ...] = ()
    before: int | None = None  # read from the end of the conversation until there are enough
    while len(said) < MAX_CONTRIBUTIONS and (recorded := await transcript.newest(turn.session, before=before)):
        said = (*await asyncio.to_thread(newest_contributions, recorded, agent=turn.agent.name), *said)
        before = recorded[0].seq
    said = said[-MAX_CONTRIBUTIONS:]
    if session is None or not said:
        return None
    zone, memory, title = turn.agent.zone, turn.agent.memory, choose_title(said, title)
    path = await _free_path(memory, f"memory/{turn.at.astimezone(zone).date().isoformat()}-{slug(title)}")
    # long texts are searched for secrets: not in the event loop
    parts = await asyncio.to_thread(lambda: mask_parts(page(session, said, title=title, zone=zone)))
    written = await memory.append(path, parts=parts, origin=Origin.AGENT, op_id=turn.op_id(0), actor=turn.principal.id)
    return SessionNote(str(written.path), len(said))


async def _free_path(memory: Memory, stem: str) -> str:
    """Return the first of `stem.md`, `stem-2.md` ... that does not exist."""
    for path in (f"{stem}.md", *(f"{stem}-{number}.md" for number in range(2, MAX_FILES_ALIKE))):
        try:
            await memory.page(path)
        except NotFound:
            return path
        except Error:  # it exists, whatever else is wrong with it
            continue
    return f"{stem}-{MAX_FILES_ALIKE}.md"
