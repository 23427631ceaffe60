"""Figures for Prometheus: counted from the events of the service, its queues looked at when somebody asks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from bot import __version__
from bot.errors import StateError, from_extra
from bot.events import Event
from bot.storage.tables.dead_letters import QueueDepth
from bot.supervision import RUNNING
from memory import Clock

PATIENCE_S = 3.0
"""How long the state is waited for; figures of queues are left out then."""

COUNTERS: Mapping[str, tuple[str, Sequence[str]]] = {
    "messages": ("Messages accepted.", ("agent", "platform")),
    "turns": ("Turns by how an attempt at them ended.", ("agent", "outcome")),
    "deliveries": ("Parts of answers by how an attempt at their delivery ended.", ("agent", "platform", "outcome")),
    "model_requests": ("Requests to models by why the answer ended.", ("agent", "model", "outcome")),
    "model_tokens": (
        "Tokens as providers count them; those cached are among the prompt's.",
        ("agent", "model", "kind"),
    ),
    "tool_calls": ("Calls of tools by models.", ("agent", "tool")),
    "jobs": ("Jobs that were due, and those that have ended.", ("agent", "outcome")),
    "leases": ("Leases by what became of them.", ("kind", "change")),
    "log_lines": ("Events by level, whatever the log shows.", ("level",)),
}
"""What is counted, and the labels of each counter; what they name is in the configuration, or one of a few words."""

COUNTED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "message.received": ("messages", {}),
    "turn.finished": ("turns", {"outcome": "finished"}),
    "turn.failed": ("turns", {"outcome": "failed"}),
    "turn.set_aside": ("turns", {"outcome": "set_aside"}),
    "reply.delivered": ("deliveries", {"outcome": "delivered"}),
    "part.delayed": ("deliveries", {"outcome": "delayed"}),
    "part.dead": ("deliveries", {"outcome": "failed"}),
    "model.answered": ("model_requests", {}),
    "tool.called": ("tool_calls", {}),
    "job.fired": ("jobs", {"outcome": "fired"}),
    "job.ended": ("jobs", {}),
    "lease.taken": ("leases", {"change": "taken"}),
    "lease.released": ("leases", {"change": "released"}),
    "lease.lost": ("leases", {"change": "lost"}),
}
"""Events that are counted: by which counter, with which labels besides those that they bring."""

TIMED = {"turn.finished": ("turn", "agent"), "model.answered": ("model", "model")}
"""Events whose time goes into a histogram, and its label."""

SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300)


class Metrics:
    """The figures of one process; those of queues are of all that share its state. Raises `ConfigError`."""

    def __init__(
        self,
        depths: Callable[[], Awaitable[Sequence[QueueDepth]]],
        accounts: Callable[[], Mapping[str, str]],
        clock: Clock,
    ) -> None:
        with from_extra("metrics", "health.metrics"):
            import prometheus_client as prometheus

        self._depths, self._accounts, self._clock = depths, accounts, clock
        self._write, self._registry = prometheus.generate_latest, prometheus.CollectorRegistry()
        to: dict[str, Any] = {"namespace": "scrubjay", "registry": self._registry}
        prometheus.ProcessCollector(registry=self._registry)
        prometheus.Info("build", "Which version this is.", **to).info({"version": __version__})
        self._counters = {name: prometheus.Counter(name, *about, **to) for name, about in COUNTERS.items()}
        self._seconds = {
            name: prometheus.Histogram(
                f"{what}_seconds", f"Seconds that a {what} took.", (label,), buckets=SECONDS, **to
            )
            for name, (what, label) in TIMED.items()
        }
        self._queued = prometheus.Gauge("queue", "What waits, of all processes.", ("agent", "queue"), **to)
        self._oldest = prometheus.Gauge("oldest_seconds", "Age of the oldest that waits.", ("agent",), **to)
        self._running = prometheus.Gauge("account_running", "Whether a bot account is connected.", ("account",), **to)
        self._holding = prometheus.Gauge("leases_held", "Leases of this process.", ("kind",), **to)
        self._held: set[str] = set()

    def count(self, event: Event) -> None:
        """Count an event, from any thread."""
        fields = {name: str(value) for name, value in event.fields.items()}
        fields["level"], fields["kind"] = event.level, fields.get("lease", "").partition("/")[0]
        fields["platform"] = (fields.get("account") or fields.get("chat", "")).partition(".")[0]
        self._add("log_lines", fields)
        if event.name in COUNTED:
            counter, labels = COUNTED[event.name]
            self._add(counter, {**fields, **labels})
        if event.name in TIMED:
            label = fields[TIMED[event.name][1]]
            self._seconds[event.name].labels(label).observe(float(fields["ms"]) / 1000)
        if event.name == "model.answered":
            for kind in ("prompt", "cached", "completion"):
                self._add("model_tokens", fields | {"kind": kind}, float(fields[kind]))
        if event.name == "lease.taken":
            self._held.add(fields["lease"])
        elif event.name.startswith("lease."):
            self._held.discard(fields.get("lease", ""))

    def _add(self, counter: str, fields: Mapping[str, str], amount: float = 1) -> None:
        self._counters[counter].labels(*(fields.get(label, "") for label in COUNTERS[counter][1])).inc(amount)

    async def page(self) -> bytes:
        """Return all figures in Prometheus' text format; those of the queues only if the state answers."""
        for gauge in (self._queued, self._oldest, self._running, self._holding):
            gauge.clear()
        for account, status in self._accounts().items():
            self._running.labels(account).set(status == RUNNING)
        for kind, count in Counter(name.partition("/")[0] for name in (*self._held,)).items():
            self._holding.labels(kind).set(count)
        try:
            async with asyncio.timeout(PATIENCE_S):
                depths = await self._depths()
        except (StateError, TimeoutError):
            depths = ()
        for depth in depths:
            for queue in ("waiting", "owed", "dead"):
                self._queued.labels(depth.agent, queue).set(getattr(depth, queue))
            age = (self._clock.now() - depth.oldest).total_seconds() if depth.oldest else 0
            self._oldest.labels(depth.agent).set(max(0, age))
        return self._write(self._registry)
