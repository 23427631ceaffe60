from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import figures, rebuild


def test_it_prints_a_table_and_one_json_object_and_keeps_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    rebuild.main(["--files", "5", "--json"])
    lines = capsys.readouterr().out.splitlines()
    result = json.loads(lines[-1])
    assert result == figures.kept("rebuild")
    assert result["files"] == 6
    assert result["units"] > 6
    assert lines[0].startswith("6 files")


def test_the_same_seed_makes_the_same_notes() -> None:
    assert rebuild.Words(1).note(4096) == rebuild.Words(1).note(4096) != rebuild.Words(2).note(4096)


def test_words_are_as_unequally_common_as_in_a_language() -> None:
    words = rebuild.Words(1).note(40_000).lower().split()
    assert words.count("the") > 2 * words.count("had")
