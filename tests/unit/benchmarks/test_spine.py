from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks import spine
from tests.house.tree import ROOT


async def test_a_fact_is_followed_on_the_thread_of_the_memory(tmp_path: Path) -> None:
    found = await spine.write_of_a_fact(tmp_path)

    assert "memory.journal.journal" in found.entered
    assert "memory.memory" not in found.entered
    assert found.calls > len(found.entered)
    assert min(found.refreshes, found.transactions, found.opened) >= 1


async def test_a_fact_is_read_back_no_more_often_than_its_safety_needs(tmp_path: Path) -> None:
    found = await spine.write_of_a_fact(tmp_path)

    assert (found.refreshes, found.transactions) == (1, 1)
    assert found.opened <= 10


def test_a_message_is_followed_from_update_to_receipt_and_all_is_printed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.spine", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )

    *table, last = done.stdout.splitlines()
    figures = json.loads(last)["spine"]
    assert figures["entered"] > figures["spine"] > 10
    assert any(line.split()[:1] == ["adapters.telegram.adapter"] for line in table)
    assert table[0].endswith(str(figures["spine"]))
