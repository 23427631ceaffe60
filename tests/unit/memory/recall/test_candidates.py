from __future__ import annotations

import pytest

from memory.index.sql import Index
from memory.recall.candidates import (
    BY_MEANING,
    BY_NAME,
    BY_WORDS,
    SHORT,
    CandidateSet,
    SearchRequest,
    borrowed,
    find_candidates,
    read_pool,
    resolve,
)
from memory.recall.query import parse
from memory.types import EVERYWHERE, OWNER, Filter
from memory.vectors.collection import Scan
from tests.unit.memory.recall.conftest import TODAY, Collect, scan


def asked(index: Index, text: str) -> SearchRequest:
    languages = index.languages(scope=OWNER)
    return resolve(index, parse(text, languages=languages, today=TODAY), languages, scope=OWNER)


def found(index: Index, text: str, *, where: Filter = EVERYWHERE, meant: Scan | None = None) -> list[str]:
    units = index.totals().units
    request, has_all = asked(index, text), meant is not None and meant.count == units
    ids = find_candidates(index, request, scope=OWNER, where=where, units=units, scan=meant, has_all=has_all).ids
    return [stored.unit.text for stored in index.stored(ids, scope=OWNER)]


def test_words_are_held_against_what_the_notes_have(collect: Collect) -> None:
    index = collect({"a.md": "the red key\n\nthe blue key\n"})
    question = asked(index, "red key unicorn")
    assert [word.text for word in question.words] == ["red", "key"]
    assert [question.count(word) for word in question.words] == [1, 2]


def test_units_with_any_of_the_words_are_candidates(collect: Collect) -> None:
    index = collect({"a.md": "red key\n\nblue door\n\ngreen window\n"})
    assert set(found(index, "a blue key")) == {"red key", "blue door"}


def test_in_a_large_collection_units_without_a_rare_word_are_left_out(collect: Collect) -> None:
    few, many = ("\n\n".join(f"note number {n}" for n in range(count)) for count in (200, 2100))
    assert len(found(collect({"a.md": f"{few}\n\nnote of penguins\n"}), "notes of penguins")) == BY_WORDS
    assert found(collect({"a.md": f"{many}\n\nnote of penguins\n"}), "notes of penguins") == ["note of penguins"]


def test_beside_meaning_fewer_units_without_a_rare_word_are_enough(collect: Collect) -> None:
    notes = [f"note number {n}" for n in range(500)]
    index = collect({"a.md": "\n\n".join([*notes, "note of penguins"])})
    vectors = {note: (1.0, n / 500) for n, note in enumerate(notes)}  # the last are the nearest

    def candidates(vectors: dict[str, tuple[float, float]]) -> set[str]:
        return {*found(index, "notes of penguins", meant=scan(index, vectors, (0.0, 1.0)))}

    assert len(candidates(vectors)) > BY_MEANING + 1  # as long as one waits for its vector
    assert candidates({**vectors, "note of penguins": (1.0, 0.0)}) == {*notes[-BY_MEANING:], "note of penguins"}


@pytest.mark.parametrize(("passages", "expected"), [(1, 30), (6, 30), (12, 60), (50, BY_WORDS)])
def test_for_few_passages_fewer_candidates_are_ranked(collect: Collect, passages: int, expected: int) -> None:
    index = collect({"a.md": "\n\n".join(f"note number {n}" for n in range(200))})
    request = asked(index, "notes")
    ids = find_candidates(index, request, scope=OWNER, where=EVERYWHERE, units=200, passages=passages).ids
    assert len(ids) == expected


def test_of_the_overlapping_pieces_of_a_thai_word_one_is_looked_for(collect: Collect) -> None:
    notes = "ค่าไฟเดือนนี้แพงมาก\n\nบ้านของแม่อยู่ไกล\n\nเดือนหน้าไปทะเล\n"
    index = collect({"a.md": notes})
    question = asked(index, "ค่าไฟเดือน")
    every = parse("ค่าไฟเดือน", languages=["th"], today=TODAY).words
    assert {question.count(word) for word in question.words} == {1, 2}
    assert len(question.words) < len(every) / 2
    assert set(question.query.words) == set(question.words)
    assert found(index, "ค่าไฟเดือน") == ["ค่าไฟเดือนนี้แพงมาก", "เดือนหน้าไปทะเล"]


def test_pools_that_are_read_one_after_the_other_are_as_one_read_at_once(collect: Collect) -> None:
    notes = "\n\n".join(f"note {n}" for n in range(9))
    index = collect({"a.md": f"{notes}\n\n## Retain\n- W: Lives here. ^w1\n- W: Has a boat. ^w2\n"})
    ids = index.newest(scope=OWNER, limit=20)
    for first, more in ((ids[:2], ids[4:6]), (ids[2:4], ids[3:5]), (ids[:1], ids[1:2]), ([], ids[:3])):
        joined = read_pool(index, first, scope=OWNER).joined(read_pool(index, more, scope=OWNER))
        whole = read_pool(index, list(dict.fromkeys([*first, *more])), scope=OWNER)
        assert set(joined.entries) == set(whole.entries)
        assert set(joined.notes) == set(whole.notes)


