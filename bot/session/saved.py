"""A conversation as a file of memory: its name, and the page that is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from unicodedata import normalize

from bot.durable.port import Recorded, Session
from bot.session.markdown import contribution, quiet_line
from bot.session.talk import Said, exchanges
from memory import Origin, Part
from memory.files.lines import heading, is_retain
from memory.secrets import find_secrets, mask

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
