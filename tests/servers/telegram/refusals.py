"""The Bot API's error answers, in the words of its own source (tdlib/telegram-bot-api, Client.cpp)."""

from __future__ import annotations

from math import ceil
from typing import Any


class Refused(Exception):
    """An error answer: status, description, and parameters that help the caller to go on."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.parameters = parameters

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"ok": False, "error_code": self.status, "description": self.description}
        return body | ({"parameters": self.parameters} if self.parameters else {})


PREFIXES = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 500: "Internal Server Error"}


def bad_request(reason: str) -> Refused:
    """400; the reason begins with a small letter unless it is a code, as the Bot API writes it."""
    is_code = len(reason) > 1 and (reason[1] == "_" or "A" <= reason[1] <= "Z")
    return Refused(400, f"Bad Request: {reason if is_code else reason[:1].lower() + reason[1:]}")


def forbidden(reason: str) -> Refused:
    return Refused(403, f"Forbidden: {reason}")


def unauthorized(reason: str = "") -> Refused:
    return Refused(401, f"Unauthorized: {reason}" if reason else "Unauthorized")


def no_method() -> Refused:
    return Refused(404, "Not Found: method not found")


def conflict(reason: str) -> Refused:
    return Refused(409, f"Conflict: {reason}")


def too_many_requests(seconds: float) -> Refused:
    wait = max(1, ceil(seconds))
    return Refused(429, f"Too Many Requests: retry after {wait}", retry_after=wait)


def upgraded(chat: int) -> Refused:
    return Refused(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat)


def not_modified() -> Refused:
    return bad_request(
        "message is not modified: specified new message content and reply markup are exactly the same as a current "
        "content and reply markup of the message"
    )


def broken(status: int, message: str) -> Refused:
    """Any other status, as when Telegram itself is in trouble."""
    return Refused(status, message or PREFIXES.get(status, "Bad Gateway"))
