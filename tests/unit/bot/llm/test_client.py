from __future__ import annotations

import asyncio
import json
import logging
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from bot.llm.client import PICTURES_LEFT_OUT, OpenAIModel, ParameterSupport, body
from bot.llm.endpoint import Endpoint
from bot.llm.errors import NoSuchModel, Rejected, Unauthorised, Unavailable, WrongAddress
from bot.llm.types import (
    Finished,
    Limits,
    Message,
    Picture,
    Reason,
    Request,
    Role,
    TextDelta,
    Thinking,
    Tool,
    ToolCall,
    Usage,
    answer,
)
from memory import FrozenClock
from tests.servers import openai_script as script
from tests.servers.odd import OddServer, chunks, delta, whole
from tests.servers.openai_rules import complaint
from tests.servers.openai_script import Call, Fault, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import ADD_TOOL, NOON, collect_events, endpoint, make_request

CLOCK = FrozenClock(NOON)
HELLO = chunks(delta({"content": "Hello"}), delta({}, "stop"))


def model_at(base_url: str, *, key: str = KEY, model: str = MODEL, read_s: float = 5.0) -> OpenAIModel:
    return OpenAIModel(endpoint(base_url, key=key, model=model, read_s=read_s), clock=CLOCK)


async def test_an_answer_streams_with_its_usage() -> None:
    with OpenAIServer([Step(text=("Hel", "lo"), reasoning="Hm.", usage=(7, 3))]) as server:
        async with model_at(server.base_url) as model:
            seen = [event async for event in model.stream(make_request())]

    assert seen == [
        Thinking("Hm."),
        TextDelta("Hel"),
        TextDelta("lo"),
        Finished(Reason.STOP, Message(Role.ASSISTANT, "Hello"), Usage(7, 3)),
    ]


async def test_parallel_calls_come_whole_and_their_results_go_back() -> None:
    calls = (Call("add", {"a": 1, "b": 2}, id="c1", pieces=5), Call("add", {"a": 3}, id="c2"))
    with OpenAIServer([Step(calls=calls), Step(text="Six.")]) as server:
        async with model_at(server.base_url) as model:
            first = await answer(model, make_request("1+2, 3+0?", tools=(ADD_TOOL,)))
            results = [Message(Role.TOOL, "3", call_id=call.id) for call in first.message.calls]
            history = (*make_request("1+2, 3+0?").history, first.message, *results)
            second = await answer(model, Request(history=history, tools=(ADD_TOOL,)))

    assert first.message.calls == (ToolCall("c1", "add", {"a": 1, "b": 2}), ToolCall("c2", "add", {"a": 3}))
    assert second.message.text == "Six."
    assert server.received[1].tool_results == ["3", "3"]


async def test_thoughts_go_back_with_the_call_that_they_led_to() -> None:
    with OpenAIServer([Step(reasoning="Hm.", calls=(Call("add", id="c1"),)), Step(text="Done.")]) as server:
        async with model_at(server.base_url) as model:
            first = await answer(model, make_request(tools=(ADD_TOOL,)))
            history = (*make_request().history, first.message, Message(Role.TOOL, "0", call_id="c1"))
            await answer(model, Request(history=history))

    assert server.received[1].messages[1]["reasoning_content"] == "Hm."


async def test_hanging_up_in_the_middle_closes_the_connection_and_the_next_request_is_answered() -> None:
    with OpenAIServer([Step(text=("a", "b", "c")), Step(text="next")], [script.slow(0.05)]) as server:
        async with model_at(server.base_url) as model:
            async with aclosing(model.stream(make_request())) as events:
                async for event in events:
                    assert event == TextDelta("a")
                    break
            text, _ = await collect_events(model)

    assert text == "next"


async def test_a_cancelled_task_stops_at_once() -> None:
    with OpenAIServer([Step(text="never")], [script.hangs(), None]) as server:
        async with model_at(server.base_url) as model:
            async with asyncio.TaskGroup() as group:
                asking_in_vain = group.create_task(collect_events(model))
                while not server.received:
                    await asyncio.wait([asking_in_vain], timeout=0.01)
                asking_in_vain.cancel()
            text, _ = await collect_events(model)

    assert text == "never"


