"""The agent loop: model, tools, model, within a budget."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from time import monotonic

from bot.access.permissions import Taint
from bot.agent.context.history import cut_result
from bot.agent.context.prompt import AssembledRequest, RequestContext, assemble, spoken
from bot.agent.tools import Outcome, ToolRunner
from bot.llm.errors import ContextTooLong, FallbackTooSmall
from bot.llm.stream import without_thoughts, words_before_calls
from bot.llm.tokens import Window
from bot.llm.types import Finished, Limits, Message, Model, Reason, Request, Role, TextDelta, ToolCall, Usage
from bot.texts.catalogue import mark, tr
from bot.turn import Turn, said_before

MAX_FILES = 10
"""How many files go out with an answer."""

CLOSING_S = 60.0
"""How long the answer may take that is asked for when the time is up."""
NUDGE = "Your last message was empty. Answer the person now, in words."
ENOUGH = "Stop here: {why}. Answer this message now with what you have, without tools."
SAME_AGAIN = "You have made exactly this call several times. Its result will not change. Use what you have."
TOO_MANY_CALLS = "Not carried out: no more tools can be called for this message. Tell the person what is left to do."
BROKEN_OFF = mark("(The answer broke off here. Write “go on”, and I continue.)")
NO_WORDS = mark("The model gave no answer to this. Please ask again, perhaps in other words.")
ONLY_DEEDS = mark("The model said nothing to this; what it did stands below.")
UNFINISHED = mark("I had to stop before I was done. Write “go on”, and I continue.")
TOO_MANY_FILES = f"Not sent: {MAX_FILES} files go out with this answer already, and no more can. Tell the person."
TOO_LONG = mark("(The answer was longer than the model may write; it ends here. Write “go on”, and I continue.)")
FILTERED = mark("(The provider's content filter ended the answer here. Ask again in other words.)")
ALL_FILTERED = mark("The provider's content filter held the answer back. Please ask again in other words.")
THOUGHT_TOO_LONG = mark(
    "The model thought for as long as it may write, and gave no answer. Ask for less, or raise `model.output_tokens`."
)
REMARKS = {Reason.TRUNCATED: BROKEN_OFF, Reason.LENGTH: TOO_LONG, Reason.FILTERED: FILTERED}
"""What is said under an answer that did not come to its end."""

NO_ANSWER = {Reason.LENGTH: THOUGHT_TOO_LONG, Reason.FILTERED: ALL_FILTERED}
"""What is said in the place of an answer that has no words, where more is known than that."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one turn. When one is reached, the model is asked once more, for an answer without tools."""

    requests: int = 12
    calls: int = 40
    tokens: int = 400_000
    seconds: float = 300.0
    same_call: int = 3
    """How often the identical call is carried out while nothing changes; told to stop as often, it ends the turn."""


class Spent:
    """What a turn has used of its budget so far."""

    def __init__(self, budget: Budget, *, elapsed: Callable[[], float]) -> None:
        self._budget = budget
        self._elapsed = elapsed
        self._began = elapsed()
        self._tokens = 0
        self._calls = 0
        self._same: Counter[str] = Counter()
        self.requests = 0

    @property
    def seconds_left(self) -> float:
        """Until the turn has to have an answer."""
        return max(0.0, self._budget.seconds - (self._elapsed() - self._began))

    @property
    def has_calls_left(self) -> bool:
        """Whether one more tool may be called."""
        return self._calls < self._budget.calls

    @property
    def reached(self) -> str:
        """Which limit has been reached, in words; empty if none."""
        if self.requests >= self._budget.requests:
            return f"it has been going on for {self.requests} steps"
        if not self.has_calls_left:
            return f"it has called {self._calls} tools"
        if max(self._same.values(), default=0) > 2 * self._budget.same_call:
            return "it makes the same call again and again"
        if self._tokens >= self._budget.tokens:
            return f"it has used {self._tokens:,} tokens"
        return "its time is up" if self.seconds_left <= 0 else ""

    def add_request(self, usage: Usage | None, *, estimate: int) -> None:
        """Count one more request, with what the provider counted or what we estimate."""
        self.requests += 1
        self._tokens += usage.total if usage else estimate

    def is_repetition(self, call: ToolCall) -> bool:
        """Count a call; whether the very same has been carried out often enough."""
        self._calls += 1
        self._same[_same(call)] += 1
        return self._same[_same(call)] > self._budget.same_call

    def changed_by(self, call: ToolCall) -> None:
        """Begin to count all other calls anew: this one has changed something, so theirs may come to something else."""
        self._same = Counter({_same(call): self._same[_same(call)]})


