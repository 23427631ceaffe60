"""The laws of `memory.index.sql.Index`, in a file, in memory, and in a database that several processes share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.index.sql import Index
from memory.index.sqlite import SqliteIndex
from memory.index.terms import entity_key, terms
from memory.index.types import Changed, FileChange, FileState
from memory.index.units import chunk
from memory.postgresql.connection import IndexDatabase
from memory.postgresql.store import PostgresStore, SharedIndex
from memory.recall.filters import with_places
from memory.strength import Life
from memory.types import EVERYWHERE, OWNER, Filter, Kind, Scope, chat_scope
from tests.servers.postgresql import PostgresServer
from tests.unit.memory.index.conftest import owners

GUESTS = chat_scope("telegram.1:-5")
OTHERS = chat_scope("telegram.1:-6")
FAR_OFF = 1000
MEMORY = Path(":memory:")

MONDAY = """\
# Household

The spare key is under the blue pot.

Anna has the second key.

## Retain
- W @Peter: Lives in Rome near the station. #person ^p1
- T(due=2026-03-05) @me: Send Peter the offer. ^t1
"""
TUESDAY = "The dentist moved to Station Road.\n\nA key question remains.\n\nNothing else.\n"


def change(path: str, text: str, scopes: dict[str, Scope] | None = None, size: int = 1) -> FileChange:
    return FileChange(path, FileState(size, 1, text), chunk(path, text, owners=owners(path, scopes or {})))


MONDAYS = change("memory/2026-03-02.md", MONDAY)
TUESDAYS = change("memory/2026-03-03.md", TUESDAY)


_numbers = count()


@pytest.fixture(scope="module")
def database(postgresql: PostgresServer) -> Iterator[IndexDatabase]:
    with closing(IndexDatabase(postgresql.database())) as database:
        yield database


@pytest.fixture(params=["file", "memory", "postgresql"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Index]]:
    made: list[Index] = []

    def make() -> Index:
        if request.param == "postgresql":  # all in one database: each test beside what the others left
            where = SharedIndex(request.getfixturevalue("database"), f"agent{next(_numbers)}", tmp_path / "beside")
            store = PostgresStore(where)
            store.take_over()
            made.append(store.index)
        else:
            path = tmp_path / f"index{len(made)}.sqlite"
            made.append(SqliteIndex.open(path if request.param == "file" else MEMORY))
        return made[-1]

    yield make
    for index in made:
        index.close()


@pytest.fixture
def index(fresh: Callable[[], Index]) -> Index:
    index = fresh()
    index.write([MONDAYS, TUESDAYS])
    return index


def words(text: str) -> list[list[str]]:
    return [[term] for term in terms(text, "en")]


def texts(index: Index, ids: Sequence[int], scope: Scope = OWNER) -> list[str]:
    return [stored.unit.text.split("\n")[-1] for stored in index.stored(ids, scope=scope)]


def matched(
    index: Index,
    text: str,
    *,
    scope: Scope = OWNER,
    where: Filter = EVERYWHERE,
    limit: int = 10,
    among: Sequence[Sequence[str]] = (),
) -> list[str]:
    ids = index.match(words(text), scope=scope, where=where, limit=limit, among=among)
    return texts(index, ids, scope)


def test_the_units_with_the_words_are_found(index: Index) -> None:
    assert set(matched(index, "key")) == {
        "The spare key is under the blue pot.",
        "Anna has the second key.",
        "A key question remains.",
    }
    assert matched(index, "unknown") == []


def test_rarer_words_and_more_of_them_come_first(index: Index) -> None:
    assert matched(index, "spare key")[0] == "The spare key is under the blue pot."
    assert matched(index, "key anna")[0] == "Anna has the second key."


def test_units_can_be_limited_to_those_with_one_of_some_words(index: Index) -> None:
    assert matched(index, "spare key", among=words("spare")) == ["The spare key is under the blue pot."]


def test_a_word_can_have_several_terms(index: Index) -> None:
    both = index.match([["dentist", "rome"]], scope=OWNER, limit=10)
    assert len(both) == 2


def test_a_term_can_stand_for_all_that_begin_like_it(index: Index) -> None:
    assert len(index.match([["sta*"]], scope=OWNER, limit=10)) == 2


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("projects", ["Projects/Übung.md"]),
        ("PROJECTS/", ["Projects/Übung.md"]),
        ("projects/übung", ["Projects/Übung.md"]),
        ("Projects/U\u0308bung.md", ["Projects/Übung.md"]),
        ("Handbook", ["extra/handbook/Cafe\u0301.md"]),
        ("handbook/café", ["extra/handbook/Cafe\u0301.md"]),
        ("projects/üb", []),
        ("project", []),
        ("extra", ["extra/handbook/Cafe\u0301.md"]),
        ("memory/2026-03-02", ["memory/2026-03-02.md"]),
        ("memory", ["memory/2026-03-02.md", "memory/2026-03-03.md"]),
        ("MEMORY", ["MEMORY.md"]),
        ("Memory", ["MEMORY.md", "memory/2026-03-02.md", "memory/2026-03-03.md"]),
        ("no\0thing", []),
    ],
)
def test_a_place_is_found_however_it_is_spelled(index: Index, typed: str, expected: list[str]) -> None:
    for path in ("Projects/Übung.md", "extra/handbook/Cafe\u0301.md", "MEMORY.md"):
        index.write([change(path, "The key is here.\n")])
    where = with_places(index, Filter(under=(typed,)))
    found = index.match([["key"]], scope=OWNER, where=where, limit=10)
    listed = index.newest(scope=OWNER, where=where, limit=10)

    assert sorted({stored.path for stored in index.stored(found, scope=OWNER)}) == expected
    assert sorted({stored.path for stored in index.stored(listed, scope=OWNER)}) == expected


def test_no_more_than_the_limit_are_given(index: Index) -> None:
    assert len(matched(index, "key", limit=2)) == 2
    assert matched(index, "key", limit=2) == matched(index, "key")[:2]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(since="2026-03-03"), 1),
        (Filter(until="2026-03-02"), 2),
        (Filter(since="2026-03-02", until="2026-03-03"), 3),
        (Filter(kinds=(Kind.WORLD,)), 0),
        (Filter(kinds=(Kind.NOTE, Kind.WORLD)), 3),
        (Filter(under=("memory/2026-03-03.md",)), 1),
        (Filter(under=("memory/2026-03-03",)), 0),
        (Filter(under=("memory/",)), 3),
        (Filter(under=("memory", "memory/2026-03-03.md")), 3),
        (Filter(under=("bank",)), 0),
    ],
)
def test_a_search_can_be_narrowed(index: Index, where: Filter, expected: int) -> None:
    assert len(matched(index, "key", where=where)) == expected


OPINIONS = """\
- O(c=0.8) @Peter: The key is heavy. #preference ^o1
  <!-- scrubjay:evidence ^o1 from 0.76; 2026-03-02 +0.25 memory/2026-03-02.md#^p1 -->
