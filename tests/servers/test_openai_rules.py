"""What the OpenAI API refuses in a chat request."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from tests.servers.openai_rules import complaint
from tests.servers.openai_server import MODEL

HELLO = [{"role": "user", "content": "hello"}]
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"arguments": "{}"}}]}
ANSWERING = {"role": "tool", "tool_call_id": "c1", "content": "3"}

PNG = f"data:image/png;base64,{b64encode(bytes.fromhex('89504e470d0a1a0a')).decode()}"


def showing(role: str, url: str) -> list[dict[str, Any]]:
    """A message with a picture."""
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": url}}]
    return [{"role": role, "content": parts}]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"messages": []}, "empty array"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "Invalid value: 'wizard'"),
        ({"messages": [{"role": "user", "content": None}]}, "expected a string, got null"),
        ({"messages": [*HELLO, ANSWERING]}, "must be a response to a preceeding message"),
        ({"messages": [*HELLO, CALLING]}, "did not have response messages: c1"),
        ({"messages": [*HELLO, CALLING, *HELLO]}, "did not have response messages: c1"),
        ({"messages": [*HELLO, CALLING, ANSWERING, ANSWERING]}, "must be a response to a preceeding message"),
        ({"messages": HELLO, "tools": []}, "Invalid 'tools': empty array"),
        ({"messages": HELLO, "tools": [TOOL, TOOL]}, "Tool names must be unique: add"),
        ({"messages": HELLO, "tools": [{"type": "function", "function": {"name": "a.b"}}]}, "does not match pattern"),
        ({"messages": HELLO, "stream_options": {}}, "only allowed when 'stream' is enabled"),
        ({"messages": HELLO, "tool_choice": "auto"}, "only allowed when 'tools' are specified"),
        ({"messages": showing("system", PNG)}, "Image URLs are only allowed for messages with role 'user'"),
        ({"messages": showing("user", "data:image/png;base64,AAAA")}, "unsupported image"),
        ({"messages": showing("user", "/9j/")}, "unsupported image"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": PNG}]}]}, "with a 'url'"),
        ({"messages": [{"role": "user", "content": [{"type": "picture"}]}]}, "Invalid value: 'picture'"),
        ({"messages": HELLO, "max_token": 5}, "Unrecognized request argument supplied: max_token"),
    ],
)
def test_a_request_that_the_api_refuses_is_refused(body: dict[str, Any], reason: str) -> None:
    assert reason in str(complaint({"model": MODEL, **body}))


def test_an_answered_tool_call_is_in_order() -> None:
    body = {"model": MODEL, "messages": [*HELLO, CALLING, ANSWERING, *HELLO], "tools": [TOOL], "tool_choice": "auto"}

    assert complaint(body) is None


@pytest.mark.parametrize("url", [PNG, "https://example.com/a.png"])
def test_a_user_may_show_a_picture(url: str) -> None:
    assert complaint({"model": MODEL, "messages": showing("user", url)}) is None
