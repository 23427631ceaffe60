"""Asks the next model when the first is out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

import structlog

from bot.llm.errors import Blame, CircuitOpen, FallbackTooSmall, ModelError
from bot.llm.pool import ModelInfo
from bot.llm.retry import CircuitBreaker
from bot.llm.types import Event, Finished, Model, Request
from bot.texts import tr

RETRY_S = 10.0
"""Seconds after which a model is not tried again if there is another one: long enough for a hiccup of the network."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may be asked: how, what is known of it, and what lets it rest after a failure."""

    model: Model
    info: ModelInfo
    breaker: CircuitBreaker


class FailoverModel:
    """Several models as one (`bot.llm.types.Model`); the first that answers does.

    The next one is asked for what another model can mend: an outage, a rate limit, a refused key, an unknown model.
    What is wrong with a request stays an error. Who failed rests as its breaker says, and is then tried again. After
    the first words of an answer no other model is asked: a model raises no error from there on.

    Args:
        candidates: at least one, in the order in which they are asked.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = tuple(candidates)

    @property
    def name(self) -> str:
        return self._candidates[0].model.name

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises; what is raised when none answers is the first one's error.

        Raises:
            FallbackTooSmall: the request does not fit into the window of a model that is left.
        """
        failed: ModelError | None = None
        first, last = self._candidates[0], self._candidates[-1]
        for candidate in self._candidates:
            if candidate is not first:
                check_fit(request, candidate.info)
            asked = request
            if candidate is not last:
                asked = replace(request, limits=replace(request.limits, retry_s=RETRY_S))
            try:
                async with aclosing(candidate.model.stream(asked)) as events:
                    async for event in events:
                        yield replace(event, model=candidate.model.name) if isinstance(event, Finished) else event
                return
            except ModelError as error:
                if error.blame is Blame.REQUEST:
                    raise
                failed = failed or error
                if candidate is not last and not isinstance(error, CircuitOpen):
                    log.warning("model.next_asked", model=candidate.model.name, reason=error.message)
                    if error.seconds is None:  # else it is known when to ask again
                        candidate.breaker.rest(error)
        raise failed or AssertionError("there is a model")


def check_fit(request: Request, info: ModelInfo) -> None:
    """See that a request that was made for another model fits into the window of this one.

    Raises:
        FallbackTooSmall: it does not.
    """
    tokens = info.counter.request(request, model=info.model)
    if tokens > info.window.request:
        message = tr(
            "{model} cannot take a request of this length ({tokens:,} tokens).", model=info.model, tokens=tokens
        )
        hint = tr("Begin afresh with /new, or give the conversation a model with a larger window.")
        window = int(info.window.tokens / max(1.0, info.counter.ratio(info.model)))  # as requests are assembled
        raise FallbackTooSmall(message, hint=hint, window=window)
