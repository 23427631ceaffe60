"""The way from a test to a server: verbs, ledgers, threads and processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.servers.control import ControlError, Remote, ServerProcess, add_control_routes, verbs_of
from tests.servers.faults import Fault, Faults, Kind
from tests.servers.ledger import Ledger, bot_message, read
from tests.servers.serving import ServingThread, listening


class Counter:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def count(self, by: int = 1) -> int:
        return int(self.ledger.record("count", by=by)["n"])

    async def later(self) -> str:
        return "done"

    def fail(self) -> None:
        raise OverflowError("too far")

    def _hidden(self) -> None:
        raise AssertionError


def counting(path: Path | None = None) -> web.Application:
    application, ledger = web.Application(), Ledger(path)
    add_control_routes(application, verbs_of(Counter(ledger)), ledger, refusals=(OverflowError,))
    return application


def test_verbs_are_called_with_json_and_give_json() -> None:
    with ServingThread(counting()) as thread:
        remote = Remote(thread.url)

        assert remote.call("count", by=2) == 1
        assert remote.call("later") == "done"
        assert [entry["by"] for entry in remote.entries("count")] == [2]
        assert remote.entries(since=1) == []


@pytest.mark.parametrize(
    ("verb", "arguments", "reason"),
    [
        ("fail", {}, "OverflowError: too far"),
        ("count", {"size": 1}, "unexpected keyword argument"),
        ("_hidden", {}, "no verb _hidden"),
        ("nothing", {}, "no verb nothing"),
    ],
)
def test_a_refused_verb_tells_its_reason(verb: str, arguments: dict[str, Any], reason: str) -> None:
    with ServingThread(counting()) as thread, pytest.raises(ControlError, match=reason):
        Remote(thread.url).call(verb, **arguments)


async def test_a_ledger_is_waited_for_and_the_wait_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    async with listening(counting(path)) as url:
        remote = Remote(url)
        with pytest.raises(TimeoutError, match="nothing that fits"):
            await remote.until(lambda entry: True, timeout_s=0.01)
    with ServingThread(counting(path)) as thread:
        remote = Remote(thread.url)
        remote.call("count", by=5)
        entry = await remote.until(lambda entry: entry["by"] == 5)

    assert read(path) == [entry]


def test_a_bots_message_is_recognised_by_place_and_text() -> None:
    entry = {"kind": "message", "by": "bot", "chat": "7", "text": "hello"}

    assert bot_message(chat=7, text="ell")(entry)
    assert bot_message()(entry)
    assert not bot_message(chat=8)(entry)
    assert not bot_message(text="bye")(entry)
    assert not bot_message(kind="edit")(entry)
    assert not bot_message()({"kind": "poll"})


def test_a_process_that_does_not_start_says_so() -> None:
    with pytest.raises(RuntimeError, match="ended with exit code 1"):
        ServerProcess("tests.servers.no_such_server").start()


def test_faults_strike_in_order_as_often_as_they_should() -> None:
    faults = Faults(Ledger())
    faults.add(Fault(on="POST *", kind=Kind.RESET, skip=1))
    faults.add(Fault(on="*", kind=Kind.STATUS, status=503, times=2))

    struck = [faults.strike(name) for name in ("POST a", "GET b", "POST c", "POST d", "GET e")]

    assert [fault.kind.value if fault else None for fault in struck] == ["status", "status", "reset", None, None]
    assert faults.unused == []


def test_a_rate_is_drawn_from_a_seed() -> None:
    def struck(seed: int) -> list[bool]:
        faults = Faults(Ledger())
        faults.add(Fault(on="*", kind=Kind.STATUS, times=None, rate=0.1, seed=seed))
        return [faults.strike("x") is not None for _ in range(1000)]

    assert struck(1) == struck(1) != struck(2)
    assert 60 < sum(struck(1)) < 140
