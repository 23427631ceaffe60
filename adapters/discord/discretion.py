"""Keeps the library's log from telling what people say, and the rights to answer them."""

from __future__ import annotations

import logging
import re

_RIGHT = re.compile(r"(/(?:webhooks|interactions)/\d+/)[^/?\s]+", re.ASCII)
"""The part of an address with which anybody can answer an interaction."""


def _mask(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(_RIGHT.sub(r"\1***", one) if isinstance(one, str) else one for one in record.args)
    return True


def be_discreet() -> None:
    """From now on, the library's log holds no message's text, which it does below INFO, and no secret address."""
    logging.getLogger("discord").setLevel(logging.INFO)
    logging.getLogger("discord.http").addFilter(_mask)  # the same function again is not added again
