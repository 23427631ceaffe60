"""A model that says what it was told to say: for tests, demonstrations and replays.

    with ScriptedModel(Step(calls=(ToolCall("c1", "now"),)), Step(text="It is noon.")) as model:
        ...

A request without a step, or a step that nobody asked for, is an error when the block ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Self

from bot.llm.errors import ModelError, Truncated
from bot.llm.types import Event, Finished, Message, Reason, Request, Role, TextDelta, Thinking, ToolCall, Usage

WORDS_AT_ONCE = 3


class OffScript(AssertionError):
    """What happened is not what the script says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer.

    Attributes:
        text: what it says; a tuple gives the pieces in which it streams.
        calls: tools that it wants to be run.
        thinking: what it thinks before.
        reason: why it stops, if not for the reason that fits. TRUNCATED loses the calls, as in life.
        usage: what the provider would count; None: it does not.
        hangs: it never ends after its text; for what happens when somebody hangs up.
    """

    text: str | tuple[str, ...] = ""
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    reason: Reason | None = None
    usage: Usage | None = field(default_factory=lambda: Usage(100, 10))
    hangs: bool = False

    @property
    def pieces(self) -> tuple[str, ...]:
        """The text as it streams: as given, else three words at a time."""
        if isinstance(self.text, tuple):
            return self.text
        words = self.text.split(" ")
        groups = [" ".join(words[at : at + WORDS_AT_ONCE]) for at in range(0, len(words), WORDS_AT_ONCE)]
        return tuple(f"{group} " for group in groups[:-1]) + tuple(group for group in groups[-1:] if group)

    def finished(self) -> Finished:
        text = "".join(self.pieces)
        if self.reason is Reason.TRUNCATED:
            return Finished(
                self.reason, Message(Role.ASSISTANT, text), self.usage, Truncated("The script breaks off here.")
            )
        fits = Reason.TOOL_CALLS if self.calls else Reason.STOP if text.strip() else Reason.EMPTY
        return Finished(self.reason or fits, Message(Role.ASSISTANT, text, self.calls), self.usage)


Say = Callable[[Request], Step | ModelError]
"""Makes an answer for a request."""


class ScriptedModel:
    """Answers requests in the order of its steps, and with `then` all after those; `requests` has what it was asked.

    An error among the steps is raised; a function is asked for the step.
    """

    def __init__(self, *steps: Step | ModelError | Say, then: Say | None = None, name: str = "scripted") -> None:
        self._steps = list(steps)
        self._then = then
        self.name = name
        self._unscripted: list[str] = []
        self.requests: list[Request] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            self.check()

    def check(self) -> None:
        """Raise `OffScript` if there were requests without a step, or steps are left over."""
        wrong = [*self._unscripted, *(f"left over: {step!r}" for step in self._steps)]
        if wrong:
            raise OffScript("\n".join(wrong))

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises; raises `OffScript` if the script has no step for this request."""
        self.requests.append(request)
        if self._steps:
            scripted = self._steps.pop(0)
            step = scripted(request) if callable(scripted) else scripted
        elif self._then:
            step = self._then(request)
        else:
            asked = request.messages[-1].text[:200] if request.messages else ""
            self._unscripted.append(f"unscripted request: {asked!r}")
            raise OffScript(self._unscripted[-1])
        if isinstance(step, ModelError):
            raise step
        if step.thinking:
            yield Thinking(step.thinking)
        for piece in step.pieces:
            yield TextDelta(piece)
        if step.hangs:
            await asyncio.Event().wait()
        yield step.finished()
