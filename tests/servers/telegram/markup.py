"""Inline keyboards: what a bot may put under a message, and the button that a person taps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.servers.telegram.refusals import bad_request

DATA_LIMIT = 64  # bytes of callback data
BUTTON_LIMIT = 100
ACTIONS = {"url", "callback_data", "web_app", "login_url", "switch_inline_query", "copy_text", "pay", "callback_game"}


def keyboard(markup: Mapping[str, Any] | None) -> dict[str, Any]:
    """The message's `reply_markup`, as a dict to merge; empty if there is none to show under the message.

    Raises:
        Refused: a button that does nothing, or whose data is too long.
    """
    if not markup or "inline_keyboard" not in markup:
        return {}
    for button in _buttons(markup):
        if not button.get("text"):
            raise bad_request('can\'t parse inline keyboard button: Field "text" must be non-empty')
        if not button.keys() & ACTIONS:
            raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
        if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= DATA_LIMIT:
            raise bad_request("BUTTON_DATA_INVALID")
    if sum(1 for _ in _buttons(markup)) > BUTTON_LIMIT:
        raise bad_request("reply markup is too long")
    return {"reply_markup": dict(markup)} if any(markup["inline_keyboard"]) else {}


def button(message: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    """The button with that label or data.

    Raises:
        LookupError: the message has none.
    """
    buttons = list(_buttons(message.get("reply_markup", {"inline_keyboard": []})))
    for candidate in buttons:
        if wanted in {candidate["text"], candidate.get("callback_data")}:
            return candidate
    raise LookupError(f"no button {wanted!r} under message {message['message_id']}: {buttons}")


def _buttons(markup: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for row in markup["inline_keyboard"]:
        yield from row
