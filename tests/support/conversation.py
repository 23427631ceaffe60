"""Agents with real memories and no service: conversations, turns for tools, and transcripts made by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from adapters.in_memory import InMemoryState
from adapters.port import Address, Button, Sender
from bot.access.access import Access
from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks, Pairings
from bot.access.permissions import origin_and_scope
from bot.access.routing import Routing
from bot.agent.context.context_log import Context, ContextLog
from bot.agent.offline.notes import Proposals
from bot.agent.offline.offline import OfflineResponder
from bot.agent.responder import ModelResponder
from bot.agent.tools import ToolRunner
from bot.app import commands, tools
from bot.commands.base import CommandContext
from bot.config.options.platforms import LimitsSection
from bot.config.options.usage import UsageSection
from bot.llm.retry import ModelState
from bot.llm.usage import UsageLedger
from bot.pipeline.responder import TurnResponder
from bot.sessions.forgetting import Forgetting
from bot.sessions.language import Languages
from bot.sessions.redaction import ConversationRecords
from bot.sessions.transcript import CitingReply, Question, Transcript
from bot.storage.effect_log import EffectLog
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal, SessionKey
from bot.storage.port import Effects, EntryKind, Envelope, Grant, Job, Recorded, Session, TranscriptEntry
from bot.storage.tables.dead_letters import DeadLetter, DeadLetters
from bot.storage.tables.people import AccessStore
from bot.texts.catalogue import in_language
from bot.tools.base import Result, Tool, Work
from bot.turn import SILENT, Agent, PendingAction, ProgressSink, Reply, Turn
from memory import Embedding, FrozenClock, Hit, Memory, Recall
from tests.support.factories import HOME, NOON, OWNER, inbound, session
from tests.support.jobs import job_context, job_runner

ZONE = ZoneInfo("Europe/Berlin")


def summarize_session(agent: str, key: str, recorded: Sequence[Recorded]) -> Session:
    """The session that these entries, at least one, make."""
    first, last, kinds = recorded[0], recorded[-1], [one.entry.kind for one in recorded]
    return Session(
        agent=agent,
        key=key,
        first=first.seq,
        last=last.seq,
        began=first.entry.at,
        used=last.entry.at,
        entries=len(recorded),
        messages=kinds.count(EntryKind.MESSAGE),
        is_over=kinds[-1] is EntryKind.RESET,
    )


class Said(Transcript):
    """What tests say was said (`bot.sessions.transcript.Transcript`)."""

    def __init__(self) -> None:
        super().__init__(InMemoryCoordinator())
        self.replies: dict[SessionKey, list[Reply]] = {}
        self.recorded: dict[SessionKey, tuple[Recorded, ...]] = {}
        self.questions: dict[SessionKey, Question] = {}
        self.turns: dict[SessionKey, str] = {}
        self.answered: dict[int, str] = {}  # to whom, by the identity of the reply
        self.commands: dict[SessionKey, tuple[str, datetime, str]] = {}

    async def last_recall(self, session: SessionKey) -> Recall | None:
        rested = [reply.evidence for reply in self.replies.get(session, []) if reply.evidence]
        return rested[-1] if rested else None

    async def last_listed(self, session: SessionKey) -> tuple[Hit, ...]:
        recalled = await self.last_recall(session)
        return recalled.hits if recalled else ()

    async def just_quoted(self, session: SessionKey) -> tuple[Hit, ...]:
        evidence = self.replies[session][-1].evidence if self.replies.get(session) else None
        return evidence.answers if evidence else ()

    async def last_question(self, session: SessionKey) -> Question | None:
        return self.questions.get(session)

    async def last_command(self, session: SessionKey, *, by: str, since: datetime) -> str:
        who, at, said = self.commands.get(session, (by, since, ""))
        return said if who == by and at >= since else ""

    async def last_citing(self, session: SessionKey) -> CitingReply | None:
        last = self.replies.get(session, [])[-1:]
        return CitingReply(self.turns[session], (), last[0].closes) if last else None

    async def last_choices(self, session: SessionKey, said: str = "", *, by: str = "") -> tuple[Button, ...]:
        answers = ((reply, self.answered.get(id(reply), by)) for reply in reversed(self.replies.get(session, [])))
        return next((reply.buttons for reply, who in answers if by in {who, ""}), ())

    async def just_offered(self, session: SessionKey, *, to: str, since: datetime) -> tuple[Button, ...]:
        who, at, _ = self.commands.get(session, ("", since, ""))
        return self.replies[session][-1].buttons if who == to and at >= since else ()

    async def find_pending(self, session: SessionKey, token: str) -> tuple[PendingAction | None, str]:
        replies = self.replies.get(session, [])
        made = [reply.pending for reply in replies if reply.pending and reply.pending.token == token]
        closed = [reply.text for reply in replies if reply.closes == token]
        return made[-1] if made else None, closed[-1] if closed else ""

    async def open_replacements(self, session: SessionKey, *, to: str) -> dict[str, str]:
        replies = self.replies.get(session, [])
        offers, closed = [reply.pending for reply in replies if reply.pending], {reply.closes for reply in replies}
        newest = {made.replaces: made.text for made in offers if made.to == to}
        decided = {(made.replaces, made.text) for made in offers if made.token in closed}
        return {name: text for name, text in newest.items() if text and (name, text) not in decided}

    async def has_replies(self, session: SessionKey) -> bool:
        return session in self.replies

    async def current(self, session: SessionKey) -> Session | None:
        recorded = self.recorded.get(session, ())
        return summarize_session(session.agent, str(session), recorded) if recorded else None

    async def newest(self, session: SessionKey, *, before: int | None = None) -> tuple[Recorded, ...]:
        return tuple(one for one in self.recorded.get(session, ()) if before is None or one.seq < before)


class FewDeadLetters(DeadLetters):
    """Dead letters that tests say are there (`bot.storage.tables.dead_letters.DeadLetters`)."""

    def __init__(self) -> None:
        self.letters: list[DeadLetter] = []

    async def list(self) -> tuple[DeadLetter, ...]:
        return tuple(self.letters)

    async def retry(self, *wanted: str) -> tuple[str, ...]:
        retried = tuple(one.id for one in self.letters if "all" in wanted or one.id in wanted)
        self.letters = [one for one in self.letters if one.id not in retried]
        return retried


class FakeCommandContext(CommandContext):
    """What commands ask of a service; what models saw, and how they are, is what tests say."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        self.said = Said()
        self.last_contexts: dict[SessionKey, Context] = {}
        self.known_models: dict[str, Sequence[ModelState]] = {}
        self.responders: dict[str, ModelResponder] = {}
        self.used = InMemoryCoordinator().usage
        self.statuses: dict[str, str] = {}
        self.dead_letters = FewDeadLetters()
        register = AccessStore()
        super().__init__(
            agents=agents,
            commands=commands(),
            offers=Proposals(),
            linking=IdentityLinks(register, clock=FrozenClock(NOON)),
            forgetting=Forgetting(ConversationRecords(InMemoryCoordinator()), InMemoryState()),
            register=register,
            access=Access((), register=register),
            limiter=Limiter(LimitsSection(), clock=FrozenClock(NOON), zone=ZONE),
            usage=UsageLedger(UsageSection(), self.used, clock=FrozenClock(NOON), zone=ZONE),
            routing=Routing("personal", ("personal", *agents), register=register),
            transcript=self.said,
            contexts=ContextLog(Path("nowhere")),
            models=self._models,
            responder=self._responder,
            accounts=lambda: self.statuses,
            pairings=Pairings(register, clock=FrozenClock(NOON), marks=InMemoryState(), draw=lambda: "ACDEFGHJ"),
            dead_letters=self.dead_letters,
            jobs=job_runner(job_context(agents, FrozenClock(NOON))),
        )

    async def _models(self, session: SessionKey) -> Sequence[ModelState]:
        return self.known_models.get(session.agent, ())

    async def _responder(self, session: SessionKey) -> ModelResponder | None:
        return self.responders.get(session.agent)

    async def seen(self, session: SessionKey) -> Context | None:
        return self.last_contexts.get(session)


