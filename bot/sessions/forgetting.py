"""Masks in stored conversations what memory has forgotten.

The journal of each memory says what was forgotten; a mark in the state file names what of it has been carried out. So
it does not matter who forgot, in which clone, or whether the process was killed in between: the next start, or the next
turn, goes on.
What a turn writes that was under way meanwhile is masked when it ends.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby

import structlog

import memory
from adapters.port import AdapterState
from bot.errors import BotError
from bot.sessions.redaction import ConversationRecords
from bot.sessions.turns import DecodedEntry, decode_turns, quoted_in
from bot.storage.keys import SessionKey
from bot.storage.port import Among, Effects, EntryKind, Recorded, Rewrite, everywhere
from bot.storage.statements import ADDRESSES
from bot.storage.tables.redaction import SPOKEN, body_texts, redact_body, redact_outbound
from bot.turn import Agent
from memory import OWNER, ForgettingTrail, Line, Scope
from memory.privacy.secrets import mask_values, values_in
from memory.privacy.traces import MARK, PhraseIndex, Traces, phrase

BLANKING_INTERVAL = timedelta(hours=1)
"""How often, at most, the end of a turn is followed by blanking what is due in the journal."""

_MARK = "forgettings"
_NOTE_FILE = re.compile(r"memory/\d{4}-\d\d-\d\d-[^\s`/]+\.md")
"""A saved note is named after what was said; a mention of its name says nothing about the words in it."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Repetitions:
    """How many messages and answers repeat something: in this conversation, and in earlier or other ones."""

    here: int = 0
    elsewhere: int = 0


@dataclass(frozen=True, slots=True)
class _Masking:
    """A trail that has been carried into the records, kept for turns that were under way."""

    trail: ForgettingTrail
    rewrite: Rewrite


