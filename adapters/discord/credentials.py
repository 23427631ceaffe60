"""What a bot token says about itself, without asking Discord."""

from __future__ import annotations

import base64
import binascii
import re

from adapters.port import LoginRefused

_TOKEN = re.compile(r"(?P<id>[\w-]{20,32})\.[\w-]{4,}\.[\w-]{20,}", re.ASCII)
HINT = (
    "Copy it anew from the developer portal: your application, Bot, Reset Token. "
    "It has three parts with dots between them; the client secret and the public key are something else."
)


def bot_id(token: str) -> str:
    """The numeric id of the bot account that a token belongs to: its first part, in base64.

    >>> bot_id("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs")
    '198622483471925248'

    Raises:
        LoginRefused: this is not a bot token; the message does not repeat it.
    """
    found = _TOKEN.fullmatch(token.strip())
    digits = _decoded(found["id"]) if found else ""
    if not digits.isdecimal():
        raise LoginRefused(f"What is given as Discord's bot token is not one. {HINT}")
    return digits


def _decoded(text: str) -> str:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""