class NoEffects(EffectLog):
    """The effect log of turns that call no tool: its grant is held by nobody, and `jobs` are its schedule."""

    def __init__(self, jobs: dict[str, Job] | None = None) -> None:
        super().__init__(InMemoryCoordinator(), Grant("personal", epoch=1, first=1), "t")
        self.jobs = {} if jobs is None else jobs

    async def reschedule(self, *jobs: Job, without: Sequence[str] = ()) -> None:
        for name in without:
            self.jobs.pop(name, None)
        self.jobs.update({job.name: job for job in jobs})

    async def due(self, prefix: str) -> dict[str, datetime]:
        return {name: job.due for name, job in self.jobs.items() if name.startswith(prefix)}


class Conversation:
    """A conversation with agents in offline mode.

    Attributes:
        clock: stands still until it is moved.
        context: what commands see.
        agents: by name.
        jobs: what has been put on the schedule.
    """

    def __init__(self, folder: Path, agents: Mapping[str, Agent], clock: FrozenClock, *, notice: bool) -> None:
        self.folder = folder
        self.agents = agents
        self.clock = clock
        self.context = FakeCommandContext(agents)
        offline = OfflineResponder(self.context.commands, self.context.offers, self.context.said)
        responder = TurnResponder(self.context, dict.fromkeys(agents, offline), offline=tuple(agents) if notice else ())
        self._respond = responder.respond
        self._turns = 0
        self._languages = Languages("auto", InMemoryCoordinator())
        self.jobs: dict[str, Job] = {}

    async def reply(
        self, text: str, *, who: Principal = OWNER, at: Address = HOME, turn: str | None = None,
        quote: tuple[str, str] = ("", ""), unattended: bool = False,
    ) -> Reply:  # fmt: skip
        """Send a message; `turn` is the id of an earlier turn that is repeated, `quote` a text and who wrote it."""
        asked = replace(self.turn(text, who=who, at=at, turn=turn), is_unattended=unattended)
        with in_language(self._languages.of_event(inbound(text, update=asked.id, at=at))):
            reply = await self._respond(replace(asked, quote=quote[0], quote_by=quote[1]))
        self.context.said.replies.setdefault(asked.session, []).append(reply)
        self.context.said.turns[asked.session] = asked.id
        self.context.said.answered[id(reply)] = asked.principal.id
        self.context.said.commands[asked.session] = (who.id, asked.at, text if text.startswith("/") else "")
        if not text.startswith("/"):
            came = Envelope(asked.agent.name, who, replace(inbound(text, update=asked.id, at=at), sent_at=asked.at))
            self.context.said.questions[asked.session] = Question(asked.id, asked.id, 1, (came,), came.inbound.text)
        return reply

    def turn(self, text: str, *, who: Principal = OWNER, at: Address = HOME, turn: str | None = None) -> Turn:
        """Make a turn of one message."""
        self._turns += 1
        agent = self.agents[self.context.routing.decide(at, Sender(who.id, who.name)).agent]
        origin, scope = origin_and_scope(who, at)
        name, session = turn or f"t{self._turns}", SessionKey(agent.name, at)
        return Turn(name, agent, session, who, origin, scope, text, self.clock.now(), NoEffects(self.jobs), SILENT)

    async def say(self, text: str, *, who: Principal = OWNER, at: Address = HOME) -> str:
        """Send a message and return the text of the answer."""
        return (await self.reply(text, who=who, at=at)).shown

    def lines(self, path: str, *, agent: str = "personal") -> list[str]:
        """Read a file of an agent's workspace, as lines."""
        return (self.folder / agent / path).read_text(encoding="utf-8").split("\n")


