"""The agent loop: model, tools, model, within a budget."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from time import monotonic

from bot.access.permissions import Taint
from bot.agent.prompt import AssembledRequest, RequestContext, assemble
from bot.agent.tools import ToolRunner
from bot.llm.errors import ContextTooLong
from bot.llm.types import Finished, Limits, Message, Model, Reason, Request, Role, TextDelta, ToolCall, Usage
from bot.turn import Turn


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one turn. When one is reached, the model is asked once more, for an answer without tools."""

    requests: int = 12
    calls: int = 40
    tokens: int = 400_000
    seconds: float = 300.0
    same_call: int = 3
    """How often the identical call is carried out; the next one is told to stop."""


class Spent:
    """What a turn has used of its budget so far."""

    def __init__(self, budget: Budget, *, elapsed: Callable[[], float]) -> None:
        self._budget = budget
        self._elapsed = elapsed
        self._began = elapsed()
        self._tokens = 0
        self._seen: Counter[str] = Counter()
        self.requests = 0

    @property
    def seconds_left(self) -> float:
        """Until the turn has to have an answer."""
        return max(0.0, self._budget.seconds - (self._elapsed() - self._began))

    @property
    def reached(self) -> str:
        """Which limit has been reached, in words; empty if none."""
        if self.requests >= self._budget.requests:
            return f"it has been going on for {self.requests} steps"
        if self._seen.total() >= self._budget.calls:
            return f"it has called {self._seen.total()} tools"
        if self._tokens >= self._budget.tokens:
            return f"it has used {self._tokens:,} tokens"
        return "its time is up" if self.seconds_left <= 0 else ""

    def asked(self, usage: Usage | None, *, estimate: int) -> None:
        """One more request, with what the provider counted or what we estimate."""
        self.requests += 1
        self._tokens += usage.total if usage else estimate

    def is_repetition(self, call: ToolCall) -> bool:
        """Count a call; whether the very same has been carried out often enough."""
        same = f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
        self._seen[same] += 1
        return self._seen[same] > self._budget.same_call


NUDGE = "Your last message was empty. Answer the person now, in words."
ENOUGH = "Stop here: {why}. Answer the person now with what you have, without tools."
SAME_AGAIN = "You have made exactly this call several times. Its result will not change. Use what you have."
BROKEN_OFF = "(The answer broke off here.)"
NO_WORDS = "The model gave no answer to this. Please ask again, perhaps in other words."
BUDGET = Budget()
TOO_LONG = "(The answer was longer than the model may write; it ends here.)"


Charge = Callable[[Turn, int], Awaitable[None]]
"""Told how many tokens an answer of the model has taken for a turn."""


@dataclass(slots=True)
class TurnState:
    """A turn under way: what the model has said and done in it so far."""

    turn: Turn
    frame: RequestContext
    asked: Message
    spent: Spent
    taint: Taint = Taint.CLEAN
    steps: list[Message] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    nudged: bool = False
    last: AssembledRequest | None = None

    @property
    def current(self) -> list[Message]:
        """The messages of this turn."""
        return [self.asked, *self.steps]


@dataclass(frozen=True, slots=True)
class Answer:
    """How a turn ended: the words, and what the provider wants back with them."""

    message: Message
    remark: str = ""


