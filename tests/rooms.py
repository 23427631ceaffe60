"""A room to talk to agents in: real memories in a folder, commands and offline mode, and no service around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from adapters.port import Address, Button, InMemoryState, Sender
from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks
from bot.access.permissions import origin_and_scope
from bot.access.routing import Routing
from bot.agent.context_log import Context, ContextLog
from bot.agent.notes import Proposals
from bot.agent.offline import OfflineResponder
from bot.app import commands
from bot.commands.base import CommandContext
from bot.config.platforms import LimitsSection
from bot.llm.retry import ModelState
from bot.pipeline.responder import TurnResponder
from bot.sessions.forgetting import Forgetting
from bot.sessions.redaction import ConversationRecords
from bot.sessions.transcript import Transcript
from bot.storage.effect_log import EffectLog
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal, SessionKey
from bot.storage.people import AccessStore
from bot.storage.port import Grant, Recorded, Session
from bot.storage.transcripts import summarize_session
from bot.turn import SILENT, Agent, Reply, Turn
from memory import FrozenClock, Hit, Memory, Recall
from tests.samples import HOME, NOON, OWNER

ZONE = ZoneInfo("Europe/Berlin")


class Said(Transcript):
    """What tests say was said (`bot.sessions.transcript.Transcript`)."""

    def __init__(self) -> None:
        super().__init__(InMemoryCoordinator())
        self.replies: dict[SessionKey, list[Reply]] = {}
        self.recorded: dict[SessionKey, tuple[Recorded, ...]] = {}

    async def last_recall(self, session: SessionKey) -> Recall | None:
        rested = [reply.evidence for reply in self.replies.get(session, []) if reply.evidence]
        return rested[-1] if rested else None

    async def just_quoted(self, session: SessionKey) -> tuple[Hit, ...]:
        evidence = self.replies[session][-1].evidence if self.replies.get(session) else None
        return evidence.answers if evidence else ()

    async def last_choices(self, session: SessionKey) -> tuple[Button, ...]:
        return self.replies[session][-1].buttons if self.replies.get(session) else ()

    async def has_replies(self, session: SessionKey) -> bool:
        return session in self.replies

    async def current(self, session: SessionKey) -> Session | None:
        recorded = self.recorded.get(session, ())
        return summarize_session(session.agent, str(session), recorded) if recorded else None

    async def newest(self, session: SessionKey, *, before: int | None = None) -> tuple[Recorded, ...]:
        return tuple(one for one in self.recorded.get(session, ()) if before is None or one.seq < before)


class Desk(CommandContext):
    """What commands ask of a service; what models saw, and how they are, is what tests say."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        self.said = Said()
        self.last_contexts: dict[SessionKey, Context] = {}
        self.models: dict[str, ModelState] = {}
        register = AccessStore()
        super().__init__(
            agents=agents,
            commands=commands(),
            offers=Proposals(),
            linking=IdentityLinks(register, clock=FrozenClock(NOON)),
            forgetting=Forgetting(ConversationRecords(InMemoryCoordinator()), InMemoryState()),
            register=register,
            limiter=Limiter(LimitsSection(), clock=FrozenClock(NOON), zone=ZONE),
            routing=Routing("personal", ("personal", *agents), register=register),
            transcript=self.said,
            contexts=ContextLog(Path("nowhere")),
            model=self.models.get,
        )

    async def seen(self, session: SessionKey) -> Context | None:
        return self.last_contexts.get(session)


class NoEffects(EffectLog):
    """The effect log of turns that call no tool: its grant is held by nobody."""

    def __init__(self) -> None:
        super().__init__(InMemoryCoordinator(), Grant("personal", epoch=1, first=1), "t")


class Room:
    """Where somebody talks to the agents.

    Attributes:
        clock: stands still until it is moved.
        desk: what commands see.
        agents: by name.
    """

    def __init__(self, folder: Path, agents: Mapping[str, Agent], clock: FrozenClock, *, notice: bool) -> None:
        self.folder = folder
        self.agents = agents
        self.clock = clock
        self.desk = Desk(agents)
        offline = OfflineResponder(self.desk.commands, self.desk.offers, self.desk.said.just_quoted)
        responder = TurnResponder(self.desk, dict.fromkeys(agents, offline), offline=tuple(agents) if notice else ())
        self._respond = responder.respond
        self._turns = 0

    async def reply(
        self, text: str, *, who: Principal = OWNER, at: Address = HOME, turn: str | None = None,
        quote: tuple[str, str] = ("", ""), unattended: bool = False,
    ) -> Reply:  # fmt: skip
        """Say something; `turn` is the id of an earlier turn that is repeated, `quote` a text and who wrote it."""
        asked = replace(self.turn(text, who=who, at=at, turn=turn), is_unattended=unattended)
        reply = await self._respond(replace(asked, quote=quote[0], quote_by=quote[1]))
        self.desk.said.replies.setdefault(asked.session, []).append(reply)
        return reply

    def turn(self, text: str, *, who: Principal = OWNER, at: Address = HOME, turn: str | None = None) -> Turn:
        """A turn with this message."""
        self._turns += 1
        agent = self.agents[self.desk.routing.decide(at, Sender(who.id, who.name)).agent]
        origin, scope = origin_and_scope(who, at)
        name, session = turn or f"t{self._turns}", SessionKey(agent.name, at)
        return Turn(name, agent, session, who, origin, scope, text, self.clock.now(), NoEffects(), SILENT)

    async def say(self, text: str, *, who: Principal = OWNER, at: Address = HOME) -> str:
        """Say something; all that is shown as the answer."""
        return (await self.reply(text, who=who, at=at)).shown

    def lines(self, path: str, *, agent: str = "personal") -> list[str]:
        """A file of an agent's workspace."""
        return (self.folder / agent / path).read_text(encoding="utf-8").split("\n")


@asynccontextmanager
async def room(folder: Path, *, notice: bool = False, memory: type[Memory] = Memory) -> AsyncIterator[Room]:
    """A room with two agents, personal and work, at noon of 21 November 2026."""
    clock = FrozenClock(NOON)
    async with AsyncExitStack() as stack:
        agents = {}
        for name in ("personal", "work"):
            opened = await memory.open(folder / name, index=folder / f"{name}.sqlite", clock=clock, zone=ZONE)
            agents[name] = Agent(name, f"{name} matters", await stack.enter_async_context(opened), ZONE, clock)
        yield Room(folder, agents, clock, notice=notice)
