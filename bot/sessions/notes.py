"""Notes: what a conversation came to, as a file of memory."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from types import MappingProxyType
from unicodedata import normalize

from bot.sessions.export import as_rest_of_line, contribution
from bot.sessions.tracing import noted_in
from bot.sessions.transcript import Transcript
from bot.sessions.turns import DecodedTurn, Said, decode_turns, unrepeated
from bot.storage.port import Session
from bot.texts.catalogue import tr
from bot.texts.formatting import truncate
from bot.turn import Turn
from memory import Error, Fact, Kind, Memory, Origin, Part
from memory.capture import COURTESIES, Act, WishKind, act_of, kind_of, same, statement, wish
from memory.capture.wishes.reminders import calls_off
from memory.errors import NotFound
from memory.files.markdown import heading, is_retain
from memory.index.terms import tokens
from memory.privacy.secrets import find_secrets, mask
from memory.privacy.traces import MARK, Traces

MAX_STATEMENTS = 15
"""How many of the newest things that a person said a note keeps."""

MAX_TURNS = 100
"""How many of the newest turns are looked at for that."""

MAX_CONTRIBUTION_CHARS = 4_000
MAX_OPEN_CHARS = 200
MAX_TITLE_CHARS = 80
UNTITLED = "Conversation"
MAX_SLUG_WORDS = 5
MAX_SLUG_CHARS = 40
"""In any script that is less than a file's name may have."""

MAX_FILES_ALIKE = 100
"""How many files of one day may begin with the same words."""

MAX_ALIKE = 3
"""How many facts are looked at for whether they say what is to be noted."""

