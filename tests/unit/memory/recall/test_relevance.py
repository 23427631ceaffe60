from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from memory.index.sql import Index
from memory.recall.query import parse
from memory.recall.recall import Finder
from memory.recall.relevance import ANSWERS_AMONG_FEW, BY_WORDS, GAUGED, SPREAD, Weights, floor_of, telling_words
from memory.types import ANSWERS, OWNER, Hit
from memory.vectors.calibration import Calibration, Side
from memory.vectors.questions import SemanticScan
from tests.unit.memory.recall.conftest import TODAY, Collect, scan

KEY = "- W: The spare key is under the blue pot.\n"
SIDE = Side(np.zeros(2, np.float32), 0.5, np.zeros(2, np.float32), np.eye(2, dtype=np.float32))


def hits(index: Index, question: str, meant: SemanticScan | None = None) -> tuple[Hit, ...]:
    return Finder(index, meant).recall(question, scope=OWNER, today=TODAY).hits


def facts(*lines: str) -> Mapping[str, str]:
    return {"memory/2026-11-20.md": "# 2026-11-20\n\n## Retain\n" + "".join(lines)}


def told(question: str, *languages: str) -> list[str]:
    return [word.text for word in telling_words(parse(question, languages=languages or ("en",), today=TODAY))]


def test_a_fact_that_holds_the_question_is_an_answer_by_its_words(collect: Collect) -> None:
    index = collect(facts(KEY, "- W: The bike is in the cellar.\n"))

    (key, *_) = hits(index, "Where is the spare key?")

    assert key.relevance >= ANSWERS
    assert key.grounds == {"held": 1.0}


def test_a_fact_that_holds_the_least_of_a_question_is_none(collect: Collect) -> None:
    index = collect(facts(KEY, "- W: The bike is in the cellar.\n"))

    (found, *_) = hits(index, "Who painted the blue ceiling of the cathedral?")

    assert found.relevance < ANSWERS


def test_a_form_that_is_missing_makes_a_fact_less_likely(collect: Collect) -> None:
    index = collect(facts("- W: Dr Weiss is closed.\n"))

    (closed,) = hits(index, "Where is Dr Weiss?")
    (charge,) = hits(index, "What does Dr Weiss charge?")

    assert charge.grounds["missing"] == 1.0
    assert charge.relevance < closed.relevance


def test_titles_above_a_fact_count_as_its_own_words(collect: Collect) -> None:
    lines = "- W: Rain fell.\n- W: The bill came on Tuesday.\n"

    def held(text: str) -> float:
        found = {hit.content: hit for hit in hits(collect({"bank/health.md": text}), "dentist bill")}
        return found["The bill came on Tuesday."].grounds["held"]

    assert held(f"# Dentist\n\n{lines}") == 1.0
    assert held(lines) < 1.0


def test_a_name_that_was_asked_for_by_an_alias_counts_as_its_own_words(collect: Collect) -> None:
    page = "---\naliases: [the ruin, Burg Hohenfels]\n---\n- Stands on a hill.\n"
    index = collect({"bank/entities/Old-Tower.md": page, **facts(KEY, "- W: The bike is in the cellar.\n")})

    for question in ("Where is Burg Hohenfels?", "Where is the ruin?", "Where is the old tower?"):
        found = {hit.content: hit.relevance for hit in hits(index, question)}
        assert [text for text, relevance in found.items() if relevance >= ANSWERS] == ["Old-Tower: Stands on a hill."]


def test_an_embedder_that_does_not_know_an_alias_speaks_against_nothing(collect: Collect) -> None:
    page = "---\naliases: [Burg Hohenfels]\n---\n- Stands on a hill.\n"
    index = collect({"bank/entities/Old-Tower.md": page, **facts(KEY)})
    far = scan(index, {"- Stands on a hill.": (0.0, 1.0), KEY.strip(): (1.0, 0.0)}, (1.0, 0.0))

    for meant in (SemanticScan(far, ""), SemanticScan(far, "", Calibration(SIDE, SIDE))):
        found = {hit.content: hit for hit in hits(index, "Where is Burg Hohenfels?", meant)}
        assert found["Old-Tower: Stands on a hill."].relevance > ANSWERS


def test_a_question_for_a_day_alone_is_answered_by_what_is_about_it(collect: Collect) -> None:
    index = collect(facts(KEY))

    (same,) = hits(index, "What happened yesterday?")

    assert same.grounds["held"] > 0.5
    assert same.relevance >= ANSWERS


