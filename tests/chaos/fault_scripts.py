"""The ways in which a model and its server fail, each with how the turn has to end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from bot.agent.loop import ALL_FILTERED, BROKEN_OFF, NO_WORDS, TOO_LONG, UNFINISHED
from bot.tools.base import Result, Tool, Work, tool
from tests.servers import openai_script as script
from tests.servers.openai_script import Call, Fault, Kind, Mishap, Received, Step

FACT = "The spare key hangs in the shed."
QUESTION = "Where does the spare key hang?"
GOOD = Step(text="It hangs in the shed, says memory/2026-11-21.md#L4.")
SEARCH = Call("memory_search", {"query": "spare key"})
LOOKS = Step(calls=(SEARCH,))
FROM_MEMORY = "(Answered from memory:"
NOT_THIS = "(The model could not answer this:"
LARGE = 50_000_000


class Ends(Enum):
    """What the person gets."""

    ANSWER = "an answer"
    NOTICE = "a notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultScript:
    """One script.

    Attributes:
        name: what happens.
        faults: what goes wrong with the requests, in order.
        step: what the model says to the question.
        after: what it says when tools have answered.
        nudged: what it says when it is asked again after saying nothing.
        enough: what it says when it is told to stop.
        ends: how the turn ends.
        says: what is shown.
        notices: what the notice is made of.
        tools: tools that stand in for the usual ones.
        before: messages that were said before.
    """

    name: str
    faults: Sequence[Fault | None] | Mishap = ()
    step: Step = GOOD
    after: Step = GOOD
    nudged: Step = GOOD
    enough: Step = GOOD
    ends: Ends = Ends.ANSWER
    says: str = "shed"
    notices: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    before: tuple[str, ...] = ()


def status(code: int, **headers: str) -> Fault:
    return Fault(
        kind=Kind.STATUS, status=code, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )


def out(name: str, *faults: Fault, notice: str = FROM_MEMORY) -> FaultScript:
    """The model does not answer: memory does, and says why once."""
    return FaultScript(name=name, faults=faults, ends=Ends.NOTICE, notices=(notice,))


def passes(name: str, *faults: Fault) -> FaultScript:
    """It passes, and nobody notices."""
    return FaultScript(name=name, faults=faults)


def broken(name: str, *faults: Fault) -> FaultScript:
    """The answer breaks off: what came of it stands, with a remark."""
    return FaultScript(name=name, faults=faults, ends=Ends.NOTICE, says="It", notices=(BROKEN_OFF,))


def calls(name: str, *wanted: Call, after: Step = GOOD) -> FaultScript:
    """The model calls tools in a way that it should not, and gets to know."""
    return FaultScript(name=name, step=Step(calls=wanted), after=after)


def too_long_for(limit: int) -> Mishap:
    """A server that takes so many messages and no more."""

    def mishap(received: Received) -> Fault | None:
        return script.context_too_long() if len(received.messages) > limit else None

    return mishap


async def now(work: Work) -> Result:
    """Break."""
    raise ZeroDivisionError(work.op_id)


BREAKS = tool(now, doing="breaking")


async def large(work: Work) -> Result:
    """Bring more than anybody can read."""
    return Result(f"{work.op_id}x" * LARGE)


FLOODS = replace(BREAKS, run=large)


async def slow(work: Work) -> Result:
    """Never end."""
    await asyncio.Event().wait()
    return Result(work.op_id)


HANGS = replace(BREAKS, run=slow)
ASKS_TIME = Step(calls=(Call("now"),))

PROVIDER = (
    passes("429 with Retry-After", script.rate_limited(3)),
    passes("429 without Retry-After", script.rate_limited()),
    passes("429 twice", script.rate_limited(), script.rate_limited()),
    passes("429 with nonsense in Retry-After", status(429, Retry_After="soon")),
    out("429 for ever", *[script.rate_limited(2)] * 3),
    out("429 for two hours", script.rate_limited(7200)),
    out("no credit left", script.quota_exhausted()),
    passes("500", status(500)),
    passes("502, then 503 with Retry-After", status(502), status(503, Retry_After="2")),
    out("500 for ever", *[status(500)] * 3),
    passes("529, overloaded", status(529)),
    passes("408", status(408)),
    out("400", status(400), notice=NOT_THIS),
    out("401", status(401)),
    out("402", status(402)),
    out("403", status(403)),
    out("404", status(404)),
    out("422", status(422), notice=NOT_THIS),
    out("a web page", script.web_page()),
    passes("silence", script.hangs()),
    out("silence for ever", *[script.hangs()] * 3),
    passes("silence before the text", script.hangs(1)),
    broken("silence in the text", script.hangs(3)),
    passes("a reset", script.resets()),
    out("resets for ever", *[script.resets()] * 3),
    passes("a reset before the text", script.resets(1)),
    broken("a reset in the text", script.resets(3)),
    passes("slow chunks", script.slow(0.005)),
    passes("a stream that is cut before the text", script.cut(1)),
    out("a stream that is cut before the text, twice", script.cut(1), script.cut(1)),
    broken("a stream that is cut in the text", script.cut(3)),
    broken("a stream that is cut in an event", script.cut(3, mid_event=True)),
    passes("garbage", script.garbage()),
    out("garbage, twice", script.garbage(), script.garbage()),
    broken("garbage in the text", script.garbage(3)),
    passes("an error inside the stream", script.error_event()),
    broken("an error inside the text", script.error_event(3)),
)
"""Trouble of the other side."""

TOOLS = (
    calls("a tool that does not exist", Call("format_disk", {"disk": "c"})),
    calls("a tool whose name is no name", Call("rm -rf / && echo", {})),
    calls("a tool whose name is empty", Call("", {})),
    calls("arguments that are no JSON", Call("memory_search", '{"query": "spare')),
    calls("arguments that are a list", Call("memory_search", '["spare key"]')),
    calls("arguments that are of another tool", Call("memory_search", {"path": "USER.md"})),
    calls("arguments out of bounds", Call("memory_search", {"query": "key", "maxResults": 10**9})),
    calls("a path that leads outside", Call("memory_get", {"path": "../../etc/passwd"})),
    calls("a file to be written outside", Call("write_file", {"path": "../../tmp/x.md", "text": "x"})),
    calls("an edit of a file that was never read", Call("edit_file", {"path": "USER.md", "old": "a", "new": "b"})),
    calls("twins with one id", Call("now", id="x"), Call("now", id="x")),
    calls("thirty calls at once", *[Call("memory_search", {"query": f"key {n}"}) for n in range(30)]),
    FaultScript(name="a tool that breaks", step=ASKS_TIME, tools=(BREAKS,)),
    FaultScript(name="a tool that never ends", step=ASKS_TIME, tools=(HANGS,)),
    FaultScript(name="a result of fifty megabytes", step=ASKS_TIME, tools=(FLOODS,)),
    FaultScript(name="the same call for ever", step=LOOKS, after=LOOKS),
    FaultScript(name="the same call for ever, and after the end", step=LOOKS, after=LOOKS, enough=LOOKS,
                ends=Ends.NOTICE, says="", notices=(UNFINISHED,)),
    FaultScript(name="an outage between two steps", faults=(None, *[status(500)] * 3), step=LOOKS, ends=Ends.NOTICE,
                notices=(FROM_MEMORY,)),
    FaultScript(name="an outage after something was written", faults=(None, *[status(500)] * 3), ends=Ends.NOTICE,
                step=Step(calls=(Call("remember", {"text": "The shed is green."}),)), says="Noted in ",
                notices=(NOT_THIS,)),
    FaultScript(name="a stream that is cut in a call", faults=(script.cut(2),), step=LOOKS),
)  # fmt: skip
"""Trouble with tools."""

MODEL = (
    FaultScript(name="an empty answer", step=Step()),
    FaultScript(name="empty answers for ever", step=Step(), nudged=Step(), ends=Ends.NOTICE, says="",
                notices=(NO_WORDS,)),
    FaultScript(name="thoughts only", step=Step(reasoning="Hm.")),
    FaultScript(name="calls that are announced and do not come", step=Step(finish="tool_calls")),
    FaultScript(name="a refusal in words", step=Step(refusal="I cannot help with that."), says="I cannot help"),
    FaultScript(name="the provider's filter", step=Step(finish="content_filter"), ends=Ends.NOTICE, says="",
                notices=(ALL_FILTERED,)),
    FaultScript(name="the output limit", step=Step(text="It hangs in", finish="length"), says="It hangs in",
                ends=Ends.NOTICE, notices=(TOO_LONG,)),
    FaultScript(name="two hundred thousand characters", step=Step(text="abc shed. " * 20_000)),
    FaultScript(name="a prompt that does not fit", faults=too_long_for(4), before=("One.", "Two.", "Three.")),
    FaultScript(name="a prompt that never fits", faults=(script.context_too_long(),) * 2, ends=Ends.NOTICE,
                notices=(NOT_THIS,)),
)  # fmt: skip
"""Trouble of the model itself."""

SCRIPTS = (*PROVIDER, *TOOLS, *MODEL)