MIN_HELD = 0.75
"""The share of the words of a model's line that a fact has to hold, for the line to say nothing new."""

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a conversation came to.

    Attributes:
        told: what else was stated.
        left_open: what was asked and not answered, or is still to be done.
        title: what it was about; empty for the first words of a person.
        noted: ids of the facts that memory has of it already; they are not written again.
    """

    decided: tuple[Said, ...] = ()
    told: tuple[Said, ...] = ()
    left_open: tuple[str, ...] = ()
    title: str = ""
    noted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.decided or self.told or self.left_open)

    def __add__(self, later: Summary) -> Summary:
        """Return both, the newest statements and what is left open at the end."""
        return Summary(
            (*self.decided, *later.decided)[-MAX_STATEMENTS:],
            (*self.told, *later.told)[-MAX_STATEMENTS:],
            (*self.left_open, *later.left_open)[-MAX_STATEMENTS:],
            self.title or later.title,
            (*self.noted, *later.noted),
        )


@dataclass(frozen=True, slots=True)
class SessionNote:
    """A note that was written: its path in the workspace, and what it holds."""

    path: str
    summary: Summary

    def __str__(self) -> str:
        """It as people read it: path, contents, and how to take it back."""
        kept = self.summary
        counts = (
            tr("{count} decided", count=len(kept.decided)) if kept.decided else "",
            tr("{count} told", count=len(kept.told)) if kept.told else "",
            tr("{count} known", count=len(kept.noted)) if kept.noted else "",
            tr("{count} left open", count=len(kept.left_open)) if kept.left_open else "",
        )
        held = ", ".join(filter(None, counts))
        return tr("{place} ({held}; `/undo` takes it back)", place=f"`{self.path}`", held=held)


async def save_note(
    turn: Turn, transcript: Transcript, *, title: str = "", summary: Summary | None = None
) -> SessionNote | None:
    """Write what a turn's session came to into a file in `memory/`; None if there is nothing to save.

    That is so, too, where memory knows all of it, unless a title is given. What memory knows already is named by its id
    only, so that a note never stands before the fact that it repeats; what was taken back or declined is left out.

    Args:
        title: what the note is called; otherwise the summary says it, or the first words of a person.
        summary: by a model, of what was said by nobody else than the owner and the agent; rules add the words of
            others. Without one, rules say all of it.
    """
    session = await transcript.current(turn.session)
    if session is None:
        return None
    zone, memory = turn.agent.zone, turn.agent.memory
    turns, heard, repeated = list[DecodedTurn](), list[DecodedTurn](), set[str]()
    before: int | None = None  # read from the end of the conversation until there is enough
    while len(turns) < MAX_TURNS and (recorded := await transcript.newest(turn.session, before=before)):
        talk = unrepeated(decode_turns(recorded), repeated)
        heard += talk
        turns[:0] = [one for one in talk if one.messages and not one.is_command and (summary is None or one.is_foreign)]
        before = recorded[0].seq
    noted = await memory.run(noted_in, [one.id for one in heard], scope=turn.scope)
    closed = {one.closes for one in heard} - {""}  # what was offered was declined, unless something was noted
    over = [one for one in turns if noted[one.id].known or noted[one.id].gone or one.offers in closed]
    instead = {one.id: tuple(noted[one.id].known) for one in over if not one.by_model}
    found = await asyncio.to_thread(summarize_by_rules, turns[-MAX_TURNS:], instead)
    gone = Traces.of((Fact(text) for one in noted.values() for text in one.gone), ())
    gone = gone.sparing(Fact(text) for one in noted.values() for text in one.known.values())
    gone = replace(gone, telling=frozenset(), rare=frozenset())  # a name tells nothing here: others have it, too
    kept = await _without_known(turn, replace(found, title="") + summary if summary else found, gone)
    if not kept and not (title and kept.noted):
        return None
    called = title or next((one for one in (kept.title, found.title) if one and not gone.matches(one)), "")
    kept = replace(kept, title=shorten_title(called))
    # long texts are searched for secrets: not in the event loop
    parts = await asyncio.to_thread(lambda: mask_parts(page(session, kept, title=title, zone=zone)))
    actor, stem = turn.principal.id, f"memory/{turn.local.date().isoformat()}-{slug(kept.title)}"
    async with turn.agent.naming:
        path = await _free_path(memory, stem)
        written = await memory.append(path, parts=parts, origin=Origin.AGENT, op_id=turn.op_id(0), actor=actor)
    return SessionNote(str(written.path), kept)


async def _without_known(turn: Turn, summary: Summary, gone: Traces) -> Summary:
    """Return a summary without what is in memory as a fact, with the ids of these facts, and without what is gone."""
    noted = dict.fromkeys(summary.noted)

    async def unknown(statements: Iterable[Said]) -> tuple[Said, ...]:
        left = []
        for said in statements:
            found = await turn.agent.memory.recall(said.text, scope=turn.scope, limit=MAX_ALIKE)
            facts = (hit for hit in found.hits if hit.kind is not Kind.NOTE)
            known = next((fact for fact in facts if _says(fact.content, said)), None)
            if known and not said.is_foreign:
                noted[known.id] = None
            elif (text := gone.masked(said.text)).replace(MARK, "").strip():
                left.append(replace(said, text=text))
        return tuple(left)

    decided, told = await unknown(summary.decided), await unknown(summary.told)
    left_open = tuple(one for one in summary.left_open if not gone.matches(one))
    return replace(summary, decided=decided, told=told, left_open=left_open, noted=tuple(noted))


def _says(fact: str, said: Said) -> bool:
    """Return whether a fact says what was said; a model's line need not have the same words in the same order."""
    words = {word.lower() for word in tokens(said.text)}
    held = words & {word.lower() for word in tokens(fact)}
    return same(fact, statement(said.text)) or (said.by_agent and len(held) >= MIN_HELD * len(words))


