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
"""Wider than what `memory.files.markdown.block_id` takes for one, so that no other reader finds one, either."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f]")
"""Control characters that neither set words apart nor end a line."""


def document(session: Session, turns: Iterable[Exchange], *, zone: tzinfo) -> str:
    """A whole session, commands included, with what the agent did and what was printed under its answers."""
    began = session.began.astimezone(zone)
    state = "over" if session.is_over else "open"
    opening = f"# {session.agent}, {began:%Y-%m-%d %H:%M}\n\nSession `{session.id}` of `{session.key}`, {state}."
    said = (one for turn in turns for one in turn.said)
    return "\n\n".join([opening, *(_whole(one, zone) for one in said)]) + "\n"


def contribution(said: Said, *, zone: tzinfo, longest: int) -> str:
    """The words alone, cut to so many characters.

    An answer that only quotes memory becomes the places that it quotes: what is remembered once is not noted again.
    """
    return _paragraph(_brief(said, longest), zone)


def quiet(text: str) -> str:
    """A text as a paragraph of its own that is read as nothing but words."""
    lines = _lines(text)
    return lines[0] if len(lines) == 1 and line_kind(lines[0]) is BlockKind.PARAGRAPH else _quoted(lines)


def quiet_line(text: str) -> str:
    """A text as the rest of a line that something else begins."""
    return " ".join(filter(None, _lines(text)))


def _brief(said: Said, longest: int) -> Said:
    if said.quoted:
        return replace(said, text=f"(Quoted {', '.join(map(str, said.quoted))}.)")
    left_out = len(said.text) - longest
    return said if left_out <= 0 else replace(said, text=f"{said.text[:longest]} [… {left_out:,} more characters]")


def _whole(said: Said, zone: tzinfo) -> str:
    did = [quiet(f"*{said.who} called* `{call}`") for call in said.did]
    return "\n\n".join([*did, _paragraph(said, zone), *map(quiet, said.told)])


def _paragraph(said: Said, zone: tzinfo) -> str:
    """`[14:02] **Ada**: words`."""
    who = quiet_line(said.who.replace("*", ""))
    opening, lines = f"[{said.at.astimezone(zone):%H:%M}] **{who}**:", _lines(said.text)
    return f"{opening} {lines[0]}" if len(lines) == 1 else f"{opening}\n\n{_quoted(lines)}"


def _quoted(lines: Iterable[str]) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines, at least one, wherever any reader may see one end; their closing words are no block ids."""
    found = [_CONTROL.sub(" ", line).rstrip() for line in text.strip().splitlines()]
    return [_BLOCK_ID.sub(r"\\^", line) for line in found] or [""]


MESSAGES = 15
"""The newest contributions that are kept."""

LONGEST = 4_000
"""Characters of one of them."""

TITLE = 80
UNTITLED = "Conversation"
SLUG_WORDS = 5
SLUG = 40
"""Characters; in any script that is less than a file's name may have."""

_WORD = re.compile(r"[^\W_]+")


def worth_saving(recorded: Iterable[Recorded], *, agent: str) -> tuple[Said, ...]:
    """The newest contributions of a session; commands and their answers are none, nor is what has no words."""
    said = [one for turn in exchanges(recorded, agent=agent) if not turn.is_command for one in turn.said]
    return tuple([one for one in said if one.text.strip()][-MESSAGES:])


def titled(said: Iterable[Said], wanted: str) -> str:
    """What the page is called: as wanted, else by the first words that a person said and nobody else put before them.

    Others' words would not only stand at the head of the page, but also name its file.
    """
    first = next((one.text for one in said if not one.by_agent and not one.is_foreign), "")
    words = " ".join((wanted or first).split()) or UNTITLED
    return words if len(words) <= TITLE else f"{words[: TITLE - 1].rstrip()}…"


def slug(title: str) -> str:
    """The first words of a title as part of a file's name, in whatever script; "conversation" if there are none.

    >>> slug("Where is the spare key, and who has it?")
    'where-is-the-spare-key'
    """
    words = _WORD.findall(normalize("NFKC", normalize("NFKC", title).lower()))[:SLUG_WORDS]
    while len(words) > 1 and len("-".join(words)) > SLUG:
        words.pop()
    return "-".join(words)[:SLUG] or "conversation"


def page(session: Session, said: Sequence[Said], *, title: str, zone: tzinfo) -> tuple[Part, ...]:
    """The page: its head, then each contribution, with what they count as.

    The transcript has the rest; its name stands where no search finds it.
    """
    began = session.began.astimezone(zone)
    head = f"---\nagent: {session.agent}\nsession: {session.id}\nbegan: {began:%Y-%m-%dT%H:%M}\n---\n"
    parts = [Part(f"{head}\n# {_heading(title)}\n", Origin.AGENT)]
    for one in said:
        told = replace(one, text=mask(one.text, find_secrets(one.text)))  # a secret of several lines, while it is one
        parts.append(Part(f"\n{contribution(told, zone=zone, longest=LONGEST)}\n", _origin(one)))
    return tuple(parts)


def masked(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without what looks like a secret in them together."""
    found = find_secrets("".join(part.text for part in parts))
    result, at = [], 0
    for part in parts:
        end = at + len(part.text)
        own = [
            replace(one, start=max(one.start - at, 0), end=min(one.end, end) - at)
            for one in found
            if one.start < end and one.end > at
        ]
        result.append(replace(part, text=mask(part.text, own)))
        at = end
    return tuple(result)


def _heading(title: str) -> str:
    """A title under which no bullet is a fact."""
    quiet = quiet_line(title)
    _, read = heading(f"# {quiet}") or (1, "")
    return f"“{quiet}”" if is_retain(read) else quiet


def _origin(said: Said) -> Origin:
    if said.is_foreign:
        return Origin.UNTRUSTED
    return Origin.AGENT if said.by_agent else Origin.OWNER
