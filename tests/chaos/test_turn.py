"""A turn in which a tool writes is killed anywhere, begun anew, and has written once and answered once."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chaos import ptrace
from tests.chaos.remember import CORE_LOG, DAILY_LOG, Seen, stratified, written_for_the_fact
from tests.chaos.tracer import Call, kill_at, record
from tests.programs import command, environment, run
from tests.servers.openai_script import Call as ToolCall
from tests.servers.openai_script import Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer

pytestmark = pytest.mark.skipif(bool(ptrace.why_not()), reason=ptrace.why_not())

STATEMENT = "Please note that the tent is green."
FACT = "The tent is green."
RECEIPT = "Noted in memory/2026-11-21.md:"
DONE = "That is written down."
SAID = f"hello\n{STATEMENT}\n"
POINTS = 6


def answer(received: Received) -> Step:
    """Notes what it is asked to note, each time that it is asked."""
    if received.tool_results:
        return Step(text=DONE)
    if received.user_text.endswith(STATEMENT):
        return Step(calls=(ToolCall("remember", {"text": FACT}),))
    return Step(text="I am here.")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A home to copy, and the calls between the message and its answer when it is sent there."""

    template: Path
    calls: list[Call]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    with OpenAIServer(answer) as server:
        folder = tmp_path_factory.mktemp("turn")
        home = folder / "template"
        home.mkdir()
        model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
        (home / "config.yaml").write_text(json.dumps({"model": model}), encoding="utf-8")
        run(home, "chat")
        whole = copied(home, folder / "whole")
        told = record(command("chat"), watch=Seen(whole), stdin=SAID.encode(), env=environment(whole))
        assert told.output.decode().count(RECEIPT) == 1
        yield Recorded(home, written_for_the_fact(told.calls))


def copied(template: Path, folder: Path) -> Path:
    shutil.copytree(template, folder)
    return folder


@pytest.mark.parametrize("part", range(2))
def test_killed_anywhere_in_a_turn_that_writes_by_tool_the_fact_is_there_once_and_answered_once(
    tmp_path: Path, recorded: Recorded, part: int
) -> None:
    assert {CORE_LOG, "2026-11.jsonl", "2026-11-21.md"} <= {path.name for call in recorded.calls for path in call.paths}

    for number in stratified(recorded.calls, POINTS, random.Random("turn"))[part::2]:
        home = copied(recorded.template, tmp_path / str(number))
        crash = kill_at(command("chat"), number, watch=Seen(home), stdin=SAID.encode(), env=environment(home))
        assert crash.hit, number
        later = run(home, "chat", stdin="Are you there?\n")

        lives = [crash.output.decode(), later.out]
        log = home / "workspaces" / "personal" / DAILY_LOG
        facts = log.read_text(encoding="utf-8").count(FACT) if log.exists() else 0
        was_answered = any(DONE in life for life in lives)
        # A terminal is at least once: killed between the print and its record on disk, the next life prints it again.
        assert facts == was_answered, f"{crash.hit}: {lives}"
        assert all(life.count(RECEIPT) == life.count(DONE) <= 1 for life in lives), f"{crash.hit}: {lives}"
        assert "I am here." in later.out