class Forgetting:
    """Carries the forgetting of all agents of a service into their conversations."""

    def __init__(self, records: ConversationRecords, marks: AdapterState) -> None:
        self._records = records
        self._marks = marks
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._blanked: dict[str, datetime] = {}
        self._maskings: defaultdict[str, list[_Masking]] = defaultdict(list)

    async def start(self, agents: Iterable[Agent]) -> None:
        """Carry out what earlier processes left undone; what fails now is repeated at the next turn's end."""
        for agent in agents:
            try:
                await self.catch_up(agent)
            except (BotError, memory.Error, OSError):
                log.exception("forgetting.unfinished", agent=agent.name)

    async def foresee(self, agent: Agent, trail: ForgettingTrail, session: SessionKey | None) -> Repetitions:
        """Count where the facts of a preview are repeated: in this conversation, if there is one, and in others."""
        rewrite = await self._rewrite(agent.name, trail)
        coordinator = self._records.coordinator
        reset = await coordinator.last_reset(session) if session else 0
        all_said, here_said = 0, 0

        def changed_seqs(recorded: Sequence[Recorded]) -> set[int]:
            said = (one for one in recorded if one.entry.kind in SPOKEN)
            return {one.seq for one in said if redact_body(one.entry.body, rewrite) != one.entry.body}

        for key in await self._keys(agent.name, trail.reach):
            async for recorded in coordinator.pages(agent.name, key):
                changed = await asyncio.to_thread(changed_seqs, recorded)
                all_said += len(changed)
                here_said += sum(seq > reset for seq in changed) if key == str(session) else 0
        return Repetitions(here=here_said, elsewhere=all_said - here_said)

    def begin(self, agent: Agent) -> int:
        """Return how much has been masked so far, to be given to `masked` when a turn that begins now has ended."""
        return len(self._maskings[agent.name])

    async def catch_up(self, agent: Agent, *, turn: str = "") -> int:
        """Mask what was forgotten since the last time, by whomever; return how many messages and answers changed.

        What this turn has forgotten in an earlier attempt counts again.

        Raises:
            StateError, OSError: the records cannot be written; the next time goes on from here.
            memory.Error: memory cannot be read.
        """
        async with self._locks[agent.name]:
            count, names = 0, await agent.memory.forgettings()
            if names:
                done = json.loads((await self._marks.load(_account(agent.name))).get(_MARK, "[]"))
                again = {name for name in names if turn and name.startswith(f"{turn}:")}
                here = frozenset[str]().union(*(masking.trail.names for masking in self._maskings[agent.name]))
                for trail in await agent.memory.trails((names.difference(done) | again) - here):
                    rewrite = await self._rewrite(agent.name, trail)
                    among = _among(agent.name, trail.reach)
                    count += await self._records.redact(agent.name, rewrite, among=among)
                    self._maskings[agent.name].append(_Masking(trail, rewrite))
                if names != {*done}:
                    await self._marks.save(_account(agent.name), _MARK, json.dumps(sorted(names)), lasting=True)
            # Nothing in the journal is blanked before it has been carried out here.
            now, last = agent.clock.now(), self._blanked.get(agent.name)
            if last is None or now - last >= BLANKING_INTERVAL:
                self._blanked[agent.name] = now
                await self._mask_shown(agent, await agent.memory.purgeable(scope=None, at_once=False))
                await agent.memory.purge()
            return count

    async def _mask_shown(self, agent: Agent, due: Collection[Line], *, wholly: bool = False) -> None:
        """Mask what answers have shown of facts since they were forgotten, before their texts leave the journal.

        Shown it is in texts with a fact in full, as answers to `/journal`: what was otherwise said about it since
        stays, unless nothing is to be left `wholly`.
        """
        for trail in await agent.memory.trails(ids={line.id for line in due}) if due else ():
            rewrite = await self._rewrite(agent.name, trail)
            rewrite = rewrite if wholly else _where_stated(rewrite, trail)
            await self._records.redact(agent.name, rewrite, among=_among(agent.name, trail.reach))

    async def masked(self, agent: Agent, effects: Effects, *, since: int) -> Effects:
        """Mask in the end of a turn what has been forgotten since it began at a position, or by the turn itself."""
        await self.catch_up(agent, turn=effects.turn)
        session = str(effects.session)
        for number, done in enumerate(self._maskings[agent.name]):
            is_meant = number >= since or effects.turn in done.trail.forgotten_in
            if is_meant and _among(agent.name, done.trail.reach)(session):
                entries = tuple(replace(entry, body=redact_body(entry.body, done.rewrite)) for entry in effects.entries)
                parts = tuple(redact_outbound(part, done.rewrite) for part in effects.parts)
                effects = replace(effects, entries=entries, parts=parts)
                await self._records.redact_derived(agent.name, done.rewrite, session.__eq__)  # what a model saw in it
        return effects

    async def owe(self, session: SessionKey) -> None:
        """Have the next start call `conceal` for a conversation if this process ends before it does."""
        to = ADDRESSES.dump_json(session.address).decode()
        await self._marks.save(f"secrets.{session.agent}", str(session), to, lasting=True)

    async def owed(self, agent: str) -> Mapping[SessionKey, frozenset[str]]:
        """Return the conversations left to be masked by an earlier process, with what files about them tell."""
        found = dict[SessionKey, frozenset[str]]()
        for to in filter(None, (await self._marks.load(f"secrets.{agent}")).values()):
            try:
                session = SessionKey(agent, ADDRESSES.validate_json(to))
                found[session] = await self._secrets_about(session)
            except (ValueError, OSError) as error:  # written by a newer version, or a file that cannot be read
                log.warning("secret.not_masked", reason=str(error))
        return found

    async def _secrets_about(self, session: SessionKey) -> frozenset[str]:
        """Return the secrets in files that are derived from a conversation."""
        secrets = set[str]()

        def collect(text: str) -> str:
            secrets.update(values_in(text))
            return text

        await self._records.redact_derived(session.agent, collect, str(session).__eq__)
        return frozenset(secrets)

    async def conceal(self, session: SessionKey, secrets: Collection[str]) -> None:
        """Mask these secrets in everything that is stored of a conversation; what others say is not for it to mask.

        A year, or a word, is masked where it is told as a secret. What a turn under way writes at its end is not
        reached: the caller has to mask it there.

        Raises:
            StateError, OSError: as `ConversationRecords.redact` does.
        """
        rewrite, among = partial(mask_values, values=secrets, told=True), str(session).__eq__
        await self._records.redact(session.agent, rewrite, among=among)
        await self._marks.save(f"secrets.{session.agent}", str(session), "")

    async def purge(self, agent: Agent, *, scope: Scope | None = None, op_id: str = "") -> int:
        """Leave nothing of what was forgotten, anywhere that Scrubjay writes, so that it cannot be put back.

        A scope or an operation narrows it to what was forgotten there, or by that one. Return how many facts, and
        lines that repeated them, that was.

        Raises:
            StateError, OSError, memory.Error: something could not be written; a repetition goes on.
        """
        await self.catch_up(agent)
        await self._mask_shown(agent, await agent.memory.purgeable(scope=scope, op_id=op_id), wholly=True)
        count = await agent.memory.purge(at_once=True, scope=scope, op_id=op_id)
        await self._records.redact(agent.name, lambda text: text, compact=True)
        return count

    async def _rewrite(self, agent: str, trail: ForgettingTrail) -> Rewrite:
        """Return what masks repetitions of a trail's facts.

        In a chat of others, the names of those who speak there do not count: every answer to them may have one. Of the
        rare words of the facts, and of the words in which they were told, those count that occur in no turn that has
        nothing to do with them.
        """
        traces, keys = trail.traces, await self._keys(agent, trail.reach)
        if traces.telling and trail.reach != OWNER:
            read = [self._records.coordinator.pages(agent, key) for key in keys]
            names = {str(one.fields.get("name", "")) for each in read async for page in each for one in _messages(page)}
            trail = replace(trail, traces=traces.without(names))
        traces, told = await self._narrow(agent, keys, trail)
        if (more := await asyncio.to_thread(traces.told_as, told)) is not traces:
            traces, _ = await self._narrow(agent, keys, replace(trail, traces=more))
        return lambda text: MARK if text in trail.ids else traces.masked(text)

    async def _narrow(self, agent: str, keys: Collection[str], trail: ForgettingTrail) -> tuple[Traces, Sequence[str]]:
        """Return a trail's traces without the rare words of unrelated turns, and the messages that it was told in."""
        traces, told = trail.traces, list[str]()
        for key in keys if traces.rare or trail.told_in else ():
            async for recorded in self._records.coordinator.pages(agent, key):
                told += (one.text for one in _messages(one for one in recorded if one.entry.turn in trail.told_in))
                if traces.rare:
                    traces = await asyncio.to_thread(_without_unrelated_words, traces, recorded, trail)
        return traces, told

    async def _keys(self, agent: str, scope: Scope) -> list[str]:
        """Return the keys of the conversations in which facts of a scope are looked for."""
        sessions, among = await self._records.coordinator.sessions(agent), _among(agent, scope)
        return [key for key in dict.fromkeys(one.key for one in sessions) if among(key)]


