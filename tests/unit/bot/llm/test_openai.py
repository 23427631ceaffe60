from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing

import pytest

from bot.llm.errors import NoSuchModel, Unauthorised, Unavailable, WrongAddress
from bot.llm.openai import OpenAIModel
from bot.llm.port import Finished, Message, Reason, Request, Role, TextDelta, Thinking, ToolCall, Usage, answer
from memory import FrozenClock
from tests.models import ADD, NOON, asking, endpoint, events_of
from tests.servers import openai_script as script
from tests.servers.odd import OddServer, chunks, delta, whole
from tests.servers.openai_script import Call, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer

CLOCK = FrozenClock(NOON)
HELLO = chunks(delta({"content": "Hello"}), delta({}, "stop"))


def model_at(base_url: str, *, key: str = KEY, model: str = MODEL, read_s: float = 5.0) -> OpenAIModel:
    return OpenAIModel(endpoint(base_url, key=key, model=model, read_s=read_s), clock=CLOCK)


async def test_an_answer_streams_with_its_usage() -> None:
    with OpenAIServer([Step(text=("Hel", "lo"), reasoning="Hm.", usage=(7, 3))]) as server:
        async with model_at(server.base_url) as model:
            seen = [event async for event in model.stream(asking())]

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
            first = await answer(model, asking("1+2, 3+0?", tools=(ADD,)))
            results = [Message(Role.TOOL, "3", call_id=call.id) for call in first.message.calls]
            history = (*asking("1+2, 3+0?").history, first.message, *results)
            second = await answer(model, Request(history=history, tools=(ADD,)))

    assert first.message.calls == (ToolCall("c1", "add", {"a": 1, "b": 2}), ToolCall("c2", "add", {"a": 3}))
    assert second.message.text == "Six."
    assert server.received[1].tool_results == ["3", "3"]


async def test_thoughts_go_back_with_the_call_that_they_led_to() -> None:
    with OpenAIServer([Step(reasoning="Hm.", calls=(Call("add", id="c1"),)), Step(text="Done.")]) as server:
        async with model_at(server.base_url) as model:
            first = await answer(model, asking(tools=(ADD,)))
            history = (*asking().history, first.message, Message(Role.TOOL, "0", call_id="c1"))
            await answer(model, Request(history=history))

    assert server.received[1].messages[1]["reasoning_content"] == "Hm."


async def test_hanging_up_in_the_middle_closes_the_connection_and_the_next_request_is_answered() -> None:
    with OpenAIServer([Step(text=("a", "b", "c")), Step(text="next")], [script.slow(0.05)]) as server:
        async with model_at(server.base_url) as model:
            async with aclosing(model.stream(asking())) as events:
                async for event in events:
                    assert event == TextDelta("a")
                    break
            text, _ = await events_of(model)

    assert text == "next"


async def test_a_cancelled_task_stops_at_once() -> None:
    with OpenAIServer([Step(text="never")], [script.hangs(), None]) as server:
        async with model_at(server.base_url) as model:
            async with asyncio.TaskGroup() as group:
                asking_in_vain = group.create_task(events_of(model))
                while not server.received:
                    await asyncio.wait([asking_in_vain], timeout=0.01)
                asking_in_vain.cancel()
            text, _ = await events_of(model)

    assert text == "never"


async def test_the_time_for_one_answer_is_limited_even_if_it_never_falls_silent() -> None:
    with OpenAIServer(lambda _: Step(text=("a",) * 200), [script.slow(0.02)]) as server:
        async with model_at(server.base_url) as model:
            text, end = await events_of(model, asking(total_s=0.6))

    assert end.reason is Reason.TRUNCATED
    assert 0 < len(text) < 200
    assert "within 0.6 s" in str(end.error)


async def test_a_server_that_does_not_tell_its_usage_in_time_has_answered_all_the_same() -> None:
    with OpenAIServer(lambda _: Step(text=("a",)), [script.hangs(3)]) as server:
        async with model_at(server.base_url, read_s=0.2) as model:
            text, end = await events_of(model)

    assert (text, end.reason, end.usage) == ("a", Reason.STOP, None)


async def test_what_a_server_does_not_understand_is_left_out_from_the_second_request_on() -> None:
    refusal = whole({"error": {"message": "Unrecognized request argument supplied: stream_options"}}, 400)
    with OddServer(refusal, HELLO) as server:
        async with model_at(server.base_url) as model:
            for _ in range(2):
                await events_of(model)

    assert ["stream_options" in body for _, _, body in server.received] == [True, False, False]


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
            await events_of(model)

    (_, headers, _) = server.received[0]
    assert {name.lower() for name in headers} == {
        *["accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host"],
        "user-agent",
    }
    assert headers["Authorization"] == "Bearer none"
    assert headers["User-Agent"] == "scrubjay"


async def test_neither_keys_nor_conversations_reach_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with OpenAIServer([Step(text="a private answer")], [script.server_error(), None]) as server:
        async with model_at(server.base_url) as model, model_at(server.base_url, key="sk-stolen-key-1") as other:
            with pytest.raises(Unavailable):
                await events_of(model, asking("a private question"))
            await events_of(model, asking("a private question"))
            with pytest.raises(Unauthorised) as caught:
                await events_of(other)

    logged = "\n".join(f"{record.getMessage()} {record.args}" for record in caplog.records if record.name != "asyncio")
    for secret in (KEY, "sk-stolen-key-1", "private"):
        assert secret not in logged + str(caught.value)
    assert caught.value.__suppress_context__, "the SDK's error holds the request with its headers"


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
                await events_of(model)


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
            texts = [(await events_of(model))[0] for _ in range(3)]
        for _ in texts:
            await closed.get()

    assert texts == ["Hello"] * 3


async def test_closing_what_was_never_used_is_no_trouble() -> None:
    async with model_at("http://localhost:1/v1"):
        pass


async def test_two_requests_at_once_share_one_connection_pool() -> None:
    with OpenAIServer(lambda asked: Step(text=asked.user_text)) as server:
        async with model_at(server.base_url) as model:
            ends = await asyncio.gather(*(answer(model, asking(text)) for text in ("one", "two", "three")))

    assert [end.message.text for end in ends] == ["one", "two", "three"]
