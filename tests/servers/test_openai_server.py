"""The scripted model, asked by the real `openai` client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai import AsyncOpenAI

from tests.servers import openai_script as script
from tests.servers.control import Remote, ServerProcess
from tests.servers.ledger import read
from tests.servers.openai_script import Call, Fault, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer

HELLO: Any = [{"role": "user", "content": "hello"}]
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}


def client_of(server: OpenAIServer, *, key: str = KEY, read_s: float = 5.0) -> AsyncOpenAI:
    timeout = openai.Timeout(5, read=read_s)
    return AsyncOpenAI(base_url=server.base_url, api_key=key, max_retries=0, timeout=timeout)


async def ask(server: OpenAIServer, *, messages: Any = HELLO, read_s: float = 5.0, **options: Any) -> tuple[Any, ...]:
    """One streamed request: its text, tool calls by index, finish reason and usage."""
    text, calls = "", dict[int, dict[str, str]]()
    finish: str | None = None
    usage: Any = None
    async with client_of(server, read_s=read_s) as client:
        options = {"stream_options": {"include_usage": True}, **options}
        stream = await client.chat.completions.create(model=MODEL, messages=messages, stream=True, **options)
        async for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                finish = choice.finish_reason or finish
                for part in choice.delta.tool_calls or ():
                    known = calls.setdefault(part.index, {"id": part.id, "name": "", "arguments": ""})
                    known["name"] += part.function.name or ""
                    known["arguments"] += part.function.arguments or ""
    return text, calls, finish, usage


async def test_a_streamed_answer_arrives_in_the_given_chunks_with_usage() -> None:
    with OpenAIServer([Step(text=("Hel", "lo"), usage=(7, 3))]) as server:
        text, calls, finish, usage = await ask(server)

    assert (text, calls, finish) == ("Hello", {}, "stop")
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (7, 3, 10)


async def test_an_answer_in_one_piece_carries_text_refusal_and_usage() -> None:
    with OpenAIServer([Step(text="Hello"), Step(refusal="No.")]) as server:
        async with client_of(server) as client:
            first = await client.chat.completions.create(model=MODEL, messages=HELLO)
            second = await client.chat.completions.create(model=MODEL, messages=HELLO)

    assert first.choices[0].message.content == "Hello"
    assert first.usage
    assert first.usage.total_tokens == first.usage.prompt_tokens + first.usage.completion_tokens
    assert second.choices[0].message.content is None
    assert second.choices[0].message.refusal == "No."


async def test_parallel_tool_calls_stream_with_their_arguments_in_pieces() -> None:
    calls = (Call("add", {"a": 1, "b": 2}, pieces=4), Call("add", {"a": 3}))
    with OpenAIServer([Step(calls=calls)]) as server:
        _, seen, finish, _ = await ask(server, tools=[TOOL])

    assert finish == "tool_calls"
    assert [json.loads(call["arguments"]) for call in seen.values()] == [{"a": 1, "b": 2}, {"a": 3}]
    assert seen[0]["id"] != seen[1]["id"]


async def test_broken_arguments_repeated_ids_and_an_empty_answer_go_out_as_scripted() -> None:
    twins = (Call("add", '{"a": ', id="same"), Call("add", "", id="same"))
    with OpenAIServer([Step(calls=twins), Step(finish="tool_calls"), Step()]) as server:
        _, seen, _, _ = await ask(server, tools=[TOOL])
        hollow = await ask(server)
        empty = await ask(server)

    assert [(call["id"], call["arguments"]) for call in seen.values()] == [("same", '{"a": '), ("same", "")]
    assert hollow[:3] == ("", {}, "tool_calls")
    assert empty[:3] == ("", {}, "stop")


async def test_a_function_answers_each_request() -> None:
    def echo(request: Received) -> Step:
        return Step(text=f"{request.user_text}! {request.tool_results}")

    said = [{"type": "text", "text": "hey"}]
    with OpenAIServer(echo) as server:
        text, *_ = await ask(server, messages=[{"role": "user", "content": said}])

    assert text == "hey! []"


@pytest.mark.parametrize(
    ("fault", "error", "status"),
    [
        (script.rate_limited(retry_after=1.5), openai.RateLimitError, 429),
        (script.rate_limited(), openai.RateLimitError, 429),
        (script.quota_exhausted(), openai.RateLimitError, 429),
        (script.server_error(), openai.InternalServerError, 500),
        (script.server_error(503), openai.InternalServerError, 503),
        (script.context_too_long(), openai.BadRequestError, 400),
    ],
)
async def test_an_error_status_raises_and_leaves_the_answer_for_the_next_try(
    fault: Fault, error: type[openai.APIStatusError], status: int
) -> None:
    with OpenAIServer([Step(text="Hello")], [fault]) as server:
        with pytest.raises(error) as caught:
            await ask(server)
        text, *_ = await ask(server)

    assert caught.value.status_code == status
    assert caught.value.code == fault.code
    assert caught.value.response.headers.get("retry-after") == fault.headers.get("Retry-After")
    assert text == "Hello"


async def test_a_wrong_key_and_an_unknown_model_are_refused_without_a_script() -> None:
    with OpenAIServer() as server:
        async with client_of(server, key="stolen") as client:
            with pytest.raises(openai.AuthenticationError, match="Incorrect API key"):
                await client.chat.completions.create(model=MODEL, messages=HELLO)
        async with client_of(server) as client:
            with pytest.raises(openai.NotFoundError) as caught:
                await client.chat.completions.create(model="other", messages=HELLO)

    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize("after", [-1, 2])
async def test_silence_ends_in_the_clients_timeout(after: int) -> None:
    with OpenAIServer([Step(text="Hello")], [script.hangs(after), None]) as server:
        with pytest.raises(openai.APITimeoutError):
            await ask(server, read_s=0.15)
        text, *_ = await ask(server)

    assert text == "Hello"


@pytest.mark.parametrize("after", [-1, 2])
async def test_a_reset_before_or_amid_the_answer_is_a_connection_error(after: int) -> None:
    with OpenAIServer([Step(text="Hello, hello")], [script.resets(after), None]) as server:
        with pytest.raises(openai.APIConnectionError):
            await ask(server)
        text, *_ = await ask(server)

    assert text == "Hello, hello"


@pytest.mark.parametrize(
    ("fault", "text", "finish"),
    [
        (script.cut(2), "Hel", None),  # in the middle of the text
        (script.cut(2, mid_event=True), "Hel", None),  # in the middle of an event's JSON
        (script.cut(-3), "Hello", None),  # everything but finish reason, usage and [DONE]
        (script.cut(-1), "Hello", "stop"),  # everything but [DONE]
    ],
)
async def test_a_stream_that_ends_too_early_raises_nothing_and_shows_only_what_came(
    fault: Fault, text: str, finish: str | None
) -> None:
    with OpenAIServer([Step(text=("Hel", "lo"))], [fault, None]) as server:
        seen = await ask(server)
        again = await ask(server)

    assert (seen[0], seen[2]) == (text, finish)
    assert again[0] == "Hello"


async def test_garbage_and_an_error_event_in_the_stream_raise() -> None:
    with OpenAIServer([Step(text="Hello")], [script.garbage(), script.error_event(), None]) as server:
        with pytest.raises(json.JSONDecodeError):
            await ask(server)
        with pytest.raises(openai.APIError, match="The server had an error"):
            await ask(server)
        await ask(server)


async def test_a_web_page_instead_of_an_answer_is_not_a_completion() -> None:
    with OpenAIServer([Step(text="Hello")], [script.web_page(), None]) as server:
        async with client_of(server) as client:
            page = await client.chat.completions.create(model=MODEL, messages=HELLO)
        text, *_ = await ask(server)

    assert "It works" in str(page)
    assert text == "Hello"


async def test_a_body_cut_in_the_middle_of_its_json_raises_without_streaming() -> None:
    with OpenAIServer([Step(text="Hello")], [script.cut(1), None]) as server:
        async with client_of(server) as client:
            with pytest.raises(json.JSONDecodeError):
                await client.chat.completions.create(model=MODEL, messages=HELLO)
            whole = await client.chat.completions.create(model=MODEL, messages=HELLO)

    assert whole.choices[0].message.content == "Hello"


async def test_slow_chunks_and_a_huge_answer_arrive_whole() -> None:
    huge = "abcdefghij" * 20_000
    with OpenAIServer([Step(text=("a", "b", "c")), Step(text=huge)], [script.slow(0.01)]) as server:
        slow, *_ = await ask(server)
        text, *_ = await ask(server)

    assert slow == "abc"
    assert text == huge


async def test_thinking_comes_before_the_answer() -> None:
    with OpenAIServer([Step(reasoning="Hm.", text="Yes.")]) as server:
        async with client_of(server) as client:
            whole = await client.chat.completions.create(model=MODEL, messages=HELLO)

    assert whole.choices[0].message.model_extra == {"reasoning_content": "Hm."}


async def test_embeddings_depend_on_the_text_alone() -> None:
    with OpenAIServer(models=["small"]) as server:
        async with client_of(server) as client:
            many = await client.embeddings.create(model="small", input=["tea", "rain"], dimensions=8)
            one = await client.embeddings.create(model="small", input="rain", dimensions=8, encoding_format="float")

    assert many.data[1].embedding == pytest.approx(one.data[0].embedding, abs=1e-6)
    assert sum(value * value for value in one.data[0].embedding) == pytest.approx(1)
    assert many.data[0].embedding != many.data[1].embedding


async def test_models_are_listed() -> None:
    with OpenAIServer(models=["small", "large"]) as server:
        async with client_of(server) as client:
            names = [model.id async for model in client.models.list()]

    assert names == ["small", "large"]


async def test_requests_are_kept_in_memory_and_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "model.jsonl"
    with OpenAIServer([Step(text="Hello")], ledger=path) as server:
        await ask(server, tools=[TOOL])
        kinds = [entry["kind"] for entry in Remote(server.base_url.removesuffix("/v1")).entries()]

    assert server.received[0].messages == HELLO
    assert server.received[0].tools == ["add"]
    assert server.received[0].headers["Authorization"] == f"Bearer {KEY}"
    assert kinds == ["request", "answer"]
    assert [entry["kind"] for entry in read(path)] == kinds


async def test_an_assertion_inside_the_answering_function_fails_the_test() -> None:
    def picky(request: Received) -> Step:
        assert request.tools, "no tools on offer"
        return Step()

    server = OpenAIServer(picky).start()
    with pytest.raises(openai.BadRequestError):
        await ask(server)

    with pytest.raises(AssertionError, match="no tools on offer"):
        server.__exit__(None, None, None)


async def test_an_unscripted_request_fails_the_test() -> None:
    server = OpenAIServer().start()
    with pytest.raises(openai.BadRequestError, match="no answer"):
        await ask(server)

    with pytest.raises(AssertionError, match="unscripted request: 'hello'"):
        server.__exit__(None, None, None)


def test_left_over_steps_and_faults_fail_the_test() -> None:
    unused = OpenAIServer([Step(text="never")], [None, script.rate_limited()])

    with pytest.raises(AssertionError, match=r"(?s)left over.*never.*left over.*429"), unused:
        pass


async def test_it_runs_as_a_process_with_a_script_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    steps = [{"text": ["Hel", "lo"]}, {"calls": [{"name": "add", "arguments": {"a": 1}}]}]
    path.write_text(json.dumps({"answers": steps, "faults": [{"kind": "status", "status": 503}, None]}))
    with ServerProcess("tests.servers.openai_server", "--script", str(path)) as process:
        async with AsyncOpenAI(base_url=f"{process.url}/v1", api_key=KEY, max_retries=0) as client:
            with pytest.raises(openai.InternalServerError):
                await client.chat.completions.create(model=MODEL, messages=HELLO)
            answer = await client.chat.completions.create(model=MODEL, messages=HELLO)
        complaints = Remote(process.url).call("complaints")

    assert answer.choices[0].message.content == "Hello"
    assert len(complaints) == 1
    assert "left over" in complaints[0]


@settings(max_examples=30)
@given(st.text(max_size=300), st.one_of(st.none(), st.builds(script.cut, st.integers(0, 5))))
def test_chunks_join_to_the_text_and_scripts_survive_json(text: str, fault: Fault | None) -> None:
    step = Step(text=text)
    assert "".join(step.chunks) == text
    again = Step.parse(json.loads(json.dumps({"text": step.chunks})))
    assert again.whole_text == text
    assert fault is None or Fault.parse({"kind": "cut", "after": fault.after}) == fault
