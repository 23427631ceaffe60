from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.recall_quality import WITHOUT, Corpus, Setting, measured, weighed
from memory import RankingWeights
from memory.recall.scoring import OPENCLAW

QUESTIONS = [
    {
        "conv": "walk",
        "i": 1,
        "q": "Where does the ferry leave?",
        "cat": 4,
        "gold": [{"file": "2026-05-02.md", "start": 3, "end": 3}],
    },
    {
        "conv": "walk",
        "i": 2,
        "q": "What is the dog called?",
        "cat": 1,
        "gold": [{"file": "2026-05-09.md", "start": 3, "end": 3}, {"file": "2026-05-02.md", "start": 5, "end": 5}],
    },
]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    (tmp_path / "walk").mkdir()
    (tmp_path / "questions.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    (tmp_path / "walk" / "2026-05-02.md").write_text(
        "# Walk, 2026-05-02\n\nAnn: The ferry leaves from pier four.\n\nBen: Fine.\n", encoding="utf-8"
    )
    (tmp_path / "walk" / "2026-05-09.md").write_text(
        "# Walk, 2026-05-09\n\nAnn: Our dog is called Pixel.\n\nBen: A good name.\n", encoding="utf-8"
    )
    return Corpus(tmp_path)


async def test_a_run_has_a_line_for_each_question_and_its_measures(corpus: Corpus, tmp_path: Path) -> None:
    run = await corpus.run(Setting(RankingWeights(), tmp_path, words=True))

    assert [(line["conv"], line["i"]) for line in run] == [("walk", 1), ("walk", 2)]
    assert run[0]["hits"][0] == {"file": "2026-05-02.md", "start": 1, "end": 5, "chars": 69}
    found = measured(run, corpus)
    assert (found["4"]["fR@1"], found["4"]["eR@10"]) == (1, 1)
    assert (found["1"]["fR@1"], found["1"]["fR@5"], found["1"]["eR@10"]) == (0.5, 0.5, 0.5)
    assert found["all"]["n"] == 2


async def test_hidden_days_change_no_name_in_the_run(corpus: Corpus, tmp_path: Path) -> None:
    run = await corpus.run(Setting(RankingWeights(), tmp_path, words=True, timeless=True))

    assert run[1]["hits"][0]["file"] == "2026-05-09.md"
    assert "2026" in (corpus.folder / "walk" / "2026-05-09.md").read_text(encoding="utf-8")


def test_weights_are_read_by_name() -> None:
    assert weighed(RankingWeights(), "metric=no,feedback=0.3,widened=2") == RankingWeights(
        metric=False, feedback=0.3, widened=2
    )
    assert weighed(RankingWeights(), "profile=openclaw") == OPENCLAW
    with pytest.raises(SystemExit, match="no such weight: magic"):
        weighed(RankingWeights(), "magic=1")


@pytest.mark.parametrize("name", WITHOUT)
def test_every_row_of_the_ablation_switches_something_off(name: str, tmp_path: Path) -> None:
    setting = Setting(RankingWeights(), tmp_path)
    assert setting.without(name) != setting