@pytest.mark.parametrize(
    ("kids", "question"),
    [
        ("Our two kids, Maya (7) and Arjun (4), start at the new school.", "how old is Arjun"),
        ("Unsere Kinder heißen Lina (9) und Theo (6).", "wie alt ist Lina"),
    ],
)
def test_an_age_in_brackets_answers_how_old_somebody_is(collect: Collect, kids: str, question: str) -> None:
    index = collect(
        facts(f"- W: {kids}\n", "- W: Arjun and Lina fear dogs.\n", "- W: The old bike is in the cellar.\n")
    )

    found = {hit.content: hit for hit in hits(index, question)}

    assert found[kids].grounds == {"held": 1.0}


def test_grammar_alone_tells_nothing(collect: Collect) -> None:
    assert told("And what about it?") == []
    assert all("held" not in hit.grounds for hit in hits(collect(facts(KEY)), "And where is it?"))


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("what is the name of the cat?", ["cat"]),
        ("qui donne les cours de judo ?", ["donne", "cours", "judo"]),
        ("wie heißt der Hund?", ["Hund"]),
        ("¿cómo se llama el gato?", ["gato"]),
        ("как зовут кошку?", ["кошку"]),
        ("我的？", []),
    ],
)
def test_words_that_only_ask_tell_nothing_in_any_language(question: str, content: list[str]) -> None:
    assert told(question) == content


def test_meaning_alone_makes_an_answer_when_the_embedder_is_gauged(collect: Collect) -> None:
    index = collect(facts(KEY, "- W: Rain fell.\n"))
    vectors = {"- W: The spare key is under the blue pot.": (1.0, 0.0), "- W: Rain fell.": (0.0, 1.0)}
    gauge = Calibration(SIDE, SIDE)

    near, far = hits(index, "locked out", SemanticScan(scan(index, vectors, (1.0, 0.0)), "", gauge))

    assert near.grounds == {"near": 1.0, "kind": 1.0}
    assert near.relevance > ANSWERS > far.relevance


def test_another_embedder_is_judged_by_how_far_a_unit_stands_out(collect: Collect) -> None:
    lines = [f"- W: Filler {n}.\n" for n in range(20)]
    index = collect(facts(KEY, *lines))
    vectors = {line.strip(): (0.1, 1.0) for line in lines} | {KEY.strip(): (1.0, 0.0)}

    found = {hit.content: hit for hit in hits(index, "locked out", SemanticScan(scan(index, vectors, (1.0, 0.0)), ""))}

    key = found["The spare key is under the blue pot."]
    assert key.grounds.keys() == {"out"}
    assert key.grounds["out"] > 1.0


def test_a_unit_that_waits_for_its_vector_is_judged_by_its_words(collect: Collect) -> None:
    index = collect(facts(KEY, "- W: Rain fell.\n"))
    meant = SemanticScan(scan(index, {"- W: Rain fell.": (0.0, 1.0)}, (1.0, 0.0)), "", Calibration(SIDE, SIDE))

    key = next(hit for hit in hits(index, "spare key", meant) if "key" in hit.content)

    assert key.grounds == {"held": 1.0}
    assert key.relevance == round(BY_WORDS.relevance(key.grounds), 4)


@pytest.mark.parametrize("weights", [GAUGED, SPREAD, BY_WORDS])
def test_more_that_speaks_for_a_unit_never_makes_it_less_likely(weights: Weights) -> None:
    little = {"held": 0.2, "near": 0.05, "kind": 0.1, "out": 0.5}
    much = {"held": 0.9, "near": 0.2, "kind": 0.6, "out": 1.5}

    assert 0 < weights.relevance(little) < weights.relevance(much) < 1
    assert weights.relevance(much | {"missing": 1.0}) < weights.relevance(much)
    assert weights.relevance({}) < ANSWERS


def test_the_floor_rises_with_what_could_be_mistaken_for_an_answer() -> None:
    floors = [floor_of(units) for units in (0, 10, 40, 200, 5000)]

    assert floors == sorted(floors)
    assert (floors[0], floors[-1]) == (ANSWERS_AMONG_FEW, ANSWERS)


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("The dentist is on Friday at 3 pm.", "What time is the dentist?"),
        ("The dentist is on Friday at 3 pm.", "what time's the dentist"),
        ("El dentista es el viernes a las 15:00.", "a que hora es el dentista"),
        ("Le dentiste est vendredi à 15 h.", "À quelle heure est le dentiste ?"),
    ],
)
def test_words_that_ask_for_a_time_need_not_stand_in_the_only_fact(collect: Collect, fact: str, question: str) -> None:
    (dentist,) = hits(collect(facts(f"- W: {fact}\n")), question)

    assert dentist.relevance >= floor_of(1)
