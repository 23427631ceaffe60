"""A request -> the JSON body of a chat completion, in the dialect that the endpoint understands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from bot.llm.dialect import Dialect
from bot.llm.endpoint import Endpoint
from bot.llm.port import Message, Request, Role, Tool, ToolCall
from bot.text import well_formed

NAME = re.compile(r"[^a-zA-Z0-9_-]")
LONGEST_NAME = 64
"""What the API takes as the name of a function; models make up others, and have them in their history then."""


def body(request: Request, endpoint: Endpoint, dialect: Dialect) -> dict[str, Any]:
    """The body of a streaming request. What changes from turn to turn stands at its end, for prompt caches."""
    tools: dict[str, Any] = {"tools": [_tool(tool) for tool in request.tools]} if request.tools else {}
    if tools and not request.may_call:
        tools["tool_choice"] = "none"
    options: dict[str, Any] = {"stream_options": {"include_usage": True}}
    if endpoint.temperature is not None:
        options["temperature"] = endpoint.temperature
    if request.limits.output_tokens is not None:
        options |= dict.fromkeys(dialect.limit_name(endpoint), request.limits.output_tokens)
    return {
        "model": endpoint.model,
        "stream": True,
        **dialect.spoken(options | tools),
        "messages": list(_messages(request, dialect)),
    }


def _messages(request: Request, dialect: Dialect) -> Iterator[dict[str, Any]]:
    """The messages; the system's first ones as one, since the templates of many local models take only one."""
    messages = request.messages
    rules = list(takewhile(lambda message: message.role is Role.SYSTEM, messages))
    if rules:
        yield {"role": "system", "content": well_formed("\n\n".join(rule.text for rule in rules))}
    for message in messages[len(rules) :]:
        yield _message(message, dialect)


def _message(message: Message, dialect: Dialect) -> dict[str, Any]:
    text = well_formed(message.text)
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.call_id, "content": text}
    if not message.calls:
        return {"role": message.role.value, "content": text}
    return {
        **dialect.spoken(message.extra),
        "role": message.role.value,
        "content": text or None,
        "tool_calls": [_call(call, dialect) for call in message.calls],
    }


def _call(call: ToolCall, dialect: Dialect) -> dict[str, Any]:
    name = NAME.sub("_", call.name)[:LONGEST_NAME] or "unnamed"
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    function = {"name": name, "arguments": arguments}
    return {**dialect.spoken(call.extra), "id": call.id, "type": "function", "function": function}


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}
