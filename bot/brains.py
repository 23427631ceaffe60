"""What answers each agent's turns: its model with its tools, or the offline mode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.agent.budget import Budget
from bot.agent.context import ContextLog
from bot.agent.loop import Charge, Loop
from bot.agent.thinking import Thinking
from bot.agent.toolbox import Toolbox
from bot.durable.port import Coordinator, Grant
from bot.llm.meter import Meter, MeteredModel
from bot.llm.state import ModelState
from bot.models import OpenModel
from bot.pause import Pause
from bot.turn import Reply, Responder, Turn

WARM_UP_AFTER_S = 0.5
"""Seconds after the start: by then the first prompt is there, and reading it takes longer than loading."""


@dataclass(frozen=True, slots=True)
class Brain:
    """One agent's.

    Attributes:
        respond: answers a turn that is no command.
        model: the model that it asks; None offline.
        meter: what the model has taken for this agent.
    """

    respond: Responder
    model: OpenModel | None
    meter: Meter

    @property
    def state(self) -> ModelState | None:
        """How the model stands; None if there is none."""
        if self.model is None:
            return None
        mind = self.model.mind
        return ModelState(mind.model, mind.window.tokens, mind.health.outage, self.meter.today)


@dataclass(frozen=True, slots=True)
class Workbench:
    """What brains are made with: the tools, the transcripts, the answers without a model, what models saw and took."""

    toolbox: Toolbox
    coordinator: Coordinator
    offline: Responder
    contexts: ContextLog
    charge: Charge

    def brain(self, model: OpenModel | None, meter: Meter) -> Brain:
        """A brain with this model, or without one."""
        if model is None:
            return Brain(self.offline, None, meter)
        options = model.options
        loop = Loop(
            MeteredModel(model.model, meter),
            self.toolbox,
            budget=Budget(seconds=options.timeouts.total),
            output_tokens=options.output_tokens,
            charge=self.charge,
        )
        thinking = Thinking(
            loop, model.mind, coordinator=self.coordinator, otherwise=self.offline, contexts=self.contexts
        )
        return Brain(thinking, model, meter)


class ByAgent:
    """The responder of a service: each agent's own."""

    def __init__(self, responders: Mapping[str, Responder]) -> None:
        self._responders = responders

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn."""
        return await self._responders[turn.agent.name](turn)


class WarmUp:
    """Loads what a model's first answer needs, a moment after the start (`bot.service.Companion`)."""

    def __init__(self, brains: Mapping[str, Brain], *, pause: Pause) -> None:
        self._brains = brains
        self._pause = pause

    async def run(self, grant: Grant) -> None:
        """Get one agent's model ready."""
        model = self._brains[grant.agent].model
        if model:
            await self._pause(WARM_UP_AFTER_S)
            await model.warm_up()

    async def finish(self, grant: Grant) -> None:
        """Nobody waits for it."""
