from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import gauging
from benchmarks.answerable import Tally
from benchmarks.homes import DATA, FEW, MANY, SOME, Question, asked, fillers, homes, is_of, parted, read
from memory import OWNER, Citation, Hit, Kind, Origin, Recall

PLACE = Citation("a.md", 1, 1)
KNOWN = [Question(f"What is {n}?", "en", f"Fact {n}.") for n in range(25)]
UNKNOWN = [Question(f"Who is {n}?", "en") for n in range(7)]


def recall(content: str, relevance: float) -> Recall:
    hit = Hit("a", Kind.WORLD, None, (), content, PLACE, PLACE, OWNER, Origin.OWNER, 1.0, relevance=relevance)
    return Recall("q", "words", "", 1.0, (hit,))


def test_the_same_seed_gives_the_same_fillers_each_once() -> None:
    made = fillers(DATA / "fillers.json", 300, 1)

    assert len(set(made)) == 300
    assert made == fillers(DATA / "fillers.json", 300, 1) != fillers(DATA / "fillers.json", 300, 2)
    assert not any("{" in one for one in made)


def test_too_few_fillers_are_told(tmp_path: Path) -> None:
    (tmp_path / "few.json").write_text(json.dumps({"en": {"templates": ["On {day}."], "day": ["Monday"]}}))

    with pytest.raises(SystemExit, match="gives no 2"):
        fillers(tmp_path / "few.json", 2, 1)


def test_homes_of_ten_share_the_unknown_questions_and_the_large_ones_have_all() -> None:
    made = [*homes(KNOWN, UNKNOWN, [f"Filler {n}." for n in range(MANY)])]

    assert [size for size, _ in made] == [FEW, FEW, SOME, MANY]
    assert [len(home.facts) for _, home in made] == [FEW, FEW, SOME, MANY]
    small = [question for size, home in made if size == FEW for question in home.questions if not question.fact]
    assert sorted(one.text for one in small) == sorted(one.text for one in UNKNOWN)
    assert len(made[-1][1].questions) == len(KNOWN) + len(UNKNOWN)


def test_the_two_halves_of_the_pairs_share_no_question() -> None:
    fit, check = (read(DATA / "answerable.jsonl", half) for half in ("fit", "check"))

    assert not {one.text for one in fit if one.fact} & {one.text for one in check if one.fact}
    assert not {one.fact for one in fit} & {one.fact for one in check} - {""}
    assert len(fit) + len(check) == len(read(DATA / "answerable.jsonl"))
    assert all(part for half in (fit, check) for part in parted(half))


def test_answers_are_tallied_as_right_wrong_and_unknown() -> None:
    tally = Tally()
    tally.take(KNOWN[0], recall("Fact 0.", 0.9))
    tally.take(KNOWN[1], recall("Fact 2.", 0.9))
    tally.take(KNOWN[2], recall("Fact 2.", 0.01))
    tally.take(replace(UNKNOWN[0], kind="near"), recall("Fact 2.", 0.01))

    figures = tally.figures()

    assert figures["answered"]["all"] == 33.3
    assert (figures["first"], figures["wrong"]) == (66.7, 33.3)
    assert figures["unknown"] == {"all": 100.0, "en": 100.0, "near": 100.0}


async def test_a_home_is_asked_by_words_without_an_embedder() -> None:
    (_, home), *_ = homes(KNOWN[:10], UNKNOWN[:1], [])

    found = {question.text: recall async for question, recall in asked(home, None)}

    assert len(found) == 11
    assert is_of("Fact 3.", found["What is 3?"].hits[0].content)


def test_the_regression_finds_the_weights_that_made_the_outcome() -> None:
    rng = np.random.default_rng(1)
    measures = [{"a": float(a), "b": float(b)} for a, b in rng.normal(size=(500, 2))]

    weights = gauging.fitted(measures, [3 * one["a"] - one["b"] > 1 for one in measures], ("a", "b"))

    assert weights["a"] > 0 > weights["b"]
    assert weights["a"] > 2 * -weights["b"]
    assert weights["bias"] < 0


def test_a_gauge_tells_kinds_apart_and_survives_its_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    kinds, abouts = rng.normal(size=(2, 6, 24))
    groups = []
    for about in abouts:
        questions = np.stack([kinds + about, kinds + about], axis=1) + 0.1 * rng.normal(size=(6, 2, 24))
        texts = np.stack([kinds - about, kinds - about], axis=1) + 0.1 * rng.normal(size=(6, 2, 24))
        scaled = (block / np.linalg.norm(block, axis=-1, keepdims=True) for block in (questions, texts))
        groups.append(gauging.Group("en", "person", tuple("abcdef"), *scaled))

    gauge = gauging.gauge(groups)
    np.savez(tmp_path / "gauge.npz", allow_pickle=False, **gauging.arrays(gauge))
    kept = type(gauge).read(tmp_path / "gauge.npz")

    question = groups[0].questions[0, 0].astype(np.float32)
    same, other = (groups[1].texts[kind, 0].astype(np.float32) for kind in (0, 3))
    assert gauge.for_question(question).measured(same)[1] > gauge.for_question(question).measured(other)[1]
    assert kept.for_question(question).measured(same) == pytest.approx(
        gauge.for_question(question).measured(same), abs=0.01
    )
