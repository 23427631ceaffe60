"""`/context`: what the model saw last, piece by piece; `/context full` with every word."""

from __future__ import annotations

from collections.abc import Iterator

from bot.agent.context_log import Context, File, Piece
from bot.commands.base import Call, Command
from bot.turn import UNKNOWN, Reply

OPENING = 60
"""Characters of a piece in the table."""

LONGEST = 100_000
"""Characters of a whole request in a chat; the shell shows longer ones."""


async def run(call: Call) -> Reply:
    """The last request of this conversation."""
    if call.argument.lower() not in {"", "full"}:
        return Reply("`/context` is a table of what the model saw last, `/context full` every word of it.")
    if call.desk.model(call.turn.agent.name) is None:
        return Reply("There is no language model here, so nothing was shown to one.")
    context = await call.desk.seen(call.turn.session)
    if context is None:
        return Reply("The model has not seen anything of this conversation yet.")
    shown = "\n".join(table(context) if not call.argument else whole(context))
    return Reply(shown, private=True, origins=UNKNOWN)


def table(context: Context) -> Iterator[str]:
    """The pieces with their tokens, then what was left out, then the sum."""
    yield f"What {context.model or 'the model'} saw last ({context.at}):\n"
    yield "| | piece | tokens | begins |"
    yield "|---:|---|---:|---|"
    for number, piece in enumerate(context.pieces, 1):
        yield f"| {number} | {piece.what} | {piece.tokens:,} | {_opening(piece)} |"
        if number == 1:
            yield from (f"| | · {file.path} | {file.tokens:,} | {_cut(file)} |" for file in context.files)
    yield ""
    yield from _left_out(context)
    yield _sum(context)


def whole(context: Context) -> Iterator[str]:
    """Every piece with its words; what is too long for a chat is said."""
    room = LONGEST
    for number, piece in enumerate(context.pieces, 1):
        if len(piece.text) > room:
            yield f"(Piece {number} and those after it are too long for a chat: `scrubjay sessions context --full`.)\n"
            break
        room -= len(piece.text)
        yield from _shown(number, piece)
    yield from _left_out(context)
    yield _sum(context)


def _shown(number: int, piece: Piece) -> Iterator[str]:
    mark = "`" * 3
    while mark in piece.text:
        mark += "`"
    yield f"**{number}. {piece.what}**, {piece.tokens:,} tokens\n"
    yield f"{mark}text\n{piece.text}\n{mark}\n"


def _left_out(context: Context) -> Iterator[str]:
    for file in context.files:
        if file.left_out:
            yield f"`{file.path}` was cut: {_cut(file)}; the model can read on with a tool."
    if context.left_out:
        earlier = "1 earlier exchange" if context.left_out == 1 else f"{context.left_out} earlier exchanges"
        yield f"{earlier} had no room."


def _sum(context: Context) -> str:
    percent = f"{100 * context.reported / context.window:.0f} %"
    counted = "" if context.reported == context.tokens else f", {context.reported:,} as the model counts"
    return f"In all {context.tokens:,} tokens as counted here{counted}: {percent} of {context.window:,}."


def _opening(piece: Piece) -> str:
    words = " ".join(piece.text.split()).replace("|", "\\|").replace("`", "'")
    return f"`{words}`" if len(words) <= OPENING else f"`{words[:OPENING]}…`"


def _cut(file: File) -> str:
    return f"{file.left_out:,} characters had no room" if file.left_out else ""


COMMAND = Command(
    name="context",
    summary="show what the model saw last, with token counts",
    usage="/context [full]",
    example="/context full",
    run=run,
    owner_only=True,
    detail="`full` shows every word. The shell shows the same: `scrubjay sessions context`.",
    private=True,
)
