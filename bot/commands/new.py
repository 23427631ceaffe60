"""`/new`: begin a new conversation; what was said last in the old one is saved as a file of memory."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.formatting import plural
from bot.sessions.notes import save_note
from bot.turn import Reply
from memory import OWNER

BEGINS = "A new conversation begins; what is in memory stays."
BEGINS_NEXT = "Your next message begins a new one; what is in memory stays."


async def run(call: Call) -> Reply:
    """Save what is worth it, in the owner's private chat only, and end the session."""
    if call.turn.is_job:
        return await _run_by_itself(call)
    if call.turn.scope != OWNER:
        return Reply(f"{BEGINS} Nothing of this chat was saved.", ends_session=True)
    flushed = await _flush(call)
    note = await save_note(call.turn, call.context.transcript, title=call.argument)
    if note is None:
        return Reply(f"{BEGINS} There was nothing to save.", told=flushed, ends_session=True)
    saved = f"Saved as `{note.path}` ({plural(note.messages, 'message')}; `/undo` takes it back)."
    return Reply(f"{saved}\n{BEGINS}", told=flushed, ends_session=True)


async def _run_by_itself(call: Call) -> Reply:
    """End the session as `session.reset` wants it, unless something was said since that was due."""
    turn, zone = call.turn, call.turn.agent.zone
    session = await call.context.transcript.current(turn.session)
    if session is None or session.used > turn.at:
        return Reply("", is_silent=True)
    flushed = await _flush(call) if turn.scope == OWNER else ()
    note = await save_note(turn, call.context.transcript) if turn.scope == OWNER else None
    if note is None and turn.scope == OWNER:
        return Reply("", ends_session=True, is_silent=True)
    saved = f" I saved it as `{note.path}` ({plural(note.messages, 'message')}; `/undo` takes it back)." if note else ""
    quiet = f"{session.used.astimezone(zone):%Y-%m-%d %H:%M}"
    text = f"Nothing was said here since {quiet}, so this conversation is over.{saved} {BEGINS_NEXT}"
    return Reply(text, told=flushed, ends_session=True)


async def _flush(call: Call) -> tuple[str, ...]:
    """Let the model note what matters in the conversation; return what the person is told of that."""
    responder = await call.context.responder(call.turn.session)
    return (await responder.flush(call.turn)).told if responder else ()


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
