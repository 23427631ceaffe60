"""Discord's error bodies, and where simcord's differ from what the real API sends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web
from simcord.backend.errors import BackendError

TEXT_LIMIT = 2000
NONCE_LIMIT = 25
FILE_LIMIT = 10 * 2**20
REQUEST_LIMIT = 25 * 2**20
PAGE_LIMIT = 100


def answer(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A JSON answer. The type carries no charset: discord.py takes anything but `application/json` for plain text."""
    if body is None:
        return web.Response(status=204, headers=headers)
    return web.Response(body=json.dumps(body).encode(), status=status, headers=headers, content_type="application/json")


def refusal(status: int, code: int, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    return answer({"message": message, "code": code}, status, headers)


def slow_down(wait_s: float, headers: Mapping[str, str], *, is_global: bool = False) -> web.Response:
    body = {"message": "You are being rate limited.", "retry_after": round(wait_s, 3), "global": is_global}
    return answer(body, 429, {"X-RateLimit-Scope": "user", **headers, "Retry-After": f"{wait_s:.3f}"})


def unauthorized() -> web.Response:
    return refusal(401, 0, "401: Unauthorized")


def too_large() -> BackendError:
    return BackendError(413, 40005, "Request entity too large")


def invalid_json() -> BackendError:
    return BackendError(400, 50109, "The request body contains invalid JSON.")


def cannot_write_to_person() -> BackendError:
    return BackendError(403, 50007, "Cannot send messages to this user")


def cannot_reply() -> BackendError:
    return BackendError(400, 160002, "Cannot reply without permission to read message history")


def invalid_field(field: str, code: str, message: str) -> BackendError:
    errors = {field: {"_errors": [{"code": code, "message": message}]}}
    return BackendError(400, 50035, "Invalid Form Body", errors=errors)


def check(path: str, params: Mapping[str, str], body: object) -> None:
    """What simcord lets pass.

    Raises:
        BackendError: the real API would refuse it.
    """
    if path.endswith("/messages") and not 1 <= int(params.get("limit", "50")) <= PAGE_LIMIT:
        raise invalid_field("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
    fields = body if isinstance(body, dict) else {}
    data = fields.get("data") if path.endswith("/callback") else fields
    content = (data or {}).get("content")
    if isinstance(content, str) and len(content) > TEXT_LIMIT:
        raise invalid_field("content", "BASE_TYPE_MAX_LENGTH", f"Must be {TEXT_LIMIT} or fewer in length.")
    if len(str(fields.get("nonce") or "")) > NONCE_LIMIT:
        raise invalid_field("nonce", "BASE_TYPE_MAX_LENGTH", f"Must be {NONCE_LIMIT} or fewer in length.")


def corrected(error: BackendError) -> BackendError:
    """The error with the code that the real API gives."""
    if error.code == 50035 and "empty message" in error.message:
        return BackendError(400, 50006, "Cannot send an empty message")
    return error
