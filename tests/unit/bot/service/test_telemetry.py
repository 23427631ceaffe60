from __future__ import annotations

from datetime import timedelta

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from bot.config.options.operations import TelemetrySection
from bot.events import Event, Events
from bot.service.telemetry import TurnTracer, exporting
from tests.support.factories import NOON

TURN = {"agent": "work", "turn": "telegram.1:5"}


def traced(*told: tuple[str, float, dict[str, object]]) -> list[ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = TurnTracer(provider)
    for name, seconds, fields in told:
        tracer.follow(Event(1, name, (NOON + timedelta(seconds=seconds)).isoformat(), "info", "bot", TURN | fields))
    provider.shutdown()
    return [*exporter.get_finished_spans()]


def seconds(instant: int | None) -> float:
    assert instant is not None
    return instant / 1e9 - NOON.timestamp()


def test_a_turn_is_a_span_and_what_it_asks_and_calls_are_spans_within() -> None:
    chat, tool, turn = traced(
        ("turn.started", 0, {"attempt": 1, "session": "work/telegram.1/5"}),
        ("model.answered", 3, {"model": "m at host", "ms": 2000, "prompt": 100, "completion": 7, "outcome": "stop"}),
        ("tool.called", 4, {"tool": "now", "ms": 500}),
        ("memory.changed", 4, {}),
        ("turn.finished", 5, {"attempt": 1, "ms": 5000}),
    )

    assert [span.name for span in (chat, tool, turn)] == ["chat m at host", "execute_tool now", "invoke_agent work"]
    assert (chat.parent, tool.parent, turn.parent) == (turn.context, turn.context, None)
    assert [seconds(chat.start_time), seconds(chat.end_time)] == [1, 3]
    assert [seconds(turn.start_time), seconds(turn.end_time)] == [0, 5]
    assert chat.kind is SpanKind.CLIENT
    assert chat.attributes
    assert (chat.attributes["gen_ai.usage.input_tokens"], chat.attributes["gen_ai.usage.output_tokens"]) == (100, 7)
    assert turn.status.status_code is StatusCode.UNSET


def test_an_attempt_that_fails_is_an_error_and_the_next_one_is_a_span_of_its_own() -> None:
    first, second = traced(
        ("turn.started", 0, {"attempt": 1}),
        ("turn.failed", 1, {"attempt": 1, "error_id": "e1"}),
        ("turn.started", 2, {"attempt": 2}),
        ("turn.finished", 3, {"attempt": 2}),
        ("turn.set_aside", 4, {}),
    )

    assert (first.status.status_code, second.status.status_code) == (StatusCode.ERROR, StatusCode.UNSET)
    assert first.attributes
    assert first.attributes["scrubjay.error_id"] == "e1"


def test_what_is_asked_outside_of_turns_is_a_span_alone() -> None:
    (span,) = traced(("model.answered", 3, {"turn": "", "model": "m", "ms": 2000}))

    assert span.parent is None


async def test_without_an_endpoint_nothing_is_traced() -> None:
    events = Events()

    async with exporting(TelemetrySection(), events):
        events.publish("turn.started", at="no instant", level="info", logger="bot", fields={})
