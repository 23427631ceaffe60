"""A whole service over a volatile platform: what a person says goes in at the door, what they see comes out."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.in_memory import PLAIN, InMemoryAdapter
from adapters.port import Capabilities
from bot.access.access import Access, AccessRules
from bot.access.routing import Routing
from bot.pipeline.intake import Intake
from bot.pipeline.outbox import Adapters, Outbox
from bot.pipeline.rendering import Renderer
from bot.pipeline.worker import Worker
from bot.service import Background, Service
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.people import AccessStore
from bot.storage.port import Coordinator
from bot.turn import Reply, Responder, Turn
from bot.waiting import InstantPause, Pause
from memory import FrozenClock
from tests.samples import NOON, agent

AGENTS = ("personal", "work")
RULES = AccessRules(
    owners=frozenset({"volatile:owner", "volatile:friend"}), guests=frozenset({"volatile:ana", "volatile:bo"})
)


class Stand:
    """One process: build another one over the same coordinator to play a restart."""

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
        supervised: bool = False,
        background: Sequence[Background] = (),
    ) -> None:
        self.coordinator = coordinator or InMemoryCoordinator()
        self.adapter = adapter or InMemoryAdapter(now=lambda: NOON, capabilities=capabilities)
        self.pause = InstantPause()
        self.routing = Routing("personal", AGENTS, register=AccessStore())
        platforms = Adapters([self.adapter])
        self.service = Service(
            self.coordinator,
            intake=Intake(
                self.coordinator,
                access=Access(RULES, register=AccessStore()),
                routing=self.routing,
                register=AccessStore(),
            ),
            worker=Worker(
                self.coordinator,
                agents={name: agent(name) for name in AGENTS},
                respond=respond,
                renderer=Renderer(platforms, clock=FrozenClock(NOON)),
                adapters=platforms,
                batch_limit=burst,
                pause=pause or self.pause,
                guests_at_once=guests_at_once,
            ),
            outbox=Outbox(self.coordinator, platforms=platforms, pause=pause or self.pause),
            adapters=[self.adapter],
            background=background,
            supervised=self.pause if supervised else None,
        )

    async def run(self, *said: str, chat: str = "chat") -> list[str]:
        """Say things in one chat, leave, and wait for the end of the service; what has been shown."""
        for text in said:
            self.adapter.say(text, chat=chat)
        self.adapter.leave()
        await self.service.run(AGENTS, owner="test")
        return [out.text for out in self.adapter.shown]


async def echo(turn: Turn) -> Reply:
    """Answers with what was said."""
    return Reply(turn.text)
