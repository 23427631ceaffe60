"""What came with a message, as a model gets it: the quote and the files, as data."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.access.permissions import Taint
from bot.agent.untrusted import boundary, fenced
from bot.formatting import sized, well_formed
from bot.turn import File, Turn
from memory import Origin

SHOWN = 8_000
"""Characters of text files and quotes that are put before the model."""

_TEXTS = (".md", ".txt", ".json", ".csv")
_NOT_SHOWN = "What is in it is not shown to you."


@dataclass(frozen=True, slots=True)
class PromptAttachments:
    """What goes before the person's words.

    Attributes:
        text: for this turn's requests; empty if nothing came with the message.
        remains: for later ones. There others' words are left out, since a later turn would read them untainted.
        taint: what reading `text` does to the turn.
    """

    text: str = ""
    remains: str = ""
    taint: Taint = Taint.CLEAN


async def enclosed(turn: Turn, *, room: int) -> PromptAttachments:
    """The quote and the files of a turn; `room` is how many characters of their texts fit."""
    room = min(SHOWN, room)
    quote, mark = well_formed(turn.quote)[:room], boundary()
    texts = await asyncio.to_thread(_listed, turn.files, room - len(quote))
    by = f"{well_formed(turn.quote_by)}:\n" if turn.quote_by else ""
    blocks = [fenced(by + quote, label="quoted by this message", mark=mark)] if quote else []
    blocks += [fenced(text, label="file that came with this message", mark=mark) for text in texts]
    remains = [blocks[0] if _is_own(turn) else "[A quote stood here.]"] if quote else []
    remains += [f"[A file came with this: {file.kind}, {sized(file.size)}.]" for file in turn.files]
    return PromptAttachments("\n".join(blocks), "\n".join(remains), turn.taint_brought())


def _is_own(turn: Turn) -> bool:
    """Whether the quote is by the person or by the agent: both are in the conversation anyway."""
    return turn.quote_origin in {turn.origin, Origin.AGENT}


def _listed(files: tuple[File, ...], room: int) -> list[str]:
    """Each file in a line or two, then its text if it is a text, until there is no more room."""
    listed = []
    for file in files:
        content, is_cut = _content(file, room)
        room -= len(content)
        cut = "\n[It goes on; the rest is not shown to you.]" if is_cut else ""
        listed.append(f"{_about(file)}\n\n{content}{cut}" if content else f"{_about(file)}\n{_NOT_SHOWN}")
    return listed


def _about(file: File) -> str:
    where = f"kept in {file.place}" if file.path else f"not fetched: {file.lack}"
    return f"{file}, {file.kind}, {where}"


def _content(file: File, room: int) -> tuple[str, bool]:
    """As much of a text file as there is room for, and whether that is not all; nothing of any other file."""
    if file.path is None or room <= 0 or not _is_text(file):
        return "", False
    head = _head(file.path, 4 * room + 4)
    text = head.decode("utf-8-sig", "replace").strip()
    if "\0" in text:
        return "", False
    return text[:room], len(text) > room


def _is_text(file: File) -> bool:
    return file.mime.startswith("text/") or file.name.lower().endswith(_TEXTS)


def _head(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        return file.read(count)