async def test_the_time_for_one_answer_is_limited_even_if_it_never_falls_silent() -> None:
    with OpenAIServer(lambda _: Step(text=("a",) * 200), [script.slow(0.02)]) as server:
        async with model_at(server.base_url) as model:
            text, end = await collect_events(model, make_request(total_s=0.6))

    assert end.reason is Reason.TRUNCATED
    assert 0 < len(text) < 200
    assert "within 0.6 s" in str(end.error)


async def test_a_server_that_does_not_tell_its_usage_in_time_has_answered_all_the_same() -> None:
    with OpenAIServer(lambda _: Step(text=("a",)), [script.hangs(3)]) as server:
        async with model_at(server.base_url, read_s=0.2) as model:
            text, end = await collect_events(model)

    assert (text, end.reason, end.usage) == ("a", Reason.STOP, None)


async def test_what_a_server_does_not_understand_is_left_out_from_the_second_request_on() -> None:
    refusal = whole({"error": {"message": "Unrecognized request argument supplied: stream_options"}}, 400)
    with OddServer(refusal, HELLO) as server:
        async with model_at(server.base_url) as model:
            for _ in range(2):
                await collect_events(model)

    assert ["stream_options" in body for _, _, body in server.received] == [True, False, False]


LOOK = Message(Role.USER, "Look.", pictures=(Picture("image/jpeg", b"\xff\xd8\xff", 2, 1),))