- O(until=2026-02-01) @Zoe: The key is light. ^o2
- 2026-03-01 The key is red. #Metal/Iron #Übung ^o3
"""


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(entities=("peter",)), ["o1"]),
        (Filter(entities=("Zoë", "nobody")), ["o2"]),
        (Filter(entities=("nobody",)), []),
        (Filter(categories=("preference", "goal")), ["o1"]),
        (Filter(tags=("metal", "wood")), ["o3"]),
        (Filter(tags=("metal/iron",)), ["o3"]),
        (Filter(tags=("met",)), []),
        (Filter(tags=("metal/iron/old", "iron")), []),
        (Filter(tags=("preference",)), []),
        (Filter(tags=("übung",)), ["o3"]),
        (Filter(tags=("ÜBUNG",)), ["o3"]),
        (Filter(valid=("2026-03-01", "2026-03-01")), ["o1", "o3"]),
        (Filter(valid=("2026-01-01", "2026-02-01")), ["o1", "o2"]),
        (Filter(valid=("2026-03-02", "2026-03-02")), ["Anna", "The", "o1", "o3"]),
        (Filter(known="2026-03-02"), ["Anna", "The"]),
        (Filter(known="2026-03-01"), []),
    ],
)
def test_a_search_can_be_narrowed_by_what_facts_carry(index: Index, where: Filter, expected: list[str]) -> None:
    index.write([change("bank/opinions.md", OPINIONS)])
    found = index.stored(index.match(words("key"), scope=OWNER, where=where, limit=20), scope=OWNER)
    told = [one.unit.name if one.unit.kind is Kind.OPINION else texts(index, [one.id])[0].split()[0] for one in found]
    assert sorted(told) == expected
    assert {*index.newest(scope=OWNER, where=where, limit=20)} >= {one.id for one in found}


def test_evidence_and_what_the_journal_says_change_without_a_new_unit(index: Index) -> None:
    index.write([change("bank/opinions.md", OPINIONS)])
    before = index.find("o1", scope=OWNER)
    weaker = OPINIONS.replace("-->", "; 2026-03-03 -0.25 memory/2026-03-03.md#^x -->", 1)
    assert index.write([change("bank/opinions.md", weaker)]) == Changed(kept=3)
    after = index.find("o1", scope=OWNER)
    assert before is not None
    assert after is not None
    assert (after.id, len(before.unit.evidence), len(after.unit.evidence)) == (before.id, 1, 2)


def test_units_about_days_come_newest_first(index: Index) -> None:
    found = texts(index, index.dated("2026-03-01", "2026-03-04", scope=OWNER, limit=10))
    assert found[0] == "The dentist moved to Station Road."
    assert len(found) == 6
    assert texts(index, index.dated("2026-03-05", "2026-12-31", scope=OWNER, limit=10)) == [
        "- T(due=2026-03-05) @me: Send Peter the offer. ^t1"
    ]
    assert index.dated("2025-01-01", "2025-12-31", scope=OWNER, limit=10) == []


def test_units_about_an_entity_are_found_by_its_key(index: Index) -> None:
    assert texts(index, index.about(["peter"], scope=OWNER, limit=10)) == [
        "- W @Peter: Lives in Rome near the station. #person ^p1"
    ]
    assert index.about(["nobody"], scope=OWNER, limit=10) == []


def test_names_and_aliases_are_known(index: Index) -> None:
    page = change("bank/entities/Anna-Lopez.md", "---\naliases: [Annie]\n---\n- Lives in Oslo.\n")
    index.write([page, change("memory/2026-03-09.md", "- W @Annie: Sails.\n")])
    assert index.keys_of(["peter", "annie", "anna lopez", "zoe"], scope=OWNER) == {
        "peter": "peter",
        "annie": "anna lopez",
        "anna lopez": "anna lopez",
    }
    index.write([], ["bank/entities/Anna-Lopez.md"])
    assert index.keys_of(["annie", "anna lopez"], scope=OWNER) == {"annie": "annie"}


def test_other_names_lead_to_the_same_entity_for_whom_knows_them(index: Index) -> None:
    index.write([change("bank/entities/Anna-Lopez.md", "---\naliases: [Annie, A.]\n---\n")])
    assert index.keys_of(["annie"], scope=OWNER) == {"annie": "anna lopez"}
    assert index.synonyms(["anna lopez", "peter"], scope=OWNER) == {"anna lopez", "annie", "a", "peter"}
    assert index.keys_of(["annie"], scope=GUESTS) == {}
    assert index.synonyms(["anna lopez"], scope=GUESTS) == {"anna lopez"}


def test_terms_are_counted(index: Index) -> None:
    assert index.frequencies(["key", "spare", "unknown"], scope=OWNER) == {"key": 3, "spare": 1}


def test_sums_and_languages_follow_the_writes(index: Index) -> None:
    totals = index.totals()
    assert (totals.files, totals.units, totals.facts) == (2, 7, 2)
    assert index.languages(scope=OWNER) == ("en",)
    index.write([change("memory/2026-03-04.md", "Wo ist der Hund und was macht er da?\n")], ["memory/2026-03-02.md"])
    after = index.totals()
    assert (after.files, after.units, after.facts) == (2, 4, 0)
    assert index.languages(scope=OWNER) == ("en", "de")
    index.write([], ["memory/2026-03-03.md", "memory/2026-03-04.md", "never/was.md"])
    assert index.totals() == type(totals)()
    assert index.languages(scope=OWNER) == ()


def test_a_unit_is_kept_as_it_was_written(index: Index) -> None:
    stored = index.find("p1", scope=OWNER)
    assert stored is not None
    assert MONDAYS.chunked is not None
    written = next(unit for unit in MONDAYS.chunked.units if unit.name == "p1")
    assert stored.unit == written
    assert stored.path == "memory/2026-03-02.md"
    assert index.find("p2", scope=OWNER) is None


def test_of_two_units_of_one_name_the_first_by_path_is_found(index: Index) -> None:
    index.write([change("a.md", "copied ^p1\n")])
    stored = index.find("p1", scope=OWNER)
    assert stored is not None
    assert stored.path == "a.md"


def test_ranking_gets_a_unit_and_its_neighbours(index: Index) -> None:
    (spare,) = index.match(words("spare"), scope=OWNER, limit=1)
    alone = index.entries([spare], scope=OWNER)
    assert [(entry.id, entry.order, entry.path) for entry in alone] == [(spare, 0, "memory/2026-03-02.md")]
    assert " spare key " in alone[0].terms
    assert alone[0].length == len(alone[0].terms.split())
    (behind,) = index.neighbours([spare], scope=OWNER)
    (whole,) = index.entries([behind.id], scope=OWNER)
    assert behind == (whole.id, whole.file, whole.order, whole.kind, whole.length, whole.terms)
    assert (behind.file, behind.order) == (alone[0].file, 1)
    assert {one.order for one in index.neighbours([spare, behind.id], scope=OWNER)} == {0, 1, 2}


def test_units_that_guide_are_known_by_scope(index: Index) -> None:
    index.write([change("a.md", "Always lock the door.\n\nThe door is green.\n\nI prefer the stairs.\n")])
    index.write([change("memory/guests/2026-03-04.md", "Never mind him. ^g1\n", {"g1": GUESTS})])
    found = index.stored(index.guiding(scope=OWNER), scope=OWNER)
    assert sorted(stored.unit.text for stored in found) == ["Always lock the door.", "I prefer the stairs."]
    assert [stored.unit.name for stored in index.stored(index.guiding(scope=GUESTS), scope=GUESTS)] == ["g1"]
    index.write([], ["a.md"])
    assert index.guiding(scope=OWNER) == []


def test_speakers_are_counted_with_how_often_they_speak_of_themselves(index: Index) -> None:
    talk = "Ann: I am here.\n\nBob: Good.\n\nAnn: My bus was late.\n\nBob: Well.\n\nAnn: Yes.\n"
    index.write([change("a.md", talk)])
    assert index.voices(scope=OWNER) == {"Ann": (3, 2), "Bob": (2, 0)}
    index.write([change("a.md", talk.replace("I am", "We are").replace("Bob: Well.\n\n", "Bob: Me?\n\n"))])
    assert index.voices(scope=OWNER) == {"Ann": (3, 1), "Bob": (2, 1)}
    index.write([], ["a.md"])
    assert index.voices(scope=OWNER) == {}


def test_each_fact_paragraph_and_turn_of_some_speakers_opens_with_one_unit(index: Index) -> None:
    talk = f"Ann: I am here. {'I waited. ' * 400}\n\nBob: Good.\n\nAnn: My bus was late.\n\nBob: Oh!\n"
    index.write([change("memory/2026-01-02.md", talk), change("memory/2026-01-01.md", "A note.\n\nAnother.\n")])

    def openings(*speakers: str) -> list[str]:
        where = Filter(since="2026-01-01", until="2026-01-02")
        units = index.stored(index.openings(speakers, scope=OWNER, where=where), scope=OWNER)
        return [stored.unit.text[:10] for stored in units]

    assert openings("Ann") == ["Ann: I am ", "Ann: My bu"]
    assert openings("", "Bob") == ["A note.", "Another.", "Bob: Good.", "Bob: Oh!"]
    assert not index.openings(["Ann"], scope=GUESTS)


def test_units_between_two_places_come_in_order(index: Index) -> None:
    file = index.stored(index.match(words("spare"), scope=OWNER, limit=1), scope=OWNER)[0].file
    assert [stored.order for stored in index.between(file, first=1, last=FAR_OFF, scope=OWNER)] == [1, 2, 3]


def test_around_a_note_its_neighbours_are_read_and_around_a_fact_its_own_pieces(index: Index) -> None:
    long = f"- W @Ann: It began. {' '.join(f'Then came day {day} of many.' for day in range(200))} ^long1"
    text = f"One.\n\nTwo.\n\nThree.\n\n## Retain\n- before ^b1\n{long}\n- W: It ended. ^e1\n"
    index.write([change("memory/2026-01-02.md", text)])
    every = index.stored(range(1, FAR_OFF), scope=OWNER)
    one, three = (next(stored.id for stored in every if stored.unit.text == text) for text in ("One.", "Three."))
    whole = [stored.unit.name for stored in every if stored.unit.name.startswith("long1")]
    piece = next(stored.id for stored in every if stored.unit.name == whole[1])
    found = index.surroundings([three, piece, FAR_OFF, one], scope=OWNER, notes=1, pieces=50)
    assert [near.text for near in found[one]] == ["One.", "Two."]
    assert [near.order for near in found[three]] == [1, 2, 3]
    assert [near.name for near in found[piece]] == whole
    assert len(whole) > 2
    assert found[FAR_OFF] == []
    assert index.surroundings([one], scope=GUESTS, notes=1, pieces=1) == {one: []}


def test_reads_of_one_state_are_those_of_single_reads(index: Index) -> None:
    index.write([change("memory/guests/2026-03-04.md", "- W @Zoe: Never mind the key. ^g1\n", {"g1": GUESTS})])
    index.write([change("talk.md", "Ann: I always wait.\n\nBob: Der Hund und die Katze.\n")])

    def read(scope: Scope) -> list[object]:
        names = [entity_key("Peter"), "zoe", "me", "nobody", "\x00", "\ud800"]
        sums = [index.totals(scope=scope), index.languages(scope=scope), index.voices(scope=scope)]
        entries = sorted(index.entries(range(1, FAR_OFF), scope=scope))
        return [*sums, sorted(index.guiding(scope=scope)), index.keys_of(names, scope=scope), counted(index), entries]

    for scope in (OWNER, GUESTS, OTHERS):
        alone = read(scope)
        with index.reading():
            assert read(scope) == alone
            with index.reading():
                assert read(scope) == alone
    before = read(OWNER)
    index.write([], ["talk.md"])
    with index.reading():
        assert read(OWNER) != before


def test_problems_stay_with_their_file(index: Index) -> None:
    index.write([change("bank/world.md", "- fine\n- O(c=7): wrong\n")])
    assert [(problem.path, problem.line) for problem in index.problems()] == [("bank/world.md", 2)]
    index.write([change("bank/world.md", "- fine\n- O(c=.7): right\n")])
    assert index.problems() == ()


def test_counts_are_of_one_scope(index: Index) -> None:
    index.write([change("memory/guests/2026-03-04.md", "## Retain\n- W @Zoe: Likes tea. ^g1\n", {"g1": GUESTS})])
    mine, theirs = index.stats(scope=OWNER), index.stats(scope=GUESTS)
    assert (mine.files, mine.units, mine.facts) == (2, 7, 2)
    assert mine.by_kind == {"note": 5, "world": 1, "intention": 1}
    assert mine.by_category == {"person": 1}
    assert mine.entities == (("me", 1), ("Peter", 1))
    assert (mine.first_day, mine.last_day) == ("2026-03-02", "2026-03-05")
    assert (theirs.units, theirs.entities) == (1, (("Zoe", 1),))
    assert index.stats(scope=OTHERS).units == 0


def test_no_read_crosses_a_scope(index: Index) -> None:
    text = "## Retain\n- W @Zoe: The key of the guests. ^g1\n- mine, by hand\n- W @Zoe: Another key. ^g2\n"
    index.write([change("memory/guests/2026-03-04.md", text, {"g1": GUESTS, "g2": OTHERS})])
    assert matched(index, "key", scope=GUESTS) == ["- W @Zoe: The key of the guests. ^g1"]
    assert not any("guests" in text for text in matched(index, "key guests"))
    everything = range(1, FAR_OFF)
    for scope in (OWNER, GUESTS, OTHERS, chat_scope("nobody")):
        seen = index.stored(everything, scope=scope)
        assert {stored.unit.scope for stored in seen} <= {scope}
        assert {entry.id for entry in index.entries(everything, scope=scope)} == {one.id for one in seen}
        assert {one.id for one in index.neighbours(everything, scope=scope)} <= {one.id for one in seen}
        assert set(index.dated("2000-01-01", "2100-01-01", scope=scope, limit=FAR_OFF)) <= {one.id for one in seen}
        assert set(index.about(["zoe", "peter"], scope=scope, limit=FAR_OFF)) <= {one.id for one in seen}
        for one in seen:
            around = index.surroundings([one.id], scope=scope, notes=FAR_OFF, pieces=FAR_OFF)[one.id]
            assert one.id in {two.id for two in around} <= {two.id for two in seen}
            assert {two.unit.scope for two in index.between(one.file, first=0, last=FAR_OFF, scope=scope)} == {scope}
    assert index.find("g1", scope=OWNER) is None
    assert index.find("g1", scope=GUESTS) is not None
    assert index.keys_of(["zoe", "peter"], scope=GUESTS) == {"zoe": "zoe"}


def test_what_is_counted_for_a_chat_does_not_depend_on_what_others_have(fresh: Callable[[], Index]) -> None:
    text = "\n".join(f"- W @Zoe: The {word} of the guests, and the key. ^g{n}" for n, word in enumerate("abc"))
    ours = change("memory/guests/2026-03-04.md", f"## Retain\n{text}\n", {f"g{n}": GUESTS for n in range(3)})
    alone, beside = fresh(), fresh()
    alone.write([ours])
    beside.write([MONDAYS, ours, TUESDAYS, change("talk.md", "Ann: I wait.\n\nBob: Der Hund und die Katze.\n")])

    assert counted(beside) == counted(alone)
    assert beside.totals(scope=GUESTS).units == 3
    assert beside.frequencies(["key", "spare"], scope=GUESTS) == {"key": 3}
    assert beside.frequencies(["key", "spare"], scope=OWNER) == {"key": 6, "spare": 1}


def counted(index: Index) -> list[object]:
    """All that depends on counts, as a chat is told."""
    matches = [
        [one.unit.name for one in index.stored(index.match(words(text), scope=GUESTS, limit=2), scope=GUESTS)]
        for text in ("key", "a key guests", "b c", "spare pot")
    ]
    frequencies = index.frequencies(["key", "spare", "guest", "ke*", "a\x00b", ""], scope=GUESTS)
    sums = (index.totals(scope=GUESTS), index.languages(scope=GUESTS), index.voices(scope=GUESTS))
    return [*matches, frequencies, *sums]


def test_units_change_hands_without_being_written_again(index: Index) -> None:
    path, text = "memory/guests/2026-03-04.md", "## Retain\n- W @Zoe: The key of the guests. ^g1\n"
    index.write([change(path, text, {"g1": GUESTS})])
    before = index.find("g1", scope=GUESTS)
    assert index.write([change(path, text, {"g1": OTHERS})]) == Changed(kept=1)
    assert index.find("g1", scope=GUESTS) is None
    moved = index.find("g1", scope=OTHERS)
    assert before is not None
    assert moved is not None
    assert (moved.id, moved.unit.scope) == (before.id, OTHERS)


def test_the_files_that_hold_an_id_are_told_whosever_it_is(index: Index) -> None:
    path = "memory/guests/2026-03-04.md"
    index.write([change(path, "## Retain\n- W @Zoe: A key. ^g1\n- By hand. ^p1\n", {"g1": GUESTS})])
    assert index.paths_of(["g1"]) == {path}
    assert index.paths_of(["p1", "unknown"]) == {path, MONDAYS.path}
    assert index.paths_of([]) == set()


def test_a_change_keeps_the_ids_of_what_stays_and_never_gives_one_again(index: Index) -> None:
    before = {stored.unit.text: stored.id for stored in index.stored(range(1, FAR_OFF), scope=OWNER)}
    edited = "Something new.\n\n" + TUESDAY.replace("Nothing else.", "Nothing more.")
    assert index.write([change("memory/2026-03-03.md", edited)]) == Changed(added=2, removed=1, kept=2)
    after = {stored.unit.text: stored for stored in index.stored(range(1, FAR_OFF), scope=OWNER)}
    kept = after["A key question remains."]
    assert kept.id == before["A key question remains."]
    assert (kept.unit.start, kept.order) == (5, 2)
    assert min(after["Something new."].id, after["Nothing more."].id) > max(before.values())
    assert matched(index, "nothing else") == ["Nothing more."]


def test_of_a_file_that_comes_twice_in_one_write_the_later_words_stay(index: Index) -> None:
    before = index.totals(scope=OWNER)
    first, later = change("twice.md", "A walrus.\n\nA heron.\n"), change("twice.md", "A heron.\n\nAn ibis.\n")
    other = change("other.md", "A newt.\n")

    assert index.write([first, other, later]) == Changed(added=4, removed=1, kept=1)

    assert [matched(index, word) for word in ("walrus", "heron", "ibis", "newt")] == [
        [], ["A heron."], ["An ibis."], ["A newt."]
    ]  # fmt: skip
    after = index.totals(scope=OWNER)
    assert (after.files, after.units, after.terms) == (before.files + 2, before.units + 3, before.terms + 6)


def test_a_state_alone_can_be_noted(index: Index) -> None:
    assert index.write([FileChange("memory/2026-03-03.md", FileState(9, 9, "d"))]) == Changed()
    assert index.files()["memory/2026-03-03.md"] == FileState(9, 9, "d")
    assert index.files(["memory/2026-03-03.md", "none"]).keys() == {"memory/2026-03-03.md"}
    assert len(matched(index, "key")) == 3


def test_notes_are_kept(index: Index) -> None:
    assert index.note("journal") == ""
    index.write([], notes={"journal": "abc"})
    assert index.note("journal") == "abc"


@pytest.mark.parametrize("term", ['"', "AND", "NEAR(", "a\x00b", "*", "", "col:x", "-x", "\U0001f4aa", "x" * 5000])
def test_no_term_is_taken_for_syntax(index: Index, term: str) -> None:
    assert index.match([[term]], scope=OWNER, limit=5) == []
    assert index.match([[term], ["key"]], scope=OWNER, limit=5, among=[["key"]])
    assert index.frequencies([term], scope=OWNER) == {}
    assert index.keys_of([term], scope=OWNER) == {}
    assert index.find(term, scope=OWNER) is None


AGEING = """\
- W(i=0.35) @Peter: Lives in Rome. ^p1
- B(v=0.9, a=0.9) The day we met. ^b1
- T(due=2026-03-05) @me: Send Peter the offer. ^t1
- S: The sea is blue. ^s1
"""


@pytest.fixture
def ageing(fresh: Callable[[], Index]) -> Index:
    index = fresh()
    index.write([change("memory/2026-03-02.md", AGEING.replace("- W", "Words.\n\n## Retain\n- W"))])
    return index


def test_a_fact_has_the_speed_at_which_days_pass_for_it(ageing: Index) -> None:
    facts = {fact.name: fact for fact in ageing.lives.facts(scope=OWNER)}
    assert {name: fact.speed for name, fact in facts.items()} == {"p1": 4, "b1": 0.5, "t1": None, "s1": 1}
    assert facts["p1"][4:10] == (4, None, "2026-03-02", 0, 0, "2026-03-02")


def test_a_life_is_kept_beside_its_fact_and_reaches_ranking(ageing: Index) -> None:
    reviewed = Life("p1", 8.5, 3.2, "2026-03-09T10:00:00+00:00", uses=3, used_days=2, restated=1)
    ageing.lives.write([reviewed, Life("s1", pinned=True)], notes={"lived": "2"})
    assert ageing.note("lived") == "2"
    (fact,) = ageing.lives.facts(scope=OWNER, names=["p1", "nobody"])
    assert (fact.stability, fact.reviewed, fact.uses, fact.used_days, fact.restated) == (
        8.5,
        reviewed.reviewed,
        3,
        2,
        1,
    )
    ids = ageing.about(["peter"], scope=OWNER, limit=5)
    entry = next(one for one in ageing.entries(ids, scope=OWNER) if one.kind == Kind.WORLD)
    assert entry[-5:] == (4, 8.5, reviewed.reviewed, 3, 0)
    (pinned,) = ageing.lives.facts(scope=OWNER, names=["s1"])
    assert (pinned.speed, pinned.pinned) == (None, 1)


def test_a_fact_counts_as_merged_as_long_as_the_other_is_there(ageing: Index) -> None:
    ageing.lives.write([Life("s1", merged_into="p1"), Life("b1", merged_into="gone")])
    assert {fact.name: fact.merged for fact in ageing.lives.facts(scope=OWNER)} == {"p1": 0, "b1": 0, "t1": 0, "s1": 1}
    ageing.write([], ["memory/2026-03-02.md"])
    ageing.write([change("a.md", "## Retain\n- The sea is blue. ^s1\n")])
    assert [fact.merged for fact in ageing.lives.facts(scope=OWNER)] == [0]


def linked(index: Index, name: str, scope: Scope = OWNER) -> dict[str, tuple[float, str]]:
    """What a fact is linked to, with weight and kind, heaviest first."""
    own = index.lives.facts(scope=OWNER, names=[name])
    links = index.links.neighbours([fact.id for fact in own], scope=scope)
    names = {one.id: one.unit.name for one in index.stored([link.target for link in links], scope=OWNER)}
    return {names[link.target]: (link.weight, link.kind) for link in links}


def test_links_are_found_from_both_ends_and_lead_to_what_is_there(ageing: Index) -> None:
    ageing.lives.write([Life("p1", links={"s1": 0.7, "gone": 0.9}), Life("s1", links={"p1": 0.8, "b1": 0.6})])
    assert linked(ageing, "s1") == {"p1": (0.8, "meaning"), "b1": (0.6, "meaning")}
    assert linked(ageing, "b1") == {"s1": (0.6, "meaning")}
    assert linked(ageing, "s1", GUESTS) == {}
    assert ageing.links.neighbours([10**6], scope=OWNER) == []
    ageing.lives.write([Life("s1")])
    assert linked(ageing, "p1") == {"s1": (0.7, "meaning")}


def test_a_name_links_the_few_facts_that_have_it_and_the_rarer_the_more(fresh: Callable[[], Index]) -> None:
    index = fresh()
    often = "\n".join(f"- W @Ana: Met again, time {number}. ^m{number}" for number in range(60))
    few = "- W @Bo @Cy: A. ^b1\n- W @Bo: B. ^b2\n- W @Bo: C. ^b3"
    text = f"- W @Ana @Graz: A visit. ^v1\n- W @Graz: It is hilly. ^v2\n{few}"
    index.write([change("memory/2026-03-02.md", f"## Retain\n{text}\n{often}\n")])
    assert linked(index, "v1") == {"v2": (0.7, "entity")}  # Ana, in every fact, links none
    assert {name: round(weight, 3) for name, (weight, _) in linked(index, "b1").items()} == {"b2": 0.495, "b3": 0.495}


def test_a_link_that_somebody_wrote_is_told_apart(fresh: Callable[[], Index]) -> None:
    index = fresh()
    text = "- Ask [[Bo]] first. ^a1\n- W @Bo: Plays chess. ^a2\n- As in [[2026-03-02#^a2|chess]], again. ^a3"
    index.write([change("memory/2026-03-02.md", f"## Retain\n{text}\n- [[#^a4]] [[#^nobody]] ![[#^a1]] ^a4\n")])
    assert linked(index, "a1") == {"a2": (0.7, "wikilink")}
    assert linked(index, "a3") == {"a2": (1.0, "wikilink")}
    assert linked(index, "a4") == {}
    assert linked(index, "a2") == {"a1": (0.7, "entity")}


def test_a_sample_is_of_facts_of_the_scope(ageing: Index) -> None:
    assert {fact.name for fact in ageing.lives.sample([0.0, 0.5, 1.0], scope=OWNER)} == {"p1", "b1", "t1", "s1"}
    assert ageing.lives.sample([0.5], scope=GUESTS) == []


def test_lives_can_be_taken_in_anew(ageing: Index) -> None:
    ageing.lives.write([Life("p1", pinned=True, links={"s1": 0.7})])
    ageing.lives.write([Life("s1", uses=1)], anew=True)
    assert [(fact.name, fact.pinned, fact.uses) for fact in ageing.lives.facts(scope=OWNER)] == [
        ("p1", 0, 0), ("b1", 0, 0), ("t1", 0, 0), ("s1", 0, 1)
    ]  # fmt: skip
    assert linked(ageing, "p1") == linked(ageing, "s1") == {}


def test_all_pieces_of_a_long_fact_have_its_life(fresh: Callable[[], Index]) -> None:
    index = fresh()
    index.write([change("a.md", "## Retain\n- W " + "Many words about the house. " * 200 + " ^long1\n")])
    index.lives.write([Life("long1", 9.0, 5.0, "2026-03-09", uses=2)])
    entries = index.entries(index.newest(scope=OWNER, limit=9), scope=OWNER)
    assert len(entries) > 1
    assert {entry.stability for entry in entries} == {9}
    assert len(index.lives.facts(scope=OWNER)) == 1


SENTENCES = st.lists(
    st.sampled_from("the key is red|a blue pot|Anna and the key|- W @Peter: Rome ^p1|- no".split("|")), max_size=5
)
VERSIONS = st.lists(st.tuples(st.sampled_from(["a.md", "bank/b.md", "memory/2026-01-02.md"]), SENTENCES), max_size=8)


def answers(index: Index) -> list[object]:
    """All that an index says, without the numbers that it gave."""
    everything = index.dated("", "9", scope=OWNER, limit=FAR_OFF)
    found = [
        [stored.unit for stored in index.stored(index.match(words(text), scope=OWNER, limit=20), scope=OWNER)]
        for text in ("key", "red pot", "anna", "rome")
    ]
    return [
        [sorted(map(repr, units)) for units in found],
        sorted(repr(one.unit) for one in index.stored(everything, scope=OWNER)),
        index.totals(),
        index.languages(scope=OWNER),
        index.stats(scope=OWNER),
        index.problems(),
        index.frequencies(["key", "red", "rome"], scope=OWNER),
        index.keys_of([entity_key("Peter")], scope=OWNER),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(versions=VERSIONS)
def test_many_writes_answer_as_one_of_the_last_versions(
    fresh: Callable[[], Index], versions: list[tuple[str, list[str]]]
) -> None:
    """An empty version removes its file."""
    step_by_step, at_once = fresh(), fresh()
    last: dict[str, FileChange] = {}
    for path, sentences in versions:
        one = change(path, "\n\n".join(sentences))
        step_by_step.write([one] if sentences else [], [] if sentences else [path])
        last.pop(path, None)
        if sentences:
            last[path] = one
    at_once.write(list(last.values()))
    assert answers(step_by_step) == answers(at_once)
