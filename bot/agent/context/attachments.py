"""What came with a message, as a model gets it: as data, what was said in the group before, the quote, the files."""

from __future__ import annotations

from dataclasses import dataclass

from bot.access.permissions import Taint
from bot.agent.context.untrusted import boundary, fence, one_line
from bot.llm.tokens import Window, picture_tokens
from bot.llm.types import Picture
from bot.media.reader import MAX_PICTURES, FileUnreadable, MediaReader, ReadingTime, is_picture, longest_side
from bot.texts.formatting import sized, well_formed
from bot.turn import File, Turn
from memory import Origin

MAX_CHARS = 8_000
"""Characters of text files and quotes that are put before the model, and as many of what was said in the group."""

_NOT_SHOWN = "What is in it is not shown to you."


@dataclass(frozen=True, slots=True)
class PromptAttachments:
    """The quote and the files of a turn, as text before the person's words.

    Attributes:
        text: for this turn's requests; empty if nothing came with the message.
        remains: for later ones. There others' words are left out, since a later turn would read them untainted.
        taint: what reading `text` and seeing the pictures does to the turn.
        pictures: those that the model is shown, in this turn alone.
    """

    text: str = ""
    remains: str = ""
    taint: Taint = Taint.CLEAN
    pictures: tuple[Picture, ...] = ()


async def describe_attachments(turn: Turn, reader: MediaReader, *, window: Window, sees: bool) -> PromptAttachments:
    """Describe what came with a turn, whose files have been fetched, for a model that `sees` pictures or does not."""
    room = min(MAX_CHARS, window.tool_result)
    quote, mark = well_formed(turn.quote)[:room], boundary()
    within = ReadingTime(reader.timeout_s)
    blocks, remains, pictures = list[str](), list[str](), list[Picture]()
    if quote:
        by = f"{well_formed(turn.quote_by)}:\n" if turn.quote_by else ""
        blocks.append(fence(by + quote, label="quoted by this message", mark=mark))
        is_own = turn.quote_origin in {turn.origin, Origin.AGENT}  # the person's or the agent's: in the conversation
        remains.append(blocks[0] if is_own else "[A quote stood here.]")
        room -= len(quote)
    for file in turn.files:
        has_room = len(pictures) < MAX_PICTURES and sum(map(picture_tokens, pictures)) < window.tokens // 5
        is_shown = sees and has_room and is_picture(file)
        longest = longest_side(window.tokens) if is_shown else 0
        content = await _read(file, reader, room=room, longest=longest, within=within)
        if isinstance(content, Picture):
            pictures.append(content)
            content = f"You see it: it is picture {len(pictures)} of this message."
        where = f"kept in {file.place}" if file.path else f"not fetched: {file.lack}"
        text = f"{file}, {file.kind}, {where}\n{content}"
        blocks.append(fence(text, label="file that came with this message", mark=mark))
        what = "picture" if is_shown else "file"
        remains.append(f"[A {what} came with this: {file.kind}, {sized(file.size)}.]")
        room -= len(content)
    return PromptAttachments("\n".join(blocks), "\n".join(remains), turn.taint_brought(), tuple(pictures))


async def _read(file: File, reader: MediaReader, *, room: int, longest: int, within: ReadingTime) -> Picture | str:
    """Return what a model gets of a file: a picture, the beginning of a text, what is said in it, or a notice."""
    try:
        if file.said:
            return f"\n{file.said}" if file.is_forwarded else "What the person says in it stands below, as text."
        if longest:
            return await reader.picture(file, longest=longest, within=within)
        text = await reader.text(file, limit=room, within=within)
    except FileUnreadable as error:
        return f"{_NOT_SHOWN} {error}"
    cut = "\n[It goes on; the rest is not shown to you.]" if len(text) > room else ""
    return f"\n{text[:room]}{cut}" if text else _NOT_SHOWN


def describe_context(turn: Turn, *, room: int) -> tuple[str, str]:
    """Return what was said before a turn, the newest as far as it fits, and what of that remains for later turns.

    Each message is one line, so that no text can look like another speaker's. Words of people who may not speak to the
    agent there are left out later, as those of quotes are.
    """
    lines = list[str]()
    room = min(MAX_CHARS, room)
    for said in reversed(turn.before):
        when = said.at.astimezone(turn.agent.zone).strftime("%H:%M")
        line = f"[{when}] {one_line(said.name) or 'somebody'}: {' '.join(well_formed(said.text).split())}"
        room -= len(line)
        if room < 0:
            break
        lines.insert(0, line)
    if not lines:
        return "", ""
    text = fence("\n".join(lines), label="said in this group before, not to you", mark=boundary())
    is_foreign = any(said.is_foreign for said in turn.before)
    return text, "[What was said in the group before this stood here.]" if is_foreign else text
