"""Carries the forgetting of facts into the records of conversations: what memory forgot is masked there, too.

The journal of each memory says what was forgotten; a mark in the state file says up to where that has been carried out.
So it does not matter who forgot, or whether the process was killed in between: the next start, or the next turn, goes
on. What a turn writes that was under way meanwhile is masked when it ends.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby

import structlog

import memory
from adapters.port import AdapterState
from bot.errors import BotError
from bot.sessions.redaction import Records
from bot.sessions.transcript import pages
from bot.storage.keys import SessionKey
from bot.storage.port import Among, Effects, EntryKind, Recorded, Rewrite, TranscriptEntry, everywhere
from bot.storage.redaction import redact_body, redact_outbound
from bot.turn import Agent
from memory import OWNER, ForgettingTrail, Scope
from memory.secrets import mask_values
from memory.traces import MARK, Traces

BLANKED_EVERY = timedelta(hours=1)
"""How often, at most, a turn's end is followed by a look for what is due to be blanked in the journal."""

_SAID = frozenset({EntryKind.MESSAGE, EntryKind.REPLY})
_MARK = "forgotten"
_FILE = re.compile(r"memory/\d{4}-\d\d-\d\d-[^\s`/]+\.md")
"""A saved note is called by what was said; that it is named somewhere says nothing about its words."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Spread:
    """In how many messages and answers something is repeated: in this conversation, and in earlier or other ones."""

    here: int = 0
    elsewhere: int = 0


@dataclass(frozen=True, slots=True)
class _Done:
    """A trail that has been carried into the records, kept for turns that were under way."""

    trail: ForgettingTrail
    rewrite: Rewrite


class Forgetting:
    """One for a service; all agents.

    Args:
        records: what is kept of conversations.
        marks: where it is noted how far the journals have been carried out.
    """

    def __init__(self, records: Records, marks: AdapterState) -> None:
        self._records = records
        self._marks = marks
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._reached: dict[str, int] = {}
        self._blanked: dict[str, datetime] = {}
        self._done: defaultdict[str, list[_Done]] = defaultdict(list)

    async def start(self, agents: Iterable[Agent]) -> None:
        """Carry out what was left undone by earlier processes; what cannot be done now is with the next turn's end."""
        for agent in agents:
            try:
                await self.catch_up(agent)
            except (BotError, memory.Error, OSError):
                log.exception("forgetting.unfinished", agent=agent.name)

    async def foresee(self, agent: Agent, trail: ForgettingTrail, session: SessionKey) -> Spread:
        """Where the facts of a preview are repeated in conversations."""
        rewrite = await self._rewrite(agent.name, trail)
        coordinator = self._records.coordinator
        reset = await coordinator.last_reset(session)
        all_said, here_said = 0, 0
        for key in await self._keys(agent.name, _among(agent.name, trail.scope)):
            async for recorded in pages(coordinator, agent.name, key):
                changed = await asyncio.to_thread(_changed, recorded, rewrite)
                all_said += len(changed)
                here_said += sum(seq > reset for seq in changed) if key == str(session) else 0
        return Spread(here=here_said, elsewhere=all_said - here_said)

    async def begin(self, agent: Agent) -> int:
        """A point in the journal, to be given to `masked` when a turn that begins now has ended."""
        return await self._up_to(agent.name)

    async def catch_up(self, agent: Agent, *, turn: str = "") -> int:
        """Mask what was forgotten since the last time, by whomever; how many messages and answers that changed.

        With `turn`, what that turn has forgotten in an earlier attempt counts again.

        Raises:
            StateError, OSError: the records cannot be written; the next time goes on from here.
            memory.Error: memory cannot be read.
        """
        async with self._locks[agent.name]:
            trails = await agent.memory.trails(await self._up_to(agent.name), operations=f"{turn}:" if turn else "")
            known = {(done.trail.last, done.trail.ids) for done in self._done[agent.name]}
            count = 0
            for trail in trails:
                if (trail.last, trail.ids) in known:
                    continue
                rewrite = await self._rewrite(agent.name, trail)
                among = _among(agent.name, trail.scope)
                count += await self._records.redact(agent.name, rewrite, among=among)
                self._done[agent.name].append(_Done(trail, rewrite))
            if trails:
                await self._note(agent.name, max(trail.last for trail in trails))
            await self._blank(agent)
            return count

    async def masked(self, agent: Agent, effects: Effects, *, since: int) -> Effects:
        """The end of a turn that began at a point, without what has been forgotten after it, or by the turn itself."""
        await self.catch_up(agent, turn=effects.turn)
        session = str(effects.session)
        for done in self._done[agent.name]:
            by_it = any(operation.startswith(f"{effects.turn}:") for operation in done.trail.operations)
            if (by_it or done.trail.last > since) and _among(agent.name, done.trail.scope)(session):
                effects = _rewritten(effects, done.rewrite)
                await self._records.redact_derived(agent.name, done.rewrite, session.__eq__)  # what a model saw in it
        return effects

    async def conceal(self, agent: Agent, secrets: Sequence[str]) -> None:
        """Take these strings out of everything that is kept of the agent's conversations; raises as `Records` does.

        What a turn that is still under way writes at its end is not reached: see that it does not repeat them.
        """
        await self._records.redact(agent.name, partial(mask_values, values=secrets))

    async def purge(self, agent: Agent, *, scope: Scope | None = None, op_id: str = "") -> int:
        """Leave nothing of what was forgotten, anywhere that Scrubjay writes, so that it cannot be put back.

        Args:
            agent: whose memory.
            scope: only what was forgotten in it.
            op_id: only what this operation forgot.

        Returns:
            How many facts, and lines that repeated them, that was.

        Raises:
            StateError, OSError, memory.Error: something could not be written; a repetition goes on.
        """
        await self.catch_up(agent)
        count = await agent.memory.purge(at_once=True, scope=scope, op_id=op_id)
        await self._records.redact(agent.name, lambda text: text, compact=True)
        return count

    async def _blank(self, agent: Agent) -> None:
        """Nothing in the journal is blanked before it has been carried out here."""
        now = agent.clock.now()
        last = self._blanked.get(agent.name)
        if last is None or now - last >= BLANKED_EVERY:
            self._blanked[agent.name] = now
            await agent.memory.purge()

    async def _up_to(self, agent: str) -> int:
        if agent not in self._reached:
            self._reached[agent] = int((await self._marks.load(_account(agent))).get(_MARK, "0"))
        return self._reached[agent]

    async def _note(self, agent: str, last: int) -> None:
        reached = max(last, await self._up_to(agent))
        await self._marks.save(_account(agent), _MARK, str(reached), lasting=True)
        self._reached[agent] = reached

    async def _rewrite(self, agent: str, trail: ForgettingTrail) -> Rewrite:
        """Masks what repeats the facts of a trail; of its rare words those that are not general vocabulary count."""
        traces = trail.traces
        for key in await self._keys(agent, _among(agent, trail.scope)) if traces.rare else ():
            async for recorded in pages(self._records.coordinator, agent, key):
                traces = await asyncio.to_thread(_narrowed, traces, recorded, trail)

        def rewrite(text: str) -> str:
            return MARK if text in trail.ids else traces.masked(text)

        return rewrite

    async def _keys(self, agent: str, among: Among) -> list[str]:
        sessions = await self._records.coordinator.sessions(agent)
        return [key for key in dict.fromkeys(one.key for one in sessions) if among(key)]