@asynccontextmanager
async def conversation(
    folder: Path,
    *,
    notice: bool = False,
    memory: type[Memory] = Memory,
    zone: ZoneInfo = ZONE,
    embedding: Embedding | None = None,
) -> AsyncIterator[Conversation]:
    """Open a conversation with two agents, personal and work, at noon of 21 November 2026."""
    clock = FrozenClock(NOON)
    async with AsyncExitStack() as stack:
        agents = {}
        for name in ("personal", "work"):
            opened = await memory.open(
                folder / name, index=folder / f"{name}.sqlite", clock=clock, zone=zone, embedding=embedding
            )
            agents[name] = Agent(name, f"{name} matters", await stack.enter_async_context(opened), zone, clock)
        yield Conversation(folder, agents, clock, notice=notice)


TODAYS_LOG = "memory/2026-11-21.md"


def count_characters(text: str) -> int:
    """Count a token for each character (`bot.llm.tokens.CountText`)."""
    return len(text)


@dataclass
class RecordedProgress:
    """A progress sink that keeps what it receives (`bot.turn.ProgressSink`)."""

    shown: list[str] = field(default_factory=list)

    async def text(self, so_far: Callable[[], str]) -> None:
        self.shown.append(so_far())

    async def doing(self, what: str) -> None:
        self.shown.append(f"[{what}]")


