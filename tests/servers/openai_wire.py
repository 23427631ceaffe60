"""The bodies that the OpenAI API sends: completions, stream events, embeddings, errors."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

from tests.servers.openai_script import Call, Received, Step

DONE = b"data: [DONE]\n\n"
CREATED = 1_790_000_000  # any second will do; nothing depends on it


def event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def error(message: str, *, status: int, code: str | None = None) -> dict[str, Any]:
    """An error body, its type as the API names it for that status."""
    kinds = {400: "invalid_request_error", 401: "invalid_request_error", 404: "invalid_request_error"}
    kinds[429] = "insufficient_quota" if code == "insufficient_quota" else "requests"
    return {"error": {"message": message, "type": kinds.get(status, "server_error"), "param": None, "code": code}}


def completion(step: Step, request: Received) -> dict[str, Any]:
    """The answer in one piece."""
    message: dict[str, Any] = {"role": "assistant", "content": step.whole_text or None, "refusal": step.refusal or None}
    if step.reasoning:
        message["reasoning_content"] = step.reasoning
    if step.calls:
        message["tool_calls"] = [
            {
                "id": _call_id(call, at),
                "type": "function",
                "function": {"name": call.name, "arguments": call.raw_arguments},
            }
            for at, call in enumerate(step.calls)
        ]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": step.finish_reason}
    return {**_frame(request, "chat.completion"), "choices": [choice], "usage": _usage(step, request)}


def stream(step: Step, request: Received) -> Iterator[bytes]:
    """The answer in events, the last one `[DONE]`."""
    with_usage = (request.body.get("stream_options") or {}).get("include_usage", False)
    frame = _frame(request, "chat.completion.chunk") | ({"usage": None} if with_usage else {})

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return event({**frame, "choices": [choice]})

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    for delta in _deltas(step):
        yield chunk(delta)
    yield chunk({}, step.finish_reason)
    if with_usage:
        yield event({**frame, "choices": [], "usage": _usage(step, request)})
    yield DONE


def _deltas(step: Step) -> Iterator[dict[str, Any]]:
    if step.reasoning:
        yield {"reasoning_content": step.reasoning}
    for text in step.chunks:
        yield {"content": text}
    if step.refusal:
        yield {"refusal": step.refusal}
    for index, call in enumerate(step.calls):
        function = {"name": call.name, "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": _call_id(call, index), "type": "function", "function": function}]}
        for piece in _pieces(call):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def embeddings(request: Received) -> dict[str, Any]:
    """Unit vectors that depend on the text alone: equal texts are equal, others almost orthogonal."""
    texts, size = request.body["input"], request.body.get("dimensions", 64)
    texts = [texts] if isinstance(texts, str) else texts
    vectors = [_vector(text, size) for text in texts]
    if request.body.get("encoding_format") == "base64":
        shown: list[Any] = [base64.b64encode(struct.pack(f"<{size}f", *vector)).decode() for vector in vectors]
    else:
        shown = list(vectors)
    tokens = sum(len(text) for text in texts) // 4
    return {
        "object": "list",
        "data": [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(shown)],
        "model": request.body["model"],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "tests"}


def _frame(request: Received, kind: str) -> dict[str, Any]:
    digest = hashlib.sha256(json.dumps(request.body, sort_keys=True).encode()).hexdigest()
    return {"id": f"chatcmpl-{digest[:24]}", "object": kind, "created": CREATED, "model": request.body["model"]}


def _usage(step: Step, request: Received) -> dict[str, int]:
    characters = len(json.dumps(request.messages)) + len(json.dumps(request.body.get("tools", "")))
    written = len(step.whole_text) + sum(len(call.raw_arguments) for call in step.calls)
    prompt, answer = step.usage or (characters // 4, written // 4)
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _call_id(call: Call, index: int) -> str:
    return call.id or f"call_{hashlib.sha256(f'{index}{call.name}{call.raw_arguments}'.encode()).hexdigest()[:24]}"


def _pieces(call: Call) -> list[str]:
    raw = call.raw_arguments
    size = max(1, -(-len(raw) // call.pieces))
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def _vector(text: str, size: int) -> list[float]:
    numbers = hashlib.shake_256(text.encode()).digest(size * 2)
    raw = [value / 32768 for value in struct.unpack(f"<{size}h", numbers)]
    norm = sqrt(sum(value * value for value in raw)) or 1.0
    return [value / norm for value in raw]
