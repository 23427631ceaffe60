"""Options of the dashboard: where it is served, and who is let in."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from bot.config.options.fields import Key, Section, Whole, refuse, strip_text

SHORTEST_TOKEN = 16
"""Characters of a token; a shorter one could be guessed."""


class DashboardSection(Section):
    """The dashboard in a browser. `scrubjay dashboard` opens it."""

    port: Whole = Field(
        default=0,
        ge=0,
        le=65535,
        description="Where `scrubjay run` serves it. 0: only once `scrubjay dashboard` asks for it.",
        examples=[8789],
    )
    host: Annotated[str, BeforeValidator(strip_text)] = Field(
        default="127.0.0.1",
        description="The address of this machine that it is served at. Another than 127.0.0.1 needs a token.",
        examples=["192.168.1.20"],
        json_schema_extra={"allowed": "an IP address of this machine"},
    )
    token: Key = Field(
        default=SecretStr(""),
        description="Lets in whoever types it. Empty: only the links of `scrubjay dashboard` let in.",
        examples=["${DASHBOARD_TOKEN}"],
    )
    url: Annotated[str, BeforeValidator(strip_text)] = Field(
        default="",
        description="Its address in a browser, where a proxy of yours passes requests on to it.",
        examples=["https://jay.example.org"],
        json_schema_extra={"allowed": "an address that begins with http:// or https://, without a path"},
    )

    @field_validator("host")
    @classmethod
    def _is_numeric(cls, given: str) -> str:
        try:
            return str(ip_address(given))
        except ValueError as error:
            raise refuse("an IP address such as 127.0.0.1 or 192.168.1.20") from error

    @field_validator("url")
    @classmethod
    def _is_site(cls, given: str) -> str:
        parts = urlsplit(given)
        if given and (parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc):
            raise refuse()
        if parts.path.rstrip("/") or parts.query or parts.fragment:
            raise refuse("an address without a path: the dashboard needs a name of its own")
        return given.rstrip("/")

    @field_validator("token")
    @classmethod
    def _is_long(cls, given: SecretStr) -> SecretStr:
        if 0 < len(given.get_secret_value()) < SHORTEST_TOKEN:
            raise refuse(f"at least {SHORTEST_TOKEN} characters", hint="Make one: openssl rand -hex 16")
        return given

    @model_validator(mode="after")
    def _is_closed(self) -> DashboardSection:
        is_open = not ip_address(self.host).is_loopback or self.url
        if is_open and not self.token.get_secret_value():
            raise refuse(
                hint="Others can reach it there: set dashboard.token, or leave host and url as they are.", at="host"
            )
        return self
