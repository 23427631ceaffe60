"""The coordinator without a disk: for tests, and for trying things that need not last."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from adapters.port import Address, Outbound, Receipt
from bot.storage.keys import SessionKey
from bot.storage.port import (
    Among,
    Earlier,
    Effects,
    EntryKind,
    Envelope,
    Grant,
    Job,
    OutboxPart,
    PartState,
    Plan,
    QueuedMessage,
    Recorded,
    Rewrite,
    Session,
    ToolEffect,
    TranscriptEntry,
    everywhere,
)
from bot.storage.tables.redaction import SPOKEN, redact_body, redact_envelope, redact_outbound, redact_strings
from bot.storage.tables.transcripts import is_foreign_message, split_sessions, summarize_session
from bot.waiting import Notifier


@dataclass(slots=True)
class _Agent:
    """What a state file holds about one agent."""

    owner: str = ""
    epoch: int = 0
    next_seq: int = 1
    waiting: dict[int, QueuedMessage] = field(default_factory=dict)
    owed: dict[int, OutboxPart] = field(default_factory=dict)
    placed: dict[str, Receipt] = field(default_factory=dict)
    ends: dict[int, str] = field(default_factory=dict)  # a delivered part's receipt, or why something is dead
    answers: dict[int, tuple[str, bool]] = field(default_factory=dict)  # a part's session, and whether it is foreign
    said: dict[tuple[str, str], list[tuple[int, bool]]] = field(default_factory=dict)  # the same by session and receipt
    receipts: dict[str, tuple[int, Receipt]] = field(default_factory=dict)  # seq and receipt by outbox id
    changed: Notifier = field(default_factory=Notifier)
    under_way: set[int] = field(default_factory=set)
    crashes: int = 0
    jobs: dict[str, Job] = field(default_factory=dict)

    def take_seq(self) -> int:
        self.next_seq += 1
        return self.next_seq - 1

    def owed_through(self, accounts: Collection[str]) -> list[OutboxPart]:
        owed = [part for part in self.owed.values() if part.out.to.account in accounts]
        return [replace(part, placed=self.placed.get(part.out.id)) for part in owed]


class InMemoryCoordinator:
    """`bot.storage.port.Coordinator` in memory. To simulate a restart, keep the object and claim again."""

    def __init__(self) -> None:
        self._agents: defaultdict[str, _Agent] = defaultdict(_Agent)
        self._seen: set[tuple[str, str]] = set()
        self._told: list[tuple[str, Outbound]] = []
        self._rewrites: Counter[str] = Counter()
        self._transcripts: defaultdict[str, list[Recorded]] = defaultdict(list)
        self._effects: defaultdict[tuple[str, str], dict[int, ToolEffect]] = defaultdict(dict)

    async def publish(self, envelope: Envelope) -> bool:
        update = (envelope.inbound.address.account, envelope.inbound.update)
        if update in self._seen:
            return False
        self._seen.add(update)
        agent = self._agents[envelope.agent]
        seq = agent.take_seq()
        agent.waiting[seq] = QueuedMessage(seq, envelope)
        agent.changed.notify()
        return True

    async def knows(self, chat: Address) -> bool:
        waiting = [one.envelope.inbound.address for agent in self._agents.values() for one in agent.waiting.values()]
        places = {(to.account, to.kind.value, to.lasting) for to in waiting}
        places |= {(key[2], key[3], key[4]) for key in (name.split(":") for name in self._transcripts)}
        return (chat.account, chat.kind.value, chat.lasting) in places

    async def tell(self, agent: str, out: Outbound, *, update: str) -> bool:
        if (out.to.account, update) in self._seen:
            return False
        self._seen.add((out.to.account, update))
        self._told.append((agent, out))
        part = OutboxPart(self._agents[agent].take_seq(), PartState.QUEUED, out)
        self._agents[agent].owed[part.seq] = part
        self._agents[agent].changed.notify()
        return True

    async def told(self, id: str) -> tuple[str, Outbound] | None:
        return next(((agent, out) for agent, out in self._told if out.id == id), None)

    async def claim(self, owner: str, agents: Sequence[str]) -> tuple[Grant, ...]:
        taken = {name: self._agents[name] for name in agents}
        has_crashed = any(agent.owner for agent in taken.values())
        under_way = {(name, agent.waiting[seq].turn) for name, agent in taken.items() for seq in agent.under_way}
        for name, agent in self._agents.items():
            if name not in taken:
                agent.owner = ""
                agent.under_way.clear()
        for agent in taken.values():
            if has_crashed and len(under_way) == 1:
                for seq in agent.under_way:
                    agent.waiting[seq] = replace(agent.waiting[seq], deaths=agent.waiting[seq].deaths + 1)
            agent.under_way.clear()
            agent.owner = owner
            agent.epoch += 1
            agent.crashes = agent.crashes + 1 if has_crashed else 0
        return tuple(Grant(name, agent.epoch, agent.next_seq, agent.crashes) for name, agent in taken.items())

    async def survived(self, grant: Grant) -> None:
        self._held(grant).crashes = 0

    async def release(self, grant: Grant) -> None:
        agent = self._agents[grant.agent]
        if agent.epoch == grant.epoch:
            agent.owner = ""

    async def pending(self, grant: Grant, *, after: int) -> tuple[QueuedMessage, ...]:
        agent = self._agents[grant.agent]
        while not (found := tuple(message for seq, message in agent.waiting.items() if seq > after)):
            await agent.changed.subscribe().wait()
        return found

    async def unfinished(self) -> tuple[frozenset[str], frozenset[str]]:
        agents = self._agents.values()
        turns = frozenset(message.envelope.turn for agent in agents for message in agent.waiting.values())
        return turns, frozenset(file for agent in agents for part in agent.owed.values() for file in part.out.files)

    async def begin(self, grant: Grant, messages: Sequence[int], *, attempt: int) -> None:
        agent = self._held(grant)
        for seq in messages:
            agent.waiting[seq] = replace(agent.waiting[seq], turn=messages[0], attempts=attempt)
        agent.under_way.update(messages)

    async def effect(self, grant: Grant, effect: ToolEffect) -> None:
        self._held(grant)
        self._effects[grant.agent, effect.turn][effect.number] = effect

    async def effects(self, grant: Grant, turn: str) -> tuple[ToolEffect, ...]:
        return tuple(effect for _, effect in sorted(self._effects[grant.agent, turn].items()))

    async def commit(self, grant: Grant, effects: Effects) -> None:
        agent = self._held(grant)
        if not agent.waiting.keys() >= set(effects.messages):
            raise grant.fenced()
        for seq in effects.messages:
            del agent.waiting[seq]
            agent.under_way.discard(seq)
            if effects.set_aside:
                agent.ends[seq] = effects.set_aside
        recorded = [Recorded(agent.take_seq(), entry) for entry in effects.entries]
        self._transcripts[str(effects.session)] += recorded
        if not effects.set_aside:
            self._effects.pop((grant.agent, effects.turn), None)
        for out in effects.parts:
            part = OutboxPart(agent.take_seq(), PartState.QUEUED, out)
            agent.owed[part.seq] = part
            agent.answers[part.seq] = (str(effects.session), effects.is_foreign)
        agent.jobs |= {job.name: job for job in effects.jobs}
        for notice in effects.notices:
            await self.tell(notice.agent, notice.out, update=notice.update)
        agent.changed.notify()

    async def outgoing(self, grant: Grant, accounts: Collection[str], *, after: int) -> tuple[OutboxPart, ...]:
        agent = self._agents[grant.agent]
        while not (found := tuple(part for part in agent.owed_through(accounts) if part.seq > after)):
            await agent.changed.subscribe().wait()
        return found

    async def owes(self, grant: Grant, to: Address) -> bool:
        owed = self._agents[grant.agent].owed_through({to.account})
        return any((part.out.to.chat, part.out.to.thread) == (to.chat, to.thread) for part in owed)

    async def delivered(self, grant: Grant, to: Address) -> None:
        while await self.owes(grant, to):
            await self._agents[grant.agent].changed.subscribe().wait()

    async def move(self, grant: Grant, part: int, state: PartState) -> None:
        agent = self._held(grant)
        agent.owed[part] = replace(agent.owed[part], state=state)

    async def placed(self, grant: Grant, id: str, receipt: Receipt, *, is_urgent: bool = True) -> None:
        assert isinstance(is_urgent, bool)  # memory has no disk to share
        self._held(grant).placed[id] = receipt

    async def receipt(self, grant: Grant, part: int, receipt: Receipt) -> None:
        agent = self._agents[grant.agent]
        agent.receipts[agent.owed[part].out.id] = (part, receipt)
        self._end(grant, part, receipt.message)
        session, is_foreign = agent.answers.pop(part, ("", True))
        agent.said.setdefault((session, receipt.message), []).append((part, is_foreign))

    async def receipts(self, agent: str, ids: Collection[str], *, after: int) -> tuple[Receipt | None, ...]:
        own = self._agents[agent]
        owed: list[Receipt | None] = [None for part in own.owed.values() if part.out.id in ids and part.seq > after]
        return (*owed, *(found for name, (seq, found) in own.receipts.items() if name in ids and seq > after))

    async def dead(self, grant: Grant, part: int, reason: str) -> None:
        self._end(grant, part, reason)

    async def schedule(self, grant: Grant, job: Job) -> None:
        self._held(grant).jobs[job.name] = job

    async def cancel(self, grant: Grant, name: str) -> bool:
        return self._held(grant).jobs.pop(name, None) is not None

    async def jobs(self, agent: str) -> tuple[Job, ...]:
        return tuple(sorted(self._agents[agent].jobs.values(), key=lambda job: (job.due, job.name)))

    async def fire_due(self, grant: Grant, now: datetime, plan: Plan) -> tuple[Job, ...]:
        agent, fired = self._held(grant), []
        for job in await self.jobs(grant.agent):
            if job.due > now:
                break
            try:
                firing = plan(job)
            except ValueError:
                continue
            if firing.instant and await self.publish(job.fired(firing.instant)):
                fired.append(job)
            if firing.again is None:
                del agent.jobs[job.name]
            else:
                agent.jobs[job.name] = replace(job, due=firing.again)
        return tuple(fired)

    async def settled(self, grant: Grant, accounts: Collection[str]) -> None:
        agent = self._agents[grant.agent]
        while agent.waiting or agent.owed_through(accounts):
            await agent.changed.subscribe().wait()

    async def is_own_answer(self, session: SessionKey, message: str) -> bool:
        agent, reset = self._agents[session.agent], await self.last_reset(session)
        said = [is_foreign for seq, is_foreign in agent.said.get((str(session), message), ()) if seq > reset]
        return bool(said) and not any(said)

    async def last(self, session: SessionKey, kind: EntryKind, *, after: int = 0) -> TranscriptEntry | None:
        found = reversed(self._transcripts[str(session)])
        return next((one.entry for one in found if one.entry.kind is kind and one.seq > after), None)

    async def last_reset(self, session: SessionKey) -> int:
        recorded = self._transcripts[str(session)]
        return max((one.seq for one in recorded if one.entry.kind is EntryKind.RESET), default=0)

    async def transcript(
        self, agent: str, session: str, *, after: int = 0, limit: int | None = None
    ) -> tuple[Recorded, ...]:
        own = self._transcripts[session] if session.startswith(f"agent:{agent}:") else []
        return tuple(recorded for recorded in own if recorded.seq > after)[:limit]

    async def newest(
        self,
        session: SessionKey,
        *,
        after: int,
        before: int | None = None,
        limit: int,
        kinds: Collection[EntryKind] = tuple(EntryKind),
    ) -> tuple[Recorded, ...]:
        own = [one for one in self._between(session, after, before) if one.entry.kind in kinds]
        return tuple(own[-limit:])

    async def earlier(self, session: SessionKey, *, after: int, before: int) -> Earlier:
        own = [one.entry for one in self._between(session, after, before)]
        is_foreign = any(entry.kind is EntryKind.MESSAGE and is_foreign_message(entry.body) for entry in own)
        return Earlier(sum(entry.kind is EntryKind.REPLY for entry in own), is_foreign)

    async def holds(self, session: SessionKey, turn: str, *, after: int) -> bool:
        return any(one.entry.turn == turn for one in self._between(session, after, None))

    async def current(self, session: SessionKey) -> Session | None:
        own = self._between(session, await self.last_reset(session), None)
        return summarize_session(session.agent, str(session), own) if own else None

    def _between(self, session: SessionKey, after: int, before: int | None) -> list[Recorded]:
        own = self._transcripts[str(session)]
        return [one for one in own if one.seq > after and (before is None or one.seq < before)]

    async def sessions(self, agent: str) -> tuple[Session, ...]:
        found = [
            summarize_session(agent, key, part)
            for key, recorded in self._transcripts.items()
            if key.startswith(f"agent:{agent}:")
            for part in split_sessions(recorded)
        ]
        return tuple(sorted(found, key=lambda session: -session.last))

    def rewrites(self, agent: str) -> int | None:
        return self._rewrites[agent]

    async def remove_sessions(self, agent: str, sessions: Sequence[Session]) -> None:
        for session in sessions:
            own = self._transcripts[session.key] if session.agent == agent else []
            own[:] = [one for one in own if not session.first <= one.seq <= session.last]
        self._rewrites[agent] += 1

    async def redact(self, agent: str, rewrite: Rewrite, *, among: Among = everywhere, compact: bool = False) -> int:
        assert isinstance(compact, bool)  # memory keeps no older state
        self._rewrites[agent] += 1
        self._redact_under_way(agent, rewrite, among)
        count = 0
        for key, recorded in self._transcripts.items():
            if key.startswith(f"agent:{agent}:") and among(key):
                for place, one in enumerate(recorded):
                    body = redact_body(one.entry.body, rewrite)
                    count += body != one.entry.body and one.entry.kind in SPOKEN
                    recorded[place] = replace(one, entry=replace(one.entry, body=body))
        return count

    def _redact_under_way(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        kept, turns = self._agents[agent], set()
        for seq, message in kept.waiting.items():
            if among(str(message.envelope.session)):
                turns.add(message.envelope.turn)
                new = redact_envelope(message.envelope, rewrite, is_waiting=not message.attempts)
                kept.waiting[seq] = replace(message, envelope=new)
        for turn in turns:
            for number, effect in self._effects[agent, turn].items():
                if effect.result is not None:
                    result = str(redact_strings(effect.result, rewrite))
                    self._effects[agent, turn][number] = replace(effect, result=result)
        for seq, part in kept.owed.items():
            if among(str(SessionKey(agent, part.out.to))):
                kept.owed[seq] = replace(part, out=redact_outbound(part.out, rewrite))

    def _held(self, grant: Grant) -> _Agent:
        agent = self._agents[grant.agent]
        if agent.epoch != grant.epoch:
            raise grant.fenced()
        return agent

    def _end(self, grant: Grant, part: int, how: str) -> None:
        agent = self._held(grant)
        agent.placed.pop(agent.owed.pop(part).out.id, None)
        agent.ends[part] = how
        agent.changed.notify()