async def test_a_picture_goes_as_data_until_the_model_refuses_it_and_then_is_said_to_be_left_out() -> None:
    refused = Fault(kind=script.Kind.STATUS, status=400, message="This model does not support image inputs.")
    with OpenAIServer([Step(text="Green."), Step(text="I cannot see."), Step(text="No.")], [None, refused]) as server:
        async with model_at(server.base_url) as model:
            answers = [(await answer(model, Request(history=(LOOK,)))).message.text for _ in range(3)]
        contents = [received.messages[0]["content"] for received in server.received]

    assert answers == ["Green.", "I cannot see.", "No."]
    url = {"url": "data:image/jpeg;base64,/9j/"}
    assert contents[0] == contents[1] == [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": url}]
    assert contents[2] == contents[3] == f"{PICTURES_LEFT_OUT}\nLook."


async def test_a_server_that_was_started_without_sight_is_asked_again_without_pictures() -> None:
    words = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
    error = {"code": 500, "message": words, "type": "server_error"}
    with OddServer(whole({"error": error}, 500), HELLO) as server:
        async with model_at(server.base_url) as model:
            answers = [(await answer(model, Request(history=(LOOK,)))).message.text for _ in range(2)]
        contents = [body["messages"][0]["content"] for _, _, body in server.received]

    assert answers == ["Hello", "Hello"]
    assert contents[1:] == [f"{PICTURES_LEFT_OUT}\nLook."] * 2


@pytest.mark.parametrize(
    "words",
    [
        "Your input image may contain content that is not allowed by our safety system.",
        "messages.0.content.1.image: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
        "You uploaded an unsupported image. Please make sure your image is valid.",
    ],
)
async def test_one_picture_that_is_refused_is_left_out_once_and_the_next_one_is_shown(words: str) -> None:
    refused = Fault(kind=script.Kind.STATUS, status=400, message=words)
    with OpenAIServer([Step(text="I cannot see."), Step(text="Green.")], [refused]) as server:
        async with model_at(server.base_url) as model:
            answers = [(await answer(model, Request(history=(LOOK,)))).message.text for _ in range(2)]
        shows = [isinstance(received.messages[0]["content"], list) for received in server.received]

    assert answers == ["I cannot see.", "Green."]
    assert shows == [True, False, True]


async def test_nothing_of_the_environment_or_the_machine_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-environment",
        "OPENAI_ADMIN_KEY": "sk-admin",
        "OPENAI_ORG_ID": "org-1",
        "OPENAI_PROJECT_ID": "proj-1",
        "OPENAI_CUSTOM_HEADERS": "X-Secret: 1\nAuthorization: Bearer sk-custom",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    with OddServer(HELLO) as server:
        async with model_at(server.base_url, key="") as model:
            await collect_events(model)

    (_, headers, _) = server.received[0]
    assert {name.lower() for name in headers} == {
        *["accept", "accept-encoding", "authorization", "content-length", "content-type", "host", "user-agent"]
    }
    assert headers["Authorization"] == "Bearer none"
    assert headers["User-Agent"] == "scrubjay"


@pytest.mark.parametrize("name", ["http_proxy", "ALL_PROXY"])
async def test_a_proxy_of_the_environment_leads_to_the_internet_and_passwords_of_the_machine_stay(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine models.example login somebody password hunter2\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with OddServer(HELLO) as proxy:
        monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
        async with model_at("http://models.example/v1", key="sk-own") as model:
            await collect_events(model)

    (_, headers, _) = proxy.received[0]
    assert (headers["Host"], headers["Authorization"]) == ("models.example", "Bearer sk-own")


async def test_neither_keys_nor_conversations_reach_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with OpenAIServer([Step(text="a private answer")], [script.server_error(), None]) as server:
        async with model_at(server.base_url) as model, model_at(server.base_url, key="sk-stolen-key-1") as other:
            with pytest.raises(Unavailable):
                await collect_events(model, make_request("a private question"))
            await collect_events(model, make_request("a private question"))
            with pytest.raises(Unauthorised) as caught:
                await collect_events(other)

    logged = "\n".join(f"{record.getMessage()} {record.args}" for record in caplog.records if record.name != "asyncio")
    for secret in (KEY, "sk-stolen-key-1", "private"):
        assert secret not in logged + str(caught.value)
    told = caught.value
    assert told.__suppress_context__ or not told.__context__, "a library's error holds the request with its headers"


async def test_the_models_of_an_endpoint_are_listed() -> None:
    with OpenAIServer(models=["small", "large"]) as server:
        async with model_at(server.base_url) as model:
            assert await model.models() == ("large", "small")


@pytest.mark.parametrize("told", [{"data": None}, [], {"models": []}, "x", 7])
async def test_a_list_that_is_none_is_no_list(told: object) -> None:
    with OddServer(whole(told)) as server:
        async with model_at(server.base_url) as model:
            with pytest.raises(WrongAddress):
                await model.models()


async def test_a_model_that_does_not_exist_is_told_by_name_and_place() -> None:
    with OpenAIServer() as server:
        async with model_at(server.base_url, model="gpt-99") as model:
            with pytest.raises(NoSuchModel, match=r"gpt-99 at 127\.0\.0\.1:\d+ does not exist"):
                await collect_events(model)


async def test_it_is_named_after_the_model_and_the_place() -> None:
    assert model_at("http://localhost:11434/v1").name == f"{MODEL} at localhost:11434"


async def test_a_kept_connection_that_the_server_closed_in_the_meantime_is_no_failure() -> None:
    closed: asyncio.Queue[int] = asyncio.Queue()

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the first request of a connection, and closes it when the second one comes."""
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
        size = f"Content-Type: text/event-stream\r\nContent-Length: {len(HELLO.body)}"
        writer.write(f"HTTP/1.1 200 OK\r\n{size}\r\n\r\n".encode() + HELLO.body)
        await reader.read(1)
        writer.close()
        await writer.wait_closed()
        closed.put_nowait(1)

    async with await asyncio.start_server(once, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        async with model_at(f"http://127.0.0.1:{port}/v1") as model:
            texts = [(await collect_events(model))[0] for _ in range(3)]
        for _ in texts:
            await closed.get()

    assert texts == ["Hello"] * 3


async def test_closing_what_was_never_used_is_no_trouble() -> None:
    async with model_at("http://localhost:1/v1"):
        pass


async def test_two_requests_at_once_share_one_connection_pool() -> None:
    with OpenAIServer(lambda asked: Step(text=asked.user_text)) as server:
        async with model_at(server.base_url) as model:
            ends = await asyncio.gather(*(answer(model, make_request(text)) for text in ("one", "two", "three")))

    assert [end.message.text for end in ends] == ["one", "two", "three"]


AT = Endpoint(model="m", base_url="http://localhost:1/v1")
RULES = (Message(Role.SYSTEM, "Be kind."), Message(Role.SYSTEM, "Be brief."))
ASKED = Message(Role.USER, "2 + 3?")
CALLED = Message(Role.ASSISTANT, calls=(ToolCall("c1", "add", {"a": 2, "b": 3}),))
ADDED = Message(Role.TOOL, "5", call_id="c1")


def sent(
    *history: Message, at: Endpoint = AT, support: ParameterSupport | None = None, **fields: Any
) -> dict[str, Any]:
    request = Request(history=history or (ASKED,), **fields)
    return body(request, at, support or ParameterSupport())


def test_a_whole_conversation_is_what_the_api_takes() -> None:
    said = Message(Role.ASSISTANT, "Five.")
    asked = sent(ASKED, CALLED, ADDED, said, ASKED, prefix=RULES, tools=(ADD_TOOL,), limits=Limits(output_tokens=99))

    assert complaint(asked) is None
    assert [message["role"] for message in asked["messages"]] == [
        *["system", "user", "assistant", "tool", "assistant", "user"]
    ]
    assert asked["messages"][2] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2, "b": 3}'}}],
    }
    assert asked["messages"][3] == {"role": "tool", "tool_call_id": "c1", "content": "5"}
    assert asked["tools"][0]["function"] == {
        "name": ADD_TOOL.name,
        "description": ADD_TOOL.description,
        "parameters": ADD_TOOL.parameters,
    }
    assert (asked["stream"], asked["stream_options"]) == (True, {"include_usage": True})


def test_rules_go_as_one_message_since_many_templates_take_only_one() -> None:
    late = Message(Role.SYSTEM, "One more thing.")
    asked = sent(ASKED, late, prefix=RULES)

    assert [message["content"] for message in asked["messages"]] == [
        "Be kind.\n\nBe brief.",
        "2 + 3?",
        "One more thing.",
    ]


def test_what_does_not_change_comes_first_so_that_prompt_caches_hold() -> None:
    one = json.dumps(sent(ASKED, prefix=RULES, tools=(ADD_TOOL,)))
    two = json.dumps(sent(ASKED, CALLED, ADDED, prefix=RULES, tools=(ADD_TOOL,)))

    assert two.startswith(one.removesuffix("]}"))


def test_options_that_are_not_set_are_not_sent() -> None:
    assert set(sent()) == {"model", "stream", "stream_options", "messages"}


def test_options_that_are_set_are_sent() -> None:
    at = Endpoint(model="m", base_url=AT.base_url, temperature=0.0)
    asked = sent(at=at, limits=Limits(output_tokens=10), tools=(ADD_TOOL,), may_call=False)

    assert (asked["temperature"], asked["max_tokens"], asked["tool_choice"]) == (0.0, 10, "none")


def test_openai_itself_knows_the_output_limit_by_another_name() -> None:
    at = Endpoint(model="m", base_url="https://api.openai.com/v1")

    assert sent(at=at, limits=Limits(output_tokens=10))["max_completion_tokens"] == 10


def test_a_call_that_was_broken_is_repeated_in_a_form_that_is_not() -> None:
    broken = Message(
        Role.ASSISTANT, calls=(ToolCall("c1", "format disk!", fault="bad"), ToolCall("c2", "", fault="bad"))
    )
    results = (Message(Role.TOOL, "bad", call_id="c1"), Message(Role.TOOL, "bad", call_id="c2"))
    asked = sent(ASKED, broken, *results, tools=(ADD_TOOL,))

    functions = [call["function"] for call in asked["messages"][1]["tool_calls"]]
    assert functions == [{"name": "format_disk_", "arguments": "{}"}, {"name": "unnamed", "arguments": "{}"}]
    assert complaint(asked) is None


def test_a_name_without_end_is_cut() -> None:
    long = Message(Role.ASSISTANT, calls=(ToolCall("c1", "x" * 500),))

    assert sent(ASKED, long)["messages"][1]["tool_calls"][0]["function"]["name"] == "x" * 64


def test_what_the_provider_wants_back_goes_back() -> None:
    signed = ToolCall("c1", "add", extra={"extra_content": {"google": {"thought_signature": "s"}}})
    asked = sent(ASKED, Message(Role.ASSISTANT, calls=(signed,), extra={"reasoning_content": "Hm."}))

    assert asked["messages"][1]["reasoning_content"] == "Hm."
    assert asked["messages"][1]["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "s"}}


def test_what_the_provider_sent_cannot_replace_what_we_say() -> None:
    forged = ToolCall("c1", "add", extra={"id": "c9", "function": {"name": "x"}})
    asked = sent(ASKED, Message(Role.ASSISTANT, calls=(forged,), extra={"role": "system"}))

    assert asked["messages"][1]["role"] == "assistant"
    assert asked["messages"][1]["tool_calls"][0]["id"] == "c1"
    assert asked["messages"][1]["tool_calls"][0]["function"]["name"] == "add"


def test_half_characters_become_ones_that_can_be_sent() -> None:
    asked = sent(Message(Role.USER, "a\ud83d"), prefix=(Message(Role.SYSTEM, "\udc00"),))

    assert json.dumps(asked, ensure_ascii=False).encode()
    assert asked["messages"][1]["content"] == "a\ufffd"


def test_a_schema_goes_as_it_is() -> None:
    tool = Tool("t", "d", {"type": "object", "properties": {}, "additionalProperties": False})

    assert sent(tools=(tool,))["tools"][0]["function"]["parameters"] == dict(tool.parameters)


HOME = Endpoint(model="m", base_url="http://localhost:1/v1")
OPENAI = Endpoint(model="m", base_url="https://api.openai.com/v1")
AZURE = Endpoint(model="m", base_url="https://me.openai.azure.com/openai/v1")
BODY = {"stream_options": {}, "temperature": 0.2, "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("words", "learnt"),
    [
        ("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", ["max_tokens"]),
        ("Unsupported value: 'temperature' does not support 0.2 with this model.", ["temperature"]),
        ("Unrecognized request argument supplied: stream_options", ["stream_options"]),
        ("[{'type': 'extra_forbidden', 'loc': ['body', 'stream_options']}]", ["stream_options"]),
        ("Invalid 'temperature': must be at most 1", []),
        ("Unsupported parameter: 'frequency'", []),
        ("Unsupported parameter: 'tool_choice'", []),
        ("", []),
    ],
)
def test_a_complaint_about_something_that_was_sent_and_can_be_left_out_is_heard(words: str, learnt: list[str]) -> None:
    support = ParameterSupport()

    assert support.learn(Rejected(words), BODY) == learnt
    assert set(support.supported(BODY)) == set(BODY) - set(learnt)
    assert support.learn(Rejected(words), BODY) == [], "once is enough"


def test_thoughts_that_a_provider_does_not_want_back_are_heard_of_too() -> None:
    thoughtful = {"messages": [{"role": "assistant", "reasoning_content": "Hm.", "tool_calls": [{"extra_content": 1}]}]}
    support = ParameterSupport()

    assert support.learn(Rejected("property 'reasoning_content' is unsupported"), thoughtful) == ["reasoning_content"]
    refused = Rejected("Additional properties are not allowed ('extra_content')")
    assert support.learn(refused, thoughtful) == ["extra_content"]
    assert support.supported({"reasoning_content": "Hm.", "extra_content": 1}) == {}


def test_the_output_limit_has_another_name_until_that_one_is_refused_as_well() -> None:
    assert [ParameterSupport().limit_name(at) for at in (HOME, OPENAI, AZURE)] == [
        ["max_tokens"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]
    support = ParameterSupport()
    support.learn(Rejected("Unsupported parameter: 'max_tokens'"), BODY)
    assert support.limit_name(HOME) == ["max_completion_tokens"]
    support.learn(Rejected("Unsupported parameter: 'max_completion_tokens'"), BODY | {"max_completion_tokens": 5})
    assert support.limit_name(HOME) == []
