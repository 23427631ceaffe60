"""Choices under a message."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from adapters.port import Button

DATA_LIMIT = 64
"""Bytes of a button's data."""
NARROW = 12
"""Characters of a label that leaves room for others beside it."""
PER_ROW = 3

log = logging.getLogger(__name__)


def keyboard(buttons: Sequence[Button]) -> InlineKeyboardMarkup | None:
    """The buttons in rows, in their order; None if there are none.

    A button that Telegram would not carry is left out rather than the whole message lost.
    """
    able = [button for button in buttons if button.label and 1 <= len(button.data.encode()) <= DATA_LIMIT]
    if len(able) < len(buttons):
        log.error("A button was left out: Telegram takes a label and 1 to %s bytes of data.", DATA_LIMIT)
    return InlineKeyboardMarkup(list(_rows(able))) if able else None


def _rows(buttons: Sequence[Button]) -> Iterator[list[InlineKeyboardButton]]:
    width = PER_ROW if all(len(button.label) <= NARROW for button in buttons) else 1
    for start in range(0, len(buttons), width):
        row = buttons[start : start + width]
        yield [InlineKeyboardButton(button.label, callback_data=button.data) for button in row]