def summarize_by_rules(
    turns: Iterable[DecodedTurn], noted: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Summary:
    """Return what people decided, stated, and asked without an answer; the agent's own words are not repeated.

    Of what was `noted` without a model, the ids of the facts, by turn, take the place of the words; none if it is gone.
    Where others' words went into a turn, what it left open is not told, and it gives no title: both stand where they
    have no origin.
    """
    summary = Summary()
    for turn in turns:
        ids = noted.get(turn.id)
        for said in (one for one in turn.by_people if one.text.strip()):
            act, statement, questions = split_message(said.text)
            left = questions if turn.is_open and not said.is_foreign else ()
            kept = (replace(said, text=statement),) if statement and ids is None else ()
            is_decision = bool(kept) and act is Act.NOTE and kind_of(statement)[1] == "decision"
            title = "" if said.is_foreign or act in COURTESIES or ids == () else said.text
            summary += Summary(kept if is_decision else (), () if is_decision else kept, left, title, tuple(ids or ()))
    return summary


def split_message(text: str) -> tuple[Act, str, tuple[str, ...]]:
    """Return what kind of message it is, the part that states something, and the parts that ask for something.

    An order to forget or to call off does neither.

    >>> split_message("I moved to Porto. Where do I buy bread?")[1:]
    ('I moved to Porto.', ('Where do I buy bread?',))
    """
    act = act_of(text)
    parts = [*filter(str.strip, _SENTENCE.split(text) if act not in COURTESIES else ())]
    orders = {part for part in parts if calls_off(part) or wish(part, among={WishKind.FORGET})}
    if act is Act.NOTE and not orders:
        return act, text.strip(), ()
    stated, asked = list[str](), list[str]()
    for sentence in parts:
        match act_of(sentence):
            case _ if sentence in orders:
                pass
            case Act.NOTE:
                stated.append(sentence.strip())
            case Act.QUESTION | Act.REQUEST:
                asked.append(" ".join(sentence.split())[:MAX_OPEN_CHARS])
    return act, " ".join(stated), tuple(asked)


def shorten_title(title: str) -> str:
    """Return a title on one line, cut if it is long; never empty."""
    return truncate(title, MAX_TITLE_CHARS) or UNTITLED


def slug(title: str) -> str:
    """Return the first words of a title as part of a file's name, in any script; "conversation" if there are none.

    >>> slug("Where is the spare key, and who has it?")
    'where-is-the-spare-key'
    """
    words = _WORD.findall(normalize("NFKC", normalize("NFKC", title).lower()))[:MAX_SLUG_WORDS]
    while len(words) > 1 and len("-".join(words)) > MAX_SLUG_CHARS:
        words.pop()
    return "-".join(words)[:MAX_SLUG_CHARS] or "conversation"


def page(session: Session, summary: Summary, *, title: str, zone: tzinfo) -> tuple[Part, ...]:
    """Return the parts of a note: its head, then each statement, with its origin.

    What is left open and what is known already stand among the properties, which no search reads: a question would be
    found as its own answer. For the same reason only a title that a person has given is a heading. Secrets are masked.
    """
    began = session.began.astimezone(zone)
    one_line = as_rest_of_line(title)
    _, text = heading(f"# {one_line}") or (1, "")
    shown = f"“{one_line}”" if is_retain(text) else one_line  # under the heading Retain, bullets would be facts
    head = [f"agent: {session.agent}", f"session: {session.id}", f"began: {began:%Y-%m-%dT%H:%M}"]
    head += [f"noted: [{', '.join(summary.noted)}]"] if summary.noted else []
    asked = [as_rest_of_line(mask(one, find_secrets(one))) for one in summary.left_open]
    head += ["open:", *(f"  - {json.dumps(one, ensure_ascii=False)}" for one in asked)] if asked else []
    lines = ["---", *head, "---", "", f"# {shown or f'{UNTITLED} of {began:%Y-%m-%d, %H:%M}'}", ""]
    parts = [Part("\n".join(lines), Origin.AGENT)]
    for name, statements in (("Decided", summary.decided), ("Told", summary.told)):
        parts += [Part(f"\n## {name}\n", Origin.AGENT)] if statements else []
        for said in statements:
            masked = replace(said, text=mask(said.text, find_secrets(said.text)))  # of several lines, while it is one
            text = f"\n{contribution(masked, zone=zone, max_chars=MAX_CONTRIBUTION_CHARS)}\n"
            parts.append(Part(text, said.origin))
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


async def _free_path(memory: Memory, stem: str) -> str:
    """Return the first of `stem.md`, `stem-2.md` ... that does not exist."""
    for path in (f"{stem}.md", *(f"{stem}-{number}.md" for number in range(2, MAX_FILES_ALIKE))):
        try:
            await memory.page(path)
        except NotFound:
            return path
        except Error:  # it exists, whatever else is wrong with it
            continue
    return f"{stem}-{MAX_FILES_ALIKE}.md"
