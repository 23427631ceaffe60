from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from prometheus_client.parser import text_string_to_metric_families

from bot.errors import StateError
from bot.events import Event, Events
from bot.service.metrics import Metrics
from bot.storage.tables.dead_letters import QueueDepth
from memory import FrozenClock
from tests.support.factories import NOON

DEPTHS = [QueueDepth("work", 2, NOON - timedelta(seconds=30), 1, 0), QueueDepth("home", 0, None, 0, 3)]


def made(depths: Sequence[QueueDepth] | None = ()) -> Metrics:
    async def look() -> Sequence[QueueDepth]:
        if depths is None:
            raise StateError("The database does not answer.")
        return depths

    return Metrics(look, lambda: {"telegram.1": "running", "discord.2": "refused"}, FrozenClock(NOON))


async def figures(metrics: Metrics) -> dict[tuple[str, ...], float]:
    page = (await metrics.page()).decode()
    samples = [sample for family in text_string_to_metric_families(page) for sample in family.samples]
    return {(one.name.removeprefix("scrubjay_"), *one.labels.values()): one.value for one in samples}


def tell(metrics: Metrics, name: str, level: str = "info", **fields: object) -> None:
    metrics.count(Event(1, name, NOON.isoformat(), level, "bot", fields))


async def test_leases_that_are_held_are_those_taken_and_neither_lost_nor_given_back() -> None:
    metrics = made()
    for lease in ("work/a", "work/b", "work/c", "ingress/telegram.1"):
        tell(metrics, "lease.taken", lease=lease)
    tell(metrics, "lease.lost", lease="work/a", level="warning")
    tell(metrics, "lease.released", lease="work/b")
    tell(metrics, "lease.released", lease="work/b")
    tell(metrics, "lease.fenced", what="a")

    told = await figures(metrics)

    assert {key[1]: value for key, value in told.items() if key[0] == "leases_held"} == {"work": 1, "ingress": 1}
    assert told["leases_total", "taken", "work"] == 3
    assert told["leases_total", "lost", "work"] == 1
    assert told["log_lines_total", "warning"] == 1


async def test_queues_are_looked_at_when_somebody_asks_and_left_out_when_the_state_does_not_answer() -> None:
    told = await figures(made(DEPTHS))
    without = await figures(made(None))

    assert [told["queue", "work", queue] for queue in ("waiting", "owed", "dead")] == [2, 1, 0]
    assert (told["oldest_seconds", "work"], told["oldest_seconds", "home"]) == (30, 0)
    assert (told["account_running", "telegram.1"], told["account_running", "discord.2"]) == (1, 0)
    assert not [key for key in without if key[0] in {"queue", "oldest_seconds"}]
    assert without["account_running", "telegram.1"] == 1


async def test_tokens_seconds_and_failures_are_told_apart() -> None:
    metrics = made()
    answered = {"agent": "work", "model": "m", "ms": 1500, "outcome": "stop"}
    used = {"prompt": 100, "cached": 60, "completion": 7}
    metrics.count(Event(1, "model.answered", NOON.isoformat(), "debug", "bot", answered | used))
    tell(metrics, "turn.failed", "error", agent="work", turn="t")
    tell(metrics, "part.dead", "error", agent="work", chat="telegram.1:5")
    tell(metrics, "job.ended", agent="work", job="digest", outcome="failed")

    told = await figures(metrics)

    assert [told["model_tokens_total", "work", kind, "m"] for kind in used] == [100, 60, 7]
    assert (told["model_seconds_bucket", "1.0", "m"], told["model_seconds_bucket", "2.5", "m"]) == (0, 1)
    assert told["turns_total", "work", "failed"] == 1
    assert told["deliveries_total", "work", "failed", "telegram"] == 1
    assert told["jobs_total", "work", "failed"] == 1


async def test_whoever_is_told_of_events_hears_them_until_the_end() -> None:
    metrics, events = made(), Events()
    for number in range(2):
        with events.telling(metrics.count):
            events.publish(f"a.{number}", at="", level="info", logger="bot", fields={})
        events.publish("b", at="", level="info", logger="bot", fields={})

    assert (await figures(metrics))["log_lines_total", "info"] == 2
