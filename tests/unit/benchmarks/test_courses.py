from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import courses, figures


def test_courses_are_told_as_a_whole_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(figures, "ROOT", tmp_path)

    courses.main(["--seed", "7", "--json"])

    found = json.loads(capsys.readouterr().out.splitlines()[-1])["figures"]
    for form in ("logs", "conversations"):
        assert found[form]["told"] >= 98
        assert found[form]["own"] >= 90
        assert found[form]["ordered"] == 100


def test_the_same_seed_makes_the_same_days() -> None:
    assert courses.drawn(1, spoken=False) == courses.drawn(1, spoken=False) != courses.drawn(2, spoken=False)