def _account(agent: str) -> str:
    return f"agent:{agent}"


def _among(agent: str, scope: Scope) -> Among:
    """The conversations in which facts of a scope are looked for: in all for the owner's, in one for a chat's."""
    if scope == OWNER:
        return everywhere
    account, _, chat = scope.removeprefix("chat:").partition(":")
    beginning = f"agent:{agent}:{account}:"

    def is_in_chat(key: str) -> bool:
        _, _, place = key.removeprefix(beginning).partition(":")
        return key.startswith(beginning) and (place == chat or place.startswith(f"{chat}:"))

    return is_in_chat


def _changed(recorded: Sequence[Recorded], rewrite: Rewrite) -> set[int]:
    """The places of messages and answers that would come out otherwise."""
    said = (one for one in recorded if one.entry.kind in _SAID)
    return {one.seq for one in said if redact_body(one.entry.body, rewrite) != one.entry.body}


def _narrowed(traces: Traces, recorded: Sequence[Recorded], trail: ForgettingTrail) -> Traces:
    """Without the rare words of turns that have nothing to do with the facts."""
    return traces.narrowed(_unrelated(recorded, trail))


def _unrelated(recorded: Sequence[Recorded], trail: ForgettingTrail) -> Iterator[str]:
    turns = {operation.rpartition(":")[0] for operation in trail.operations}
    for turn, group in groupby((one.entry for one in recorded), key=lambda entry: entry.turn):
        entries = list(group)
        said = [text for entry in entries for text in _texts(entry)]
        if turn not in turns and not _is_about(entries, said, trail):
            yield _FILE.sub(" ", "\n".join(said))


def _texts(entry: TranscriptEntry) -> Iterator[str]:
    found: list[str] = []

    def collect(text: str) -> str:
        found.append(text)
        return text

    redact_body(entry.body, collect)
    yield from found


def _is_about(entries: list[TranscriptEntry], said: list[str], trail: ForgettingTrail) -> bool:
    """Whether a turn spoke of one of the facts, or had it before it: by its id, or by what it says."""
    marks = [mark for name in trail.ids for mark in (f'"{name}"', f"^{name}")]
    if any(mark in entry.body for entry in entries for mark in marks):
        return True
    return any(map(trail.traces.is_spoken_of, said))


def _rewritten(effects: Effects, rewrite: Rewrite) -> Effects:
    entries = tuple(replace(entry, body=redact_body(entry.body, rewrite)) for entry in effects.entries)
    parts = tuple(redact_outbound(part, rewrite) for part in effects.parts)
    return replace(effects, entries=entries, parts=parts)
