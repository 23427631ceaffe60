"""A whole service over an in-memory platform, without a model (`ServiceHarness`) or with one (`running_service`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from adapters.in_memory import PLAIN, InMemoryAdapter
from adapters.port import Address, Capabilities, ChatKind, Inbound, Outbound, Receipt, Status, Suggestion, Unreadable
from bot.access.access import Access, AccessRules
from bot.access.routing import Routing
from bot.agent.auto_capture import CAPTURE, AutoCapture, capture_job
from bot.agent.context.context_log import ContextLog
from bot.agent.context.session_news import SessionNews
from bot.agent.loop import AgentLoop
from bot.agent.offline.offline import OfflineResponder
from bot.agent.responder import ModelResponder
from bot.agent.tools import ToolRunner
from bot.agent.window import WindowManager
from bot.app import commands, tools
from bot.config.options.media import VoiceSection
from bot.config.options.memory import MemoryOptions
from bot.config.options.sessions import FlushOptions, SessionOptions
from bot.errors import StateError
from bot.llm.pool import ModelInfo
from bot.llm.retry import ModelHealth
from bot.llm.tokens import CountText, TokenCounter, Window, estimate
from bot.llm.types import Model
from bot.media.reader import MediaReader
from bot.media.speech import SpeechService
from bot.pipeline.accounts import Accounts, Report
from bot.pipeline.attachments import AttachmentStore
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.group_context import GroupContext
from bot.pipeline.intake import Intake
from bot.pipeline.responder import TurnResponder
from bot.pipeline.reviews import FactReviews
from bot.pipeline.scheduler import Scheduler
from bot.pipeline.worker import STEADY_S, Worker
from bot.service.service import Background, Service
from bot.sessions.forgetting import Forgetting
from bot.sessions.language import Languages
from bot.sessions.redaction import ConversationRecords
from bot.sessions.transcript import Transcript
from bot.storage.coordinator import Coordinator
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.port import Grant
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.supervision import Done, outcome
from bot.tools.base import Tool
from bot.turn import Agent, Reply, Responder, SessionMemory, Turn
from bot.waiting import InstantPause, Pause
from memory import Clock, Embedding, FrozenClock, Memory
from tests.support.conversation import FakeCommandContext
from tests.support.factories import NOON, agent

AGENTS = ("personal", "work")
ACCESS_RULES = AccessRules(
    owners=frozenset({"volatile:owner", "volatile:friend"}), guests=frozenset({"volatile:ana", "volatile:bo"})
)


class BusyPause(InstantPause):
    """Does not wait, and notes what it was asked for, but for the minute after which a process counts as steady."""

    async def __call__(self, seconds: float) -> None:
        if seconds != STEADY_S:
            await super().__call__(seconds)


class ServiceHarness:
    """The service of one process; another one over the same coordinator is a restart."""

    def __init__(
        self,
        respond: Responder,
        coordinator: Coordinator | None = None,
        *,
        capabilities: Capabilities = PLAIN,
        burst: int = 20,
        pause: Pause | None = None,
        adapter: InMemoryAdapter | None = None,
        guests_at_once: int = 0,
        rules: AccessRules = ACCESS_RULES,
        supervised: bool = False,
        background: Sequence[Background] = (),
        retry_pause: Pause | None = None,
        clock: Clock | None = None,
        report: Report | None = None,
    ) -> None:
        self.coordinator = coordinator or InMemoryCoordinator()
        self.adapter = adapter or InMemoryAdapter(now=lambda: NOON, capabilities=capabilities)
        self.pause = BusyPause()
        self.routing = Routing("personal", AGENTS, register=AccessStore())
        platforms, access = Adapters([self.adapter]), Access(rules, register=AccessStore())
        self.service = Service(
            self.coordinator,
            intake=Intake(self.coordinator, access=access, routing=self.routing, register=AccessStore()),
            worker=Worker(
                self.coordinator,
                agents={name: agent(name) for name in AGENTS},
                respond=respond,
                renderer=Renderer(platforms, clock=FrozenClock(NOON)),
                adapters=platforms,
                batch_limit=burst,
                pause=pause or self.pause,
                guests_at_once=guests_at_once,
                settings=access.settings,
                language=Languages("auto", self.coordinator).of_turn,
            ),
            outbox=Outbox(self.coordinator, adapters=platforms, pause=pause or self.pause),
            accounts=Accounts([self.adapter], clock=clock, report=report),
            background=background,
            supervised=retry_pause or (self.pause if supervised else None),
        )

    async def run(self, *said: str, chat: str = "chat") -> list[str]:
        """Send texts to one chat, wait for the end of the service, and return all texts that it sent."""
        for text in said:
            self.adapter.say(text, chat=chat)
        self.adapter.leave()
        await self.service.run(AGENTS, owner="test")
        return [out.text for out in self.adapter.shown]


async def echo(turn: Turn) -> Reply:
    """Answer with the text of the message."""
    return Reply(turn.text)


AGENT_NAME = "personal"
ZONE = ZoneInfo("Europe/Berlin")
OWNER_ID = "owner"
INDEX_FILE = "index.sqlite"


class PeopleAdapter(InMemoryAdapter):
    """An in-memory platform on which a test can wait for the answer to a message, and for its being taken.

    Attributes:
        answers: what was sent.
        taken: messages that wait for their turn, where messages are marked.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(now=clock.now, capabilities=PLAIN)
        self.answers: asyncio.Queue[Outbound] = asyncio.Queue()
        self.taken: asyncio.Queue[str] = asyncio.Queue()

    def mark(self, to: Address, message: str, status: Status) -> None:
        assert to.platform == self.platform
        if status is Status.QUEUED:
            self.taken.put_nowait(message)

    async def until_taken(self, said: Inbound) -> None:
        """Wait until a message waits for its turn; messages are marked where it was said."""
        while await self.taken.get() != said.message:
            pass

    async def send(self, out: Outbound) -> Receipt:
        receipt = await super().send(out)
        self.answers.put_nowait(out)
        return receipt

    async def ask(
        self, text: str, *, chat: str = "home", sender: str = OWNER_ID, kind: ChatKind = ChatKind.PRIVATE
    ) -> str:
        """Send a message and return the answer to it, its parts joined."""
        self.say(text, chat=chat, sender=sender, kind=kind)
        return await self.answer()

    async def answer(self) -> str:
        """Wait for the next complete answer and return it."""
        parts = [await self.answers.get()]
        while not parts[-1].last:
            parts.append(await self.answers.get())
        return "\n".join(part.text for part in parts)


