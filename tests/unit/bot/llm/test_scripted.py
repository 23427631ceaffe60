from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.errors import Unavailable
from bot.llm.scripted import OffScript, ScriptedModel, Step
from bot.llm.types import Message, Reason, Role, Thinking, ToolCall, Usage, answer
from tests.support.factories import collect_events, make_request

CALL = ToolCall("c1", "now")


async def test_steps_are_answers_in_their_order_and_requests_are_kept() -> None:
    with ScriptedModel(Step(calls=(CALL,)), Step(text="It is noon.", usage=None)) as model:
        first = await answer(model, make_request("What time is it?"))
        text, second = await collect_events(model, make_request("And now?"))

    assert (first.reason, first.message) == (Reason.TOOL_CALLS, Message(Role.ASSISTANT, "", (CALL,)))
    assert (text, second.reason, second.usage) == ("It is noon.", Reason.STOP, None)
    assert [request.messages[-1].text for request in model.requests] == ["What time is it?", "And now?"]


async def test_errors_are_raised_and_functions_asked() -> None:
    def echo(request: object) -> Step:
        return Step(text=repr(request)[:7])

    with ScriptedModel(Unavailable("down"), echo) as model:
        with pytest.raises(Unavailable):
            await collect_events(model)
        text, _ = await collect_events(model)

    assert text == "Request"


async def test_a_function_can_answer_all_that_follows() -> None:
    with ScriptedModel(Step(text="first"), then=lambda request: Step(text=request.history[-1].text)) as model:
        said = [(await collect_events(model, make_request(text)))[0] for text in ("a", "b", "c")]

    assert said == ["first", "b", "c"]


async def test_a_request_without_a_step_fails_now_and_at_the_end() -> None:
    model = ScriptedModel()
    with pytest.raises(OffScript, match="unscripted request: 'hello'"):
        await collect_events(model)

    with pytest.raises(OffScript, match="unscripted request: 'hello'"), model:
        pass


def test_steps_that_nobody_asked_for_fail_at_the_end() -> None:
    with pytest.raises(OffScript, match=r"left over: Step\(text='never'"), ScriptedModel(Step(text="never")):
        pass


def test_an_error_in_the_block_is_not_hidden_by_the_steps_that_it_left_over() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedModel(Step()):
        raise ZeroDivisionError


async def test_thoughts_come_before_the_text() -> None:
    with ScriptedModel(Step(thinking="Hm.", text="Yes.")) as model:
        seen = [event async for event in model.stream(make_request())]

    assert seen[0] == Thinking("Hm.")


async def test_a_truncated_step_loses_its_calls_as_in_life() -> None:
    with ScriptedModel(Step(text="Let me", calls=(CALL,), reason=Reason.TRUNCATED)) as model:
        _, end = await collect_events(model)

    assert (end.reason, end.message.calls) == (Reason.TRUNCATED, ())
    assert end.error


async def test_nothing_at_all_is_an_empty_answer() -> None:
    with ScriptedModel(Step(usage=Usage(1, 0))) as model:
        text, end = await collect_events(model)

    assert (text, end.reason, end.usage) == ("", Reason.EMPTY, Usage(1, 0))


async def test_a_step_that_hangs_waits_to_be_cancelled() -> None:
    with ScriptedModel(Step(text="a", hangs=True)) as model, pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await collect_events(model)


@given(st.text())
def test_the_pieces_of_a_text_are_the_text_and_none_is_empty(text: str) -> None:
    pieces = Step(text=text).pieces

    assert "".join(pieces) == text
    assert all(pieces)
