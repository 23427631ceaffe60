"""Sessions as Markdown, and as notes in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from unicodedata import normalize

from bot.sessions.transcript import Exchange, Said, exchanges
from bot.storage.port import Recorded, Session
from memory import Origin, Part
from memory.files.markdown import BlockKind, heading, is_retain, line_kind
from memory.secrets import find_secrets, mask

_BLOCK_ID = re.compile(r"(?<!\S)\^(?=[\w-]++\W*+\Z)")
"""Wider than `memory.files.markdown.block_id`, so that other readers find no block id, either."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f]")
"""Control characters that neither separate words nor end a line."""


def document(session: Session, turns: Iterable[Exchange], *, zone: tzinfo) -> str:
    """Format a whole session as Markdown, with commands, tool calls and the lines printed under answers."""
    began = session.began.astimezone(zone)
    state = "over" if session.is_over else "open"
    paragraphs = [f"# {session.agent}, {began:%Y-%m-%d %H:%M}\n\nSession `{session.id}` of `{session.key}`, {state}."]
    for said in (one for turn in turns for one in turn.said):
        paragraphs += [as_paragraph(f"*{said.who} called* `{call}`") for call in said.did]
        paragraphs += [_contribution(said, said.text, zone), *map(as_paragraph, said.told)]
    return "\n\n".join(paragraphs) + "\n"


def contribution(said: Said, *, zone: tzinfo, max_chars: int) -> str:
    """Format the words of a contribution alone, cut to `max_chars`.

    An answer that only quotes memory becomes the places that it quotes: what is remembered once is not noted again.
    """
    text, left_out = said.text, len(said.text) - max_chars
    if said.quoted:
        text = f"(Quoted {', '.join(map(str, said.quoted))}.)"
    elif left_out > 0:
        text = f"{text[:max_chars]} [… {left_out:,} more characters]"
    return _contribution(said, text, zone)


def as_paragraph(text: str) -> str:
    """Format a text as a paragraph of its own that Markdown reads as nothing but words."""
    lines = _lines(text)
    return lines[0] if len(lines) == 1 and line_kind(lines[0]) is BlockKind.PARAGRAPH else _as_quote(lines)


def as_rest_of_line(text: str) -> str:
    """Format a text as the rest of a line that something else begins."""
    return " ".join(filter(None, _lines(text)))


def _contribution(said: Said, text: str, zone: tzinfo) -> str:
    """Format as `[14:02] **Ada**: words`."""
    who = as_rest_of_line(said.who.replace("*", ""))
    opening, lines = f"[{said.at.astimezone(zone):%H:%M}] **{who}**:", _lines(text)
    return f"{opening} {lines[0]}" if len(lines) == 1 else f"{opening}\n\n{_as_quote(lines)}"


def _as_quote(lines: Iterable[str]) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _lines(text: str) -> list[str]:
    """Split a text into lines, at least one, wherever any reader may see one end; escape block ids at their ends."""
    found = [_CONTROL.sub(" ", line).rstrip() for line in text.strip().splitlines()]
    return [_BLOCK_ID.sub(r"\\^", line) for line in found] or [""]


MAX_CONTRIBUTIONS = 15
"""How many of the newest contributions a note keeps."""

MAX_CONTRIBUTION_CHARS = 4_000
MAX_TITLE_CHARS = 80
UNTITLED = "Conversation"
MAX_SLUG_WORDS = 5
MAX_SLUG_CHARS = 40
"""In any script that is less than a file's name may have."""

_WORD = re.compile(r"[^\W_]+")


def newest_contributions(recorded: Iterable[Recorded], *, agent: str) -> tuple[Said, ...]:
    """Return the newest contributions of a session, without commands, their answers, and what has no words."""
    turns = exchanges(recorded, agent=agent, with_repeated=False)
    said = [one for turn in turns if not turn.is_command for one in turn.said]
    return tuple([one for one in said if one.text.strip()][-MAX_CONTRIBUTIONS:])


def choose_title(said: Iterable[Said], wanted: str) -> str:
    """Return the title of a note: as wanted, else the first words of a person in a turn without other people's words.

    Other people's words would not only be the heading of the page, but also name its file.
    """
    first = next((one.text for one in said if not one.by_agent and not one.is_foreign), "")
    words = " ".join((wanted or first).split()) or UNTITLED
    return words if len(words) <= MAX_TITLE_CHARS else f"{words[: MAX_TITLE_CHARS - 1].rstrip()}…"


def slug(title: str) -> str:
    """Return the first words of a title as part of a file's name, in any script; "conversation" if there are none.

    >>> slug("Where is the spare key, and who has it?")
    'where-is-the-spare-key'
    """
    words = _WORD.findall(normalize("NFKC", normalize("NFKC", title).lower()))[:MAX_SLUG_WORDS]
    while len(words) > 1 and len("-".join(words)) > MAX_SLUG_CHARS:
        words.pop()
    return "-".join(words)[:MAX_SLUG_CHARS] or "conversation"


def page(session: Session, said: Sequence[Said], *, title: str, zone: tzinfo) -> tuple[Part, ...]:
    """Return the parts of a note: its head, then each contribution, with its origin.

    Secrets are masked. The transcript has the rest; its name is where no search finds it.
    """
    began = session.began.astimezone(zone)
    quiet = as_rest_of_line(title)
    _, text = heading(f"# {quiet}") or (1, "")
    shown = f"“{quiet}”" if is_retain(text) else quiet  # under the heading Retain, bullets would be facts
    head = f"---\nagent: {session.agent}\nsession: {session.id}\nbegan: {began:%Y-%m-%dT%H:%M}\n---\n"
    parts = [Part(f"{head}\n# {shown}\n", Origin.AGENT)]
    for one in said:
        masked = replace(one, text=mask(one.text, find_secrets(one.text)))  # a secret of several lines, while it is one
        text = f"\n{contribution(masked, zone=zone, max_chars=MAX_CONTRIBUTION_CHARS)}\n"
        own = Origin.AGENT if one.by_agent else Origin.OWNER
        parts.append(Part(text, Origin.UNTRUSTED if one.is_foreign else own))
    return tuple(parts)


def mask_parts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Mask in the parts what looks like a secret in all of them together."""
    secrets = find_secrets("".join(part.text for part in parts))
    result, at = [], 0
    for part in parts:
        end = at + len(part.text)
        own = [
            replace(one, start=max(one.start - at, 0), end=min(one.end, end) - at)
            for one in secrets
            if one.start < end and one.end > at
        ]
        result.append(replace(part, text=mask(part.text, own)))
        at = end
    return tuple(result)
