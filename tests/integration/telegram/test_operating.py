"""`scrubjay run` as whoever operates it sees it: figures for Prometheus, traces over OTLP, lines of the log."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
from pathlib import Path

import httpx
import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from bot.config.model import Config
from bot.log import Mask, to_stream
from bot.paths import Home
from bot.service.probes import Supervisor
from bot.service.run import run_service
from memory import SystemClock
from tests.integration.discord.life import serving
from tests.servers.ledger import bot_message
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.postgresql import PostgresServer
from tests.servers.serving import listening
from tests.servers.telegram.client import TOKEN, Telegram


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answer(received: Received) -> Step:
    if received.tool_results:
        return Step(text="It is noon.")
    return Step(calls=(Call("now", {}), Call("made_up", {})))


async def test_a_turn_is_counted_traced_and_logged_under_its_id(telegram: Telegram, tmp_path: Path) -> None:
    home, lines, posted = Home.at(tmp_path / "home"), io.StringIO(), list[ExportTraceServiceRequest]()
    home.prepare()

    async def collect(request: web.Request) -> web.Response:
        posted.append(ExportTraceServiceRequest.FromString(await request.read()))
        return web.Response()

    collector, port = web.Application(), free_port()
    collector.router.add_post("/v1/traces", collect)
    telegram.user(7).says("What time is it?")
    with OpenAIServer(answer) as server, to_stream(lines, level="debug", clock=SystemClock(), mask=Mask(), form="json"):
        async with listening(collector) as endpoint:
            config = Config.model_validate(
                {
                    "telegram": {"token": TOKEN, "api": telegram.url},
                    "access": {"owners": ["telegram:7"]},
                    "model": {"name": MODEL, "base_url": server.base_url, "api_key": KEY},
                    "memory": {"embedder": {"kind": "none"}, "auto_capture": "off"},
                    "health": {"port": port, "metrics": True},
                    "telemetry": {"endpoint": endpoint},
                }
            )
            async with serving(run_service(home, config, clock=SystemClock(), supervisor=Supervisor(""))):
                await telegram.until(bot_message(kind="edit", text="It is noon."))
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
                    page = await client.get("/metrics")
                    while 'deliveries_total{agent="personal",outcome="delivered"' not in page.text:
                        page = await client.get("/metrics")

    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    figures = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(page.text)
        for sample in family.samples
    }
    label = next(key[2] for key in figures if key[0] == "scrubjay_model_requests_total")
    assert figures["scrubjay_messages_total", "personal", "telegram"] == 1
    assert figures["scrubjay_turns_total", "personal", "finished"] == 1
    assert figures["scrubjay_turn_seconds_count", "personal"] == 1
    assert figures["scrubjay_deliveries_total", "personal", "delivered", "telegram"] == 1
    assert figures["scrubjay_model_requests_total", "personal", label, "tool_calls"] == 1
    assert figures["scrubjay_model_tokens_total", "personal", "prompt", label] > 0
    assert figures["scrubjay_tool_calls_total", "personal", "now"] == 1
    assert not [key for key in figures if "made_up" in key]
    assert figures["scrubjay_queue", "personal", "waiting"] == 0
    assert figures["scrubjay_account_running", "telegram.7000000001"] == 1

    exported = [one for request in posted for found in request.resource_spans for one in found.scope_spans]
    spans = {span.name: span for scope in exported for span in scope.spans}
    turn, calls = spans["invoke_agent personal"], {"execute_tool now", f"chat {label}"}
    assert spans.keys() == {turn.name, *calls}
    assert {spans[name].parent_span_id for name in calls} == {turn.span_id}
    assert turn.start_time_unix_nano <= spans["execute_tool now"].start_time_unix_nano <= turn.end_time_unix_nano
    assert "What time" not in str(posted)

    (id_,) = {one.value.string_value for one in turn.attributes if one.key == "scrubjay.turn"}
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert {one["event"] for one in told if one.get("turn") == id_} >= {
        "turn.started",
        "model.answered",
        "turn.finished",
    }
    assert {one["agent"] for one in told if one.get("turn") == id_} == {"personal"}


@pytest.mark.parametrize("role", ["worker", "ingress"])
async def test_a_process_is_ready_with_the_accounts_that_it_receives(
    telegram: Telegram, tmp_path: Path, postgresql: PostgresServer, role: str
) -> None:
    home, port = Home.at(tmp_path / "home"), free_port()
    home.prepare()
    given = {
        "telegram": {"token": TOKEN, "api": telegram.url},
        "memory": {"embedder": {"kind": "none"}},
        "store": {"url": postgresql.database(), "roles": [role]},
        "health": {"port": port, "metrics": True},
    }
    config, accounts = Config.model_validate(given), {"worker": 0, "ingress": 1}
    held = {"worker": 'scrubjay_leases_held{kind="work"} 2.0', "ingress": 'scrubjay_leases_held{kind="ingress"} 1.0'}
    client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", transport=httpx.AsyncHTTPTransport(retries=5))
    with to_stream(io.StringIO(), level="info", clock=SystemClock(), mask=Mask()):
        async with serving(run_service(home, config, clock=SystemClock(), supervisor=Supervisor(""))), client:
            page = await client.get("/metrics")
            while held[role] not in page.text or 'running{account="telegram.7000000001"} 0' in page.text:
                page = await client.get("/metrics")
            ready = await client.get("/readyz")

    assert ready.json() == {"status": "ready"}
    assert page.text.count("scrubjay_account_running{") == accounts[role]


async def test_one_of_several_processes_leaves_its_records_complete(
    telegram: Telegram, tmp_path: Path, postgresql: PostgresServer
) -> None:
    home = Home.at(tmp_path / "home")
    home.prepare()
    with OpenAIServer(lambda _: Step(text="Hello, Ada.")) as server:
        config = Config.model_validate(
            {
                "telegram": {"token": TOKEN, "api": telegram.url},
                "access": {"owners": ["telegram:7"]},
                "model": {"name": MODEL, "base_url": server.base_url, "api_key": KEY},
                "memory": {"embedder": {"kind": "none"}, "auto_capture": "off"},
                "store": {"url": postgresql.database()},
            }
        )
        telegram.user(7).says("Hello.")
        with to_stream(io.StringIO(), level="info", clock=SystemClock(), mask=Mask()):
            async with serving(run_service(home, config, clock=SystemClock(), supervisor=Supervisor(""))) as running:
                await telegram.until(bot_message(kind="edit", text="Hello, Ada."))
                os.kill(os.getpid(), signal.SIGTERM)
                await running

    written = {path.suffix for path in (home.state / "sessions").rglob("*.*") if "Hello." in path.read_text()}
    assert written == {".json", ".jsonl"}
