"""Options for whoever operates the service: its dashboard, its health and figures, its log, its traces, its store."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from bot.config.options.fields import Address, Key, Section, Whole, refuse, strip_text

MIN_TOKEN_CHARS = 16
"""Characters of a token; a shorter one could be guessed."""

SCHEMES = ("postgresql", "postgres")
"""With one of them the address of a store begins."""

Role = Literal["ingress", "worker", "egress", "scheduler"]


class DashboardSection(Section):
    """The dashboard in a browser. `scrubjay dashboard` opens it."""

    port: Whole = Field(default=0, ge=0, le=65535, examples=[8789])
    """Where `scrubjay run` serves it. 0: only once `scrubjay dashboard` asks for it."""
    host: Annotated[str, BeforeValidator(strip_text)] = Field(
        default="127.0.0.1", examples=["192.168.1.20"], json_schema_extra={"allowed": "an IP address of this machine"}
    )
    """The address of this machine that it is served at. Another than 127.0.0.1 needs a token."""
    token: Key = Field(default=SecretStr(""), examples=["${DASHBOARD_TOKEN}"])
    """Lets in whoever types it. Empty: only the links of `scrubjay dashboard` let in."""
    url: Annotated[str, BeforeValidator(strip_text)] = Field(
        default="",
        examples=["https://jay.example.org"],
        json_schema_extra={"allowed": "an address that begins with http:// or https://, without a path"},
    )
    """Its address in a browser, where a proxy of yours passes requests on to it."""

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
        if 0 < len(given.get_secret_value()) < MIN_TOKEN_CHARS:
            raise refuse(f"at least {MIN_TOKEN_CHARS} characters", hint="Make one: openssl rand -hex 16")
        return given

    @model_validator(mode="after")
    def _is_closed(self) -> Self:
        is_open = not ip_address(self.host).is_loopback or self.url
        if is_open and not self.token.get_secret_value():
            raise refuse(
                hint="Others can reach it there: set dashboard.token, or leave host and url as they are.", at="host"
            )
        return self


class HealthSection(Section):
    """Whether the service is well, for a supervisor or monitoring."""

    port: Whole = Field(default=0, ge=0, le=65535, examples=[8788])
    """Where /livez and /readyz are answered. 0: nowhere."""
    host: str = Field(default="127.0.0.1", min_length=1, examples=["10.0.0.5"])
    """The address of this machine for that. Whoever reaches it may ask: keep it in your own network."""
    metrics: bool = Field(default=False, examples=[True])
    """Answer /metrics there, too: figures in Prometheus' format."""

    @model_validator(mode="after")
    def _have_a_port(self) -> Self:
        if self.metrics and not self.port:
            raise refuse("false", hint="Set health.port, where they are to be answered.", at="metrics")
        return self


class LogSection(Section):
    """What is written down about the program's own work; never what you say."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", examples=["debug"])
    """From which level on."""
    format: Literal["auto", "json", "text"] = Field(default="auto", examples=["json"])
    """How `scrubjay run` writes its lines. auto: for people on a terminal, as JSON elsewhere."""


class TelemetrySection(Section):
    """Traces of turns for OpenTelemetry; names, times and numbers, never what is said."""

    endpoint: Address | None = Field(default=None, examples=["http://localhost:4318"])
    """The collector that gets them over OTLP and HTTP; /v1/traces is added. Left out: none are made."""


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