class ManualScheduler(Scheduler):
    """Fires what is due when it is told to."""

    def __init__(self, coordinator: Coordinator, *, clock: Clock, pause: Pause) -> None:
        super().__init__(coordinator, clock=clock, pause=pause)
        self.grants: asyncio.Queue[Grant] = asyncio.Queue()

    async def run(self, grant: Grant) -> None:
        self.grants.put_nowait(grant)

    async def now(self) -> None:
        """Fire what is due, and wait until that is done."""
        grant = await self.grants.get()
        self.grants.put_nowait(grant)
        await self.fire(grant)
        await self.coordinator.wait_settled(grant, {"volatile.bot"})


@dataclass(frozen=True, slots=True)
class RunningService:
    """A service that is running, as a test sees it.

    Attributes:
        people: who talk.
        agent: who answers; its memory is a real one.
        folder: the agent's workspace.
        mind: what is known of its model.
        coordinator: the state file.
        contexts: what the model saw.
        scheduler: fires its jobs when a test says so.
        thinking: answers with the model.
    """

    people: PeopleAdapter
    agent: Agent
    folder: Path
    mind: ModelInfo
    coordinator: Coordinator
    contexts: ContextLog
    scheduler: ManualScheduler
    thinking: ModelResponder


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Options of `running_service`.

    Attributes:
        clock: source of time.
        pause: waits, or does not.
        health: hears of the model's failures.
        window: tokens that fit into the model.
        more: tools beside the usual ones, or in their place.
        tool_s: seconds that one of them may take.
        count: counts tokens.
        embedding: what memory is searched by meaning with; None searches by words.
        rules: who is let in besides the owner, and what holds in chats.
        sees: the model is shown pictures.
        recall: what is recalled for each message.
        told: what was told in the owner's sessions.
        reviews: what answers cite is reviewed at the next message.
        masks: at the end of each turn it is looked for what was forgotten, which is masked in the conversations.
        capture: what becomes of facts in the owner's messages: off, review or on.
        voice: what understands voice messages, and speaks.
        session: how conversations are kept within the window; by default no model is asked when one ends.
    """

    clock: Clock
    pause: Pause
    health: ModelHealth
    window: int = 32_000
    more: tuple[Tool, ...] = ()
    tool_s: float = 60.0
    count: CountText = estimate
    embedding: Embedding | None = None
    rules: AccessRules = field(default_factory=AccessRules)
    sees: bool = False
    voice: VoiceSection = field(default_factory=VoiceSection)
    capture: str = "off"
    masks: bool = False
    reviews: bool = False
    told: SessionMemory | None = None
    recall: MemoryOptions = field(default_factory=MemoryOptions)
    session: SessionOptions = field(
        default_factory=lambda: SessionOptions(note="rules", flush=FlushOptions(enabled=False))
    )


@asynccontextmanager
async def running_service(folder: Path, model: Model, setting: ServiceOptions) -> AsyncIterator[RunningService]:
    """Run a service with one agent in a folder until the block is left; another one in the same folder is a restart."""
    clock, workspace = setting.clock, folder / "workspace"
    people = PeopleAdapter(clock)
    contexts = ContextLog(folder / "contexts")
    async with (
        await Memory.open(
            workspace, index=folder / INDEX_FILE, clock=clock, zone=ZONE, embedding=setting.embedding
        ) as memory,
        SqliteCoordinator.open(folder / "state.sqlite", clock=clock) as coordinator,
        SpeechService(setting.voice, clock=clock, pause=setting.pause) as speech,
        asyncio.TaskGroup() as group,
    ):
        agent = Agent(AGENT_NAME, "everyday life", memory, ZONE, clock, coordinator, setting.told)
        mind = ModelInfo(
            Window(setting.window), TokenCounter(setting.count), setting.health, model=model.name, sees=setting.sees
        )
        context = FakeCommandContext({AGENT_NAME: agent})
        context.transcript = Transcript(coordinator)
        toolbox = ToolRunner(tools() | {tool.name: tool for tool in setting.more}, timeout_s=setting.tool_s)
        window = WindowManager(
            coordinator, model, mind, tools=tuple(tools().values()), options=setting.session, clock=clock
        )
        offline = OfflineResponder(commands(), context.offers, context.transcript)
        thinking = ModelResponder(
            AgentLoop(model, toolbox),
            mind,
            window=window,
            otherwise=offline,
            resumes=offline.resumes,
            contexts=contexts,
            reader=MediaReader(),
            recall=setting.recall,
            news=SessionNews(coordinator.marks),
            model=model,
        )
        context.responders[AGENT_NAME] = thinking
        capture = AutoCapture(model, is_reviewed=setting.capture == "review", coordinator=coordinator)
        scheduler = ManualScheduler(coordinator, clock=clock, pause=setting.pause)
        forgetting = Forgetting(ConversationRecords(coordinator, [contexts]), coordinator.marks)
        platforms = Adapters([people])
        access = Access(replace(setting.rules, owners=frozenset({f"volatile:{OWNER_ID}"})), register=context.register)
        attachments = AttachmentStore(folder / "files", adapters=platforms, pause=setting.pause)
        languages = Languages("auto", coordinator)
        responder = TurnResponder(
            context,
            {AGENT_NAME: thinking},
            attachments=attachments,
            speech=speech,
            jobs={CAPTURE: capture},
            languages=languages,
            looks_up=[AGENT_NAME] if setting.recall.auto_recall.enabled else (),
        )
        reviews = FactReviews(
            context.transcript,
            context.agents,
            coordinator.ratings,
            shares=lambda _to, _agent: False,
            on_recall=lambda _agent: False,
        )
        service = Service(
            coordinator,
            intake=Intake(
                coordinator,
                access=access,
                routing=Routing(AGENT_NAME, [AGENT_NAME], register=AccessStore()),
                register=context.register,
                context=GroupContext(access),
                expect=responder.expect,
            ),
            worker=Worker(
                coordinator,
                agents={AGENT_NAME: agent},
                respond=reviews.reviewing(responder.respond) if setting.reviews else responder.respond,
                renderer=Renderer(platforms, clock=clock),
                adapters=platforms,
                cancel=responder.cancel,
                forgetting=forgetting if setting.masks else None,
                settings=access.settings,
                captures=capture_job if setting.capture != "off" else (lambda _turn, _reply: None),
                language=languages.of_turn,
            ),
            outbox=Outbox(coordinator, adapters=platforms, pause=setting.pause),
            accounts=Accounts([people]),
            companions=[scheduler],
        )
        running = group.create_task(service.run([AGENT_NAME], owner="test"))
        yield RunningService(people, agent, workspace, mind, coordinator, contexts, scheduler, thinking)
        service.stop()
        await running


class NoQuarantine:
    """A mixin for doubles of the intake that expect no event which cannot be parsed."""

    async def unreadable(self, event: Unreadable) -> None:
        raise AssertionError(event)

    async def suggest(self, inbound: Inbound) -> Sequence[Suggestion]:
        return ()

    async def isolate(self, work: Awaitable[None], what: str) -> Exception | None:
        done = await outcome(work, what, foreseen=(StateError, AssertionError))
        return None if isinstance(done, Done) else done


class Everybody:
    """An audience (`adapters.port.Audience`) that lets everybody in; `people` are looked for."""

    def __init__(self, people: Sequence[str] = ()) -> None:
        self._people = people

    def admit(self, inbound: Inbound) -> object | None:
        return inbound

    def is_open(self, to: Address) -> bool:
        return True

    def knows(self, who: str) -> bool:
        return True

    def people(self, platform: str) -> Sequence[str]:
        return self._people