def test_what_is_beside_a_fact_is_read_only_for_newer_versions_of_it(collect: Collect) -> None:
    index = collect({"a.md": "## Retain\n- W: Lives here. ^w1\n- W: Has a boat. ^w2\n- W: Sings. ^w3\n"})
    middle = [stored.id for stored in index.stored(index.newest(scope=OWNER, limit=9), scope=OWNER)][1:2]
    assert len(read_pool(index, middle, scope=OWNER).entries) == 3
    assert len(read_pool(index, middle, scope=OWNER, versions=False).entries) == 1


def test_an_alias_brings_up_what_is_about_its_owner(collect: Collect) -> None:
    index = collect(
        {
            "bank/entities/Anna-Lopez.md": "---\naliases: [Annie]\n---\n- Lives in Oslo.\n",
            "memory/2026-11-20.md": "Anna Lopez called.\n\nNothing else.\n",
        }
    )
    texts = found(index, "Annie")
    assert "- Lives in Oslo." in texts
    assert "Anna Lopez called." in texts


def test_a_name_on_very_many_units_brings_up_none_by_itself(collect: Collect) -> None:
    text = "\n".join(f"- W @Peter: thing {n}" for n in range(BY_NAME + 5))
    index = collect({"bank/world.md": text})
    question = asked(index, "Peter")
    assert find_candidates(index, question, scope=OWNER, where=EVERYWHERE, units=0).about == ()


def test_days_bring_up_what_is_dated_there(collect: Collect) -> None:
    index = collect({"memory/2026-11-20.md": "Went swimming.\n", "memory/2026-11-01.md": "Went skiing.\n"})
    assert found(index, "what did I do yesterday?") == ["Went swimming."]


def test_narrowing_holds_for_every_way_of_finding(collect: Collect) -> None:
    index = collect({"memory/2026-11-20.md": "@Anna swims.\n", "bank/world.md": "- W @Anna: swims.\n"})
    for question in ("swims", "Anna", "yesterday"):
        assert all("W @Anna" not in text for text in found(index, question, where=Filter(under=("memory",))))


@pytest.mark.parametrize("question", ["", "???", "unicorn", "who am i"])
def test_nothing_is_found_for_what_is_not_there(collect: Collect, question: str) -> None:
    assert found(collect({"a.md": "red key\n"}), question) == []


@pytest.mark.parametrize("question", ["Wo ist der Schlüssel?", "der Keller", "Wo sind die Schlüssel vom Keller?"])
def test_a_part_of_a_compound_brings_up_the_whole(collect: Collect, question: str) -> None:
    notes = "Der Kellerschlüssel hängt neben der Tür.\n\nDas Fahrrad steht im Hof und der Kellner wartet.\n"
    assert found(collect({"a.md": notes}), question) == ["Der Kellerschlüssel hängt neben der Tür."]


def test_a_word_that_stands_by_itself_is_not_looked_for_in_compounds(collect: Collect) -> None:
    notes = "Der Kellerschlüssel hängt neben der Tür.\n\nDer Schlüssel ist bei Oma und Opa.\n"
    assert found(collect({"a.md": notes}), "Wo ist der Schlüssel?") == ["Der Schlüssel ist bei Oma und Opa."]


def test_other_languages_do_without(collect: Collect) -> None:
    assert found(collect({"a.md": "The keyboards of the grandmother are in the cellar.\n"}), "the mother") == []


def test_a_unit_of_some_length_borrows_half_of_what_an_empty_one_would() -> None:
    assert borrowed(0, 0.5) == 0.5
    assert borrowed(SHORT, 0.5) == pytest.approx(0.25)


def test_neighbours_are_those_of_the_same_file(collect: Collect) -> None:
    index = collect({"a.md": "one\n\ntwo\n\nthree\n", "b.md": "four\n"})
    wanted = index.match([["two"], ["four"]], scope=OWNER, limit=9)
    pool = CandidateSet(read_pool(index, wanted, scope=OWNER), wanted, beside=0.5)
    words = [*(terms.strip() for terms in pool.terms), ""]
    beside = {words[one.here]: (words[one.before], words[one.behind]) for one in pool.candidates}
    assert beside == {"two": ("one", "three"), "four": ("", "")}


def test_a_fact_borrows_nothing(collect: Collect) -> None:
    index = collect({"a.md": "## Retain\n- W: two.\n- W: three.\n"})
    ids = index.newest(scope=OWNER, limit=9)
    pool = CandidateSet(read_pool(index, ids, scope=OWNER), ids, beside=0.5)
    assert [one.share for one in pool.candidates] == [0, 0]
