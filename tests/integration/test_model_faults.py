"""Every fault ends in an answer or in one typed error, after at most three requests, and without waiting."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from bot.llm.client import OpenAIModel
from bot.llm.errors import (
    BadAnswer,
    ContextTooLong,
    ModelError,
    NoSuchModel,
    NoToolSupport,
    OutOfCredit,
    RateLimited,
    Rejected,
    Truncated,
    Unauthorised,
    Unavailable,
    WrongAddress,
)
from bot.llm.types import Model, Reason, Request, answer
from tests.servers import openai_script as script
from tests.servers.odd import Odd, OddServer, chunks, delta, whole
from tests.servers.openai_script import Call, Fault, Kind, Step
from tests.servers.openai_server import KEY, OpenAIServer
from tests.support.factories import ADD_TOOL, NOON, ClockPause, collect_events, endpoint, make_request

HELLO = Step(text=("Hel", "lo"))
TALKS_AND_CALLS = Step(text="Let me see.", calls=(Call("add", {"a": 1}),))
CALLS = Step(calls=(Call("add", {"a": 1}),))
SILENCE = {"read_s": 0.25}
"""How long a server that falls silent is listened to; all others have five seconds."""


def status(code: int, **headers: str) -> Fault:
    return Fault(
        kind=Kind.STATUS, status=code, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )


@dataclass(frozen=True)
class Case:
    """A script, and what has to come of it.

    Attributes:
        fault: what it is about.
        faults: what goes wrong with the requests, in order.
        step: what the model says when nothing does.
        ends: the reason with which the answer finishes, or the error.
        requests: how many the server must have seen.
        waited: how long was waited between them.
        text: what is shown.
    """

    fault: str
    faults: tuple[Fault | None, ...] = ()
    ends: Reason | type[ModelError] = Reason.STOP
    requests: int = 1
    waited: tuple[float, ...] = ()
    text: str | None = None
    step: Step = HELLO
    options: dict[str, Any] = field(default_factory=dict)


CASES = [
    Case("nothing", text="Hello"),
    # too many requests
    Case("429 with Retry-After", (script.rate_limited(1),), requests=2, waited=(1,)),
    Case("429 without", (script.rate_limited(),), requests=2, waited=(1,)),
    Case("429 twice", (script.rate_limited(), script.rate_limited()), requests=3, waited=(1, 2)),
    Case("429 for ever", (script.rate_limited(2),) * 3, RateLimited, 3, (2, 2)),
    Case("429 for longer than a minute", (script.rate_limited(61),), RateLimited),
    Case("429 for longer than there is time", (script.rate_limited(50),), RateLimited, options={"total_s": 40}),
    Case(
        "429 until a date",
        (status(429, Retry_After=format_datetime(NOON + timedelta(seconds=9), usegmt=True)),),
        requests=2,
        waited=(9,),
    ),
    Case("429 with nonsense in Retry-After", (status(429, Retry_After="soon"),), requests=2, waited=(1,)),
    Case("429 with a negative Retry-After", (status(429, Retry_After="-5"),), requests=2, waited=(0,)),
    Case("no credit left", (script.quota_exhausted(),), OutOfCredit),
    # trouble of the server
    Case("500", (status(500),), requests=2, waited=(1,)),
    Case("502, then 503 with Retry-After", (status(502), status(503, Retry_After="2")), requests=3, waited=(1, 2)),
    Case("500 for ever", (status(500),) * 3, Unavailable, 3, (1, 2)),
    Case("503 for two minutes", (status(503, Retry_After="120"),), Unavailable),
    Case("504 and no time left", (status(504),), Unavailable, options={"total_s": 0.9}),
    Case("408", (status(408),), requests=2, waited=(1,)),
    Case("409", (status(409),), requests=2, waited=(1,)),
    Case("529, overloaded", (status(529),), requests=2, waited=(1,)),
    # refusals
    Case("400", (status(400),), Rejected),
    Case("401", (status(401),), Unauthorised),
    Case("402", (status(402),), OutOfCredit),
    Case("403", (status(403),), Unauthorised),
    Case("405", (status(405),), WrongAddress),
    Case("413", (status(413),), ContextTooLong),
    Case("418", (status(418),), Rejected),
    Case("422", (status(422),), Rejected),
    Case("a request that does not fit", (script.context_too_long(),), ContextTooLong),
    Case("a wrong key", ends=Unauthorised, options={"key": "stolen"}),
    Case("no key", ends=Unauthorised, options={"key": ""}),
    Case("an unknown model", ends=NoSuchModel, options={"model": "gpt-99"}),
    Case("a web page", (script.web_page(),), WrongAddress),
    # silence and lost connections
    Case("silence, then an answer", (script.hangs(),), requests=2, waited=(1,), options=SILENCE),
    Case("silence for ever", (script.hangs(),) * 3, Unavailable, 3, (1, 2), options=SILENCE),
    Case("silence before the text", (script.hangs(1),), requests=2, waited=(1,), options=SILENCE),
    Case("silence before the text, twice", (script.hangs(1),) * 2, Truncated, 2, (1,), options=SILENCE),
    Case("silence in the text", (script.hangs(2),), Reason.TRUNCATED, text="Hel", options=SILENCE),
    Case("silence after the last word", (script.hangs(4),), text="Hello", options=SILENCE),
    Case("a reset", (script.resets(),), requests=2, waited=(1,)),
    Case("resets for ever", (script.resets(),) * 3, Unavailable, 3, (1, 2)),
    Case("a reset before the text", (script.resets(1),), requests=2, waited=(1,)),
    Case("a reset in the text", (script.resets(2),), Reason.TRUNCATED, text="Hel"),
    Case("chunk after chunk, slowly", (script.slow(0.005),), text="Hello"),
    Case(
        "chunk after chunk, slower than allowed",
        (script.slow(0.03),),
        Reason.TRUNCATED,
        text=None,
        step=Step(text=("a",) * 100),
        options={"total_s": 1.0},
    ),
    # streams that end too early
    Case("cut before the text", (script.cut(1),), requests=2, waited=(1,)),
    Case("cut before anything", (script.cut(0),), requests=2, waited=(1,)),
    Case("cut before the text, twice", (script.cut(1),) * 2, Truncated, 2, (1,)),
    Case("cut in the text", (script.cut(2),), Reason.TRUNCATED, text="Hel"),
    Case("cut in an event of the text", (script.cut(2, mid_event=True),), Reason.TRUNCATED, text="Hel"),
    Case("cut before the reason to finish", (script.cut(-3),), Reason.TRUNCATED, text="Hello"),
    Case("cut before the usage", (script.cut(-2),), text="Hello"),
    Case("cut before [DONE]", (script.cut(-1),), text="Hello"),
    Case("cut in a tool call", (script.cut(3),), Reason.TOOL_CALLS, 2, (1,), step=CALLS),
    Case("cut in a tool call after some text", (script.cut(-5),), Reason.TRUNCATED, step=TALKS_AND_CALLS),
    # garbage and errors inside the stream
    Case("garbage", (script.garbage(),), requests=2, waited=(1,)),
    Case("garbage, twice", (script.garbage(),) * 2, BadAnswer, 2, (1,)),
    Case("garbage in the text", (script.garbage(2),), Reason.TRUNCATED, text="Hel"),
    Case("an error event", (script.error_event(),), requests=2, waited=(1,)),
    Case("an error event in the text", (script.error_event(2),), Reason.TRUNCATED, text="Hel"),
    Case(
        "an event of too many requests",
        (Fault(kind=Kind.ERROR, code="rate_limit_exceeded"),) * 3,
        RateLimited,
        3,
        (1, 2),
    ),
    Case("an event of a lost right", (Fault(kind=Kind.ERROR, code="invalid_api_key"),), Unauthorised),
    # faults of the model itself
    Case("two hundred thousand characters", step=Step(text="abcdefghij" * 20_000), text="abcdefghij" * 20_000),
    Case("no text at all", ends=Reason.EMPTY, step=Step()),
    Case("thoughts only", ends=Reason.EMPTY, step=Step(reasoning="Hm.")),
    Case("a refusal", ends=Reason.REFUSAL, step=Step(refusal="No."), text=""),
    Case("the provider's filter", ends=Reason.FILTERED, step=Step(text="We", finish="content_filter"), text="We"),
    Case("the output limit", ends=Reason.LENGTH, step=Step(text="And then", finish="length")),
    Case("a call that was announced and did not come", ends=Reason.EMPTY, step=Step(finish="tool_calls")),
    Case("a call without its reason", ends=Reason.TOOL_CALLS, step=Step(calls=(Call("add"),), finish="stop")),
    Case("broken arguments", ends=Reason.TOOL_CALLS, step=Step(calls=(Call("add", '{"a": '),))),
    Case("arguments that are a list", ends=Reason.TOOL_CALLS, step=Step(calls=(Call("add", "[1, 2]"),))),
    Case("an unknown tool", ends=Reason.TOOL_CALLS, step=Step(calls=(Call("format disk"),))),
    Case("twins with one id", ends=Reason.TOOL_CALLS, step=Step(calls=(Call("add", id="x"), Call("add", id="x")))),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fault)
async def test_a_fault_ends_in_an_answer_or_one_error(case: Case) -> None:
    patience = ClockPause()
    options = dict(case.options)
    request = make_request(tools=(ADD_TOOL,), total_s=options.pop("total_s", 60))
    server = OpenAIServer(lambda _: case.step, case.faults)

    with server:
        async with OpenAIModel(endpoint(server.base_url, **options), clock=patience.clock) as asked_once:
            outcome = await outcome_of(patience.retrying(asked_once), request)
    requests = len(server.ledger.entries("request"))

    outcome.check()
    assert outcome.ends == case.ends
    assert requests == case.requests <= 3
    assert patience.waited == pytest.approx(list(case.waited))
    assert case.text in {None, outcome.text}


@dataclass(frozen=True)
class Outcome:
    """What was shown, how it ended, and the error if there was one."""

    text: str
    ends: Reason | type[ModelError]
    error: ModelError | None

    def check(self) -> None:
        """An error is fit to be shown: it says where it happened and what to do, and does not hold the key."""
        if self.error:
            assert "127.0.0.1" in self.error.message
            assert self.error.hint
            assert KEY not in str(self.error)
        assert (self.ends is Reason.TRUNCATED) <= isinstance(self.error, ModelError)


async def outcome_of(model: Model, request: Request) -> Outcome:
    try:
        text, end = await collect_events(model, request)
    except ModelError as error:
        return Outcome("", type(error), error)
    return Outcome(text, end.reason, end.error)


def hello(*before: object, **more: Any) -> Odd:
    """A stream with text, in a dialect of its own."""
    return chunks(*before, delta({"content": "Hello"}, **more), delta({}, "stop"))


def called(*calls: dict[str, Any]) -> Odd:
    """A stream with tool calls, each in a chunk."""
    return chunks(*(delta({"tool_calls": [call]}) for call in calls), delta({}, "tool_calls"))


def call(arguments: object, **more: Any) -> dict[str, Any]:
    return {"function": {"name": "add", "arguments": arguments}, **more}


MESSAGE = {"role": "assistant", "content": "Hello"}
ODD: dict[str, tuple[Odd, Reason | type[ModelError], int]] = {
    "no usage": (hello(), Reason.STOP, 1),
    "content that is null": (hello(delta({"role": "assistant", "content": None})), Reason.STOP, 1),
    "content in parts": (chunks(delta({"content": [{"type": "text", "text": "Hello"}]}, "stop")), Reason.STOP, 1),
    "fields that nobody knows": (hello(delta({"content": "", "mood": "good"}), x={"y": [1]}), Reason.STOP, 1),
    "choices that are null": (hello({"choices": None}, {"choices": []}, {}), Reason.STOP, 1),
    "a usage of texts": (hello(usage={"prompt_tokens": "many", "completion_tokens": None}), Reason.STOP, 1),
    "events that are no objects": (hello("null", "5", '"hello"', "[]"), Reason.STOP, 1),
    "comments to keep the line open": (Odd(b": PROCESSING\n\n" + hello().body), Reason.STOP, 1),
    "lines that end like on Windows": (Odd(hello().body.replace(b"\n", b"\r\n")), Reason.STOP, 1),
    "a text that looks like the beginning of a tag": (chunks(delta({"content": "<thin"}, "stop")), Reason.STOP, 1),
    "no type": (Odd(hello().body, "application/octet-stream"), Reason.STOP, 1),
    "an endpoint that does not stream": (
        whole({"choices": [{"message": MESSAGE, "finish_reason": "stop"}]}),
        Reason.STOP,
        1,
    ),
    "a call in one piece": (called(call('{"a": 1}', index=0, id="c1")), Reason.TOOL_CALLS, 1),
    "arguments that are an object": (called(call({"a": 1}, index=0, id="c1")), Reason.TOOL_CALLS, 1),
    "calls without index and id": (called(call("{}")), Reason.TOOL_CALLS, 1),
    "an answer that was broken off behind a gateway": (chunks(delta({"content": ""}, "error")), Truncated, 2),
    "[DONE] and nothing else": (chunks(), Truncated, 2),
    "an empty body": (Odd(b""), Truncated, 2),
    "JSON that is cut": (Odd(b'{"choices": [', "application/json"), BadAnswer, 2),
    "bytes that are no text": (Odd(b"data: \xff\xfe\n\n"), BadAnswer, 2),
    "a nesting without end": (Odd(b"data: " + b"[" * 100_000 + b"\n\n"), BadAnswer, 2),
    "an error with status 200": (whole({"error": {"message": "Busy", "code": 503}}), Unavailable, 3),
    "an error with status 200, in words": (whole({"error": "Unexpected endpoint or method."}), WrongAddress, 1),
    "another service": (whole({"status": "ok"}), WrongAddress, 1),
    "a page that is not there": (Odd(b"404 page not found", "text/plain", 404), WrongAddress, 1),
    "a web page with an error": (Odd(b"<html>Bad gateway", "text/html", 502), Unavailable, 3),
    "an error in a list": (whole([{"error": {"message": "API key not valid", "code": 401}}], 401), Unauthorised, 1),
    "an error as a text": (whole("no", 400), Rejected, 1),
    "a model that takes no tools": (
        whole({"error": {"message": "gemma does not support tools"}}, 400),
        NoToolSupport,
        1,
    ),
    "a model that was not loaded": (whole({"error": {"message": 'model "x" not found'}}, 404), NoSuchModel, 1),
    "an answer without end": (chunks(*[delta({"content": "x" * 500_000})] * 9), Reason.TRUNCATED, 1),
}


@pytest.mark.parametrize("name", ODD)
async def test_an_odd_answer_ends_in_an_answer_or_one_error(name: str) -> None:
    answer, ends, requests = ODD[name]
    patience = ClockPause()
    with OddServer(answer) as server:
        async with OpenAIModel(endpoint(server.base_url), clock=patience.clock) as asked_once:
            outcome = await outcome_of(patience.retrying(asked_once), make_request(tools=(ADD_TOOL,)))

    outcome.check()
    assert outcome.ends == ends
    assert len(server.received) == requests


ADDS = '{"name": "add", "arguments": {"a": 1}}'


@pytest.mark.parametrize(
    ("text", "words", "arguments"),
    [
        (f"<tool_call>\n{ADDS}\n</tool_call>", "", [{"a": 1}]),
        (f"Let me see.\n<tool_call>{ADDS}</tool_call>\n<tool_call>{ADDS}", "Let me see.", [{"a": 1}, {"a": 1}]),
        (f"```json\n{ADDS}\n```", "", [{"a": 1}]),
        ('{"name": "add", "parameters": {"a": 2}}', "", [{"a": 2}]),
        ('{"name": "add"}', "", [{}]),
        (f"That is what it looks like:\n```json\n{ADDS}\n```", None, []),
        (f"<tool_call>{ADDS}</tool_call> is its form.", None, []),
        ("<tool_call>" + ADDS.replace("add", "weather"), None, []),
        (f"<tool_call>{ADDS[:-1]}", None, []),
        ('{"name": "Ada", "age": 36}', None, []),
        (f"```\n<tool_call>\n{ADDS}\n</tool_call>\n```", "", [{"a": 1}]),
        (f"It is written so:\n```\n<tool_call>\n{ADDS}\n</tool_call>\n```", None, []),
        (f"It is written so:\n~~~\n<tool_call>\n{ADDS}\n</tool_call>\n~~~", None, []),
        (f"It is written so:\n~~~\n<tool_call>{ADDS}", None, []),
        (f"Code:\n```\n~~~\n```\n<tool_call>{ADDS}", "Code:\n```\n~~~\n```", [{"a": 1}]),
        (f"Sure~~~\n<tool_call>{ADDS}", "Sure~~~", [{"a": 1}]),
        ('{"name": "add", "description": "Adds.", "parameters": {"type": "object"}}', None, []),
        ("\n" * 20_000 + ADDS + "\n" * 20_000, "", [{"a": 1}]),
    ],
)
async def test_a_call_that_is_written_into_the_answer_is_one_if_nothing_else_follows_and_there_is_the_tool(
    text: str, words: str | None, arguments: list[dict[str, int]]
) -> None:
    patience = ClockPause()
    with OpenAIServer([Step(text=text)]) as server:
        async with OpenAIModel(endpoint(server.base_url), clock=patience.clock) as model:
            end = await answer(model, make_request(tools=(ADD_TOOL,)))

    assert [dict(call.arguments) for call in end.message.calls] == arguments
    assert len({call.id for call in end.message.calls}) == len(arguments)
    assert end.message.text == (text if words is None else words)
    assert end.reason is (Reason.TOOL_CALLS if arguments else Reason.STOP)


async def test_nobody_there_is_told_after_three_tries() -> None:
    patience = ClockPause()
    with OddServer(Odd(b"")) as server:
        base_url = server.base_url

    async with OpenAIModel(endpoint(base_url), clock=patience.clock) as asked_once:
        with pytest.raises(Unavailable, match="cannot be reached") as caught:
            await collect_events(patience.retrying(asked_once))

    assert "Connection refused" in caught.value.message
    assert "Is the server running?" in caught.value.hint
    assert patience.waited == [1, 2]


async def test_a_lost_connection_is_told_without_words_about_http() -> None:
    patience = ClockPause()
    with OpenAIServer(lambda _: HELLO, [script.resets(1)] * 2) as server:
        async with OpenAIModel(endpoint(server.base_url), clock=patience.clock) as asked_once:
            with pytest.raises(Truncated) as caught:
                await collect_events(patience.retrying(asked_once))

    assert caught.value.message.endswith("broke off its answer: the stream had no end.")
