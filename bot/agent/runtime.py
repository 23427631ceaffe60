"""What answers for one agent: a responder for each of its models, of which a conversation may choose one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from bot.agent.auto_capture import AutoCapture
from bot.llm.pool import OpenModel
from bot.llm.retry import ModelState
from bot.llm.types import Model
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SessionKey
from bot.storage.port import EntryKind
from bot.turn import Reply, Responder, Turn

if TYPE_CHECKING:
    from bot.agent.responder import ModelResponder


def choice(model: str) -> tuple[EntryKind, str]:
    """Return what a conversation's transcript gains when it chooses a model; an empty name: it does not any more.

    The choice lasts as long as the conversation: what begins anew is answered by the agent's first model.
    """
    return EntryKind.MODEL, json.dumps({"model": model})


@dataclass
class AgentRuntime:
    """Answers the turns of one agent that are no commands.

    Attributes:
        models: by name, the agent's first at the head; none offline.
        responders: of each model, the one that asks it first.
        capture: carries out the jobs that note what the owner tells; None if none are made.
        model: what jobs ask; None offline.
    """

    coordinator: Coordinator
    _: KW_ONLY
    models: Mapping[str, OpenModel]
    responders: Mapping[str, ModelResponder]
    capture: AutoCapture | None
    model: Model | None
    offline: Responder

    @property
    def first(self) -> OpenModel | None:
        """The model that is asked where none was chosen; None offline."""
        return next(iter(self.models.values()), None)

    async def __call__(self, turn: Turn) -> Reply:
        """Answer a turn, with the model that its conversation has chosen."""
        return await (await self.responder(turn.session) or self.offline)(turn)

    async def responder(self, session: SessionKey) -> ModelResponder | None:
        """Return what answers in a conversation; None if there is no model."""
        return self.responders[await self._chosen(session)] if self.responders else None

    async def states(self, session: SessionKey) -> Sequence[ModelState]:
        """Return how the models are, in the order in which a conversation asks them; none if there are none."""
        if not self.models:
            return ()
        chosen, first = await self._chosen(session), next(iter(self.models))
        return [
            ModelState(name, model.info.health.outage, model.model.left_s, is_default=name == first)
            for name, model in sorted(self.models.items(), key=lambda item: item[0] != chosen)
        ]

    async def _chosen(self, session: SessionKey) -> str:
        """Return the model that a conversation asks first; one that is not configured any more does not count."""
        first = next(iter(self.models))
        if len(self.models) == 1:
            return first
        reset = await self.coordinator.last_reset(session)
        entry = await self.coordinator.last(session, EntryKind.MODEL, after=reset)
        chosen = str(json.loads(entry.body).get("model", "")) if entry else ""
        return chosen if chosen in self.models else first
