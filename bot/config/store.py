"""Options of the store: where state, leases and files of agents are kept when several machines share them."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from bot.config.fields import Key, Section, refuse

SCHEMES = ("postgresql", "postgres")

Role = Literal["ingress", "worker", "egress", "scheduler"]


class StoreSection(Section):
    """Where everything is kept. By default that is this home: nothing has to be set up."""

    url: Key = Field(
        default=SecretStr(""),
        description="A PostgreSQL database (16 or newer) that several machines share: messages under way, "
        "conversations, leases and the agents' files. Empty: this home. docs/scale.md tells when that is worth it.",
        examples=["${DATABASE_URL}"],
        json_schema_extra={"allowed": "postgresql://ROLE:PASSWORD@HOST/DATABASE, or empty"},
    )
    roles: tuple[Role, ...] = Field(
        default=("ingress", "worker", "egress", "scheduler"),
        min_length=1,
        description="What `scrubjay run` does here, of what the processes on one database share.",
        examples=[["worker", "scheduler"]],
    )
    lease: float = Field(
        default=10.0,
        ge=1.0,
        le=300.0,
        description="Seconds after which others take over what a process did that gives no sign of life.",
        examples=[30.0],
    )

    @field_validator("url")
    @classmethod
    def _is_postgresql(cls, given: SecretStr) -> SecretStr:
        if given.get_secret_value() and urlsplit(given.get_secret_value()).scheme not in SCHEMES:
            raise refuse("an address that begins with postgresql://")
        return given
