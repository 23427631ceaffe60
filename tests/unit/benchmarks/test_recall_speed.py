"""The benchmark of recall compares what finds the same, and its table has a row for everything."""

from __future__ import annotations

from pathlib import Path

from benchmarks.recall_speed import Field, hybrid, manual, report, stores
from memory.types import VectorBackend


def test_every_store_is_measured_against_the_exact_answer(tmp_path: Path) -> None:
    measured = dict(stores(Field(400, seed=1), tmp_path))

    raw = measured.pop("raw float32 read")
    assert raw["ms"] >= 0
    assert {VectorBackend.SIMSIMD, VectorBackend.NUMPY, VectorBackend.SQLITE_VEC} <= measured.keys()
    assert measured["FTS5, plain"]["ms"] >= 0
    for link in (VectorBackend.SIMSIMD, VectorBackend.NUMPY, VectorBackend.SQLITE_VEC):
        assert min(measured[link]["recall_at_10"], measured[link]["recall_at_50"]) >= 0.97


def test_questions_are_asked_of_words_and_meaning(tmp_path: Path) -> None:
    measured = hybrid(Field(400, seed=1), tmp_path)

    assert measured.keys() == {"hybrid_ms", "words_ms", "first_question_s"}


def test_the_table_has_a_row_for_each(tmp_path: Path) -> None:
    one = {"ms": 2.5, "of_raw_read": 0.5, "recall_at_10": 1.0, "recall_at_50": 0.998}
    table = report(400, {"simsimd": one, "words and meaning": {"ms": 3.0, "of_raw_read": 1.5}})

    head, first, last = table.splitlines()
    assert head.startswith("400 units")
    assert first.split() == ["simsimd", "2.50", "0.50", "1.0000", "0.9980"]
    assert last.split() == ["words", "and", "meaning", "3.00", "1.50"]


def test_there_is_enough_of_a_manual_to_embed() -> None:
    assert len(manual()) > 1000
