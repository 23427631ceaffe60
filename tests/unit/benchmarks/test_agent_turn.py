from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import agent_turn, turn_overhead


async def test_turns_are_timed_and_requests_compared(tmp_path: Path) -> None:
    found = await agent_turn.measured(tmp_path, agent_turn.Size(units=40, turns=3, history=500, seed=1))

    assert found.units >= 40
    assert len(found.plain_s) == len(found.searching_s) == len(found.assembly_s) == 3
    assert found.history_tokens >= 400
    assert len(found.same) == 2
    assert min(found.same) >= 0.9


def test_the_same_beginning_ends_where_the_bytes_differ() -> None:
    assert agent_turn.same_beginning(b"abcd", b"abxd") == 2
    assert agent_turn.same_beginning(b"ab", b"abcd") == 2


def test_it_prints_a_table_and_one_json_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["x", "--kind", "model", "--messages", "2", "--units", "20", "--history", "300"])

    turn_overhead.main()

    *table, last = capsys.readouterr().out.splitlines()
    figures = json.loads(last)["model"]
    assert set(figures) >= {"p50_ms", "assembly_p50_ms", "same_prefix_p50", "units"}
    assert len(table) == 1 + len(figures)


def test_it_tells_what_a_piece_of_an_answer_costs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["x", "--kind", "pieces", "--words", "30"])
    monkeypatch.setattr("benchmarks.turn_overhead.ROUNDS", 1)

    turn_overhead.main()

    found = json.loads(capsys.readouterr().out.splitlines()[-1])["pieces"]
    assert list(found) == ["words", "short_ms", "long_ms", "piece_us"]
    assert found["words"] == 30
    assert found["long_ms"] > 0