@dataclass(slots=True)
class TurnState:
    """A turn under way: what the model has said and done in it so far.

    Attributes:
        steps: what was said after the person's message: calls, their results, and what the model is told.
        told: lines for the person about what tools have written.
        done: whether a tool has done its work, by the line that tells the person if it has not.
        nudged: the model has been asked for an answer; the next message without words is the last.
        stop: which limit has ended it, in words; empty if none has.
        so_far: the words that the person sees.
        answered_by: the model that answered last.
        is_trial: its tools change nothing.
        shorten: asked, once, for a shorter conversation if the provider finds that a request does not fit.
        steer: adds to the steps what the person has said meanwhile; whether it is anything.
    """

    turn: Turn
    context: RequestContext
    asked: Message
    spent: Spent
    taint: Taint = Taint.CLEAN
    steps: list[Message] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    done: dict[str, bool] = field(default_factory=dict)
    nudged: bool = False
    stop: str = ""
    last: AssembledRequest | None = None
    so_far: str = ""
    answered_by: str = ""
    is_trial: bool = False
    shorten: Callable[[], Awaitable[RequestContext | None]] | None = None
    steer: Callable[[], Awaitable[bool]] | None = None

    @property
    def without_words(self) -> str:
        """What is said where the model says nothing."""
        return tr(ONLY_DEEDS if self.told or self.files else NO_WORDS)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a turn ended: the words, and what the provider wants back with them."""

    message: Message
    remark: str = ""


@dataclass
class AgentLoop:
    """Runs turns of one model with one set of tools, the `toolbox`."""

    model: Model
    toolbox: ToolRunner
    _: KW_ONLY
    budget: Budget = field(default_factory=Budget)
    output_tokens: int | None = None

    def begin(self, turn: Turn, context: RequestContext, asked: Message, *, taint: Taint) -> TurnState:
        """Begin a turn."""
        return TurnState(turn, context, asked, Spent(self.budget, elapsed=monotonic), taint)

    async def run(self, state: TurnState) -> Answer:
        """Ask and carry out until there is an answer; raises `ModelError` if the model does not answer at all."""
        while True:
            if not state.stop and state.spent.reached:
                state.stop, state.nudged = state.spent.reached, False
                state.steps.append(Message(Role.USER, ENOUGH.format(why=state.stop)))
            finished = await self._ask(state)
            calls = finished.message.calls if finished.reason is not Reason.TRUNCATED else ()
            if calls and not (state.stop and state.nudged):
                await self._call_tools(state, finished.message)
                state.nudged |= bool(state.stop)
                if state.steer and not state.stop and await state.steer():
                    state.spent = Spent(self.budget, elapsed=monotonic)  # as much as if it was said after the answer
                continue
            words, so_far = replace(finished.message, calls=()), state.so_far.strip()
            if words.text.strip() and not calls:
                return Answer(words, tr(REMARKS.get(finished.reason, "")))
            if state.turn.may_be_silent:  # nobody waits for an answer
                return Answer(replace(words, text=so_far))
            if state.nudged or finished.reason is Reason.FILTERED:
                known = tr(UNFINISHED if state.stop else NO_ANSWER.get(finished.reason, ""))
                why = known or state.without_words
                is_answer = not so_far or (not known and (state.told or state.files))  # a promise alone is none
                return Answer(replace(words, text=so_far or why), "" if is_answer else why)
            state.nudged = True
            state.steps.append(Message(Role.USER, NUDGE))

    async def _ask(self, state: TurnState) -> Finished:
        """Send one request; one that turns out not to fit is shortened, or loses half of the conversation, once.

        Where only the model that stands in has too small a window, it gets what fits, and nothing is shortened.
        """
        request = self._request(state)
        try:
            return await self._stream(state, request)
        except ContextTooLong as error:
            context, half = state.context, len(state.context.exchanges) // 2
            is_smaller = isinstance(error, FallbackTooSmall) and bool(state.steps)  # what tools brought can be cut
            if not context.exchanges and not is_smaller:
                raise
            if isinstance(error, FallbackTooSmall):
                state.context = replace(context, window=Window(error.window, error.output))
            else:
                shorten, state.shorten = state.shorten, None
                shorter = await shorten() if shorten else None
                state.context = shorter or replace(context, exchanges=context.exchanges[half + 1 :])
            return await self._stream(state, self._request(state))

    def _request(self, state: TurnState) -> Request:
        state.last = assemble(
            state.context,
            [state.asked, *(cut_result(step, state.context.window.tool_result) for step in state.steps)],
            tools=self.toolbox.tools_for(state.turn, state.taint),
            limits=Limits(output_tokens=self.output_tokens, total_s=max(CLOSING_S, state.spent.seconds_left)),
        )
        return replace(state.last.request, may_call=not state.stop, payer=state.turn.payer)

    async def _stream(self, state: TurnState, request: Request) -> Finished:
        """Ask, and show the answer as it grows. It has many pieces: only what is shown of it is put together."""
        counter, finished = state.context.counter, None
        above = [state.turn.above, said_before(state.steps)]
        tools, said = [tool.name for tool in request.tools], list[str]()

        def words() -> str:
            return words_before_calls(without_thoughts("".join(said)), tools)

        def shown() -> str:
            return "\n\n".join(filter(None, (*above, spoken(words(), is_whole=False))))

        try:
            async with aclosing(self.model.stream(request)) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        said.append(event.text)
                        await state.turn.live.text(shown)
                    elif isinstance(event, Finished):
                        finished = event
                        break
        finally:
            state.so_far = words() or state.so_far  # what was said before a tool stays until there are other words
        if finished is None:
            raise AssertionError("a stream ends with Finished or an error")
        usage = finished.usage
        estimate = 0 if usage else counter.request(request, model=self.model.name)
        state.spent.add_request(usage, estimate=estimate)
        if usage:
            counter.learn(request, usage, model=finished.model or self.model.name)
        state.answered_by = finished.model or self.model.name
        return finished

    async def _call_tools(self, state: TurnState, message: Message) -> None:
        """Carry out the calls of one message, in order; what a result taints, it taints for the next call."""
        await state.turn.live.doing(self.toolbox.doing(message.calls))
        results = []
        for call in message.calls:
            outcome = await self._call(state, call)
            state.taint = max(state.taint, outcome.taint)
            files = [file for file in outcome.files if file not in state.files]
            has_room = len(state.files) + len(files) <= MAX_FILES
            state.files += files if has_room else []
            state.told += [line for line in outcome.told if line not in state.told]
            if not_done := self.toolbox.not_done(call.name):
                is_done = not outcome.is_failure or bool(outcome.told)  # "it may still write"
                state.done[not_done] = is_done or state.done.get(not_done, False)
            results.append(outcome.message if has_room else replace(outcome.message, text=TOO_MANY_FILES))
        state.steps += [message, *results]
        await state.turn.live.doing("")

    async def _call(self, state: TurnState, call: ToolCall) -> Outcome:
        """Carry out one call, unless the turn has come to its end or has made it often enough."""
        if state.stop or not state.spent.has_calls_left:
            why = TOO_MANY_CALLS
        elif state.spent.is_repetition(call):
            why = SAME_AGAIN
        else:
            outcome = await self.toolbox.call(call, state.turn, taint=state.taint, is_trial=state.is_trial)
            if outcome.has_changed:
                state.spent.changed_by(call)
            return outcome
        return Outcome(Message(Role.TOOL, why, call_id=call.id), is_failure=True)


def _same(call: ToolCall) -> str:
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