class AgentLoop:
    """Runs turns of one model with one set of tools."""

    def __init__(
        self,
        model: Model,
        toolbox: ToolRunner,
        *,
        budget: Budget = BUDGET,
        output_tokens: int | None = None,
        elapsed: Callable[[], float] = monotonic,
        charge: Charge | None = None,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._budget = budget
        self._output_tokens = output_tokens
        self._elapsed = elapsed
        self._charge = charge

    def begin(self, turn: Turn, frame: RequestContext, asked: Message, *, taint: Taint) -> TurnState:
        """A turn at its beginning."""
        return TurnState(turn, frame, asked, Spent(self._budget, elapsed=self._elapsed), taint)

    async def run(self, course: TurnState) -> Answer:
        """Ask and carry out until there is an answer.

        Raises:
            ModelError: the model does not answer at all.
        """
        while True:
            why = course.spent.reached
            finished = await self._ask(course, stop=why)
            if finished.message.calls and not why and finished.reason is not Reason.TRUNCATED:
                await self._work(course, finished.message)
                continue
            answer = self._answer(course, finished)
            if answer:
                return answer

    def _answer(self, course: TurnState, finished: Finished) -> Answer | None:
        """What the last words come to; None: the model is asked once more."""
        said = replace(finished.message, calls=())
        remarks = {Reason.TRUNCATED: BROKEN_OFF, Reason.LENGTH: TOO_LONG}
        if said.text.strip():
            return Answer(said, remarks.get(finished.reason, ""))
        if course.nudged or course.spent.reached:
            return Answer(replace(said, text=NO_WORDS))
        course.nudged = True
        course.steps.append(Message(Role.USER, NUDGE))
        return None

    async def _ask(self, course: TurnState, *, stop: str) -> Finished:
        """One request; a prompt that turns out not to fit is cut by half of the conversation, once."""
        request = self._request(course, stop)
        try:
            return await self._stream(course, request)
        except ContextTooLong:
            half = len(course.frame.exchanges) // 2
            if not course.frame.exchanges:
                raise
            course.frame = replace(course.frame, exchanges=course.frame.exchanges[half + 1 :])
            return await self._stream(course, self._request(course, stop))

    def _request(self, course: TurnState, stop: str) -> Request:
        notice = [Message(Role.USER, ENOUGH.format(why=stop))] if stop else []
        seconds = max(5.0, course.spent.seconds_left)
        course.last = assemble(
            course.frame,
            [*course.current, *notice],
            tools=self._toolbox.offered(course.turn, course.taint),
            limits=Limits(output_tokens=self._output_tokens, total_s=seconds),
        )
        return replace(course.last.request, may_call=not stop)

    async def _stream(self, course: TurnState, request: Request) -> Finished:
        estimate = course.frame.counter.request(request, model=self._model.name)
        try:
            finished = await self._streamed(course, request)
        except asyncio.CancelledError:
            await self._charged(course, None, estimate)  # whoever stops their answers has had them computed
            raise
        course.spent.asked(finished.usage, estimate=estimate)
        await self._charged(course, finished.usage, estimate)
        if finished.usage:
            course.frame.counter.learn(request, finished.usage, model=self._model.name)
        return finished

    async def _streamed(self, course: TurnState, request: Request) -> Finished:
        said = ""
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    said += event.text
                    await course.turn.live.text(said)
                elif isinstance(event, Finished):
                    return event
        raise AssertionError("a stream ends with Finished or an error")

    async def _charged(self, course: TurnState, usage: Usage | None, estimate: int) -> None:
        if self._charge:
            await self._charge(course.turn, usage.prompt + usage.completion if usage else estimate)

    async def _work(self, course: TurnState, said: Message) -> None:
        """Carry out the calls of one message, in order."""
        await course.turn.live.doing(self._toolbox.doing(said.calls))
        results = [await self._result(course, call) for call in said.calls]
        course.steps += [said, *results]
        await course.turn.live.doing("")

    async def _result(self, course: TurnState, call: ToolCall) -> Message:
        if course.spent.is_repetition(call):
            return Message(Role.TOOL, SAME_AGAIN, call_id=call.id)
        longest = course.frame.window.tool_result
        outcome = await self._toolbox.call(call, course.turn, taint=course.taint, longest=longest)
        course.taint = max(course.taint, outcome.taint)
        course.told += [line for line in outcome.told if line not in course.told]
        return outcome.message


def words(messages: Sequence[Message]) -> str:
    """What was said in several steps, joined; a model often says something before it calls a tool."""
    return "\n\n".join(message.text.strip() for message in messages if message.text.strip())
