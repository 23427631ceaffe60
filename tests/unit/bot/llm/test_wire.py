from __future__ import annotations

import json
from typing import Any

from bot.llm.dialect import Dialect
from bot.llm.endpoint import Endpoint
from bot.llm.port import Limits, Message, Request, Role, Tool, ToolCall
from bot.llm.wire import body
from tests.models import ADD
from tests.servers.openai_rules import complaint

AT = Endpoint(model="m", base_url="http://localhost:1/v1")
RULES = (Message(Role.SYSTEM, "Be kind."), Message(Role.SYSTEM, "Be brief."))
ASKED = Message(Role.USER, "2 + 3?")
CALLED = Message(Role.ASSISTANT, calls=(ToolCall("c1", "add", {"a": 2, "b": 3}),))
ADDED = Message(Role.TOOL, "5", call_id="c1")


def sent(*history: Message, at: Endpoint = AT, dialect: Dialect | None = None, **fields: Any) -> dict[str, Any]:
    request = Request(history=history or (ASKED,), **fields)
    return body(request, at, dialect or Dialect())


def test_a_whole_conversation_is_what_the_api_takes() -> None:
    said = Message(Role.ASSISTANT, "Five.")
    asked = sent(ASKED, CALLED, ADDED, said, ASKED, prefix=RULES, tools=(ADD,), limits=Limits(output_tokens=99))

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
        "name": ADD.name,
        "description": ADD.description,
        "parameters": ADD.parameters,
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
    one = json.dumps(sent(ASKED, prefix=RULES, tools=(ADD,)))
    two = json.dumps(sent(ASKED, CALLED, ADDED, prefix=RULES, tools=(ADD,)))

    assert two.startswith(one.removesuffix("]}"))


def test_options_that_are_not_set_are_not_sent() -> None:
    assert set(sent()) == {"model", "stream", "stream_options", "messages"}


def test_options_that_are_set_are_sent() -> None:
    at = Endpoint(model="m", base_url=AT.base_url, temperature=0.0)
    asked = sent(at=at, limits=Limits(output_tokens=10), tools=(ADD,), may_call=False)

    assert (asked["temperature"], asked["max_tokens"], asked["tool_choice"]) == (0.0, 10, "none")


def test_openai_itself_knows_the_output_limit_by_another_name() -> None:
    at = Endpoint(model="m", base_url="https://api.openai.com/v1")

    assert sent(at=at, limits=Limits(output_tokens=10))["max_completion_tokens"] == 10


def test_a_call_that_was_broken_is_repeated_in_a_form_that_is_not() -> None:
    broken = Message(
        Role.ASSISTANT, calls=(ToolCall("c1", "format disk!", fault="bad"), ToolCall("c2", "", fault="bad"))
    )
    results = (Message(Role.TOOL, "bad", call_id="c1"), Message(Role.TOOL, "bad", call_id="c2"))
    asked = sent(ASKED, broken, *results, tools=(ADD,))

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
