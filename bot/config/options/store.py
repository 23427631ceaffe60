"""Options of the store: where state, leases and files of agents are kept when several machines share them."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, field_validator

from bot.config.options.fields import Key, Section, refuse, strip_text

SCHEMES = ("postgresql", "postgres")

Role = Literal["ingress", "worker", "egress", "scheduler"]


class StoreSection(Section):
    """Where everything is kept. By default that is this home: nothing has to be set up."""

    url: Key = Field(
        default=SecretStr(""),
        examples=["${DATABASE_URL}"],
        json_schema_extra={"allowed": "postgresql://ROLE:PASSWORD@HOST/DATABASE, or empty"},
    )
    """A PostgreSQL database (16 or newer) that several machines share: messages under way, conversations, leases and
    the agents' files. Empty: this home."""
    objects: Annotated[str, BeforeValidator(strip_text)] = Field(
        default="",
        examples=["s3://scrubjay-files"],
        json_schema_extra={"allowed": "file:///FOLDER or s3://BUCKET, or empty"},
    )
    """Where the machines share what people send and are sent, apart from their texts: a folder that all of them see, or
    S3. Empty: such files stay on the machine that took them."""
    roles: tuple[Role, ...] = Field(
        default=("ingress", "worker", "egress", "scheduler"), min_length=1, examples=[["worker", "scheduler"]]
    )
    """What `scrubjay run` does here, of what the processes on one database share."""
    lease: float = Field(default=10.0, ge=1.0, le=300.0, examples=[30.0])
    """Seconds after which others take over what a process did that gives no sign of life."""

    @field_validator("objects")
    @classmethod
    def _is_folder_or_bucket(cls, given: str) -> str:
        parts = urlsplit(given)
        is_folder = parts.scheme == "file" and not parts.netloc and len(parts.path) > 1
        is_bucket = parts.scheme == "s3" and parts.netloc and "@" not in parts.netloc
        if given and (not (is_folder or is_bucket) or parts.query or parts.fragment):
            raise refuse()
        return given

    @field_validator("url")
    @classmethod
    def _is_postgresql(cls, given: SecretStr) -> SecretStr:
        if given.get_secret_value() and urlsplit(given.get_secret_value()).scheme not in SCHEMES:
            raise refuse("an address that begins with postgresql://")
        return given
