"""A conversation as a file of memory: its name, and the page that is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from unicodedata import normalize

from bot.durable.port import Recorded, Session
from bot.session.markdown import minutes, quiet
from bot.session.talk import Said, exchanges

MESSAGES = 15
"""The newest contributions that are kept."""

LONGEST = 4_000
"""Characters of one of them."""

TITLE = 80
SLUG_WORDS = 5
SLUG = 40
"""Characters; in any script that is less than a file's name may have."""

_WORD = re.compile(r"[^\W_]+")


def worth_saving(recorded: Iterable[Recorded], *, agent: str) -> tuple[Said, ...]:
    """The newest contributions of a session; commands and their answers are none."""
    said = [one for turn in exchanges(recorded, agent=agent) if not turn.is_command for one in turn.said]
    return tuple(said[-MESSAGES:])


def titled(said: Sequence[Said], wanted: str) -> str:
    """What the page is called: as wanted, else by the first words that a person said."""
    first = next((one.text for one in said if not one.by_agent), said[0].text)
    words = " ".join((wanted or first).split())
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


def page(session: Session, said: Sequence[Said], *, title: str, zone: tzinfo) -> str:
    """The page. The transcript has the rest; its name stands where no search finds it."""
    began = session.began.astimezone(zone)
    head = f"---\nagent: {session.agent}\nsession: {session.id}\nbegan: {began:%Y-%m-%dT%H:%M}\n---\n"
    return f"{head}\n# {quiet(title)}\n\n{minutes(said, zone=zone, longest=LONGEST)}\n"
