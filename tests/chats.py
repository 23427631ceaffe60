"""A chat with an agent that has a model: the whole way from the door to the outbox, over a platform in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from adapters.in_memory import PLAIN, InMemoryAdapter
from adapters.port import ChatKind, Outbound, Receipt
from bot.access.access import Access
from bot.access.routing import Routing
from bot.agent.context_log import ContextLog
from bot.agent.loop import AgentLoop
from bot.agent.offline import OfflineResponder
from bot.agent.responder import ModelResponder
from bot.agent.tools import ToolRunner
from bot.app import commands, tools
from bot.llm.pool import ModelInfo
from bot.llm.retry import ModelHealth
from bot.llm.tokens import CountText, TokenCounter, Window
from bot.llm.types import Model
from bot.pipeline.attachments import AttachmentStore
from bot.pipeline.intake import Intake
from bot.pipeline.outbox import Adapters, Outbox
from bot.pipeline.rendering import Renderer
from bot.pipeline.responder import TurnResponder
from bot.pipeline.worker import Worker
from bot.service import Service
from bot.storage.people import AccessStore
from bot.storage.port import Coordinator
from bot.storage.sqlite import SqliteCoordinator
from bot.tools.base import Tool
from bot.turn import Agent
from bot.waiting import Pause
from memory import Clock, Embedding, Memory
from tests.rooms import Desk

NAME = "personal"
ZONE = ZoneInfo("Europe/Berlin")
OWNER_ID = "owner"
INDEX = "index.sqlite"


class People(InMemoryAdapter):
    """People who wait for an answer before they go on."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(now=clock.now, capabilities=PLAIN)
        self.answers: asyncio.Queue[Outbound] = asyncio.Queue()

    async def send(self, out: Outbound) -> Receipt:
        receipt = await super().send(out)
        self.answers.put_nowait(out)
        return receipt

    async def ask(
        self, text: str, *, chat: str = "home", sender: str = OWNER_ID, kind: ChatKind = ChatKind.PRIVATE
    ) -> str:
        """Say something; the answer to it, its parts joined."""
        self.say(text, chat=chat, sender=sender, kind=kind)
        return await self.answer()

    async def answer(self) -> str:
        """Wait for the next whole answer."""
        parts = [await self.answers.get()]
        while not parts[-1].last:
            parts.append(await self.answers.get())
        return "\n".join(part.text for part in parts)


@dataclass(frozen=True, slots=True)
class Chat:
    """What a test sees.

    Attributes:
        people: who talk.
        agent: who answers; its memory is a real one.
        folder: the agent's workspace.
        mind: what is known of its model.
        coordinator: the state file.
        contexts: what the model saw.
    """

    people: People
    agent: Agent
    folder: Path
    mind: ModelInfo
    coordinator: Coordinator
    contexts: ContextLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How a chat is made.

    Attributes:
        clock: source of time.
        pause: waits, or does not.
        health: hears of the model's failures.
        window: tokens that fit into the model.
        more: tools beside the usual ones, or in their place.
        tool_s: seconds that one of them may take.
        count: counts tokens; None for the usual way.
        embedding: what memory is searched by meaning with; None searches by words.
    """

    clock: Clock
    pause: Pause
    health: ModelHealth
    window: int = 32_000
    more: tuple[Tool, ...] = ()
    tool_s: float = 60.0
    count: CountText | None = None
    embedding: Embedding | None = None


@asynccontextmanager
async def chat(folder: Path, model: Model, setting: Setting) -> AsyncIterator[Chat]:
    """A running service in a folder, with one agent. Leaving the block ends it; another one over it is a restart."""
    clock, workspace = setting.clock, folder / "workspace"
    people = People(clock)
    contexts = ContextLog(folder / "contexts")
    async with (
        await Memory.open(
            workspace, index=folder / INDEX, clock=clock, zone=ZONE, embedding=setting.embedding
        ) as memory,
        SqliteCoordinator.open(folder / "state.sqlite", clock=clock) as coordinator,
        asyncio.TaskGroup() as group,
    ):
        agent = Agent(NAME, "everyday life", memory, ZONE, clock)
        mind = ModelInfo(Window(setting.window), TokenCounter(setting.count), setting.health, model=model.name)
        desk = Desk({NAME: agent})
        toolbox = ToolRunner(tools() | {tool.name: tool for tool in setting.more}, timeout_s=setting.tool_s)
        thinking = ModelResponder(
            AgentLoop(model, toolbox),
            mind,
            coordinator=coordinator,
            otherwise=OfflineResponder(commands(), desk.offers, desk.said.just_quoted),
            contexts=contexts,
        )
        platforms = Adapters([people])
        attachments = AttachmentStore(folder / "files", platforms=platforms, pause=setting.pause)
        responder = TurnResponder(desk, {NAME: thinking}, attachments=attachments)
        service = Service(
            coordinator,
            intake=Intake(
                coordinator,
                access=Access({f"volatile:{OWNER_ID}"}, register=AccessStore()),
                routing=Routing(NAME, [NAME], register=AccessStore()),
                register=AccessStore(),
            ),
            worker=Worker(
                coordinator,
                agents={NAME: agent},
                respond=responder.respond,
                renderer=Renderer(platforms, clock=clock),
                adapters=platforms,
                cancel=responder.cancel,
            ),
            outbox=Outbox(coordinator, platforms=platforms, pause=setting.pause),
            adapters=[people],
        )
        running = group.create_task(service.run([NAME], owner="test"))
        yield Chat(people, agent, workspace, mind, coordinator, contexts)
        service.stop()
        await running
