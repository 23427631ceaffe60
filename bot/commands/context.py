"""`/context`: what the model saw last, piece by piece; `/context full` with every word."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from bot.agent.context.context_log import Context
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import truncate, with_weekday
from bot.turn import UNKNOWN, Reply

MAX_OPENING_CHARS = 61
"""Characters of a piece in the table."""

MAX_CHARS = 100_000
"""Characters of a whole request in a chat; the shell shows longer ones."""


async def run(call: Call) -> Reply:
    """The last request of this conversation."""
    if call.argument.lower() not in {"", "full"}:
        return Reply(tr("`/context` is a table of what the model saw last, `/context full` every word of it."))
    if not await call.context.models(call.turn.session):
        return Reply(tr("There is no language model here, so nothing was shown to one."))
    context = await call.context.seen(call.turn.session)
    if context is None:
        return Reply(tr("The model has not seen anything of this conversation yet."))
    lines = full_text(context) if call.argument else table(context, call.turn.agent.zone)
    return Reply("\n".join(lines), private=True, origins=UNKNOWN)


def table(context: Context, zone: tzinfo) -> Iterator[str]:
    """Yield the pieces with their tokens, then what was left out, then the sum."""
    at = with_weekday(context.at, zone)
    yield tr("What {model} saw last ({at}):\n", model=context.model or tr("the model"), at=at)
    yield tr("| | piece | tokens | begins |")
    yield "|---:|---|---:|---|"
    for row in context.rows():
        if row.number:
            begins = truncate(row.text.replace("|", "\\|").replace("`", "'"), MAX_OPENING_CHARS)
            yield f"| {row.number} | {row.name} | {row.tokens:,} | `{begins}` |"
        else:
            yield f"| | · {row.name} | {row.tokens:,} | {row.text} |"
    yield ""
    yield from summary(context)


def full_text(context: Context) -> Iterator[str]:
    """Every piece with its words, up to what a chat can hold."""
    room = MAX_CHARS
    for number, piece in enumerate(context.pieces, 1):
        if len(piece.text) > room:
            yield tr(
                "(Piece {number} and those after it are too long for a chat: `scrubjay sessions context --full`.)\n",
                number=number,
            )
            break
        room -= len(piece.text)
        fence = "`" * 3
        while fence in piece.text:
            fence += "`"
        yield f"**{number}. {piece.what}**, {piece.tokens:,} tokens\n"
        yield f"{fence}text\n{piece.text}\n{fence}\n"
    yield from summary(context)


def summary(context: Context) -> Iterator[str]:
    """Yield what was left out, and how full the window was."""
    for file in context.files:
        if file.left_out:
            yield tr(
                "`{path}` was cut: {omission}; the model can read on with a tool.",
                path=file.path,
                omission=file.omission,
            )
    if context.omission:
        yield context.omission
    size = tr("{tokens:,} tokens as counted here{correction}", tokens=context.tokens, correction=context.correction)
    yield tr("In all {size}: {share} of {window:,}.", size=size, share=context.share, window=context.window)


COMMAND = Command(
    summary=mark("show what the model saw last, with token counts"),
    usage="/context [full]",
    example="/context full",
    run=run,
    owner_only=True,
    detail=mark("`full` shows every word. The shell shows the same: `scrubjay sessions context`."),
    parameter=Parameter.one_of("detail", mark("full shows every word"), "full"),
)
