"""Models, built out of the configuration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import random

from bot.agent.budget import Budget
from bot.agent.context import ContextLog
from bot.agent.loop import Loop
from bot.agent.thinking import Mind, Thinking
from bot.agent.toolbox import Toolbox
from bot.agent.window import Window
from bot.durable.port import Coordinator
from bot.llm.breaker import Breaker
from bot.llm.health import Health
from bot.llm.openai import OpenAIModel
from bot.llm.options import ModelOptions
from bot.llm.retry import RetryingModel
from bot.llm.tokens import TokenCounter
from bot.pause import pause
from bot.turn import Responder
from memory import Clock


@asynccontextmanager
async def thinking(
    options: ModelOptions,
    toolbox: Toolbox,
    *,
    coordinator: Coordinator,
    otherwise: Responder,
    contexts: ContextLog,
    clock: Clock,
) -> AsyncIterator[Responder]:
    """What answers with the configured model; `otherwise` alone if there is none."""
    if not options.is_configured:
        yield otherwise
        return
    health = Health(clock)
    mind = Mind(Window(options.context_tokens), TokenCounter(), health)
    async with OpenAIModel(options.endpoint, clock=clock) as asked_once:
        model = RetryingModel(
            asked_once, clock=clock, pause=pause, jitter=random, breaker=Breaker(clock), health=health
        )
        budget = Budget(seconds=options.timeouts.total)
        loop = Loop(model, toolbox, budget=budget, output_tokens=options.output_tokens)
        yield Thinking(loop, mind, coordinator=coordinator, otherwise=otherwise, contexts=contexts)
