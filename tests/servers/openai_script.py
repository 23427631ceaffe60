"""What a scripted model answers and what goes wrong on the way: the vocabulary of `openai_server`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `arguments` given as text go out as they are, however broken."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""
    pieces: int = 2

    @property
    def raw_arguments(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer of the model.

    Attributes:
        text: the answer; a tuple gives the chunks in which it streams.
        calls: tool calls, parallel if several.
        refusal: the model's own words for refusing.
        reasoning: thinking that comes before the answer (`reasoning_content`).
        finish: the finish reason, if it is not the one that fits.
        usage: prompt and completion tokens, if not counted from the characters.
    """

    text: str | tuple[str, ...] = ""
    calls: tuple[Call, ...] = ()
    refusal: str = ""
    reasoning: str = ""
    finish: str = ""
    usage: tuple[int, int] | None = None

    @property
    def chunks(self) -> tuple[str, ...]:
        """The text as it streams: as given, else in about twenty pieces of at least six characters."""
        if isinstance(self.text, tuple):
            return self.text
        size = max(6, len(self.text) // 20)
        return tuple(self.text[at : at + size] for at in range(0, len(self.text), size))

    @property
    def whole_text(self) -> str:
        return "".join(self.chunks)

    @property
    def finish_reason(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        """A step from JSON: the attributes' names, with lists for tuples."""
        text, usage = data.get("text", ""), data.get("usage")
        return cls(
            **{
                **data,
                "text": text if isinstance(text, str) else tuple(text),
                "calls": tuple(Call(**call) for call in data.get("calls", ())),
                "usage": tuple(usage) if usage else None,
            }
        )


class Kind(StrEnum):
    """What goes wrong."""

    STATUS = "status"  # an error status with an error body
    HTML = "html"  # 200 and a web page, as from a wrong base URL
    HANG = "hang"  # silence
    RESET = "reset"  # the connection is torn down
    CUT = "cut"  # the body ends cleanly, too early
    GARBAGE = "garbage"  # an event that is not JSON
    ERROR = "error"  # an error event inside the stream
    SLOW = "slow"  # a pause before every chunk; the answer arrives


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong with one request.

    Attributes:
        kind: what.
        after: how many events of the stream arrive first; -1: nothing at all, not even the status line.
        seconds: the pause of `SLOW`.
        mid_event: `CUT` comes in the middle of an event's JSON.
        status, code, message, headers: of `STATUS` and `ERROR`.
    """

    kind: Kind
    after: int = 0
    seconds: float = 0.0
    mid_event: bool = False
    status: int = 500
    code: str | None = None
    message: str = "The server had an error while processing your request."
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def answers(self) -> bool:
        """Whether the step that it strikes arrives all the same."""
        return self.kind is Kind.SLOW

    @classmethod
    def parse(cls, data: Mapping[str, Any] | None) -> Self | None:
        return None if data is None else cls(**{**data, "kind": Kind(data["kind"])})


def rate_limited(retry_after: float | None = None) -> Fault:
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    message = "Rate limit reached for requests."
    return Fault(kind=Kind.STATUS, status=429, code="rate_limit_exceeded", message=message, headers=headers)


def server_error(status: int = 500) -> Fault:
    return Fault(kind=Kind.STATUS, status=status)


def quota_exhausted() -> Fault:
    message = "You exceeded your current quota, please check your plan and billing details."
    return Fault(kind=Kind.STATUS, status=429, code="insufficient_quota", message=message)


def context_too_long(limit: int = 4096) -> Fault:
    message = f"This model's maximum context length is {limit} tokens. Please reduce the length of the messages."
    return Fault(kind=Kind.STATUS, status=400, code="context_length_exceeded", message=message)


def web_page() -> Fault:
    return Fault(kind=Kind.HTML)


def hangs(after: int = -1) -> Fault:
    return Fault(kind=Kind.HANG, after=after)


def resets(after: int = -1) -> Fault:
    return Fault(kind=Kind.RESET, after=after)


def cut(after: int, *, mid_event: bool = False) -> Fault:
    """The stream ends after that many events; counted from its end if negative (-1: without `[DONE]`)."""
    return Fault(kind=Kind.CUT, after=after, mid_event=mid_event)


def garbage(after: int = 1) -> Fault:
    return Fault(kind=Kind.GARBAGE, after=after)


def error_event(after: int = 1) -> Fault:
    return Fault(kind=Kind.ERROR, after=after)


def slow(seconds: float) -> Fault:
    return Fault(kind=Kind.SLOW, seconds=seconds)


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", ()))

    @property
    def tools(self) -> list[str]:
        """The names of the tools on offer."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def user_text(self) -> str:
        """What the last user message says."""
        said = [message["content"] for message in self.messages if message["role"] == "user"]
        return _plain(said[-1]) if said else ""

    @property
    def tool_results(self) -> list[str]:
        """What the tools answered since the model last spoke."""
        results: list[str] = []
        for message in reversed(self.messages):
            if message["role"] != "tool":
                break
            results.insert(0, _plain(message["content"]))
        return results


Answer = Callable[[Received], Step]
Mishap = Callable[[Received], Fault | None]


class Script:
    """Answers and faults in order, or made for each request by functions.

    A fault uses up no answer: the request that is tried again gets the one that was meant for the first try.
    """

    def __init__(self, answers: Sequence[Step] | Answer = (), faults: Sequence[Fault | None] | Mishap = ()) -> None:
        self._answer = answers if callable(answers) else None
        self._steps = [] if callable(answers) else list(answers)
        self._mishap = faults if callable(faults) else None
        self._faults = [] if callable(faults) else list(faults)

    def fault_for(self, request: Received) -> Fault | None:
        if self._mishap:
            return self._mishap(request)
        return self._faults.pop(0) if self._faults else None

    def step_for(self, request: Received, *, used: bool) -> Step | None:
        """The answer to this request; None if the script has no more."""
        if self._answer:
            return self._answer(request)
        if not self._steps:
            return None
        return self._steps.pop(0) if used else self._steps[0]

    @property
    def left_over(self) -> list[str]:
        faults = [repr(fault) for fault in self._faults if fault]
        return [repr(step) for step in self._steps] + faults

    @classmethod
    def load(cls, path: Path) -> Self:
        """A script from a file: `{"answers": [step, ...], "faults": [fault or null, ...]}`."""
        data = json.loads(path.read_text(encoding="utf-8"))
        answers = [Step.parse(step) for step in data.get("answers", ())]
        return cls(answers, [Fault.parse(fault) for fault in data.get("faults", ())])


def _plain(content: str | Sequence[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
