"""`/new`: begin a new conversation; what was said last in the old one is saved as a file of memory."""

from __future__ import annotations

import asyncio

from bot.commands.base import Call, Command, Parameter
from bot.formatting import plural
from bot.sessions.export import MAX_CONTRIBUTIONS, choose_title, mask_parts, newest_contributions, page, slug
from bot.sessions.transcript import Said
from bot.turn import Reply
from memory import OWNER, Error, Memory, Origin
from memory.errors import NotFound

BEGINS = "A new conversation begins; what is in memory stays."
MAX_FILES_ALIKE = 100
"""How many files of one day may begin with the same words."""


async def run(call: Call) -> Reply:
    """Save what is worth it, in the owner's private chat only, and end the session."""
    turn = call.turn
    if turn.scope != OWNER:
        return Reply(f"{BEGINS} Nothing of this chat was saved.", ends_session=True)
    session = await call.context.transcript.current(turn.session)
    said: tuple[Said, ...] = ()
    before: int | None = None  # read from the end of the conversation until there are enough
    while len(said) < MAX_CONTRIBUTIONS and (
        recorded := await call.context.transcript.newest(turn.session, before=before)
    ):
        said = (*await asyncio.to_thread(newest_contributions, recorded, agent=turn.agent.name), *said)
        before = recorded[0].seq
    said = said[-MAX_CONTRIBUTIONS:]
    if session is None or not said:
        return Reply(f"{BEGINS} There was nothing to save.", ends_session=True)
    zone, memory = turn.agent.zone, turn.agent.memory
    title = choose_title(said, call.argument)
    path = await _free_path(memory, f"memory/{turn.at.astimezone(zone).date().isoformat()}-{slug(title)}")
    # long texts are searched for secrets: not in the event loop
    parts = await asyncio.to_thread(lambda: mask_parts(page(session, said, title=title, zone=zone)))
    written = await memory.append(
        path,
        parts=parts,
        origin=Origin.AGENT,
        op_id=turn.op_id(0),
        actor=turn.principal.id,
    )
    return Reply(
        f"Saved as `{written.path}` ({plural(len(said), 'message')}; `/undo` takes it back).\n{BEGINS}",
        ends_session=True,
    )


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


COMMAND = Command(
    name="new",
    summary="save this conversation and begin a new one",
    usage="/new [TITLE]",
    example="/new boiler repair",
    run=run,
    detail=(
        "The last 15 messages become a file in `memory/`, named by the title or by the first words. "
        "Of groups nothing is saved."
    ),
    parameter=Parameter("title", "what the conversation that ends was about"),
)
