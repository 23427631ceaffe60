"""Traces for OpenTelemetry: a span for each turn, its requests to models and calls of tools in it, made of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from adapters.support import LimitedDict
from bot import __version__
from bot.config.options.operations import TelemetrySection
from bot.errors import from_extra
from bot.events import Event, Events

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

ENDINGS = {"turn.finished": True, "turn.failed": False, "turn.set_aside": False}
"""Events with which a turn ends, and whether well."""

NAMES = {"model.answered": ("chat", "model"), "tool.called": ("execute_tool", "tool")}
"""Events that are spans within a turn: the operation, and what it is done with."""

ATTRIBUTES = {
    "agent": "gen_ai.agent.name",
    "session": "gen_ai.conversation.id",
    "model": "gen_ai.request.model",
    "tool": "gen_ai.tool.name",
    "prompt": "gen_ai.usage.input_tokens",
    "completion": "gen_ai.usage.output_tokens",
    "turn": "scrubjay.turn",
    "attempt": "scrubjay.attempt",
    "error_id": "scrubjay.error_id",
    "outcome": "scrubjay.outcome",
    "cached": "scrubjay.usage.cached_tokens",
}
"""What of an event goes into its span, under the names of OpenTelemetry's conventions as far as there are any."""

PATIENCE_S = 3.0
"""How long a collector is tried for; so much later the service ends where it does not answer."""


class TurnTracer:
    """Makes spans of the events of one service."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import trace

        self._trace = trace
        self._tracer = provider.get_tracer("scrubjay", __version__)
        self._open: LimitedDict[str, Span] = LimitedDict()  # of a turn that another process takes over no end is told

    def follow(self, event: Event) -> None:
        """Begin or end a span, or add a whole one; from any thread."""
        turn, at = str(event.fields.get("turn", "")), datetime.fromisoformat(event.at)
        if event.name == "turn.started":
            self._open[turn] = self._begin(event, "invoke_agent", "agent", at)
        elif event.name in ENDINGS and turn in self._open:
            span = self._open.pop(turn)
            span.set_attributes(_attributes(event))
            if not ENDINGS[event.name]:
                span.set_status(self._trace.StatusCode.ERROR, event.name)
            span.end(_ns(at))
        elif event.name in NAMES:
            began = at - timedelta(milliseconds=float(str(event.fields["ms"])))
            self._begin(event, *NAMES[event.name], began, within=self._open.get(turn)).end(_ns(at))

    def _begin(self, event: Event, operation: str, what: str, at: datetime, within: Span | None = None) -> Span:
        return self._tracer.start_span(
            f"{operation} {event.fields.get(what, '')}",
            context=self._trace.set_span_in_context(within) if within else None,
            kind=self._trace.SpanKind.CLIENT if what == "model" else self._trace.SpanKind.INTERNAL,
            attributes={"gen_ai.operation.name": operation, **_attributes(event)},
            start_time=_ns(at),
        )


@asynccontextmanager
async def exporting(options: TelemetrySection, events: Events) -> AsyncIterator[None]:
    """Export traces of all turns until the block ends; none without an endpoint. Raises `ConfigError`."""
    if not options.endpoint:
        yield
        return
    with from_extra("telemetry", "telemetry.endpoint"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    provider = TracerProvider(resource=Resource.create({"service.name": "scrubjay", "service.version": __version__}))
    provider.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter(f"{options.endpoint}/v1/traces", timeout=PATIENCE_S))
    )
    try:
        with events.telling(TurnTracer(provider).follow):
            yield
    finally:
        await asyncio.to_thread(provider.shutdown)


def _attributes(event: Event) -> dict[str, str | int]:
    known = ((ATTRIBUTES[name], value) for name, value in event.fields.items() if name in ATTRIBUTES)
    return {name: value for name, value in known if isinstance(value, str | int)}


def _ns(at: datetime) -> int:
    return round(at.timestamp() * 1000) * 1_000_000
