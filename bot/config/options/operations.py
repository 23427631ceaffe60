"""Options for whoever operates the service: its health and figures, its log, its traces."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from bot.config.options.fields import Address, Section, Whole, refuse


class HealthSection(Section):
    """Whether the service is well, for a supervisor or monitoring."""

    port: Whole = Field(
        default=0, ge=0, le=65535, description="Where /livez and /readyz are answered. 0: nowhere.", examples=[8788]
    )
    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="The address of this machine for that. Whoever reaches it may ask: keep it in your own network.",
        examples=["10.0.0.5"],
    )
    metrics: bool = Field(
        default=False,
        description="Answer /metrics there, too: figures in Prometheus' format, as docs/scale.md lists them.",
        examples=[True],
    )

    @model_validator(mode="after")
    def _have_a_port(self) -> Self:
        if self.metrics and not self.port:
            raise refuse("false", hint="Set health.port, where they are to be answered.", at="metrics")
        return self


class LogSection(Section):
    """What is written down about the program's own work; never what you say."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="From which level on.", examples=["debug"]
    )
    format: Literal["auto", "json", "text"] = Field(
        default="auto",
        description="How `scrubjay run` writes its lines. auto: for people on a terminal, as JSON elsewhere.",
        examples=["json"],
    )


class TelemetrySection(Section):
    """Traces of turns for OpenTelemetry; names, times and numbers, never what is said."""

    endpoint: Address | None = Field(
        default=None,
        description="The collector that gets them over OTLP and HTTP; /v1/traces is added. Left out: none are made.",
        examples=["http://localhost:4318"],
    )
