"""Messages as Discord's API takes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adapters.port import Button, Outbound, SendRefused

FILE_LIMIT = 10 * 2**20
MOST_FILES = 10
MOST_BUTTONS = 25
ROW = 5
LONGEST_LABEL = 80
LONGEST_ID = 100

PREFIX = "sj:"
"""Begins the custom id of every button, so that a tap on one that an earlier process made is known as ours."""

SUPPRESS_EMBEDS = 1 << 2
EPHEMERAL = 1 << 6

_ROW_TYPE, _BUTTON_TYPE, _SECONDARY = 1, 2, 2


def content(out: Outbound, *, is_hidden: bool = False) -> dict[str, Any]:
    """The fields that say what a message shows; nobody is notified by a mention in it, and links stay links.

    Raises:
        SendRefused: Discord would not take the files or the buttons.
    """
    return {
        "content": out.text,
        "components": _rows(out.buttons),
        "attachments": [{"id": number, "filename": path.name} for number, path in enumerate(files(out))],
        "allowed_mentions": {"parse": [], "replied_user": False},
        "flags": SUPPRESS_EMBEDS | (EPHEMERAL if is_hidden else 0),
    }


def fresh(out: Outbound, *, channel: int, refers_to: str | None) -> dict[str, Any]:
    """The fields of a new message in a channel, under its own nonce, as a reply to another one if it refers to it."""
    fields = content(out) | {"nonce": out.id, "enforce_nonce": True}
    if refers_to:
        fields["message_reference"] = {
            "message_id": refers_to,
            "channel_id": str(channel),
            "fail_if_not_exists": False,
        }
    return fields


def files(out: Outbound) -> Sequence[Path]:
    """The files to attach, in order.

    Raises:
        SendRefused: too many, too large, or not there.
    """
    paths = [Path(file) for file in out.files]
    if len(paths) > MOST_FILES:
        raise SendRefused(f"Discord takes {MOST_FILES} files with a message, not {len(paths)}.")
    for path in paths:
        if not path.is_file():
            raise SendRefused(f"The file {path.name} is no longer there.")
        if path.stat().st_size > FILE_LIMIT:
            raise SendRefused(f"Discord takes files of up to {FILE_LIMIT // 2**20} MiB; {path.name} is larger.")
    return paths


def _rows(buttons: Sequence[Button]) -> list[dict[str, Any]]:
    if len(buttons) > MOST_BUTTONS:
        raise SendRefused(f"Discord shows {MOST_BUTTONS} buttons under a message, not {len(buttons)}.")
    shown = [_button(button) for button in buttons]
    return [{"type": _ROW_TYPE, "components": shown[at : at + ROW]} for at in range(0, len(shown), ROW)]


def _button(button: Button) -> dict[str, Any]:
    custom_id = f"{PREFIX}{button.data}"
    if len(custom_id) > LONGEST_ID:
        raise SendRefused(f"A button's data has at most {LONGEST_ID - len(PREFIX)} characters: {button.data[:20]}...")
    return {"type": _BUTTON_TYPE, "style": _SECONDARY, "label": button.label[:LONGEST_LABEL], "custom_id": custom_id}
