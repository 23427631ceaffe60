from __future__ import annotations

import pytest

from bot.llm.dialect import Dialect
from bot.llm.endpoint import Endpoint

HOME = Endpoint(model="m", base_url="http://localhost:1/v1")
OPENAI = Endpoint(model="m", base_url="https://api.openai.com/v1")
AZURE = Endpoint(model="m", base_url="https://me.openai.azure.com/openai/v1")
BODY = {"stream_options": {}, "temperature": 0.2, "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("words", "learnt"),
    [
        (
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            ["max_tokens"],
        ),
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
    dialect = Dialect()

    assert dialect.learn(words, BODY) == learnt
    assert set(dialect.spoken(BODY)) == set(BODY) - set(learnt)
    assert dialect.learn(words, BODY) == [], "once is enough"


def test_thoughts_that_a_provider_does_not_want_back_are_heard_of_too() -> None:
    thoughtful = {"messages": [{"role": "assistant", "reasoning_content": "Hm.", "tool_calls": [{"extra_content": 1}]}]}
    dialect = Dialect()

    assert dialect.learn("property 'reasoning_content' is unsupported", thoughtful) == ["reasoning_content"]
    assert dialect.learn("Additional properties are not allowed ('extra_content')", thoughtful) == ["extra_content"]
    assert dialect.spoken({"reasoning_content": "Hm.", "extra_content": 1}) == {}


def test_the_output_limit_has_another_name_until_that_one_is_refused_as_well() -> None:
    assert [Dialect().limit_name(at) for at in (HOME, OPENAI, AZURE)] == [
        ["max_tokens"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]
    dialect = Dialect()
    dialect.learn("Unsupported parameter: 'max_tokens'", BODY)
    assert dialect.limit_name(HOME) == ["max_completion_tokens"]
    dialect.learn("Unsupported parameter: 'max_completion_tokens'", BODY | {"max_completion_tokens": 5})
    assert dialect.limit_name(HOME) == []
