"""What the OpenAI API refuses in a chat request, in its words."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ROLES = {"developer", "system", "user", "assistant", "tool"}
PARAMETERS = set(
    "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens "
    "max_tokens metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key "
    "prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream "
    "stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options".split()
)
DATA = re.compile(r"data:(image/\w+);base64,([A-Za-z0-9+/]+={0,2})")
PICTURES = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF"}
EMPTY = "Invalid '{name}': empty array. Expected an array with minimum length 1, but got an empty array instead."
UNASKED = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)


def complaint(body: Mapping[str, Any]) -> str | None:
    """The first reason to refuse the request; None if there is none."""
    return next(_complaints(body), None)


def _complaints(body: Mapping[str, Any]) -> Iterator[str]:
    for name in body.keys() - PARAMETERS:
        yield f"Unrecognized request argument supplied: {name}"
    if not isinstance(body.get("model"), str):
        yield "you must provide a model parameter"
    if body.get("stream_options") is not None and not body.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield EMPTY.format(name="messages")
        return
    for index, message in enumerate(messages):
        yield from _message(message, f"messages[{index}]")
    yield from _order(messages)
    yield from _tools(body)


def _message(message: Mapping[str, Any], where: str) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        yield f"Invalid value: '{role}'. Supported values are: {', '.join(sorted(ROLES))}. ({where}.role)"
    if content is None and not (role == "assistant" and (message.get("tool_calls") or message.get("refusal"))):
        yield f"Invalid value for 'content': expected a string, got null. ({where}.content)"
    if not isinstance(content, str | list | None):
        yield f"Invalid type for '{where}.content': expected a string or an array of objects."
    for part, one in enumerate(content if isinstance(content, list) else ()):
        yield from _part(one, role, f"{where}.content[{part}]")
    for call in message.get("tool_calls") or ():
        if not isinstance(call["function"]["arguments"], str):
            yield f"Invalid type for '{where}.tool_calls.function.arguments': expected a string."


def _part(part: Mapping[str, Any], role: str | None, where: str) -> Iterator[str]:
    """A part of a message: everybody writes text, only users show pictures, as addresses or as data."""
    kind = part.get("type")
    if kind == "text" and isinstance(part.get("text"), str):
        return
    if kind != "image_url" or role != "user":
        yield f"Invalid value: '{kind}'. Image URLs are only allowed for messages with role 'user'. ({where}.type)"
        return
    given = part.get("image_url")
    url = given.get("url") if isinstance(given, Mapping) else None
    if not isinstance(url, str):
        yield f"Invalid type for '{where}.image_url': expected an object with a 'url'."
    elif not url.startswith(("https://", "http://")):
        found = DATA.fullmatch(url)
        kind, content = (found[1], b64decode(found[2])) if found else ("", b"")
        if kind not in PICTURES or not content.startswith(PICTURES[kind]):
            yield (
                "You uploaded an unsupported image. Please make sure your image has of one the following formats: "
                f"['png', 'jpeg', 'gif', 'webp']. ({where}.image_url.url)"
            )


def _order(messages: list[Mapping[str, Any]]) -> Iterator[str]:
    """Every tool call is answered, once, before anybody else speaks; nothing else is answered."""
    open_calls: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield UNASKED
                return
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            break
        open_calls = [call["id"] for call in message.get("tool_calls") or ()]
    if open_calls:
        yield UNANSWERED + ", ".join(open_calls)


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    tools = body.get("tools")
    if tools is None:
        if body.get("tool_choice") not in {None, "none"}:
            yield "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
        return
    if not tools:
        yield EMPTY.format(name="tools")
    names = [tool.get("function", {}).get("name", "") for tool in tools]
    for index, (name, tool) in enumerate(zip(names, tools, strict=True)):
        if tool.get("type") != "function" or not NAME.fullmatch(name):
            yield f"Invalid 'tools[{index}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
        if tool.get("function", {}).get("parameters", {"type": "object"}).get("type") != "object":
            yield f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'."
    for name in {name for name in names if names.count(name) > 1}:
        yield f"Tool names must be unique: {name}"
