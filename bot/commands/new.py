"""`/new`: begin a new conversation; what the old one came to is saved as a file of memory."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.sessions.notes import SessionNote, save_note
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

BEGINS = mark("A new conversation begins; what is in memory stays.")
BEGINS_NEXT = mark("Your next message begins a new one; what is in memory stays.")


async def run(call: Call) -> Reply:
    """Save what is worth it, in the owner's private chat only, and end the session."""
    if call.turn.is_job:
        return await _run_by_itself(call)
    await call.check_own()
    if not call.turn.is_owners:
        return Reply(f"{tr(BEGINS)} {tr('Nothing of this chat was saved.')}", ends_session=True)
    note, told = await _save(call)
    if note is None:
        return Reply(f"{tr(BEGINS)} {tr('There was nothing to save.')}", told=told, ends_session=True)
    return Reply(f"{tr('Saved as {note}.', note=note)}\n{tr(BEGINS)}", told=told, ends_session=True)


async def _run_by_itself(call: Call) -> Reply:
    """End the session as `session.reset` wants it, unless something was said since that was due."""
    turn, zone = call.turn, call.turn.agent.zone
    session = await call.context.transcript.current(turn.session)
    if session is None or session.used > turn.at:
        return Reply("", is_silent=True)
    note, told = await _save(call) if turn.is_owners else (None, ())
    if note is None and not told and turn.is_owners:
        return Reply("", ends_session=True, is_silent=True)
    quiet = f"{session.used.astimezone(zone):%Y-%m-%d %H:%M}"
    parts = [
        tr("Nothing was said here since {quiet}, so this conversation is over.", quiet=quiet),
        *([tr("I saved it as {note}.", note=note)] if note else []),
        tr(BEGINS_NEXT),
    ]
    return Reply(" ".join(parts), told=told, ends_session=True)


async def _save(call: Call) -> tuple[SessionNote | None, tuple[str, ...]]:
    """Flush the conversation and save a note of it; return the note and what the person is told."""
    turn = call.turn
    responder = await call.context.responder(turn.session)
    fitted, summary = await responder.conclude(turn) if responder else (None, None)
    note = await save_note(turn, call.context.transcript, title=call.argument, summary=summary)
    return note, fitted.told if fitted else ()


COMMAND = Command(
    summary=mark("save this conversation and begin a new one"),
    usage=mark("/new [TITLE]"),
    example=mark("/new boiler repair"),
    run=run,
    private=False,
    detail=mark(
        "What was decided, told and left open becomes a file in `memory/`, named by the title or by what it "
        "was about. Of groups nothing is saved."
    ),
    parameter=Parameter("title", mark("what the conversation that ends was about")),
)
