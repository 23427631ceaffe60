"""What is pasted from a provider's page: the address of an endpoint, and the key to it."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr, WithJsonSchema

from bot.configuring.section import refuse

ALLOWED = "an address that begins with http:// or https://"


def is_local(address: str) -> bool:
    """Whether an address is one of this machine."""
    name = urlsplit(address).hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _trimmed(given: object) -> object:
    """Without the line break that came with it."""
    return given.strip() if isinstance(given, str) else given


def _address(given: str) -> str:
    allowed = "an address such as https://api.openai.com/v1 or http://localhost:11434/v1"
    try:
        parts = urlsplit(given)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise refuse(allowed, hint=str(error)) from error
    if parts.scheme not in {"http", "https"} or not host or any(sign.isspace() for sign in given):
        raise refuse(allowed, hint=f"Did you mean {_guess(given)} ?" if given and "://" not in given else "")
    if "@" in parts.netloc:
        raise refuse(f"{allowed}, without a password in it", hint="Put the key into api_key.")
    if parts.query or parts.fragment:
        raise refuse(f"{allowed}, without ? and #")
    return given.rstrip("/")


def _guess(given: str) -> str:
    """An address to which its scheme is missing; what runs on this machine is seldom encrypted."""
    return f"{'http' if is_local(f'http://{given}') else 'https'}://{given}"


def _key(given: SecretStr) -> SecretStr:
    key = given.get_secret_value()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise refuse("a key without spaces, line breaks and special signs", hint="Copy it again from the provider.")
    return given


Address = Annotated[
    str,
    BeforeValidator(_trimmed),
    AfterValidator(_address),
    WithJsonSchema({"type": "string", "allowed": ALLOWED}),
]
"""Where an endpoint is reached, without a slash at the end."""

Key = Annotated[SecretStr, BeforeValidator(_trimmed), AfterValidator(_key)]
"""What an endpoint lets one in with; empty for those that want none."""
