"""What came with a message, as a model gets it: the quote and the files, as data."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.access.permissions import Taint
from bot.agent.untrusted import boundary, fence
from bot.formatting import sized, well_formed
from bot.turn import File, Turn
from memory import Origin

MAX_CHARS = 8_000
"""Characters of text files and quotes that are put before the model."""

_TEXTS = (".md", ".txt", ".json", ".csv")
_NOT_SHOWN = "What is in it is not shown to you."


@dataclass(frozen=True, slots=True)
class PromptAttachments:
    """The quote and the files of a turn, as text before the person's words.

    Attributes:
        text: for this turn's requests; empty if nothing came with the message.
        remains: for later ones. There others' words are left out, since a later turn would read them untainted.
        taint: what reading `text` does to the turn.
    """

    text: str = ""
    remains: str = ""
    taint: Taint = Taint.CLEAN


async def describe_attachments(turn: Turn, *, room: int) -> PromptAttachments:
    """Describe what came with a turn.

    Args:
        turn: with its files fetched.
        room: characters of the quote's and the files' texts that fit.
    """
    room = min(MAX_CHARS, room)
    quote, mark = well_formed(turn.quote)[:room], boundary()
    files = await asyncio.to_thread(_describe_files, turn.files, room - len(quote))
    blocks, remains = [], []
    if quote:
        by = f"{well_formed(turn.quote_by)}:\n" if turn.quote_by else ""
        blocks.append(fence(by + quote, label="quoted by this message", mark=mark))
        is_own = turn.quote_origin in {turn.origin, Origin.AGENT}  # the person's or the agent's: in the conversation
        remains.append(blocks[0] if is_own else "[A quote stood here.]")
    blocks += [fence(text, label="file that came with this message", mark=mark) for text in files]
    remains += [f"[A file came with this: {file.kind}, {sized(file.size)}.]" for file in turn.files]
    return PromptAttachments("\n".join(blocks), "\n".join(remains), turn.taint_brought())


def _describe_files(files: tuple[File, ...], room: int) -> list[str]:
    """Describe each file in a line or two, with its text if it is one, until there is no more room."""
    descriptions = []
    for file in files:
        where = f"kept in {file.place}" if file.path else f"not fetched: {file.lack}"
        about = f"{file}, {file.kind}, {where}"
        text = _read_text(file, room)
        shown = text[:room]
        room -= len(shown)
        cut = "\n[It goes on; the rest is not shown to you.]" if len(text) > len(shown) else ""
        descriptions.append(f"{about}\n\n{shown}{cut}" if shown else f"{about}\n{_NOT_SHOWN}")
    return descriptions


def _read_text(file: File, limit: int) -> str:
    """Read the beginning of a text file, more than `limit` characters if there are more; empty for other files."""
    if file.path is None or limit <= 0 or not (file.mime.startswith("text/") or file.name.lower().endswith(_TEXTS)):
        return ""
    with file.path.open("rb") as opened:
        text = opened.read(4 * limit + 4).decode("utf-8-sig", "replace").strip()
    return "" if "\0" in text else text