@dataclass(frozen=True, slots=True)
class ToolHarness:
    """An agent, its tools, and turns that are made by hand."""

    folder: Path
    agent: Agent
    coordinator: InMemoryCoordinator
    toolbox: ToolRunner

    async def turn(
        self,
        text: str = "hello",
        *,
        at: Address = HOME,
        who: Principal = OWNER,
        id: str = "t1",
        live: ProgressSink = SILENT,
    ) -> Turn:
        """Make a turn; two of one id are attempts at the same."""
        (grant,) = await self.coordinator.claim("test", [self.agent.name])
        origin, scope = origin_and_scope(who, at)
        session = SessionKey(self.agent.name, at)
        effects = EffectLog(self.coordinator, grant, id)
        return Turn(id, self.agent, session, who, origin, scope, text, NOON, effects, live)

    async def record(self, talk: TranscriptBuilder, at: Address = HOME) -> None:
        """Put the turns of a talk into the transcript of a chat."""
        (grant,) = await self.coordinator.claim("test", [self.agent.name])
        for turn, recorded in groupby(talk.recorded, key=lambda one: one.entry.turn):
            entries = tuple(one.entry for one in recorded)
            await self.coordinator.commit(
                grant, Effects(SessionKey(self.agent.name, at), (), entries=entries, turn=turn)
            )

    async def call(self, name: str, turn: Turn | None = None, /, **arguments: Any) -> Result:
        """Run a tool as the broker does, without the broker; its op_id is the tool's name."""
        return await self.tool(name).call(Work(turn or await self.turn(), f"{name}:1"), arguments)

    def tool(self, name: str) -> Tool:
        return tools()[name]

    def read(self, path: str) -> str:
        """Read a file of the workspace."""
        return (self.folder / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Write a file of the workspace, as its owner would."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")


@asynccontextmanager
async def tool_harness(folder: Path) -> AsyncIterator[ToolHarness]:
    """Open an agent with an empty memory at noon of 21 November 2026."""
    clock = FrozenClock(NOON)
    async with await Memory.open(folder / "w", index=folder / "i.sqlite", clock=clock, zone=ZONE) as memory:
        coordinator = InMemoryCoordinator()
        agent = Agent("personal", "everyday life", memory, ZONE, clock, coordinator)
        yield ToolHarness(folder / "w", agent, coordinator, ToolRunner(tools()))


SESSION_ID = str(session())


class TranscriptBuilder:
    """Builds transcripts: one minute from turn to turn, gaps in the `seq` between them."""

    def __init__(self, *, began: datetime = NOON, first: int = 1, is_owner: bool = False) -> None:
        self.recorded: list[Recorded] = []
        self._always: dict[str, Any] = {"is_owner": True} if is_owner else {}
        self._at = began
        self._seq = first
        self._turn = 0
        self.work: list[tuple[EntryKind, Mapping[str, Any]]] = []
        """What the next turn does between question and answer."""

    def turn(
        self, said: str, answer: str = "", *, name: str = "Ada", told: tuple[str, ...] = (), is_open: bool = False,
        **more: Any,
    ) -> TranscriptBuilder:  # fmt: skip
        """Add a message and its answer, which leaves it `is_open` or not.

        `more` are fields of the message: `shown_as` (by a model), `is_foreign`.
        """
        self._turn += 1
        opening: dict[str, Any] = {
            "name": name,
            "sent_at": self._at.isoformat(),
            "text": said,
            "is_foreign": False,
            **self._always,
            **more,
        }
        self.add(EntryKind.MESSAGE, opening)
        for kind, body in self.work:
            self.add(kind, body)
        self.work = []
        if answer:
            self.add(EntryKind.REPLY, {"text": answer, "told": list(told)} | ({"is_open": True} if is_open else {}))
        self._at += timedelta(minutes=1)
        self._seq += 2
        return self

    def reset(self) -> TranscriptBuilder:
        """Add the end of a session."""
        return self.add(EntryKind.RESET, {})

    def add(self, kind: EntryKind, body: Mapping[str, Any]) -> TranscriptBuilder:
        """Add an entry to the current turn."""
        text = json.dumps(body, ensure_ascii=False)
        self.recorded.append(Recorded(self._seq, TranscriptEntry(kind, f"t{self._turn}", self._at, text)))
        self._seq += 1
        return self