def _where_stated(rewrite: Rewrite, trail: ForgettingTrail) -> Rewrite:
    """Return what rewrites only the texts that say one of a trail's facts in full."""
    stated = trail.traces.stated()
    return lambda text: rewrite(text) if text in trail.ids or stated.matches(text) else text


def _account(agent: str) -> str:
    return f"agent:{agent}"


def _among(agent: str, scope: Scope) -> Among:
    """Select the conversations in which facts of a scope are looked for: all for the owner's, one chat for a chat's."""
    if scope == OWNER:
        return everywhere
    account, _, chat = scope.removeprefix("chat:").partition(":")
    beginning = f"agent:{agent}:{account}:"

    def is_in_chat(key: str) -> bool:
        _, _, place = key.removeprefix(beginning).partition(":")
        return key.startswith(beginning) and (place == chat or place.startswith(f"{chat}:"))

    return is_in_chat


def _messages(page: Iterable[Recorded]) -> list[DecodedEntry]:
    turns = decode_turns(one for one in page if one.entry.kind is EntryKind.MESSAGE)
    return [said for turn in turns for said in turn.messages]


def _without_unrelated_words(traces: Traces, recorded: Sequence[Recorded], trail: ForgettingTrail) -> Traces:
    """Return the traces without the rare words of turns that have nothing to do with the facts of the trail.

    A turn has to do with them if it made or changed one, had one before it by its id, spoke of one, or quoted a part.
    """
    turns = trail.told_in | trail.forgotten_in
    marks = [mark for name in trail.ids for mark in (f'"{name}"', f"^{name}")]
    unrelated, rare = list[str](), PhraseIndex(traces.rare)
    for turn, group in groupby((one.entry for one in recorded), key=lambda entry: entry.turn):
        entries = list(group) if turn not in turns else []
        said = [text for entry in entries for text in body_texts(entry.body)]
        whole = _NOTE_FILE.sub(" ", "\n".join(said))
        if not rare.found_in(phrase(whole)):
            continue
        is_about = (
            any(mark in entry.body for entry in entries for mark in marks)
            or any(map(trail.traces.is_spoken_of, said))
            or any(map(trail.traces.hold, quoted_in(entries)))
        )
        if not is_about:
            unrelated.append(whole)
    return traces.narrowed(unrelated) if unrelated else traces
